"""Organisations of many kinds, well-known and made-up, as English texts name them."""

from __future__ import annotations

from random import Random
from typing import Final

from build_engines.data.pii_people import first_name, last_name
from build_engines.data.pii_places import city
from build_engines.data.pii_words import pick, words

# Where the slot does not say which kind.
KINDS: Final = (
    ("known",) * 8
    + ("firm",) * 8
    + ("startup",) * 4
    + ("brand",) * 3
    + ("hospital", "hospital", "school", "school", "bank", "bank", "insurer", "law", "law")
    + ("ngo", "ngo", "public", "public", "union", "hotel", "shop", "shop", "faith", "sport")
    + ("media",)
)
HOMES: Final = ("US", "US", "US", "GB", "GB", "CA", "AU", "IN", "IE", "NG", "ZA", "WORLD")
CITIES: Final = {"decity": "DE", "escity": "ES", "frcity": "FR", "incity": "IN"}
LETTERS: Final = "ABCDEFGHIKLMNPRSTUW"


def organisation(random: Random, variant: str) -> str:
    """`variant` is a list of `organisations.txt`; any kind where it is empty."""
    return pick(random, "organisations", variant or random.choice(KINDS)).format_map(_Parts(random))


class _Parts(dict[str, str]):
    """The pieces of a name, made when a shape asks for them."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def __missing__(self, name: str) -> str:
        random = self._random
        if name in ("last", "last2"):
            return last_name(random)
        if name in ("first", "first2"):
            return first_name(random)
        if name == "city":
            return city(random, random.choice(HOMES))
        if name == "region":  # no abbreviations
            return random.choice([one for one in words("regions")["US"] if len(one) > 2])
        if name == "n":
            return str(random.randint(2, 999))
        if name == "acro":
            return "".join(random.choices(LETTERS, k=random.choice((3, 3, 3, 4))))
        if name == "country":
            return pick(random, "countries", "ALL")
        if name in CITIES:
            return city(random, CITIES[name])
        return pick(random, "organisations", name)
