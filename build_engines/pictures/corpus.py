"""The small corpus of files for parity and probes, by corpus.tsv: `tests/pictures`.

Its templates and photographs are those of the test split; its seeds are its own.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw

from build_engines.errors import BuildError
from build_engines.pictures import captions, photographs
from build_engines.pictures.camera import noisy, take
from build_engines.pictures.encoding import encode
from build_engines.pictures.generate import TEMPLATES
from build_engines.pictures.picture import FAMILIES, Drawn
from build_engines.pictures.studio import Studio

TABLE = Path(__file__).with_name("corpus.tsv")
ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "pictures"
WORDINGS = 8  # of each family, in labels.json


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of corpus.tsv. `template` is a template of the test split or `photo:<name>`."""

    file: str
    family: str
    template: str
    kind: str
    change: str  # flat: without a camera; upside_down, sideways, noise, words:<text>
    encoding: str
    side: int  # the longer one, px


def entries() -> tuple[Entry, ...]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Entry(
                file=row["file"],
                family=row["family"],
                template=row["template"],
                kind=row["kind"],
                change=row["change"],
                encoding=row["encoding"],
                side=int(row["side"]),
            )
            for row in csv.DictReader(file, delimiter="\t")
        )


def write(folder: Path = FOLDER) -> None:
    """All files, labels.json and README.md; others in `folder` are left as they are."""
    studio = Studio.of("test")
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for entry in entries():
        drawn, image = render(entry, studio)
        data = encode(image, entry.encoding)
        (folder / entry.file).write_bytes(data)
        rows.append((entry, drawn, len(data)))
    (folder / "labels.json").write_text(
        json.dumps(labels(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    (folder / "README.md").write_text("\n".join(_readme(rows)) + "\n", encoding="utf-8")


def labels() -> dict[str, object]:
    """Which family each file is of, and wordings of each family that training never saw."""
    return {
        "pictures": {entry.file: entry.family for entry in entries()},
        "groups": {
            family: list(captions.texts(family, "test", "")[:WORDINGS])
            for family in FAMILIES
            if family != "other"
        },
    }


def render(entry: Entry, studio: Studio) -> tuple[Drawn, Image.Image]:
    """What was drawn, and the picture before it is encoded. Raises BuildError on a wrong row."""
    drawn, rng = _drawn(entry, studio)
    flat = entry.change == "flat" or entry.template.startswith("photo:")
    image = drawn.image if flat else take(drawn, rng)
    scale = entry.side / max(image.size)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    image = image.resize(size, Image.Resampling.BICUBIC)
    return drawn, _changed(image, entry.change, studio, rng)


def _drawn(entry: Entry, studio: Studio) -> tuple[Drawn, Random]:
    if entry.template.startswith("photo:"):
        return _photo(entry, studio), Random(f"corpus-{entry.file}")
    templates = dict(TEMPLATES[entry.family]("test"))
    if entry.template not in templates:
        raise BuildError(f"corpus.tsv: {entry.file}: no template {entry.template}")
    for attempt in range(200):
        rng = Random(f"corpus-{entry.file}-{attempt}")
        drawn = templates[entry.template](studio, rng)
        if entry.kind in ("", drawn.kind):
            return drawn, rng
    raise BuildError(f"corpus.tsv: {entry.file}: {entry.template} draws no {entry.kind}")


def _photo(entry: Entry, studio: Studio) -> Drawn:
    name = entry.template.removeprefix("photo:")
    for one in photographs.of("test", "photo", "portrait", "texture"):
        if one.name == name:
            image = studio.show(one).copy()
            return Drawn(image, entry.kind, "scene", f"{one.package}: {one.file}", one.licence)
    raise BuildError(f"corpus.tsv: {entry.file}: no photograph {name} in the test split")


def _changed(image: Image.Image, change: str, studio: Studio, rng: Random) -> Image.Image:
    if change == "upside_down":
        return image.rotate(180)
    if change == "sideways":
        return image.rotate(90, expand=True)
    if change == "noise":
        return noisy(image.convert("RGB"), rng, 40)
    if change.startswith("words:"):
        words = change.removeprefix("words:")
        font = studio.fonts.get("roboto", image.width // 8, bold=True)
        place = (image.width // 12, image.height // 3)
        ImageDraw.Draw(image).text(
            place, words, font=font, fill=(255, 255, 255), stroke_width=3, stroke_fill=(0, 0, 0)
        )
    return image


def _readme(rows: list[tuple[Entry, Drawn, int]]) -> Iterator[str]:
    yield "# Pictures for parity and probes"
    yield ""
    yield "Written by `python -m build_engines.pictures corpus` from `corpus.tsv`: templates and"
    yield "photographs are those of the test split, the seeds are of no split. No document is real;"
    yield "faces are drawn, or the portrait named here. The scans are published as named here."
    yield "`labels.json`: each file's family, and wordings of each family that no training saw."
    yield f"{len(rows)} files, {sum(size for *_, size in rows):,} bytes."
    yield ""
    yield "| file | family | encoding | bytes | source | licence |"
    yield "|---|---|---|---|---|---|"
    for entry, drawn, size in rows:
        source = drawn.source
        yield (
            f"| {entry.file} | {entry.family} | {entry.encoding} | {size:,} | {source} "
            f"| {drawn.licence} |"
        )
    yield ""
    yield "The flower is by vultilion, CC-BY-2.0, as scikit-learn ships it, cropped and scaled."
