"""Values that look like personal data and are none: order numbers, hashes, versions, prices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from build_engines.data.pii_languages import price

PRODUCTS: Final = (
    "ThinkPad X1", "iPhone 15", "Galaxy S24", "PlayStation 5", "Kindle", "Photoshop", "Excel",
    "Windows 11", "AirPods", "Roomba", "Dyson V15", "Nespresso", "Jira", "Slack", "Tesla Model 3",
    "Golf GTI", "Office 365", "Pixel 8", "Xbox", "GoPro", "RTX 4090", "Raspberry Pi", "Outlook",
)  # fmt: skip
UNITS: Final = ("kg", "km", "ms", "GB", "%", "units", "litres", "m²", "kWh", "px", "mg", "pages")


def noise(random: Random, name: str, language: str = "en") -> str:
    """Prices and times of day are written as in the language."""
    if language != "en" and name == "price":
        return price(random, language)
    if language != "en" and name == "time":
        return f"{random.randint(0, 23):02}:{random.choice((0, 15, 30, 45, 5, 50)):02}"
    return MAKERS[name](random)


def _digits(random: Random, count: int) -> str:
    return "".join(random.choices("0123456789", k=count))


def _hex(random: Random, count: int) -> str:
    return "".join(random.choices("0123456789abcdef", k=count))


def _uuid(random: Random) -> str:
    value = _hex(random, 32)
    return "-".join((value[:8], value[8:12], value[12:16], value[16:20], value[20:]))


def _order(random: Random) -> str:
    shapes = ("#{6}", "#{5}", "ORD-{6}", "PO-{5}", "#{8}", "A{4}-{4}", "{7}", "INV-2{3}-{3}")
    return _shape(random, random.choice(shapes))


def _ticket(random: Random) -> str:
    return _shape(random, random.choice(("PROJ-{4}", "#{5}", "INC0{6}", "CASE-{6}", "T-{5}")))


def _shape(random: Random, shape: str) -> str:
    for count in range(3, 9):
        while f"{{{count}}}" in shape:
            shape = shape.replace(f"{{{count}}}", _digits(random, count), 1)
    return shape


def _version(random: Random) -> str:
    parts = [str(random.randint(0, 40)) for _ in range(random.choice((2, 3, 3, 5)))]
    return random.choice(("", "v", "")) + ".".join(parts)


def _price(random: Random) -> str:
    amount = random.choice((random.uniform(1, 99), random.uniform(100, 9999)))
    mark = random.choice(("$", "€", "£", "USD ", "EUR "))
    return f"{mark}{amount:,.2f}" if random.random() < 0.7 else f"{mark}{amount:.0f}"


def _time(random: Random) -> str:
    hour, minute = random.randint(0, 23), random.choice((0, 15, 30, 45, 5, 50))
    if random.random() < 0.5:
        return f"{hour:02}:{minute:02}"
    return f"{hour % 12 + 1}:{minute:02} {random.choice(('am', 'pm', 'a.m.', 'PM'))}"


def _isbn(random: Random) -> str:
    digits = "978" + _digits(random, 9)
    check = -sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(digits)) % 10
    shown = f"{digits}{check}"
    if random.random() < 0.5:
        return f"{shown[:3]}-{shown[3]}-{shown[4:8]}-{shown[8:12]}-{shown[12]}"
    return shown


def _bad_card(random: Random) -> str:
    """Sixteen digits in fours, as order numbers have them, which no card can have."""
    digits = "9" + _digits(random, 15)
    return " ".join(digits[i : i + 4] for i in range(0, 16, 4))


def _number(random: Random) -> str:
    value = random.choice((random.randint(2, 99), random.randint(100, 99_999)))
    return f"{value:,}" if random.random() < 0.3 else str(value)


MAKERS: Final[Mapping[str, Callable[[Random], str]]] = {
    "badcard": _bad_card,
    "hash": lambda random: _hex(random, random.choice((7, 12, 32, 40, 64))),
    "isbn": _isbn,
    "n": _number,
    "order": _order,
    "price": _price,
    "product": lambda random: random.choice(PRODUCTS),
    "quantity": lambda random: f"{_number(random)} {random.choice(UNITS)}",
    "small": lambda random: str(random.randint(2, 40)),
    "ticket": _ticket,
    "time": _time,
    "unix": lambda random: f"1{random.randint(5, 7)}{_digits(random, random.choice((8, 11)))}",
    "uuid": _uuid,
    "version": _version,
}
