import dataclasses
import json

import pytest
from PIL import Image

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.errors import BuildError
from build_engines.pictures import FAMILIES, captions, corpus
from build_engines.pictures.studio import Studio

FILES = sorted(corpus.FOLDER.glob("*.*"))
PICTURES = [path for path in FILES if path.suffix not in (".json", ".md")]


def test_an_unknown_template_is_refused(archives):
    entry = dataclasses.replace(corpus.entries()[0], template="poem")
    with pytest.raises(BuildError, match="poem"):
        corpus.render(entry, Studio.of("test", archives))


def test_the_folder_holds_what_the_table_names():
    assert [path.name for path in PICTURES] == sorted(one.file for one in corpus.entries())


def test_the_corpus_is_small_and_large_enough():
    assert len(PICTURES) >= 44
    assert max(path.stat().st_size for path in PICTURES) <= 25_000
    assert sum(path.stat().st_size for path in FILES) <= 1_250_000


def test_every_way_of_storing_is_there():
    modes, formats, sides = set(), set(), []
    for path in PICTURES:
        with Image.open(path) as image:
            modes.add(image.mode)
            formats.add(image.format)
            sides.append(max(image.size))
    assert {"RGB", "RGBA", "L", "LA", "P", "1", "CMYK", "I;16"} <= modes
    assert formats == {"PNG", "JPEG", "WEBP", "GIF"}
    assert min(sides) == 40
    assert max(sides) == 900


def test_labels_name_every_file_and_only_unseen_wordings():
    said = json.loads((corpus.FOLDER / "labels.json").read_text(encoding="utf-8"))
    assert said == corpus.labels()
    assert set(said["pictures"].values()) == set(FAMILIES)
    for family, wordings in said["groups"].items():
        assert not set(wordings) & set(captions.texts(family, "train"))


def test_the_table_of_origins_names_every_file():
    text = (corpus.FOLDER / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in PICTURES if f"| {path.name} |" not in text] == []


def test_a_file_is_rendered_again_as_it_was(archives):
    entry = next(one for one in corpus.entries() if one.file == "icon_animal.png")
    _, image = corpus.render(entry, Studio.of("test", archives))
    assert corpus.encode(image, entry.encoding) == (corpus.FOLDER / entry.file).read_bytes()
