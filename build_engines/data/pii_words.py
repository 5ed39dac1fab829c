"""Word lists of the value makers: `pii/words/<name>.txt`, lines of `key: word|word|word`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

FOLDER: Final = Path(__file__).parent / "pii" / "words"


@cache
def words(name: str) -> Mapping[str, tuple[str, ...]]:
    """The lists of one file. A key that occurs again goes on with its list."""
    lists: dict[str, tuple[str, ...]] = {}
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        key, _, listed = line.partition(": ")
        # Not stripped: some pieces of street names end with a space.
        lists[key] = lists.get(key, ()) + tuple(listed.split("|"))
    return lists


def pick(random: Random, name: str, key: str) -> str:
    return random.choice(words(name)[key])


def pick_any(random: Random, name: str) -> str:
    """From a list that is chosen first, so that short lists weigh as much as long ones."""
    lists = words(name)
    return random.choice(lists[random.choice(tuple(lists))])
