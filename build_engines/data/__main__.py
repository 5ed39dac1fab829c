"""python -m build_engines.data [TASK …] -- how many texts there are, and whether splits leak.

Example: python -m build_engines.data domain --out build/test   (the test split for `tsr evaluate`)
"""

import json
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from build_engines import tasks
from build_engines.data import Example, splits
from build_engines.errors import BuildError

Names = Annotated[list[str] | None, typer.Argument(help="Tasks; all where none is named")]
Out = Annotated[Path | None, typer.Option(help="Write <task>.jsonl of the test split here")]

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def data(names: Names = None, out: Out = None) -> None:
    """Count, measure near-duplicates across splits, write test splits."""
    leaks = 0
    for name in names or tasks.read().tasks:
        rows = list(import_module(f"build_engines.data.{name}").examples())
        placed = splits.assign(name, rows)
        crossing = splits.crossings(rows, placed, splits.THRESHOLD)
        leaks += len(crossing)
        print(f"{name}: {dict(Counter(map(str, placed)))}, {len(crossing)} near-duplicates cross")
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            test = [one for one, split in zip(rows, placed, strict=True) if split == "test"]
            text = "".join(json.dumps(line(name, one), ensure_ascii=False) + "\n" for one in test)
            (out / f"{name}.jsonl").write_text(text, encoding="utf-8")
    sys.exit(1 if leaks else 0)


def line(task: str, example: Example) -> dict[str, Any]:
    """One line of a file that `tsr evaluate` reads."""
    said: dict[str, Any] = {"task": task, "text": example.text}
    if example.label:
        said["label"] = example.label
    else:
        said["spans"] = [[one.start, one.stop, one.label] for one in example.spans]
    names = {"language": example.language, "kind": example.kind, "source": example.source}
    return said | {name: value for name, value in names.items() if value}


def main() -> None:
    try:
        app()
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
