"""More that terminals show to those who learn: installs, graphs, tables, manuals, traces."""

from __future__ import annotations

from random import Random

from faker import Faker

from build_engines.pictures.screens import Line, clock, prompt

PARTS = "gateway ledger mail search photo sync billing vector media login feed graph stats".split()
PACKAGES = "numpy requests libssl3 react esbuild curl openjdk-17 nginx zlib1g pandas redis".split()


def progress(rng: Random, people: Faker) -> list[Line]:
    """Downloads with their bars."""
    lines = [prompt(rng, people, f"{rng.choice(('pip', 'apt', 'npm', 'brew'))} install -y app")]
    full, empty = rng.choice((("━", " "), ("#", "."), ("█", "░"), ("=", " ")))
    for _ in range(rng.randint(6, 18)):
        part = rng.choice((30, 30, 30, rng.randint(1, 29)))
        name = f"{rng.choice(PACKAGES)}-{rng.randint(0, 9)}.{rng.randint(0, 30)}"
        lines.append(
            [
                (f"{name:<20} ", 0),
                (full * part, 2 if part == 30 else 6),
                (empty * (30 - part), 7),
                (f" {rng.uniform(0.1, 90):5.1f} MB {rng.uniform(0.2, 20):4.1f} MB/s", 7),
            ]
        )
    return [*lines, [("Successfully installed", 2), (f" {rng.randint(3, 40)} packages", 0)]]


def graph(rng: Random, people: Faker) -> list[Line]:
    lines = [prompt(rng, people, "git log --graph --oneline --all")]
    for _ in range(rng.randint(12, 26)):
        rails = rng.choice(("* ", "* ", "| * ", "|/ ", "|\\ ", "* | ", "| | * "))
        if "*" not in rails:
            lines.append([(rails, 1)])
            continue
        lines.append(
            [
                (rails, 1),
                (f"{rng.getrandbits(28):07x} ", 3),
                (rng.choice(("", "", "", "(HEAD -> main) ", "(origin/dev) ", "(tag: v2) ")), 2),
                (people.sentence(rng.randint(3, 8)).rstrip("."), 0),
            ]
        )
    return lines


def pods(rng: Random, people: Faker) -> list[Line]:
    lines = [
        prompt(rng, people, f"kubectl get pods -n {rng.choice(PARTS)}"),
        [(f"{'NAME':<34}{'READY':<8}{'STATUS':<20}{'RESTARTS':<11}AGE", 0)],
    ]
    for _ in range(rng.randint(8, 24)):
        state, ink = rng.choice(
            (("Running", 2), ("Running", 2), ("Pending", 3), ("CrashLoopBackOff", 1))
        )
        name = f"{rng.choice(PARTS)}-{rng.getrandbits(36):09x}-{people.lexify('?????')}"
        lines.append(
            [
                (f"{name:<34}{rng.randint(0, 1)}/1     ", 0),
                (f"{state:<20}", ink),
                (f"{rng.randint(0, 99):<11}{rng.randint(1, 300)}d", 0),
            ]
        )
    return lines


def manual(rng: Random, people: Faker) -> list[Line]:
    name = rng.choice(PARTS)
    head = f"{name.upper()}(1)"
    lines: list[Line] = [[(f"{head}{'User Commands':^44}{head}", 0)], [("", 0)]]
    for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"):
        lines.append([(title, 8)])
        for _ in range(rng.randint(1, 5)):
            if title == "OPTIONS":
                lines.append([(f"       -{people.random_letter()}, --{people.word()}", 8)])
            lines.append([(f"       {people.sentence(rng.randint(6, 11))}"[:76], 0)])
        lines.append([("", 0)])
    return lines


def banner(rng: Random, people: Faker) -> list[Line]:
    """What a server says to who logs in."""
    lines = [
        prompt(rng, people, f"ssh {people.user_name()}@{people.ipv4()}"),
        [(f"Welcome to {people.domain_word().title()} Linux (kernel 6.{rng.randint(1, 12)})", 0)],
        [("", 0)],
        [(f"  System load:  {rng.uniform(0, 4):.2f}    Processes:     {rng.randint(90, 400)}", 0)],
        [(f"  Usage of /:   {rng.uniform(5, 99):.1f}%   Users logged in: {rng.randint(0, 9)}", 0)],
        [(f"  Memory usage: {rng.randint(3, 96)}%    IPv4: {people.ipv4_private()}", 0)],
        [("", 0)],
        [(f"{rng.randint(1, 80)} updates can be applied immediately.", rng.choice((0, 3)))],
        [(f"Last login: {clock(rng)} from {people.ipv4()}", 7)],
    ]
    return [*lines, prompt(rng, people, "")]


def java_trace(rng: Random, people: Faker) -> list[Line]:
    lines: list[Line] = [
        [
            ('Exception in thread "main" ', 0),
            (f"java.lang.{rng.choice(('NullPointer', 'IllegalState', 'Arithmetic'))}Exception", 1),
            (f": {people.sentence(4)}", 0),
        ]
    ]
    for _ in range(rng.randint(8, 22)):
        part = rng.choice(PARTS)
        lines.append(
            [
                (f"\tat com.acme.{part}.{part.title()}Service.", 0),
                (f"{people.word()}({part.title()}Service.java:{rng.randint(9, 900)})", 7),
            ]
        )
        if rng.random() < 0.12:
            lines.append([(f"Caused by: java.io.IOException: {people.sentence(3)}", 1)])
    return lines


def service(rng: Random, people: Faker) -> list[Line]:
    name = rng.choice(PARTS)
    state, ink = rng.choice((("active (running)", 2), ("failed", 1), ("inactive (dead)", 7)))
    lines = [
        prompt(rng, people, f"systemctl status {name}"),
        [("● ", ink), (f"{name}.service - {people.catch_phrase()}", 0)],
        [("     Loaded: loaded (/etc/systemd/system; enabled)", 0)],
        [("     Active: ", 0), (state, ink), (f" since {clock(rng)}", 0)],
        [(f"   Main PID: {rng.randint(300, 99999)} ({name})", 0)],
        [("", 0)],
    ]
    for _ in range(rng.randint(4, 12)):
        lines.append([(f"Nov {rng.randint(1, 30)} {clock(rng)} {name}: {people.sentence(5)}", 0)])
    return lines


def disks(rng: Random, people: Faker) -> list[Line]:
    lines = [
        prompt(rng, people, "df -h"),
        [(f"{'Filesystem':<18}{'Size':>6}{'Used':>6}{'Avail':>7}{'Use%':>6} Mounted on", 0)],
    ]
    for place in range(rng.randint(5, 14)):
        size = rng.randint(1, 900)
        used = rng.randint(0, size)
        where = rng.choice(("/", "/home", "/boot", f"/mnt/{rng.choice(PARTS)}", "/run/user/1000"))
        row = f"/dev/sd{'abcdefgh'[place % 8]}{rng.randint(1, 4)}"
        lines.append(
            [(f"{row:<18}{size:>5}G{used:>5}G{size - used:>6}G{100 * used // size:>5}% {where}", 0)]
        )
    return [*lines, prompt(rng, people, "")]


def found(rng: Random, people: Faker) -> list[Line]:
    """Hits of a search, by file."""
    word = people.word()
    lines = [prompt(rng, people, f"grep -rn {word} .")]
    for _ in range(rng.randint(8, 22)):
        lines.append(
            [
                (people.file_path(depth=2)[:32], 5),
                (":", 6),
                (str(rng.randint(1, 900)), 2),
                (":", 6),
                (f"{people.sentence(3).lower()} ", 0),
                (word, 1),
                (f" {people.sentence(2).lower()}", 0),
            ]
        )
    return lines


def folders(rng: Random, people: Faker) -> list[Line]:
    lines = [prompt(rng, people, "tree -L 3"), [(".", 4)]]
    for _ in range(rng.randint(12, 28)):
        deep = rng.choice((0, 0, 1, 1, 2))
        twig = "│   " * deep + rng.choice(("├── ", "├── ", "└── "))
        folder = rng.random() < 0.3
        lines.append(
            [(twig, 7), (rng.choice(PARTS) if folder else people.file_name(), 4 if folder else 0)]
        )
    return [*lines, [(f"{rng.randint(3, 40)} directories, {rng.randint(9, 400)} files", 0)]]


def boot(rng: Random, people: Faker) -> list[Line]:
    """What a kernel says when it starts."""
    lines: list[Line] = []
    now = rng.uniform(0, 3)
    for _ in range(rng.randint(20, 40)):
        now += rng.uniform(0, 0.4)
        if rng.random() < 0.4:
            lines.append([("[", 0), ("  OK  ", 2), (f"] Started {people.bs()[:44]}.", 0)])
            continue
        lines.append([(f"[{now:12.6f}] {rng.choice(PARTS)}: {people.sentence(5)[:52]}", 0)])
    return lines


def processes(rng: Random, people: Faker) -> list[Line]:
    lines = [
        prompt(rng, people, "ps aux"),
        [(f"{'USER':<9}{'PID':>7} %CPU %MEM {'VSZ':>8} {'RSS':>7} TTY STAT  TIME COMMAND", 0)],
    ]
    for _ in range(rng.randint(10, 26)):
        lines.append(
            [
                (f"{people.user_name()[:8]:<9}{rng.randint(1, 99999):>7} ", 0),
                (f"{rng.uniform(0, 99):4.1f} {rng.uniform(0, 40):4.1f} ", 0),
                (f"{rng.randint(1000, 9999999):>8} {rng.randint(100, 999999):>7} ?   Ss   ", 0),
                (f"{rng.randint(0, 59)}:{rng.randint(0, 59):02} /usr/bin/{people.word()}", 0),
            ]
        )
    return lines


def usage(rng: Random, people: Faker) -> list[Line]:
    name = rng.choice(PARTS)
    lines = [
        prompt(rng, people, f"{name} --help"),
        [("Usage: ", 3), (f"{name} [OPTIONS] COMMAND [ARGS]...", 0)],
        [("", 0)],
        [("Options:", 3)],
    ]
    for _ in range(rng.randint(6, 16)):
        lines.append([(f"  --{people.word():<16}", 2), (people.sentence(5)[:48], 0)])
    return [*lines, prompt(rng, people, "")]


def cards(rng: Random, people: Faker) -> list[Line]:
    """A table of graphics cards in a frame."""
    rule = "+" + "-" * 34 + "+" + "-" * 22 + "+" + "-" * 12 + "+"
    lines = [prompt(rng, people, "nvidia-smi"), [(rule, 0)]]
    for place in range(rng.choice((1, 2, 4, 8))):
        heat, load, watts = rng.randint(28, 88), rng.randint(0, 100), rng.randint(40, 500)
        name = f"| {place:>2}  GPU {rng.choice('ABLH')}{rng.choice((10, 40, 100))}"
        used = f"{rng.randint(0, 80000):>6}MiB / 81559MiB"
        lines += [
            [(f"{name:<35}| 00000000:3B:00.0 Off |          0 |", 0)],
            [(f"| {heat:>3}C   P0   {watts:>4}W / 500W       | {used} | {load:>7}%   |", 0)],
            [(rule, 0)],
        ]
    return lines


def epochs(rng: Random, people: Faker) -> list[Line]:
    """A model while it learns."""
    lines = [prompt(rng, people, "python train.py --epochs 30")]
    loss = rng.uniform(1, 6)
    for epoch in range(rng.randint(8, 26)):
        loss *= rng.uniform(0.82, 1.02)
        lines.append(
            [
                (f"Epoch {epoch + 1:>2}/30 ", 0),
                ("[" + "=" * 20 + "] ", 2),
                (f"loss: {loss:.4f} - acc: {1 - loss / 8:.4f} - {rng.randint(2, 90)}s", 0),
            ]
        )
    return lines


def building(rng: Random, people: Faker) -> list[Line]:
    lines = [prompt(rng, people, "make -j8")]
    for step in range(rng.randint(10, 26)):
        lines.append(
            [
                (f"[{min(100, step * 5):>3}%] ", 0),
                (f"Building CXX object src/{rng.choice(PARTS)}/{people.word()}.cc.o", 2),
            ]
        )
        if rng.random() < 0.1:
            lines.append([("warning: ", 5), (f"unused variable '{people.word()}'", 0)])
    return [*lines, [("Linking CXX executable app", 8)]]
