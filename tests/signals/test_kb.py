import math

import pytest
from pydantic import ValidationError

from orchestrator.errors import ConfigError, InferenceError, InferenceUnavailable
from orchestrator.inference.examples import MOST_TEXTS
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.kb import Kb, KbRule
from orchestrator.types import Reading, Request
from tests.circle import circle, cos
from tests.signals.bases import BASE, LABELS, install, row

VALID = {"name": "secret", "kb": "privacy", "target": {"kind": "label", "value": "code"}}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            {"name": "secret", "target": {"kind": "label", "value": "code"}},
            "kb\n.*Field required",
            id="no knowledge base",
        ),
        pytest.param(
            {"name": "secret", "kb": "privacy"}, "target\n.*Field required", id="no target"
        ),
        pytest.param(
            VALID | {"target": {"kind": "tag", "value": "code"}},
            "target.kind\n.*'label' or 'group'",
            id="unknown kind of target",
        ),
        pytest.param(
            VALID | {"target": {"kind": "label", "value": ""}}, "target.value\n", id="empty target"
        ),
        pytest.param(
            VALID | {"match": "any"}, "match\n.*'threshold' or 'best'", id="unknown match"
        ),
        pytest.param(VALID | {"threshold": 0.5}, "threshold\n.*not permitted", id="unknown key"),
    ],
)
def test_kb_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        KbRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="label"),
        pytest.param(
            VALID | {"match": "", "target": {"kind": "group", "value": "code"}},
            id="group, empty match",
        ),
        pytest.param(VALID | {"match": "threshold"}, id="threshold"),
        pytest.param(VALID | {"match": "best"}, id="best"),
    ],
)
def test_kb_rule_is_accepted(row):
    assert KbRule.model_validate(row).name == row["name"]


ANGLES = {
    "def": 0,
    "roadmap": 40,
    "launch": 60,
    "election": 180,
    "class": 10,
    "between": 20,
    "nothing": 110,
}


@pytest.fixture
def inference():
    return FakeInference({text: circle(angle) for text, angle in ANGLES.items()})


@pytest.fixture
def folder(tmp_path):
    install(tmp_path / "ours", LABELS)
    return tmp_path


def around(inference, folder, *bases):
    return Surroundings(inference, {"kb": {"kbs": bases or (BASE,)}}, (folder,))


def ask(text):
    return Request("auto", text)


@pytest.mark.parametrize(
    ("text", "rule", "matches"),
    [
        pytest.param("nothing", row("r", "code"), {}, id="below the threshold"),
        pytest.param("class", row("r", "plans"), {}, id="another label"),
        pytest.param("class", row("r", "plans", match="best"), {}, id="not the best label"),
        pytest.param("class", row("r", "outside", "group"), {}, id="another group"),
        pytest.param("class", row("r", "outside", "group", "best"), {}, id="not the best group"),
        pytest.param("class", row("r", "code"), {"r": cos(10)}, id="label"),
        pytest.param("class", row("r", "code", match="threshold"), {"r": cos(10)}, id="threshold"),
        pytest.param("class", row("r", "inside", "group"), {"r": cos(10)}, id="group"),
        pytest.param(
            "nothing", row("r", "plans", match="best"), {"r": cos(50)}, id="best: no threshold"
        ),
        pytest.param("between", row("r", "code"), {"r": cos(20)}, id="two labels match: one"),
        pytest.param("between", row("r", "plans"), {"r": cos(20)}, id="two labels match: two"),
        pytest.param(
            "between", row("r", "plans", match="best"), {}, id="equal scores: not the later name"
        ),
        pytest.param(
            "nothing",
            row("r", "inside", "group", "best"),
            {"r": cos(50)},
            id="best group: no threshold",
        ),
    ],
)
async def test_kb_matches(inference, folder, text, rule, matches):
    reading = await Kb([rule], around(inference, folder)).evaluate(ask(text))

    assert (reading.matches, reading.unknown) == (matches, {})


async def test_kb_takes_the_threshold_of_a_label(inference, folder):
    base = BASE | {"label_thresholds": {"code": 0.99}}
    rules = [row("one", "code"), row("all", "inside", "group")]

    reading = await Kb(rules, around(inference, folder, base)).evaluate(ask("class"))

    assert reading.matches == {}


async def test_kb_values_are_scores_of_targets_and_metrics(inference, folder):
    rules = [row("one", "code"), row("all", "inside", "group")]

    reading = await Kb(rules, around(inference, folder)).evaluate(ask("nothing"))

    assert reading.values == {
        "one": cos(110),
        "all": cos(50),
        "ours:best_score": cos(50),
        "ours:best_matched_score": 0.0,
        "ours:margin": pytest.approx(ANGLE_MARGIN, abs=2e-6),
    }


ANGLE_MARGIN = math.cos(math.radians(50)) - math.cos(math.radians(70))


async def test_kb_confidence_is_not_negative(inference, folder):
    install(folder / "one", {"news": ["election"]})
    base = {"name": "single", "source": {"path": "one"}, "threshold": 0.5}
    rule = row("r", "news", match="best", kb="single")

    reading = await Kb([rule], around(inference, folder, base)).evaluate(ask("def"))

    assert (reading.matches, reading.values["r"]) == ({"r": 0.0}, -1.0)


@pytest.mark.parametrize("text", ["", " "])
async def test_kb_of_an_empty_text_asks_nobody(inference, folder, text):
    assert await Kb([row("r", "code")], around(inference, folder)).evaluate(ask(text)) == Reading()
    assert inference.calls == []


async def test_kb_embeds_a_base_once_for_all_rules_and_recipes(inference, folder):
    install(folder / "more", {"fruit": ["def"]})
    surroundings = around(
        inference,
        folder,
        BASE,
        {"name": "more", "source": {"path": "more"}, "threshold": 0.5},
        {"name": "unused", "source": {"path": "none"}, "threshold": 0.5},
    )
    one = Kb([row("a", "code"), row("b", "news"), row("c", "fruit", kb="more")], surroundings)
    two = Kb([row("a", "plans")], surroundings)

    await one.prepare()
    await two.prepare()
    reading = await one.evaluate(ask("class"))

    assert sorted(texts for _, texts in inference.calls) == [
        ("class",),
        ("def",),
        ("def", "roadmap", "launch", "election"),
    ]
    assert list(reading.matches) == ["a", "c"]


async def test_kb_embeds_hundreds_of_exemplars_in_several_calls(folder):
    texts = [f"text {i}" for i in range(3 * MOST_TEXTS)]
    inference = FakeInference({text: [1.0, float(i)] for i, text in enumerate(texts)})
    install(folder / "large", {"all": texts})
    base = {"name": "large", "source": {"path": "large"}, "threshold": 0.5}

    await Kb([row("r", "all", kb="large")], around(inference, folder, base)).prepare()

    assert [len(sent) for _, sent in inference.calls] == [MOST_TEXTS] * 3


async def test_kb_failures_are_raised_and_a_new_model_is_noticed(inference, folder):
    signal = Kb([row("r", "code")], around(inference, folder))
    await signal.prepare()
    inference.failure = InferenceUnavailable("gone")
    with pytest.raises(InferenceUnavailable):
        await signal.evaluate(ask("class"))
    inference.failure = None
    inference.vectors = {text: [*vector, 0.0] for text, vector in inference.vectors.items()}

    with pytest.raises(InferenceError, match="answers with 3 numbers and not 2"):
        await signal.evaluate(ask("class"))

    assert list((await signal.evaluate(ask("class"))).matches) == ["r"]


async def test_kb_that_is_not_installed_is_not_run(inference, tmp_path):
    signal = Kb([row("r", "code")], around(inference, tmp_path))
    await signal.prepare()

    assert (Kb.runs, signal.not_run()) == (True, ("r",))
    assert (await signal.evaluate(ask("class")), inference.calls) == (Reading(), [])


def test_kb_does_not_run_what_its_base_does_not_have(inference, folder):
    rules = [row("label", "recipes"), row("group", "all", "group"), row("there", "code")]

    assert Kb(rules, around(inference, folder)).not_run() == ("label", "group")


def test_kb_of_a_broken_base_cannot_be_built(inference, folder):
    (folder / "ours" / "labels.json").write_text("{}")

    with pytest.raises(ConfigError, match="labels: Field required"):
        Kb([row("r", "code")], around(inference, folder))
