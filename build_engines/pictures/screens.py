"""What terminals show: lines of coloured pieces. A piece is a text and the index of its colour.

Colours: 0 plain, 1 red, 2 green, 3 yellow, 4 blue, 5 magenta, 6 cyan, 7 dim, 8 bright.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from faker import Faker

Piece = tuple[str, int]
Line = list[Piece]
Session = Callable[[Random, Faker], list[Line]]

_MONTHS = ("Jan", "Mar", "Jun", "Sep", "Nov")
_PARTS = "api web core auth billing search cache queue worker mailer proxy index store".split()
_WORDS = "add fix drop move rename speed clean test document split merge guard retry".split()


def clock(rng: Random) -> str:
    return f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"


def _host(rng: Random) -> str:
    return f"{rng.choice(('node', 'db', 'web', 'gpu', 'build'))}-{rng.randint(1, 40)}"


def prompt(rng: Random, people: Faker, command: str) -> Line:
    user, folder = people.user_name(), rng.choice(_PARTS)
    style = rng.randint(0, 4)
    if style == 0:
        return [(f"{user}@{_host(rng)}", 2), (":", 0), (f"~/{folder}", 4), ("$ ", 0), (command, 8)]
    if style == 1:
        return [("➜  ", 2), (folder, 6), (" git:(", 4), ("main", 1), (") ", 4), (command, 0)]
    if style == 2:
        return [(f"[root@{_host(rng)} {folder}]# ", 0), (command, 0)]
    if style == 3:
        return [(f"PS C:\\Users\\{user}\\{folder}> ", 0), (command, 3)]
    return [("❯ ", 5), (command, 0)]


def listing(rng: Random, people: Faker) -> list[Line]:
    lines = [prompt(rng, people, "ls -la"), [(f"total {rng.randint(40, 900)}", 0)]]
    for _ in range(rng.randint(8, 22)):
        folder = rng.random() < 0.3
        name = rng.choice(_PARTS) if folder else people.file_name()
        rights = "drwxr-xr-x" if folder else rng.choice(("-rw-r--r--", "-rwxr-xr-x"))
        when = f"{rng.choice(_MONTHS)} {rng.randint(1, 28):>2} {clock(rng)[:5]}"
        lines.append(
            [
                (f"{rights} {rng.randint(1, 9)} root root {rng.randint(12, 999999):>7} {when} ", 0),
                (name, 4 if folder else 0),
            ]
        )
    return [*lines, prompt(rng, people, "")]


def log(rng: Random, people: Faker) -> list[Line]:
    lines = []
    for _ in range(rng.randint(18, 34)):
        level, colour = rng.choice(
            (("INFO", 2), ("INFO", 2), ("WARN", 3), ("ERROR", 1), ("DEBUG", 7))
        )
        when = (
            f"2026-0{rng.randint(1, 9)}-{rng.randint(10, 28)} {clock(rng)}.{rng.randint(0, 999):03}"
        )
        lines.append(
            [
                (when + " ", 7),
                (f"{level:<5} ", colour),
                (f"[{rng.choice(_PARTS)}] ", 6),
                (people.sentence(rng.randint(4, 9)).lower(), 0),
            ]
        )
    return lines


def access_log(rng: Random, people: Faker) -> list[Line]:
    lines = []
    for _ in range(rng.randint(16, 30)):
        code = rng.choice((200, 200, 200, 301, 404, 500))
        lines.append(
            [
                (people.ipv4(), 6),
                (
                    f" - - [{rng.randint(1, 28):02}/Nov/2026:{clock(rng)} +0000] ",
                    7,
                ),
                (f'"GET /{people.uri_path()} HTTP/1.1" ', 0),
                (str(code), 2 if code < 400 else 1),
                (f" {rng.randint(100, 90000)}", 0),
            ]
        )
    return lines


def traceback(rng: Random, people: Faker) -> list[Line]:
    lines = [
        prompt(rng, people, f"python {rng.choice(_PARTS)}.py"),
        [("Traceback (most recent call last):", 0)],
    ]
    for _ in range(rng.randint(3, 9)):
        part = rng.choice(_PARTS)
        lines.append(
            [
                (f'  File "/srv/{part}/{rng.choice(_PARTS)}.py", line {rng.randint(3, 900)}, ', 0),
                (f"in {rng.choice(_WORDS)}_{part}", 0),
            ]
        )
        lines.append([(f"    {part} = self.{rng.choice(_WORDS)}({part}, {rng.randint(0, 99)})", 8)])
    error = rng.choice(
        (
            "KeyError: 'id'",
            "ValueError: not enough values to unpack (expected 2, got 1)",
            "ConnectionRefusedError: [Errno 111] Connection refused",
            "TypeError: 'NoneType' object is not subscriptable",
            "RuntimeError: CUDA out of memory",
        )
    )
    return [*lines, [(error, 1)], prompt(rng, people, "")]


def commits(rng: Random, people: Faker) -> list[Line]:
    lines = [prompt(rng, people, "git log --oneline --graph")]
    for _ in range(rng.randint(14, 26)):
        mark = rng.choice(("* ", "* ", "| * ", "|\\  ", "* | "))
        lines.append(
            [
                (mark, 1),
                (f"{rng.getrandbits(28):07x} ", 3),
                (f"{rng.choice(_WORDS)} {people.sentence(5).lower()}", 0),
            ]
        )
    return lines


def containers(rng: Random, people: Faker) -> list[Line]:
    lines = [
        prompt(rng, people, "kubectl get pods -A"),
        [(f"{'NAMESPACE':<13}{'NAME':<34}{'READY':<8}{'STATUS':<19}AGE", 8)],
    ]
    for _ in range(rng.randint(9, 20)):
        state, colour = rng.choice(
            (("Running", 2), ("Running", 2), ("Pending", 3), ("CrashLoopBackOff", 1))
        )
        name = f"{rng.choice(_PARTS)}-{rng.getrandbits(36):09x}-{rng.getrandbits(20):05x}"
        lines.append(
            [
                (f"{rng.choice(_PARTS):<13}{name:<34}{rng.randint(0, 1)}/1     ", 0),
                (f"{state:<19}", colour),
                (f"{rng.randint(1, 90)}d", 0),
            ]
        )
    return [*lines, prompt(rng, people, "")]


def tests(rng: Random, people: Faker) -> list[Line]:
    lines = [prompt(rng, people, "pytest -q"), [("=" * 22 + " test session starts " + "=" * 22, 8)]]
    for line in range(rng.randint(6, 14)):
        failed = rng.random() < 0.2
        lines.append(
            [
                (f"tests/test_{rng.choice(_PARTS)}.py::test_{rng.choice(_WORDS)}_{line} ", 0),
                ("FAILED" if failed else "PASSED", 1 if failed else 2),
            ]
        )
    lines.append([(f"E   assert {rng.randint(0, 99)} == {rng.randint(0, 99)}", 1)])
    return [
        *lines,
        [(f"== {rng.randint(1, 5)} failed, {rng.randint(20, 400)} passed in 7.31s ==", 1)],
    ]


def install(rng: Random, people: Faker) -> list[Line]:
    lines = [prompt(rng, people, "pip install -r requirements.txt")]
    for _ in range(rng.randint(9, 20)):
        name = f"{rng.choice(_PARTS)}_{rng.choice(_WORDS)}"
        lines.append([(f"Collecting {name}>={rng.randint(0, 9)}.{rng.randint(0, 20)}", 0)])
        lines.append(
            [
                ("     ", 0),
                ("━" * rng.randint(8, 36), 2),
                (f" {rng.uniform(0.1, 90):.1f} MB {rng.uniform(1, 40):.1f} MB/s", 6),
            ]
        )
    return lines


def compiler(rng: Random, people: Faker) -> list[Line]:
    lines = [prompt(rng, people, "cargo build")]
    for _ in range(rng.randint(2, 4)):
        line = rng.randint(3, 400)
        lines += [
            [("error[E0308]", 1), (": mismatched types", 8)],
            [("  --> ", 4), (f"src/{rng.choice(_PARTS)}.rs:{line}:{rng.randint(1, 60)}", 0)],
            [("   |", 4)],
            [
                (f"{line} | ", 4),
                (f"    let {rng.choice(_PARTS)} = {rng.choice(_WORDS)}(&{rng.choice(_PARTS)});", 0),
            ],
            [
                ("   |         ", 4),
                ("^" * rng.randint(4, 14) + " expected `usize`, found `&str`", 1),
            ],
            [("", 0)],
        ]
    return [*lines, [("error: could not compile", 1)]]


def network(rng: Random, people: Faker) -> list[Line]:
    target = people.ipv4()
    lines = [prompt(rng, people, f"ping {target}")]
    for count in range(rng.randint(12, 24)):
        lines.append(
            [
                (
                    f"64 bytes from {target}: icmp_seq={count} time={rng.uniform(0.2, 90):.1f} ms",
                    0,
                )
            ]
        )
    return lines
