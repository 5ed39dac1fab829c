import json
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.data import Example, Span
from build_engines.job import ROOT
from build_engines.signals import adapter
from build_engines.signals.job import Labels
from build_engines.spec import Spec
from build_engines.train import run
from build_engines.train.languages import FEWEST_TEXTS, LEAST_ACCURACY
from build_engines.train.run import Bench
from tests.build_engines.conftest import spec_of
from tests.build_engines.train.conftest import data, task

SIZES = {"train": 40, "validation": 24, "test": 16}


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
    served = ROOT / "model_repository" / "text_signals" / "1"
    return Bench(spec, tiny_checkpoint, tokenizer, encoder, tmp_path / "train", served)


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
    spans = report.get("surety")
    assert Labels.read(tmp_path / "toy") == Labels(("x", "y"), report["temperature"], None, spans)
    assert (spans is not None) == (kind == "token")
    assert json.loads((tmp_path / "toy" / "figures.json").read_text())["texts"] == SIZES
    assert report["temperature"] > 0 and 0 <= report["accuracy"] <= 1
    assert (
        report["validation"].keys()
        == {
            "sequence": {"accuracy", "macro_f1", "recall_at_0.01"},
            "token": {"span_f1"},
        }[kind]
    )
    assert ("recall_at_0.01" in report) == (kind == "sequence")
    assert ("spans" in report) == (kind == "token")
    assert "languages" not in report


def test_a_topic_states_the_languages_that_it_reads_well(monkeypatch, bench, tmp_path):
    """By the validation split: the test split here is of another language."""
    divided = {
        split: [
            replace(one, language="fr" if split == "test" else "de")
            for one in examples(token=False)
            if one.split == split
        ]
        for split in SIZES
    }
    divided["validation"] *= FEWEST_TEXTS // SIZES["validation"] + 1
    monkeypatch.setattr(run.rows, "load", lambda _: divided)
    data(monkeypatch, "toy", ("x", "y"))

    job, report = run.train(bench, "toy", task(epochs=8, rate=1e-2))
    run.save(job, report, tmp_path / "toy")

    assert report["validation"]["accuracy"] >= LEAST_ACCURACY
    assert report["languages"] == Labels.read(tmp_path / "toy").languages == ("de",)
