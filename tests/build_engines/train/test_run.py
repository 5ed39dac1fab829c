import json

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.data import Example, Span
from build_engines.signals import adapter
from build_engines.signals.job import Labels
from build_engines.spec import Spec
from build_engines.train import run
from build_engines.train.run import Bench, slices, token_spans
from tests.build_engines.conftest import spec_of
from tests.build_engines.train.conftest import data, task

SIZES = {"train": 40, "validation": 16, "test": 16}


def examples(token):
    for split, count in SIZES.items():
        for at in range(count):
            river = at % 2
            text = f"{'river' if river else 'spring'} {'a b c d e f g h'[: at + 1]}"
            spans = (Span(0, 5, "x"),) if token and river else ()
            label = "" if token else "xy"[river]
            yield Example(text, label, "test", f"{split} {at}", spans=spans, split=split)


@pytest.fixture
def bench(tiny_checkpoint, encoder, tokenizer, tmp_path):
    spec = Spec.model_validate(spec_of(tiny_checkpoint))
    return Bench(spec, tiny_checkpoint, tokenizer, encoder, tmp_path / "train")


@pytest.mark.parametrize("kind", ["sequence", "token"])
def test_a_task_is_trained_and_saved_as_the_export_reads_it(monkeypatch, bench, tmp_path, kind):
    rows = list(examples(kind == "token"))
    monkeypatch.setattr(
        run.rows,
        "load",
        lambda _: {split: [one for one in rows if one.split == split] for split in SIZES},
    )
    data(monkeypatch, "toy", ("x", "y"))
    positive = ("y",) if kind == "sequence" else ()

    job, report = run.train(bench, "toy", task(kind, epochs=2, positive=positive))
    run.save(job, report, tmp_path / "toy")

    read = adapter.read(tmp_path / "toy")
    assert read.first == 2
    assert len(read.classifier[1]) == (2 if kind == "sequence" else 5)
    assert Labels.read(tmp_path / "toy") == Labels(("x", "y"), report["temperature"])
    assert json.loads((tmp_path / "toy" / "figures.json").read_text())["texts"] == SIZES
    assert report["temperature"] > 0 and 0 <= report["accuracy"] <= 1
    assert ("recall_at_0.01" in report) == (kind == "sequence")
    assert ("spans" in report) == (kind == "token")


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        pytest.param("", [], id="no tokens"),
        pytest.param("O O", [], id="nothing"),
        pytest.param("B-X I-X O", [(0, 2, "X")], id="one"),
        pytest.param("O B-X", [(1, 2, "X")], id="up to the end"),
        pytest.param("B-X B-X", [(0, 1, "X"), (1, 2, "X")], id="neighbours"),
        pytest.param("B-X I-Y", [(0, 1, "X"), (1, 2, "Y")], id="another label"),
        pytest.param("I-X I-X", [(0, 2, "X")], id="without a begin"),
    ],
)
def test_spans_from_marks(marks, expected):
    assert list(token_spans(marks.split())) == [Span(*one) for one in expected]


def test_slices_are_reported_where_there_are_enough_texts():
    few = [Example("x", "a", "s", "g", "de", "rare")] * 19
    many = [Example("x", "a", "t", "g", "en")] * 20

    found = dict(slices([*few, *many]))

    assert found == {"en": list(range(19, 39)), "source t": list(range(19, 39))}
