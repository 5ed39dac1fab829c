"""python -m build_engines.pictures corpus | sheet -- writes the corpus, or pictures to look at.

Example: python -m build_engines.pictures sheet receipt --split test --out build/sheet.png
"""

import sys
from pathlib import Path
from typing import Annotated

import typer
from PIL import Image

from build_engines.errors import BuildError
from build_engines.pictures import corpus as corpora
from build_engines.pictures import pictures
from build_engines.pictures.picture import SPLITS, Split

TILE, ACROSS = 200, 6  # px, tiles

app = typer.Typer(help=__doc__, add_completion=False)


@app.command()
def corpus(
    folder: Annotated[Path, typer.Option(help="Where the files go")] = corpora.FOLDER,
) -> None:
    """Write the corpus of tests/pictures anew."""
    corpora.write(folder)


@app.command()
def sheet(
    family: Annotated[str, typer.Argument(help="A family of pictures")],
    split: Annotated[str, typer.Option(help="train, validation or test")] = "train",
    count: int = 24,
    seed: int = 0,
    out: Path = Path("build/sheet.png"),
) -> None:
    """Render some pictures of a family side by side."""
    rows = -(-count // ACROSS)
    page = Image.new("RGB", (TILE * ACROSS, TILE * rows), (255, 0, 255))
    for place, one in enumerate(pictures(_split(split), count, seed, families=(family,))):
        tile = one.image.copy()
        tile.thumbnail((TILE - 4, TILE - 4))
        page.paste(tile, (place % ACROSS * TILE, place // ACROSS * TILE))
    out.parent.mkdir(parents=True, exist_ok=True)
    page.save(out)
    print(out)


def _split(name: str) -> Split:
    for one in SPLITS:
        if one == name:
            return one
    raise typer.BadParameter(f"{name} is no split: {', '.join(SPLITS)}")


def main() -> None:
    try:
        app()
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
