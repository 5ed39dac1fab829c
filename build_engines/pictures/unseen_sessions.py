"""What stands in the newer terminals of the test split: sessions by their tools."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from faker import Faker

from build_engines.pictures.studio import a_day

# A line is pieces of text, each with the number of an ink: 0 plain, 1 red, 2 green, 3 yellow,
# 4 blue, 5 pale.
Line = list[tuple[str, int]]


Session = Callable[[Random, Faker], list[Line]]


def _git(rng: Random, people: Faker) -> list[Line]:
    names = [people.file_name() for _ in range(6)]
    return [
        [("$ ", 2), ("git status", 0)],
        [(f"On branch {people.word()}-{people.word()}", 0)],
        [(f"Your branch is ahead of 'origin/main' by {rng.randint(2, 9)} commits.", 0)],
        [("", 0)],
        [("Changes not staged for commit:", 0)],
        [('  (use "git add <file>..." to update what will be committed)', 5)],
        *[[(f"        modified:   src/{one}", 1)] for one in names[:4]],
        [("Untracked files:", 0)],
        *[[(f"        {one}", 1)] for one in names[4:]],
        [("$ ", 2), (f'git commit -am "{people.sentence(4)}"', 0)],
        [(f"[main {people.hexify('^^^^^^^')}] {people.sentence(4)}", 0)],
        [(f" {rng.randint(2, 9)} files changed, {rng.randint(4, 90)} insertions(+)", 0)],
        [("$ ", 2), ("git push", 0)],
        [(f"Writing objects: 100% ({rng.randint(3, 40)}/40), {rng.uniform(1, 90):.2f} KiB", 0)],
        [("To github.com:team/project.git", 0)],
        [("$ ", 2), ("_", 0)],
    ]


def _pods(rng: Random, people: Faker) -> list[Line]:
    lines: list[Line] = [[("$ ", 2), ("kubectl get pods -n prod", 0)]]
    lines.append([(f"{'NAME':<34}{'READY':<8}{'STATUS':<20}{'RESTARTS':<10}AGE", 0)])
    for _ in range(rng.randint(10, 16)):
        state, ink = rng.choice(
            (
                ("Running", 2),
                ("Running", 2),
                ("CrashLoopBackOff", 1),
                ("Pending", 3),
                ("Completed", 4),
            )
        )
        name = f"{people.word()}-{people.hexify('^^^^^^^^')}-{people.lexify('?????')}"
        lines.append(
            [
                (f"{name[:32]:<34}1/1     ", 0),
                (f"{state:<20}", ink),
                (f"{rng.randint(0, 12):<10}{rng.randint(1, 90)}d", 0),
            ]
        )
    return [*lines, [("$ ", 2), ("_", 0)]]


def _disk(rng: Random, people: Faker) -> list[Line]:
    user = people.user_name()
    ask: Line = [(f"{user}@server", 2), (":", 0), ("~", 4), ("$ ", 0)]
    lines: list[Line] = [
        [*ask, ("df -h", 0)],
        [("Filesystem      Size  Used Avail Use% Mounted on", 0)],
    ]
    for place in ("/", "/boot", "/home", "/var/lib", "/mnt/data", "/dev/shm"):
        size, part = rng.randint(10, 900), rng.randint(1, 99)
        full, disk = size * part // 100, f"/dev/sd{rng.choice('abc')}{rng.randint(1, 5)}"
        row = f"{disk}       {size:>4}G  {full:>3}G  {size - full:>3}G  {part:>2}% {place}"
        lines.append([(row, 0)])
    lines.append([*ask, (f"ping -c 4 {people.domain_name()}", 0)])
    for number in range(4):
        row = f"64 bytes from {people.ipv4()}: icmp_seq={number + 1} ttl=57 "
        lines.append([(f"{row}time={rng.uniform(3, 60):.1f} ms", 0)])
    lines += [[("4 packets transmitted, 4 received, 0% packet loss", 0)], [*ask, ("ls", 0)]]
    lines += [
        [
            (f"{people.word():<14}", 4),
            (f"{people.file_name():<22}", 0),
            (f"{people.word():<12}", 4),
            ("run.sh", 2),
        ]
        for _ in range(3)
    ]
    return [*lines, [*ask, ("_", 0)]]


def _failing(rng: Random, people: Faker) -> list[Line]:
    word = people.word()
    return [
        [("$ ", 2), ("pytest -x", 0)],
        [("============================= test session starts =============================", 0)],
        [(f"collected {rng.randint(20, 400)} items", 0)],
        [(f"tests/test_{word}.py ...........", 2), ("F", 1)],
        [("================================== FAILURES ===================================", 1)],
        [(f"    def test_{word}_is_kept():", 0)],
        [(f">       assert load('{word}') == {rng.randint(2, 90)}", 0)],
        [(f"E       AssertionError: assert {rng.randint(100, 900)} == {rng.randint(2, 90)}", 1)],
        [(f"tests/test_{word}.py:{rng.randint(10, 300)}: AssertionError", 1)],
        [("=========================== short test summary info ===========================", 0)],
        [(f"FAILED tests/test_{word}.py::test_{word}_is_kept - AssertionError", 1)],
        [(f"1 failed, {rng.randint(3, 90)} passed in {rng.uniform(0.4, 9):.2f}s", 1)],
        [("$ ", 2), ("npm run build", 0)],
        [(f"ERROR in ./src/{people.file_name(extension='ts')} {rng.randint(2, 90)}:7", 1)],
        [(f"Module not found: Error: Can't resolve '{people.word()}'", 1)],
        [(f"npm ERR! code {rng.choice(('ELIFECYCLE', 'ERESOLVE', 'E404'))}", 1)],
        [("$ ", 2), ("_", 0)],
    ]


def _unit_log(rng: Random, people: Faker) -> list[Line]:
    lines: list[Line] = [[("$ ", 2), ("journalctl -u gateway -f", 0)]]
    for _ in range(22):
        level, ink = rng.choice((("INFO", 2), ("INFO", 2), ("DEBUG", 4), ("WARN", 3), ("ERROR", 1)))
        stamp = (
            f"{a_day(rng):%b %d} {rng.randint(10, 23)}:{rng.randint(10, 59)}:{rng.randint(10, 59)}"
        )
        lines.append(
            [
                (f"{stamp} node{rng.randint(1, 4)} gateway[{rng.randint(200, 9999)}]: ", 5),
                (f"{level} ", ink),
                (people.sentence(5).lower(), 0),
            ]
        )
    return lines


def _load(rng: Random, people: Faker) -> list[Line]:
    since = f"top - {rng.randint(10, 23)}:{rng.randint(10, 59)}:07 up {rng.randint(2, 300)} days"
    lines: list[Line] = [
        [(f"{since},  3 users,  load average: {rng.uniform(0, 9):.2f}, 1.10, 0.92", 0)],
        [(f"Tasks: {rng.randint(100, 400)} total,   2 running, 210 sleeping,   0 zombie", 0)],
        [(f"%Cpu(s): {rng.uniform(0, 90):4.1f} us,  2.1 sy,  0.0 ni, 71.9 id,  0.3 wa", 0)],
        [(f"MiB Mem : {rng.randint(8000, 64000)}.4 total,   {rng.randint(200, 4000)}.7 free", 0)],
        [("", 0)],
        [("    PID USER      PR  NI    VIRT    RES  S  %CPU  %MEM     TIME+ COMMAND", 3)],
    ]
    for _ in range(18):
        row = f"{rng.randint(1, 99999):>7} {people.user_name()[:8]:<9} 20   0 "
        row += f"{rng.randint(9000, 9999999):>7} {rng.randint(900, 99999):>6}  S "
        row += f"{rng.uniform(0, 99):5.1f} {rng.uniform(0, 20):5.1f}   1:{rng.randint(10, 59)}.07 "
        lines.append([(f"{row}{people.word()}d", 0)])
    return lines


SESSIONS: tuple[tuple[Session, str], ...] = (
    (_git, ""),
    (_pods, ""),
    (_disk, ""),
    (_failing, "error"),
    (_unit_log, "log"),
    (_load, "monitor"),
)
