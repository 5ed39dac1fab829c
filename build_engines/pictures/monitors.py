"""Full-screen programs and tables in a terminal."""

from __future__ import annotations

from random import Random

from faker import Faker

from build_engines.pictures.screens import Line
from build_engines.pictures.studio import a_day


def monitor(rng: Random, people: Faker) -> list[Line]:
    """Bars of load and a table of processes."""
    lines: list[Line] = []
    for core in range(rng.choice((4, 8))):
        full = rng.randint(1, 30)
        lines.append(
            [
                (f" {core} [", 6),
                ("|" * full, 2 if full < 20 else 1),
                (" " * (30 - full), 0),
                (f"{full * 3.3:5.1f}%]", 7),
            ]
        )
    lines.append(
        [(" Mem[", 6), ("|" * rng.randint(5, 30), 2), (f" {rng.uniform(1, 60):.1f}G/64.0G]", 7)]
    )
    lines.append([(f"{'PID':>7} {'USER':<9} {'CPU%':>5} {'MEM%':>5}   TIME+  COMMAND", 8)])
    for _ in range(rng.randint(10, 20)):
        lines.append(
            [
                (f"{rng.randint(1, 99999):>7} ", 0),
                (f"{people.user_name()[:8]:<9} ", 3),
                (f"{rng.uniform(0, 100):5.1f} {rng.uniform(0, 30):5.1f}  0:42.07 ", 0),
                (
                    rng.choice(
                        (
                            "postgres: writer",
                            "python -m app",
                            "nginx: worker",
                            "sshd",
                            "java -Xmx4g",
                            "node server.js",
                        )
                    ),
                    2,
                ),
            ]
        )
    return lines


def table(rng: Random, people: Faker) -> list[Line]:
    rule = "+------+----------------------+------------+----------+"
    lines = [
        [("mysql> ", 0), ("SELECT * FROM orders LIMIT 20;", 8)],
        [(rule, 0)],
        [(f"| {'id':<4} | {'customer':<20} | {'day':<10} | {'total':>8} |", 0)],
        [(rule, 0)],
    ]
    for _ in range(rng.randint(8, 18)):
        row = f"| {rng.randint(1, 9999):<4} | {people.name()[:20]:<20} | {a_day(rng)} | "
        lines.append([(f"{row}{rng.uniform(1, 999):8.2f} |", 0)])
    return [*lines, [(rule, 0)], [("mysql> ", 0)]]


def chat(rng: Random, people: Faker) -> list[Line]:
    """A full-screen program with panes and boxes."""
    lines: list[Line] = [[("╭" + "─" * 64 + "╮", 4)]]
    for _ in range(rng.randint(12, 20)):
        text = people.sentence(rng.randint(5, 9))[:60]
        lines.append([("│ ", 4), (f"{text:<62}", rng.choice((0, 0, 7, 2, 3))), (" │", 4)])
    return [*lines, [("╰" + "─" * 64 + "╯", 4)], [("> ", 5), (people.sentence(4), 8)]]
