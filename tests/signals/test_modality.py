import pytest
from pydantic import ValidationError

from orchestrator.config.schema import Config
from orchestrator.errors import InferenceTimeout
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.modality import Modality, ModalityRule
from orchestrator.types import Reading, Request

VALID = {"name": "DIFFUSION"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({"name": "IMAGE"}, "'AR', 'DIFFUSION' or 'BOTH'", id="unknown modality"),
        pytest.param({"name": "ar"}, "'AR', 'DIFFUSION' or 'BOTH'", id="lower case"),
        pytest.param(VALID | {"keywords": ["draw"]}, "keywords\n.*not permitted", id="unknown key"),
    ],
)
def test_modality_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ModalityRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="picture"),
        pytest.param({"name": "AR"}, id="text"),
        pytest.param({"name": "BOTH", "description": "Both."}, id="both"),
    ],
)
def test_modality_rule_is_accepted(row):
    assert ModalityRule.model_validate(row).name == row["name"]


NAMES = ("AR", "DIFFUSION", "BOTH")
WORDS = {"keywords": ["Draw", "picture of", " "], "both_keywords": ["explain", ""]}
PICTURE = "DRAW a cat"


def modality(inference, names=NAMES, **settings):
    rules = [ModalityRule(name=name) for name in names]
    block = {"enabled": True} | WORDS | settings
    return Modality(rules, Surroundings(inference, {"modality": block}))


def said(text, **shares):
    rest = (1 - sum(shares.values())) / (3 - len(shares))
    return FakeInference(
        classified={text: {"modality": {name: shares.get(name, rest) for name in NAMES}}}
    )


@pytest.mark.parametrize(
    ("text", "verdict", "sure"),
    [
        pytest.param("write a poem", "AR", 0.8, id="no keyword"),
        pytest.param("explain the sea", "AR", 0.8, id="one of the second kind alone"),
        pytest.param(PICTURE, "DIFFUSION", 0.8, id="a keyword in another case"),
        pytest.param("withdrawal", "DIFFUSION", 0.8, id="within a word"),
        pytest.param("draw and Explain", "BOTH", 0.75, id="one of each kind"),
    ],
)
async def test_by_keywords(text, verdict, sure):
    inference = FakeInference()

    reading = await modality(inference, method="keyword").evaluate(Request("auto", text))

    assert reading == Reading({verdict: None}, {verdict: sure})
    assert inference.asked == []


@pytest.mark.parametrize(
    ("text", "shares", "settings", "verdict", "sure"),
    [
        pytest.param("poem", {"DIFFUSION": 0.4}, {}, "AR", 0.8, id="unsure: keywords"),
        pytest.param(
            "poem", {"DIFFUSION": 0.41}, {}, "AR", 0.8, id="just below 0.7 of the threshold"
        ),
        pytest.param(
            PICTURE, {"DIFFUSION": 0.5}, {}, "DIFFUSION", 0.65, id="both agree: their mean"
        ),
        pytest.param(PICTURE, {"DIFFUSION": 0.4}, {}, "DIFFUSION", 0.6, id="agree, very unsure"),
        pytest.param("poem", {"DIFFUSION": 0.6}, {}, "DIFFUSION", 0.6, id="at the threshold"),
        pytest.param("poem", {"BOTH": 0.45}, {}, "BOTH", 0.45, id="above 0.7 of the threshold"),
        pytest.param(
            "poem",
            {"BOTH": 0.7},
            {"confidence_threshold": 0.9, "lower_threshold_ratio": 0.9},
            "AR",
            0.8,
            id="thresholds of its own: keywords",
        ),
        pytest.param(
            "poem",
            {"BOTH": 0.7},
            {"confidence_threshold": 0.9, "lower_threshold_ratio": 0.75},
            "BOTH",
            0.7,
            id="thresholds of its own: the classifier",
        ),
        pytest.param(
            PICTURE,
            {"BOTH": 0.4},
            {"method": "classifier"},
            "BOTH",
            0.4,
            id="the classifier alone, however unsure",
        ),
    ],
)
async def test_by_the_classifier_too(text, shares, settings, verdict, sure):
    reading = await modality(said(text, **shares), **settings).evaluate(Request("auto", text))

    assert (reading.matches, reading.values) == ({verdict: None}, {verdict: pytest.approx(sure)})


@pytest.mark.parametrize(
    ("method", "verdict", "sure"),
    [
        pytest.param("hybrid", "DIFFUSION", 0.8, id="keywords"),
        pytest.param("classifier", "AR", 0.0, id="text, without any certainty"),
    ],
)
async def test_without_the_model(method, verdict, sure):
    signal = modality(FakeInference(failure=InferenceTimeout("late")), method=method)

    reading = await signal.evaluate(Request("auto", PICTURE))

    assert reading == Reading({verdict: None}, {verdict: sure}, failed="inference_timeout")
    assert await signal.fallback(Request("auto", PICTURE), "inference_timeout") == reading


@pytest.mark.parametrize("method", ["keyword", "classifier", "hybrid"])
async def test_an_empty_text_asks_for_text(method):
    inference = FakeInference()

    reading = await modality(inference, method=method).evaluate(Request("auto", " "))

    assert (reading, inference.asked) == (Reading({"AR": None}, {"AR": 0.0}), [])


async def test_a_verdict_without_a_rule_is_not_told():
    signal = modality(FakeInference(), ["AR"], method="keyword")

    assert await signal.evaluate(Request("auto", PICTURE)) == Reading()


@pytest.mark.parametrize(
    ("settings", "idle"),
    [
        pytest.param({}, NAMES, id="off by default"),
        pytest.param({"enabled": False}, NAMES, id="off"),
        pytest.param({"enabled": True}, (), id="on"),
    ],
)
async def test_rules_are_run_where_the_detector_is_on(settings, idle):
    rules = [ModalityRule(name=name) for name in NAMES]
    inference = said("poem", AR=0.9)
    signal = Modality(rules, Surroundings(inference, {"modality": settings}))
    config = Config.model_validate(
        {"global": {"model_catalog": {"modules": {"modality_detector": settings}}}}
    )

    assert (Modality.runs, signal.not_run()) == (True, idle)
    assert Modality.asks(rules, settings) == (() if idle else ("text_signals",))
    assert bool((await signal.evaluate(Request("auto", "poem"))).matches) is not bool(idle)
    assert bool((await signal.fallback(Request("auto", "poem"), "x")).matches) is not bool(idle)
    assert bool([*Modality.check(rules, config, {})]) is bool(idle)
