"""Names of people of all continents, honorifics and positions, as English texts write them."""

from __future__ import annotations

from random import Random
from typing import Final

from build_engines.data.pii_words import pick, pick_any, words

INITIALS: Final = "ABCDEFGHIJKLMNOPRSTVWZ"
SUFFIXES: Final = ("Jr.", "Sr.", "III", "II", "Jr")


def first_name(random: Random) -> str:
    return pick_any(random, "first_names")


def last_name(random: Random) -> str:
    return pick_any(random, "last_names")


def matching(random: Random) -> tuple[str, str]:
    """A given and a family name; seven in ten are of one culture."""
    culture = random.choice(tuple(words("first_names")))
    if culture in words("last_names") and random.random() < 0.7:
        return pick(random, "first_names", culture), pick(random, "last_names", culture)
    return pick(random, "first_names", culture), last_name(random)


def written(random: Random, first: str, last: str, full: bool) -> str:
    """The name as somebody may write it; `full`: never less than given and family name."""
    initial = random.choice(INITIALS)
    longer = (
        *((f"{first} {last}",) * 13),
        f"{first} {initial}. {last}",
        f"{first} {initial} {last}",
        f"{first} {first_name(random)} {last}",
        f"{first} {last}-{last_name(random)}",
        f"{first} {last} {random.choice(SUFFIXES)}",
        f"{last} {first}",
    )
    shorter = (
        first,
        first,
        f"{last}, {first}",
        f"{last}, {first} {initial}.",
        f"{first[0]}. {last}",
        f"{first[0]}.{initial}. {last}",
        f"{first} {last[0]}.",
        f"{last.upper()}, {first}",
        f"{last.upper()} {first}",
    )
    return random.choice(longer if full or random.random() < 0.7 else shorter)


def honorific(random: Random) -> str:
    return pick(random, "titles", "honorific")


def position(random: Random) -> str:
    """A profession or a position, in small letters or capitalised."""
    draw = random.random()
    if draw < 0.7:
        job = pick(random, "titles", "job")
        return job if random.random() < 0.7 else " ".join(map(_capital, job.split()))
    department = pick(random, "titles", "department")
    if draw < 0.82:
        return f"{pick(random, 'titles', 'head')} {department}"
    role, rank = pick(random, "titles", "role"), pick(random, "titles", "rank")
    title = random.choice((f"{rank} {role}", f"{department} {role}", f"{rank} {department} {role}"))
    return title if random.random() < 0.7 else title.lower()


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def group(random: Random, variant: str) -> str:
    """A nationality, religion or party; `variant` is a list of `groups.txt`."""
    kind = variant or random.choice(("nation",) * 6 + ("group", "religion", "religion", "party"))
    return pick(random, "groups", kind)
