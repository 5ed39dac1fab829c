"""Source code to show: files out of pinned wheels, and written snippets with invented names."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from random import Random

from build_engines.pictures.picture import GENERATED, PROJECT_LICENCE, Split
from build_engines.pictures.studio import Studio

SNIPPETS = Path(__file__).with_name("snippets.txt")
VERBS = (
    "load parse merge fetch build check find sort store split render apply update collect".split()
)
NOUNS = "order user token batch node event cache index report account queue item route".split()


@dataclass(frozen=True, slots=True)
class Code:
    language: str  # an alias that pygments knows
    name: str  # of the file
    text: str
    source: str
    licence: str


@dataclass(frozen=True, slots=True)
class _File:
    split: Split
    language: str
    package: str
    member: str
    licence: str


# A file of code stands in one split.
_FILES = (
    _File("train", "python", "nilearn", "nilearn/plotting/displays/_slicers.py", "BSD-3-Clause"),
    _File("train", "python", "nilearn", "nilearn/masking.py", "BSD-3-Clause"),
    _File("train", "python", "nilearn", "nilearn/signal.py", "BSD-3-Clause"),
    _File("train", "python", "nilearn", "nilearn/image/image.py", "BSD-3-Clause"),
    _File("train", "python", "nikola", "nikola/nikola.py", "MIT"),
    _File("train", "javascript", "nikola", "npm_assets/node_modules/jquery/dist/jquery.js", "MIT"),
    _File(
        "train", "css", "nikola", "npm_assets/node_modules/bootstrap/dist/css/bootstrap.css", "MIT"
    ),
    _File("validation", "python", "nikola", "nikola/utils.py", "MIT"),
    _File("test", "python", "nibabel", "nibabel/nifti1.py", "MIT"),
    _File("test", "python", "nibabel", "nibabel/orientations.py", "MIT"),
    _File(
        "test", "javascript", "nikola", "npm_assets/node_modules/luxon/build/es6/luxon.js", "MIT"
    ),
)


def some(studio: Studio, rng: Random, lines: int) -> Code:
    """So many lines of code of the studio's split, fewer where a snippet is shorter."""
    snippets = _snippets(studio.split)
    if rng.random() < 0.5:
        language, text = rng.choice(snippets)
        name = f"{rng.choice(VERBS)}_{rng.choice(NOUNS)}.{_ENDS[language]}"
        text = "\n".join(_named(text, rng).split("\n")[:lines])
        return Code(language, name, text, GENERATED, PROJECT_LICENCE)
    file = rng.choice([one for one in _FILES if one.split == studio.split])
    path = studio.archives.file(file.package, file.member)
    whole = _lines(path)
    start = rng.randrange(0, max(1, len(whole) - lines))
    text = "\n".join(line.expandtabs(4)[:110] for line in whole[start : start + lines])
    return Code(file.language, path.name, text, f"{file.package}: {file.member}", file.licence)


_ENDS = {
    "go": "go",
    "rust": "rs",
    "java": "java",
    "sql": "sql",
    "typescript": "tsx",
    "c": "c",
    "yaml": "yaml",
    "bash": "sh",
    "ruby": "rb",
    "json": "json",
    "kotlin": "kt",
    "cpp": "cc",
    "php": "php",
    "swift": "swift",
}


@functools.cache
def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")


@functools.cache
def _snippets(split: Split) -> tuple[tuple[str, str], ...]:
    parts = re.split(r"^=== (\w+) (\w+)\n", SNIPPETS.read_text(encoding="utf-8"), flags=re.M)[1:]
    threes = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return tuple((language, text) for owner, language, text in threes if owner == split)


def _named(text: str, rng: Random) -> str:
    names = [
        rng.choice(NOUNS) + rng.choice(NOUNS).title(),
        rng.choice(NOUNS).title() + rng.choice(NOUNS).title(),
        rng.choice(VERBS) + rng.choice(NOUNS).title(),
        rng.choice(NOUNS),
    ]
    order = rng.sample(names, 4)
    return re.sub(r"NAME(\d)", lambda found: order[int(found.group(1))], text).expandtabs(4)
