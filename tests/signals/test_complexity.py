import math

import pytest
from pydantic import ValidationError

from orchestrator.config.schema import Config
from orchestrator.errors import InferenceError, InferenceUnavailable
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.complexity import Complexity, ComplexityRule
from orchestrator.types import Reading, Request
from tests.circle import circle

VALID = {
    "name": "reasoning",
    "threshold": 0.1,
    "hard": {"candidates": ["prove it step by step"]},
    "easy": {"candidates": ["say it briefly"]},
}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(VALID | {"name": "a:b"}, "must not contain ':'", id="separator in the name"),
        pytest.param(
            VALID | {"threshold": 1.2},
            "threshold\n.*less than or equal to 1",
            id="threshold above 1",
        ),
        pytest.param(
            {"name": "reasoning", "hard": {"candidates": ["x"]}},
            "easy\n.*Field required",
            id="one side only",
        ),
        pytest.param(
            VALID | {"easy": {"candidates": []}},
            "easy\n.*at least one of candidates",
            id="a side without examples",
        ),
        pytest.param(
            VALID | {"hard": {"candidates": ["x"], "labels": ["y"]}},
            "hard.labels\n.*not permitted",
            id="unknown key in a side",
        ),
        pytest.param(
            VALID | {"composer": {"operator": "XOR", "conditions": []}},
            "composer.operator\n",
            id="composer with an unknown operator",
        ),
    ],
)
def test_complexity_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ComplexityRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="text examples"),
        pytest.param(
            VALID | {"easy": {"image_candidates": ["a photo of a cat"]}}, id="image examples"
        ),
        pytest.param(
            VALID
            | {"composer": {"operator": "OR", "conditions": [{"type": "context", "name": "long"}]}},
            id="composer",
        ),
    ],
)
def test_complexity_rule_is_accepted(row):
    assert ComplexityRule.model_validate(row).name == row["name"]


def test_decisions_name_a_level_of_a_complexity_rule():
    leaves = Complexity.leaves([ComplexityRule.model_validate(VALID)])

    assert leaves == {
        "reasoning:hard": "reasoning",
        "reasoning:easy": "reasoning",
        "reasoning:medium": "reasoning",
    }


ANGLES = {"prove": 0, "define": 90, "middle": 45, "harder": 40, "easier": 50, "back": 180}


@pytest.fixture
def inference():
    return FakeInference({text: circle(angle) for text, angle in ANGLES.items()})


def rule(name="effort", threshold=0.2, **more):
    row = {"name": name, "threshold": threshold, "hard": {"candidates": ["prove"]}}
    return ComplexityRule.model_validate(row | {"easy": {"candidates": ["define"]}} | more)


def complexity(inference, *rules, **scoring):
    return Complexity(rules, Surroundings(inference, {"complexity": scoring}))


def ask(text):
    return Request("auto", text)


NEAR = round(math.cos(math.radians(40)) - math.cos(math.radians(50)), 6)  # 0.123


@pytest.mark.parametrize(
    ("text", "threshold", "level", "margin"),
    [
        pytest.param("middle", 0.2, "medium", 0.0, id="as near to both"),
        pytest.param("harder", 0.2, "medium", NEAR, id="a little harder"),
        pytest.param("harder", NEAR, "medium", NEAR, id="not above the threshold"),
        pytest.param("easier", NEAR, "medium", -NEAR, id="not below minus the threshold"),
        pytest.param("middle", 0.0, "medium", 0.0, id="threshold 0, no margin"),
        pytest.param("harder", 0.1, "hard", NEAR, id="harder"),
        pytest.param("easier", 0.1, "easy", -NEAR, id="easier"),
        pytest.param("harder", 0.0, "hard", NEAR, id="threshold 0"),
        pytest.param("prove", 0.2, "hard", 1.0, id="hard"),
        pytest.param("define", 0.2, "easy", -1.0, id="easy"),
    ],
)
async def test_complexity_level(inference, text, threshold, level, margin):
    reading = await complexity(inference, rule(threshold=threshold)).evaluate(ask(text))

    assert reading.matches == {f"effort:{level}": pytest.approx(abs(margin), abs=2e-6)}
    assert reading.values == {"effort": pytest.approx(margin, abs=2e-6)}


async def test_complexity_confidence_is_at_most_1(inference):
    opposite = rule(easy={"candidates": ["back"]})

    reading = await complexity(inference, opposite).evaluate(ask("prove"))

    assert (reading.matches, reading.values) == ({"effort:hard": 1.0}, {"effort": 2.0})


async def test_complexity_of_several_rules_is_one_call_for_each_text(inference):
    signal = complexity(
        inference, rule("one"), rule("two", hard={"candidates": ["define", "prove"]})
    )
    await signal.prepare()

    reading = await signal.evaluate(ask("define"))

    assert list(reading.matches) == ["one:easy", "two:medium"]
    assert [texts for _, texts in inference.calls] == [("prove", "define"), ("define",)]


async def test_complexity_takes_the_scoring_of_its_module(inference):
    two = rule(hard={"candidates": ["prove", "define"]})

    best = await complexity(inference, two, best_weight=1.0).evaluate(ask("prove"))
    mixed = await complexity(inference, two, best_weight=0.5).evaluate(ask("prove"))

    assert (best.values["effort"], mixed.values["effort"]) == (1.0, 0.75)


@pytest.mark.parametrize("text", ["", " \t"])
async def test_complexity_of_an_empty_text_is_none(inference, text):
    assert await complexity(inference, rule()).evaluate(ask(text)) == Reading()
    assert inference.calls == []


async def test_complexity_failures_are_raised_and_a_new_model_is_noticed(inference):
    signal = complexity(inference, rule())
    await signal.prepare()
    inference.failure = InferenceUnavailable("gone")
    with pytest.raises(InferenceUnavailable):
        await signal.evaluate(ask("prove"))
    inference.failure = None
    inference.vectors = {text: [*vector, 0.0] for text, vector in inference.vectors.items()}

    with pytest.raises(InferenceError, match="answers with 3 numbers and not 2"):
        await signal.evaluate(ask("prove"))

    assert list((await signal.evaluate(ask("prove"))).matches) == ["effort:hard"]


PICTURES = {"image_candidates": ["a photo of a proof"]}


@pytest.mark.parametrize(
    ("more", "idle"),
    [
        pytest.param({}, (), id="texts"),
        pytest.param({"hard": {"candidates": ["prove"]} | PICTURES}, (), id="both: texts alone"),
        pytest.param({"hard": PICTURES}, ("effort",), id="a side of pictures"),
        pytest.param({"easy": PICTURES}, ("effort",), id="the other side of pictures"),
    ],
)
async def test_complexity_of_one_kind_on_one_side_is_not_run(inference, more, idle):
    signal = complexity(inference, rule(**more))
    await signal.prepare()

    assert (Complexity.runs, signal.not_run()) == (True, idle)
    assert list((await signal.evaluate(ask("prove"))).matches) == ([] if idle else ["effort:hard"])


@pytest.mark.parametrize(
    ("more", "path", "said"),
    [
        pytest.param({"threshold": 0.75}, (0, "threshold"), "rarely exceeds 0.2", id="0.75"),
        pytest.param(
            {"hard": {"candidates": ["prove"]} | PICTURES},
            (0, "hard", "image_candidates"),
            "not used: there are no image_candidates on the side easy to compare them with",
            id="pictures on one side",
        ),
        pytest.param(
            {
                "hard": {"candidates": ["prove"]} | PICTURES,
                "easy": {"image_candidates": ["a photo of a word"]},
            },
            (0, "hard", "candidates"),
            "not used: there are no candidates on the side easy to compare them with",
            id="texts on one side",
        ),
    ],
)
def test_complexity_warns_of_what_is_said_in_vain(more, path, said):
    (found,) = Complexity.check([rule(**more)], Config(), {})

    assert (found.path, found.severity) == (path, "warning")
    assert said in found.message
    assert "not run" not in found.message


def test_complexity_warns_of_a_rule_that_is_not_run():
    found = list(Complexity.check([rule(easy=PICTURES)], Config(), {}))

    assert [one.path for one in found] == [
        (0, "hard", "candidates"),
        (0, "easy", "image_candidates"),
    ]
    assert all("'effort' has no others: not run" in one.message for one in found)


def test_complexity_has_nothing_to_say_of_a_usual_rule():
    assert list(Complexity.check([rule(threshold=0.2)], Config(), {})) == []


def test_complexity_names_its_composers():
    tree = {"type": "context", "name": "long"}

    found = Complexity.composers([rule("plain"), rule("tied", composer=tree)])

    assert [(name, node.type) for name, node in found.items()] == [("tied", "context")]
