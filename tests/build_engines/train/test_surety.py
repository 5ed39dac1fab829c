import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.data import Example, Span
from build_engines.job import ROOT
from build_engines.signals import served
from build_engines.spec import Text
from build_engines.train import rows, surety
from tests.build_engines.train.conftest import data

TEXT = Text(window=6, overlap=2, max_windows=4, max_characters=1000, max_bytes=4000)
LABELS = ("x", "y")


@pytest.fixture(scope="module")
def module():
    return served.code(ROOT / "model_repository" / "text_signals" / "1")


def test_the_curve_is_what_makes_scores_shares_of_right_ones():
    draw = np.random.default_rng(5)
    scores = draw.uniform(0.05, 0.95, 20_000)
    truth = 1 / (1 + np.exp(-(1.4 * np.log(scores / (1 - scores)) - 0.7)))

    found = surety.curve(scores, draw.uniform(size=len(scores)) < truth)

    assert found["slope"] == pytest.approx(1.4, abs=0.06)
    assert found["bias"] == pytest.approx(-0.7, abs=0.06)


def shares(found, sure):
    """Of each token its class so probable, and nothing elsewhere; special tokens are O."""
    given = np.full((len(found.targets), 5), 0.0, np.float32)
    for at, target in enumerate(found.targets):
        given[at, max(0, target)] = sure
        given[at, 0] += 1 - sure
    return given


def example(text, *spans):
    return Example(text, "", "test", text, spans=spans, split="validation")


@pytest.mark.parametrize(
    ("wrong", "higher"),
    [
        pytest.param([], None, id="all are right: nothing to learn"),
        pytest.param([example("spring b"), example("spring c")], False, id="half are wrong"),
    ],
)
def test_what_the_text_does_not_hold_lowers_the_scores(
    monkeypatch, module, tokenizer, wrong, higher
):
    """The same tokens are seen in all; in some of the texts they are labelled, in others not."""
    data(monkeypatch, "toy", LABELS)
    labelled = [example(f"river {c}", Span(0, 5, "x")) for c in "abcdef"[: 2 if wrong else 6]]
    texts = [*labelled, *wrong]
    found = rows.windowed("toy", "token", texts, tokenizer, TEXT)
    seen = rows.windowed(
        "toy", "token", [example(one.text, Span(0, 5, "x")) for one in texts], tokenizer, TEXT
    )

    line = surety.fitted(module, tokenizer, TEXT, "toy", found, shares(seen, 0.9))

    if higher is None:
        assert line == {"slope": 1.0, "bias": 0.0}
    else:
        assert module.Surety(**line)(0.9) == pytest.approx(0.5, abs=0.01)


def test_a_span_that_is_longer_by_a_word_is_right(monkeypatch, module, tokenizer):
    data(monkeypatch, "toy", LABELS)
    texts = [example("river a b", Span(0, 5, "x")), example("river c d")]
    found = rows.windowed("toy", "token", texts, tokenizer, TEXT)
    longer = [example(one.text, Span(0, 7, "x")) for one in texts]
    seen = rows.windowed("toy", "token", longer, tokenizer, TEXT)

    line = surety.fitted(module, tokenizer, TEXT, "toy", found, shares(seen, 0.9))

    assert module.Surety(**line)(0.9) == pytest.approx(0.5, abs=0.01)
