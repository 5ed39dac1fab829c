import gc

import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.matching.languages import Detector
from orchestrator.signals import Surroundings
from orchestrator.signals.language import Language, LanguageRule
from orchestrator.types import Request

ENGLISH = "Please explain how compound interest works and why it matters."
SPANISH = "Explica, por favor, cómo funciona el interés compuesto y por qué importa."


def matched(text, **thresholds):
    rules = [LanguageRule(name=name, threshold=value) for name, value in thresholds.items()]
    signal = Language(rules, Surroundings(FakeInference()))
    return [*signal.evaluate(Request("auto", text)).matches]


@pytest.mark.parametrize(
    ("text", "thresholds", "expected"),
    [
        pytest.param(ENGLISH, {"es": 0, "zh": 0}, [], id="another language"),
        pytest.param("", {"en": 0.6}, [], id="empty: English with 0.5 is below 0.6"),
        pytest.param("12345", {"en": 0.6}, [], id="undetected: the same"),
        pytest.param("hola", {"es": 0.9}, [], id="weak answer below the only threshold"),
        pytest.param(ENGLISH, {"en": 0.9, "es": 0}, ["en"], id="English"),
        pytest.param(SPANISH, {"en": 0, "es": 0.9}, ["es"], id="Spanish"),
        pytest.param("用python写一个排序函数", {"zh": 0.5, "ja": 0}, ["zh"], id="mixed"),
        pytest.param("", {"en": 0}, ["en"], id="empty falls back to English"),
        pytest.param("", {"en": 0.5}, ["en"], id="with 0.5"),
        pytest.param("12345", {"en": 0, "zh": 0}, ["en"], id="digits fall back to English"),
        pytest.param("hola", {"es": 0.9, "en": 0.4}, [], id="between both thresholds"),
        pytest.param("pizza", {"en": 0, "it": 0}, ["en"], id="ambiguous word"),
        pytest.param(
            "Kan du forklare hvordan renters rente fungerer, og hvorfor det er viktig?",
            {"nb": 0.0, "no": 0.0},
            ["nb", "no"],
            id="both names of Norwegian",
        ),
    ],
)
def test_language(text, thresholds, expected):
    assert matched(text, **thresholds) == expected


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({"name": "cn"}, "an ISO 639-1 code", id="not a code"),
        pytest.param({"name": "EN"}, "near: .*en", id="capitals"),
        pytest.param({"name": "es-MX"}, "near: .*es", id="region"),
        pytest.param({"name": "german"}, "as en, zh or de \\[", id="a word: nothing is near"),
        pytest.param({"name": ""}, "name\n", id="empty"),
        pytest.param({"name": "en", "threshold": 2}, "threshold\n", id="threshold"),
    ],
)
def test_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        LanguageRule.model_validate(row)


def alive() -> int:
    return sum(type(one) is Detector for one in gc.get_objects())


def test_all_signals_of_a_policy_file_share_one_detector():
    gc.collect()
    before = alive()
    surroundings = Surroundings(FakeInference())

    signals = [Language([LanguageRule(name="en")], surroundings) for _ in range(3)]

    assert (len(signals), alive() - before) == (3, 1)


def test_yaml_reads_norwegian_as_false():
    assert LanguageRule.model_validate({"name": False}).name == "no"
