"""Calendar dates as people of several languages write them, with and without a time of day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random
from typing import Final

MONTHS: Final[Mapping[str, str]] = {
    "en": "January February March April May June July August September October November December",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
}
# {M} month name, {A} its first three letters, {d}/{m} plain and {dd}/{mm} padded numbers, {o} 1st.
SHAPES: Final[Mapping[str, tuple[str, ...]]] = {
    "en": (
        "{M} {d}, {y}", "{d} {M} {y}", "{M} {o}, {y}", "{mm}/{dd}/{y}", "{m}/{d}/{yy}",
        "{dd}/{mm}/{y}", "{y}-{mm}-{dd}", "{dd}.{mm}.{y}", "{A} {d}, {y}", "{d} {A} {y}",
        "{M} {o}", "{M} {d}", "the {o} of {M}", "{W}, {M} {d}", "{dd}-{A}-{y}", "{M} {y}",
        "{y}/{mm}/{dd}", "{W}, {d} {M} {y}", "{y}-{mm}-{dd} {H}:{N}", "{M} {d}, {y} at {H}:{N}",
        "{dd}-{mm}-{y}", "{A} {o}", "{y}{mm}{dd}", "{d} {M}", "{A}. {d}, {y}", "{o} of {M} {y}",
        "{o} {M} {y}", "{M} {d} {y}", "{m}/{d}/{y}", "{d}.{m}.{y}", "{A} {y}", "{W} {o} {M}",
        "{d} {A} {y}, {H}:{N}", "{m}/{d}/{y} {H}:{N}", "{d} {A}",
    ),
    "es": (
        "{d} de {M} de {y}", "{dd}/{mm}/{y}", "{d} de {M}", "{dd}-{mm}-{y}", "{M} de {y}",
        "{y}-{mm}-{dd}", "{d}/{m}/{yy}", "{dd}/{mm}/{y} a las {H}:{N}",
    ),
    "de": (
        "{dd}.{mm}.{y}", "{d}. {M} {y}", "{d}.{m}.{yy}", "{d}. {M}", "{M} {y}", "{y}-{mm}-{dd}",
        "{dd}.{mm}.", "{dd}.{mm}.{y} um {H}:{N} Uhr", "{d}.{m}.{y}", "{d}. {M} {y}, {H}:{N} Uhr",
        "{dd}.{mm}.{yy}",
    ),
    "fr": (
        "{d} {M} {y}", "{dd}/{mm}/{y}", "{d} {M}", "{dd}.{mm}.{y}", "{M} {y}", "{d}/{m}/{yy}",
        "{y}-{mm}-{dd}", "{d} {M} {y} à {H}h{N}",
    ),
    "zh": (
        "{y}年{m}月{d}日", "{m}月{d}日", "{y}-{mm}-{dd}", "{y}/{m}/{d}", "{y}年{m}月",
        "{y}.{mm}.{dd}", "{m}月{d}号", "{y}年{m}月{d}日 {H}:{N}", "{y}年{mm}月{dd}日",
    ),
    "ja": (
        "{y}年{m}月{d}日", "{m}月{d}日", "{y}/{mm}/{dd}", "{y}-{mm}-{dd}", "{y}年{m}月",
        "令和{r}年{m}月{d}日", "{y}/{m}/{d}", "{y}年{m}月{d}日 {H}:{N}", "{y}.{m}.{d}",
    ),
    "ar": (
        "{d} {M} {y}", "{dd}/{mm}/{y}", "{d} {M}", "{y}-{mm}-{dd}", "{d}/{m}/{y}", "{M} {y}",
        "{d}-{m}-{y}", "{d} {M} {y} الساعة {H}:{N}", "{y}/{m}/{d}",
    ),
}  # fmt: skip
STAMPS: Final = (
    "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.000+00:00",
    "%d/%b/%Y:%H:%M:%S +0000", "%b %d %H:%M:%S", "%Y-%m-%d %H:%M:%S,123", "%Y/%m/%d %H:%M:%S",
)  # fmt: skip
START: Final = datetime(1935, 1, 1)
NOW: Final = datetime(2026, 12, 31)


def date(random: Random, language: str, variant: str) -> str:
    """`dob`: in the past and complete. `stamp`: of a machine. Otherwise any."""
    recent = datetime(2019, 1, 1)
    day = _between(random, START, datetime(2010, 1, 1)) if variant == "dob" else None
    when = day or _between(random, recent, NOW)
    if variant == "stamp":
        return when.strftime(random.choice(STAMPS))
    shapes = SHAPES[language]
    if variant == "dob":
        shapes = tuple(s for s in shapes if "{y" in s and "{d" in s and "{H" not in s)
    return _write(random.choice(shapes), when, language)


def _between(random: Random, first: datetime, last: datetime) -> datetime:
    return first + timedelta(seconds=random.randrange(int((last - first).total_seconds())))


def _write(shape: str, when: datetime, language: str) -> str:
    month = MONTHS.get(language, MONTHS["en"]).split()[when.month - 1]
    day = when.day
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return shape.format(
        M=month,
        A=month[:3],
        W=when.strftime("%A"),
        d=day,
        dd=f"{day:02}",
        o=f"{day}{ending}",
        m=when.month,
        mm=f"{when.month:02}",
        y=when.year,
        r=when.year - 2018,
        yy=f"{when.year % 100:02}",
        H=f"{when.hour:02}",
        N=f"{when.minute:02}",
    )
