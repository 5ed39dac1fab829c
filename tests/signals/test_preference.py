import math

import pytest
from pydantic import ValidationError

from orchestrator.config.schema import Config
from orchestrator.errors import InferenceError, InferenceUnavailable
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.preference import Preference, PreferenceRule
from orchestrator.types import Reading, Request
from tests.circle import circle

VALID = {"name": "terse", "examples": ["keep it short"], "threshold": 0.7}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            VALID | {"examples": [" "]}, "examples.0\n.*at least 1 character", id="blank example"
        ),
        pytest.param(
            VALID | {"examples": "keep it short"}, "valid tuple", id="examples not in a list"
        ),
        pytest.param(
            VALID | {"threshold": 1.5},
            "threshold\n.*less than or equal to 1",
            id="threshold above 1",
        ),
        pytest.param(
            VALID | {"candidates": ["x"]}, "candidates\n.*not permitted", id="unknown key"
        ),
    ],
)
def test_preference_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        PreferenceRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="with examples"),
        pytest.param(
            {"name": "terse", "description": "Wants short answers."}, id="description alone"
        ),
    ],
)
def test_preference_rule_is_accepted(row):
    assert PreferenceRule.model_validate(row).name == row["name"]


ANGLES = {"short": 0, "brief": 5, "code": 90, "poem": 90, "ask": 20, "between": 45, "far": 180}
ALL = {"prototype_scoring": {"enabled": False, "best_weight": 1.0}}  # the score is a cosine


@pytest.fixture
def inference():
    return FakeInference({text: circle(angle) for text, angle in ANGLES.items()})


def cos(degrees):
    return round(math.cos(math.radians(degrees)), 6)


def preference(inference, *rows, lead=0.0, **settings):
    scoring = ALL["prototype_scoring"] | {"margin_threshold": lead}
    rules = [PreferenceRule.model_validate(row) for row in rows]
    block = {"prototype_scoring": scoring} | settings
    return Preference(rules, Surroundings(inference, {"preference": block}))


def rule(name, *examples, **more):
    return {"name": name, "examples": list(examples)} | more


def ask(text):
    return Request("auto", text)


TERSE, CODE = rule("terse", "short"), rule("code", "code")
LEAD = pytest.approx(cos(20) - cos(70), abs=1e-6)


@pytest.mark.parametrize(
    ("text", "lead", "rows", "matches"),
    [
        pytest.param("ask", 0.0, [TERSE | {"threshold": 0.95}, CODE], {}, id="below its threshold"),
        pytest.param(
            "ask",
            0.0,
            [TERSE | {"threshold": 0.95}, CODE | {"threshold": 0.1}],
            {},
            id="the second best does not come instead",
        ),
        pytest.param("ask", 0.6, [TERSE, CODE], {}, id="too small a lead"),
        pytest.param("between", 0.01, [TERSE, CODE], {}, id="no lead"),
        pytest.param("ask", 0.0, [rule("empty")], {}, id="nothing to compare with"),
        pytest.param("ask", 0.0, [TERSE, CODE], {"terse": cos(20)}, id="the best one"),
        pytest.param(
            "ask", 0.0, [TERSE | {"threshold": cos(20)}, CODE], {"terse": cos(20)}, id="just enough"
        ),
        pytest.param("ask", 0.5, [TERSE, CODE], {"terse": cos(20)}, id="leads by enough"),
        pytest.param("ask", 0.99, [TERSE], {"terse": cos(20)}, id="alone, nobody to lead"),
        pytest.param("between", 0.0, [TERSE, CODE], {"code": cos(45)}, id="a tie: by name"),
        pytest.param(
            "short",
            0.0,
            [rule("poems", "poem"), {"name": "said", "description": "short"}],
            {"said": 1.0},
            id="the description is an example",
        ),
        pytest.param("far", 0.0, [TERSE], {"terse": 0.0}, id="no gate; confidence is not negative"),
    ],
)
async def test_preference_matches(inference, text, lead, rows, matches):
    reading = await preference(inference, *rows, lead=lead).evaluate(ask(text))

    assert (reading.matches, reading.unknown) == (matches, {})


async def test_preference_values_are_leads_and_scores(inference):
    reading = await preference(inference, TERSE, CODE).evaluate(ask("ask"))

    assert reading.values == {
        "terse": LEAD,
        "terse:score": cos(20),
        "code": pytest.approx(cos(70) - cos(20), abs=1e-6),
        "code:score": cos(70),
    }


@pytest.mark.parametrize("text", ["", " \n"])
async def test_preference_of_an_empty_text_asks_nobody(inference, text):
    assert await preference(inference, TERSE).evaluate(ask(text)) == Reading()
    assert inference.calls == []


async def test_preference_embeds_examples_once_and_each_text_once(inference):
    signal = preference(inference, CODE, rule("terse", "short", "brief"))
    await signal.prepare()
    await signal.evaluate(ask("ask"))
    await signal.evaluate(ask("far"))

    assert [texts for _, texts in inference.calls] == [
        ("code", "short", "brief"),
        ("ask",),
        ("far",),
    ]


async def test_preference_failures_are_raised(inference):
    signal = preference(inference, TERSE)
    await signal.prepare()
    inference.failure = InferenceUnavailable("gone")

    with pytest.raises(InferenceUnavailable):
        await signal.evaluate(ask("ask"))


async def test_preference_embeds_anew_when_the_model_has_changed(inference):
    signal = preference(inference, TERSE)
    await signal.prepare()
    inference.vectors = {text: [*vector, 0.0] for text, vector in inference.vectors.items()}

    with pytest.raises(InferenceError, match="answers with 3 numbers and not 2"):
        await signal.evaluate(ask("ask"))

    assert list((await signal.evaluate(ask("ask"))).matches) == ["terse"]


async def test_preference_of_a_language_model_is_not_run(inference):
    signal = preference(inference, TERSE, use_contrastive=False)
    await signal.prepare()

    assert (Preference.runs, signal.not_run()) == (True, ("terse",))
    assert (await signal.evaluate(ask("short")), inference.calls) == (Reading(), [])


def test_preference_warns_of_a_rule_that_says_nothing(inference):
    rules = [PreferenceRule.model_validate(row) for row in (TERSE, rule("empty"))]

    (found,) = Preference.check(rules, Config(), {})

    assert (found.path, found.severity) == ((1,), "warning")
    assert preference(inference, TERSE, rule("empty")).not_run() == ("empty",)
