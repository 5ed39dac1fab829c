import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.context import Context, ContextRule
from orchestrator.types import Request, Shape


def reading(row, **shape):
    rule = ContextRule.model_validate({"name": "rule"} | row)
    signal = Context([rule], Surroundings(FakeInference()))
    return signal.evaluate(Request("auto", "", shape=Shape(**shape)))


@pytest.mark.parametrize(
    ("row", "tokens", "expected"),
    [
        pytest.param({"min_tokens": "1K"}, 999, False, id="below the minimum"),
        pytest.param({"max_tokens": "1K"}, 1001, False, id="above the maximum"),
        pytest.param({"min_tokens": "1.5K"}, 1499, False, id="decimals"),
        pytest.param({"min_tokens": "1K"}, 1000, True, id="the minimum belongs to it"),
        pytest.param({"max_tokens": "1K"}, 1000, True, id="the maximum belongs to it"),
        pytest.param({"min_tokens": "32k"}, 10_000_000, True, id="no maximum"),
        pytest.param({"min_tokens": "32K", "max_tokens": ""}, 40_000, True, id="empty maximum"),
        pytest.param({"min_tokens": 0, "max_tokens": "1M"}, 1_000_000, True, id="million"),
        pytest.param({}, 0, True, id="no bounds"),
    ],
)
def test_context(row, tokens, expected):
    assert bool(reading(row, floor_tokens=tokens).matches) is expected


@pytest.mark.parametrize(
    ("shape", "tokens"),
    [
        pytest.param({"context_bytes": 9}, 3.0, id="a quarter of the bytes, rounded up"),
        pytest.param({"context_bytes": 400, "floor_tokens": 99}, 100.0, id="text is larger"),
        pytest.param({"context_bytes": 400, "floor_tokens": 101}, 101.0, id="floor is larger"),
    ],
)
def test_tokens_are_the_value_of_every_rule(shape, tokens):
    assert dict(reading({"min_tokens": "1M"}, **shape).values) == {"rule": tokens}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({"min_tokens": "32G"}, "a number of tokens such as", id="unknown unit"),
        pytest.param({"min_tokens": "many"}, "a number of tokens such as", id="no number"),
        pytest.param({"min_tokens": -1}, "min_tokens\n", id="negative"),
        pytest.param(
            {"min_tokens": "8K", "max_tokens": "4K"}, "max_tokens 4000 is below min", id="order"
        ),
    ],
)
def test_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ContextRule.model_validate({"name": "rule"} | row)
