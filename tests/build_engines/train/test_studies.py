import json

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.data import Example
from build_engines.job import ROOT
from build_engines.spec import Spec
from build_engines.train import run, studies
from build_engines.train.run import Bench
from tests.build_engines.conftest import spec_of
from tests.build_engines.train.conftest import data, task

SIZES = {"train": 40, "validation": 16, "test": 16}


@pytest.fixture
def bench(tiny_checkpoint, encoder, tokenizer, tmp_path):
    spec = Spec.model_validate(spec_of(tiny_checkpoint))
    served = ROOT / "model_repository" / "text_signals" / "1"
    return Bench(spec, tiny_checkpoint, tokenizer, encoder, tmp_path / "train", served)


def test_depths_and_shares_are_compared_by_the_validation_split(monkeypatch, bench, tmp_path):
    """A test split whose label nobody knows would stop a study that looked at it."""
    divided = {
        split: [
            Example(
                f"{'river' if at % 2 else 'spring'} {at}", "xy"[at % 2], "test", f"{split} {at}"
            )
            for at in range(count)
        ]
        for split, count in SIZES.items()
    }
    divided["test"] = [Example("river", "unknown", "test", "test")]
    monkeypatch.setattr(run.rows, "load", lambda _: dict(divided))
    data(monkeypatch, "toy", ("x", "y"))
    told = {"texts": {"train": 40}, "validation_loss": 0.5, "validation": {"accuracy": 0.75}}
    (tmp_path / "figures.json").write_text(json.dumps(told))
    monkeypatch.setitem(studies.COMPARED, "sequence", 20)

    studies.write(bench, "toy", task(epochs=1), tmp_path)

    depths = json.loads((tmp_path / "depths.json").read_text())
    curve = json.loads((tmp_path / "curve.json").read_text())
    assert [(row["depth"], row["texts"]) for row in depths] == [(0, 20), (1, 20), (2, 20), (3, 20)]
    assert [(row["share"], row["texts"]) for row in curve] == [(0.25, 10), (0.5, 20), (1, 40)]
    assert curve[-1] == {"share": 1, "texts": 40, "loss": 0.5, "accuracy": 0.75}
    assert all({"loss", "accuracy", "macro_f1"} <= row.keys() for row in depths)
