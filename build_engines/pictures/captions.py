"""What one would write to find a picture: wordings by family, in `captions/<family>.txt`.

A file has two parts, `# train` and `# test`; no wording stands in both. Within a part, wordings
before the first `## kind` fit the whole family, those below one fit pictures of that kind alone.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).with_name("captions")
Part = Literal["train", "test"]


@dataclass(frozen=True, slots=True)
class Caption:
    """`kind` is empty where the wording fits all pictures of the family."""

    text: str
    kind: str
    part: Part


@functools.cache
def read(family: str) -> tuple[Caption, ...]:
    """All wordings of a family, in the order of its file. Raises ValueError on an unknown mark."""
    part: Part | None = None
    kind = ""
    found = []
    for line in (FOLDER / f"{family}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line[3:].strip()
        elif line.startswith("# "):
            part, kind = _part(line[2:].strip()), ""
        elif line.strip() and part:
            found.append(Caption(line.strip(), kind, part))
    return tuple(found)


def texts(family: str, part: Part, kind: str | None = None) -> tuple[str, ...]:
    """Wordings of a part: all of them, or those that fit a picture of `kind`."""
    return tuple(
        one.text
        for one in read(family)
        if one.part == part and (kind is None or one.kind in ("", kind))
    )


def _part(mark: str) -> Part:
    if mark == "train":
        return "train"
    if mark == "test":
        return "test"
    raise ValueError(f"The mark of a part is # train or # test, not # {mark}")
