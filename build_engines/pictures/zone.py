"""The machine readable zone of travel documents (ICAO 9303 parts 3 to 5)."""

from __future__ import annotations

import unicodedata
from random import Random

from faker import Faker


def zone(lines: int, code: str, people: Faker, rng: Random) -> list[str]:
    """A machine readable zone: 2 lines of 44 (TD3) or 3 of 30 (TD1), with right check digits."""
    if not lines:
        return []
    last, first = latin(people.last_name()), latin(people.first_name())
    name = f"{last}<<{first}"
    number = "".join(rng.choice("0123456789CFGHJKLMNPRTVWXYZ") for _ in range(9))
    born = f"{rng.randint(40, 99)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}"
    until = f"{rng.randint(26, 36)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}"
    sex = rng.choice("MF<")
    checked = f"{number}{check(number)}", f"{born}{check(born)}", f"{until}{check(until)}"
    if lines == 2:
        second = f"{checked[0]}{code:<<3}{checked[1]}{sex}{checked[2]}{'':<<14}0"
        return [
            f"P<{code:<<3}{name:<<39}"[:44],
            second + check(checked[0] + checked[1] + checked[2] + "<" * 14 + "0"),
        ]
    second = f"{checked[1]}{sex}{checked[2]}{code:<<3}{'':<<11}"
    return [
        f"I<{code:<<3}{checked[0]}{'':<<15}",
        second + check(checked[0] + "<" * 15 + checked[1] + checked[2] + "<" * 11),
        f"{name:<<30}"[:30],
    ]


def check(text: str) -> str:
    """The check digit of ICAO 9303 part 3, 4.9: weights 7, 3, 1."""
    values = (0 if one == "<" else int(one, 36) for one in text)
    return str(sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values)) % 10)


def latin(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().upper()
    return "".join(one if one.isalpha() else "<" for one in plain) or "DOE"
