import json

import pytest
from pydantic import ValidationError

from orchestrator.selection import SELECTORS, Surroundings, Values
from orchestrator.types import Candidate
from tests.selection.made import contender, selector

ROWS = [contender("small", description="quick"), contender("large")]
BLOCK = {"model": "helper", "instructions": "Choose large for proofs.", "timeout_seconds": 3}
GOOD = json.dumps({"selected_model": "large", "rationale": "a proof\nis asked for"})


def choose(answer, unread=""):
    return selector("prompt", ROWS, BLOCK).choose(Values(answer=answer, unread=unread))


@pytest.mark.parametrize(
    "answer", [GOOD, f"```json\n{GOOD}\n```", f" {GOOD}\n"], ids=["plain", "fenced", "blanks"]
)
def test_the_model_that_the_helper_names(answer):
    plan = choose(answer)

    assert (plan.chosen, plan.status) == (Candidate("large"), "selected")
    assert plan.reason == "the helper says: a proof is asked for"


@pytest.mark.parametrize(
    ("answer", "unread", "why"),
    [
        pytest.param("", "upstream_timeout", "did not answer (upstream_timeout)", id="late"),
        pytest.param("large", "", "JSON that was asked for", id="prose"),
        pytest.param(f"Sure! {GOOD}", "", "JSON that was asked for", id="prose and JSON"),
        pytest.param(f"[{GOOD}]", "", "JSON that was asked for", id="a list"),
        pytest.param('{"selected_model": "large"}', "", "JSON that was asked for", id="a key less"),
        pytest.param(GOOD[:-1] + ', "x": 1}', "", "JSON that was asked for", id="a key more"),
        pytest.param(GOOD.replace('"large"', "1"), "", "JSON that was asked for", id="a number"),
        pytest.param(GOOD.replace("large", "huge"), "", "none of the candidates", id="a stranger"),
    ],
)
def test_anything_else_is_the_first_candidate(answer, unread, why):
    plan = choose(answer, unread)

    assert (plan.chosen, plan.status) == (Candidate("small"), "fallback")
    assert why in plan.reason


def test_what_the_helper_is_told():
    question = selector("prompt", ROWS, BLOCK).needs.question

    assert question is not None
    assert (question.model, question.seconds) == ("helper", 3)
    lines = question.instructions.splitlines()
    assert lines[0] == "Choose large for proofs."
    assert {"- small: quick", "- large"} <= set(lines)


@pytest.mark.parametrize(
    "block",
    [{"model": "m"}, {**BLOCK, "timeout_seconds": 0}, {**BLOCK, "prompt": "x"}],
    ids=["no instructions", "no time", "unknown key"],
)
def test_settings_out_of_range(block):
    with pytest.raises(ValidationError):
        SELECTORS["prompt"].Settings.model_validate(block)


def test_check():
    kind = SELECTORS["prompt"]
    settings, around = kind.Settings(**BLOCK), Surroundings(served=frozenset({"helper"}))

    (stranger,) = kind.check(ROWS, settings, Surroundings(served=frozenset({"helpers"})))
    (twice,) = kind.check([ROWS[0], ROWS[0]], settings, around)

    assert (stranger.path, stranger.hint) == (("prompt", "model"), "did you mean 'helpers'?")
    assert twice.message == "the helper cannot tell two candidates 'small' apart"
    assert list(kind.check(ROWS, settings, around)) == []
