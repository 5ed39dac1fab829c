"""Streets, postcodes, cities and regions of one country, as English texts write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Final

from build_engines.data.pii_numbers import shape
from build_engines.data.pii_words import pick, words

# Countries with streets of their own; the rest share a list.
COUNTRIES: Final = (
    ("US",) * 28
    + ("GB",) * 7
    + ("CA", "CA", "CA", "AU", "AU", "AU", "IN", "IN", "IN", "IE", "NG", "ZA", "SG", "NZ")
    + ("DE", "DE", "AT", "CH", "FR", "FR", "BE", "ES", "ES", "IT", "PT", "NL", "PL", "SE", "NO")
    + ("DK", "FI", "CZ", "TR", "BR", "MX", "JP", "KR", "CN", "AE", "WORLD", "WORLD")
)
# X a digit, N 2-9, A a letter.
POSTCODES: Final[Mapping[str, tuple[str, ...]]] = {
    "US": ("XXXXX", "XXXXX", "XXXXX", "NXXXX", "NXXXX-XXXX", "0XXXX"),
    "GB": ("AX XAA", "AXX XAA", "AAX XAA", "AAXX XAA", "SW1A XAA", "EC2A XAA", "AXXAA", "AAXXXAA"),
    "CA": ("AXA XAX", "AXA XAX", "AXAXAX"),
    "AU": ("2XXX", "3XXX", "4XXX", "6XXX", "08XX"),
    "NZ": ("1XXX", "6XXX", "06XX"),
    "IN": ("NXXXXX", "NXXXXX", "NXX XXX"),
    "IE": ("AXX AXXX", "DXX AAXX"),
    "NG": ("1XXXXX",),
    "ZA": ("XXXX", "8XXX"),
    "SG": ("NXXXXX",),
    "FR": ("75XXX", "69XXX", "XXXXX"),
    "NL": ("NXXX AA", "NXXXAA"),
    "PL": ("XX-XXX",),
    "SE": ("NXX XX", "NXXXX"),
    "CZ": ("NXX XX",),
    "PT": ("NXXX-XXX",),
    "BR": ("XXXXX-XXX", "XXXXXXXX"),
    "JP": ("NXX-XXXX", "〒NXX-XXXX"),
    "CN": ("NXXXXX",),
    **dict.fromkeys(("DE", "ES", "IT", "FI", "TR", "MX", "KR"), ("NXXXX", "0XXXX", "1XXXX")),
    **dict.fromkeys(("AT", "CH", "BE", "NO", "DK"), ("NXXX", "1XXX")),
    **dict.fromkeys(("AE", "WORLD"), ("NXXXX", "XXXXX", "NXXXXX")),
}
# Countries that write streets as another one does.
LIKE: Final[Mapping[str, str]] = {
    "NZ": "AU", "AT": "DE", "CH": "DE", "BE": "FR", "NO": "WORLD", "DK": "WORLD", "FI": "WORLD",
    "CZ": "WORLD", "BR": "PT",
}  # fmt: skip
KINDS: Final[Mapping[str, str]] = {"US": "ustype", "CA": "ustype", "GB": "gbtype", "AU": "autype"}
HOUSES: Final[Mapping[str, str]] = {"GB": "HOUSE", "IN": "INHOUSE"}
# After "Karl-Marx-" or "Leipziger " the kind is a word of its own.
GERMAN: Final = re.compile(r"(?<=[- ])(?:straße|strasse|str|weg|allee|platz|gasse|ring)\b")
SIDES: Final = ("N", "S", "E", "W", "North", "West", "SE", "NW", "East", "South")


def street(random: Random, country: str) -> str:
    own = LIKE.get(country, country)
    names = "US" if own == "CA" else own
    # {n} a house number, {s} a street name, {k} its kind, {u} a small number, {l} a letter.
    written = pick(random, "street_shapes", own)
    small = iter([str(random.randint(1, 60)) for _ in range(6)])
    while "{u}" in written:
        written = written.replace("{u}", next(small), 1)
    while "{s}" in written:
        written = written.replace("{s}", pick(random, "streets", names), 1)
    written = GERMAN.sub(lambda part: part[0].capitalize(), written)
    return written.format(
        n=random.randint(1, random.choice((299, 9999))),
        k=pick(random, "streets", KINDS.get(own, "gbtype")),
        h=pick(random, "streets", HOUSES.get(own, "HOUSE")),
        r=pick(random, "streets", "INAREA"),
        f=pick(random, "streets", "FR"),
        d=random.choice(SIDES),
        l=random.choice("ABCDEFGH"),
        a=random.choice("abc"),
    )


def postcode(random: Random, country: str) -> str:
    return shape(random, random.choice(POSTCODES[country]))


def city(random: Random, country: str) -> str:
    return pick(random, "cities", country)


def region(random: Random, country: str) -> str:
    """A state or the like; of the United States where the list knows none."""
    return pick(random, "regions", country if country in words("regions") else "US")
