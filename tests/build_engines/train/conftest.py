import sys
import types

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from tokenizers import Tokenizer

from build_engines import weights
from build_engines.data import Example
from build_engines.tasks import Task, Training
from build_engines.train import network
from build_engines.train.fit import Job
from build_engines.train.rows import Rows


@pytest.fixture(scope="session")
def encoder(tiny_checkpoint):
    return weights.load(tiny_checkpoint, attention="sdpa")


@pytest.fixture(scope="session")
def tokenizer(tiny_checkpoint):
    found = Tokenizer.from_file(str(tiny_checkpoint / "tokenizer.json"))
    found.no_truncation()
    return found


def data(monkeypatch, name, labels, rows=()):
    """A task's module of data, as long as a test runs."""
    module = types.ModuleType(f"build_engines.data.{name}")
    module.LABELS = tuple(labels)
    module.examples = lambda: iter(rows)
    monkeypatch.setitem(sys.modules, module.__name__, module)


def rows_of(counts, targets=None, seed=1):
    """Texts of `counts` windows each, of random tokens."""
    draw = np.random.default_rng(seed)
    owner = np.repeat(np.arange(len(counts)), counts)
    lengths = draw.integers(3, 9, len(owner))
    ids = draw.integers(4, 20, lengths.sum())
    examples = [Example(f"text {at}", "a", "test", f"{at}") for at in range(len(counts))]
    targets = np.zeros(len(counts), int) if targets is None else targets
    return Rows(examples, ids, lengths, owner, targets, np.zeros(len(owner), bool))


def task(kind="sequence", depth=1, over_windows="mean", positive=(), **training):
    plan = {"rank": 4, "alpha": 8, "epochs": 3, "batch": 8, "rate": 5e-3} | training
    return Task(
        kind=kind,
        over_windows=over_windows,
        positive=positive,
        training=Training(depth=depth, **plan),
    )


def job_of(checkpoint, one, classes, positive=()):
    model = network.bare(checkpoint, (), one, classes)
    return Job(network.adapted(model, one), one, positive)
