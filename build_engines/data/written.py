"""Reads texts written by hand: `<folder>/<stem>.txt` holds the texts of one label, one a line.

A line `# <language> [<kind>]` is a mark: it names the language (ISO 639-1) and the slice of the
lines below it. Blank lines are skipped. The reader does not know which labels a task has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from build_engines.data import Example
from build_engines.errors import BuildError

_MARK = re.compile(r"# (?P<language>[a-z]{2})(?: (?P<kind>[a-z][a-z_]*))?")


def written(folder: Path, label: str, stem: str) -> Iterator[Example]:
    """The texts of one label in the order of its file, each its own group.

    The group is the text and not the line's number, so that a line added above moves no other line
    between the splits. Raises BuildError where the file is absent, a mark is malformed or a text
    stands above the first mark.
    """
    path = folder / f"{stem}.txt"
    if not path.is_file():
        raise BuildError(f"{path}: no such file; write the texts of {label!r} there")
    language = kind = ""
    # Not splitlines(): it would also cut at characters that a text may hold.
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        text = line.strip()
        if line.startswith("# "):
            mark = _MARK.fullmatch(text)
            if mark is None:
                raise BuildError(f"{path}:{number}: not a mark '# <language> [<kind>]': {text}")
            language, kind = mark["language"], mark["kind"] or ""
        elif text and not language:
            raise BuildError(
                f"{path}:{number}: a text above the first mark '# <language> [<kind>]'"
            )
        elif text:
            yield Example(
                text=text,
                label=label,
                source="written",
                group=f"{folder.name}:{text}",
                language=language,
                kind=kind,
            )
