"""No family judges a text in a script that the model does not read."""

import pytest

from orchestrator import signals
from orchestrator.errors import UnreadableText
from orchestrator.inference.fake import FakeInference
from orchestrator.registry import discover
from orchestrator.signals import SIGNALS, Surroundings
from orchestrator.signals.classifier import ClassifierRule
from orchestrator.signals.embedding import EmbeddingRule
from orchestrator.signals.jailbreak import Jailbreak, JailbreakRule
from orchestrator.signals.pii import Pii, PiiRule
from orchestrator.types import Request
from tests.signals.test_unsupported_languages import FAMILIES

WHY = "unreadable_text"
TEXT = "สวัสดีครับ"
FOREIGN = {"whole": (1.0, 1.0), "a sentence in it": (0.05, 0.6), "a word in it": (0.2, 0.3)}
SAFE, ATTACK = {"benign": 0.9, "jailbreak": 0.1}, {"benign": 0.1, "jailbreak": 0.9}


@pytest.fixture(autouse=True, scope="module")
def families():
    discover(signals)


def request(text=TEXT, before=()):
    return Request("auto", text, text, before, has_assistant_reply=True)


def asked(shares, **said):
    return FakeInference(
        {TEXT: (1, 0), "hi": (0, 1)}, None, {TEXT: said}, unreadable={TEXT: shares}
    )


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("how", "unknown"), [("whole", True), ("a sentence in it", False), ("a word in it", False)]
)
async def test_a_topic_is_unknown_where_the_text_is_not_read(family, how, unknown):
    name, said = FAMILIES[family]
    kind = SIGNALS[family]
    inference = asked(FOREIGN[how], **{family: said})
    settings = {"modality": {"enabled": True, "method": "classifier"}}
    signal = kind([kind.Rule.model_validate({"name": name})], Surroundings(inference, settings))

    try:
        reading = await signal.evaluate(request())
    except UnreadableText as error:
        reading = await signal.fallback(request(), error.code)

    assert dict(reading.unknown) == ({name: WHY} if unknown else {})
    assert (name in reading.matches) is not unknown


@pytest.mark.parametrize(
    ("how", "unknown"), [("whole", True), ("a sentence in it", True), ("a word in it", False)]
)
@pytest.mark.parametrize("on_error", ["allow", "block"])
async def test_a_guard_needs_all_of_it(how, unknown, on_error):
    inference = asked(FOREIGN[how], jailbreak=SAFE)
    settings = {"jailbreak": {"on_error": on_error}}
    guard = Jailbreak([JailbreakRule(name="any")], Surroundings(inference, settings))

    reading = await guard.evaluate(request())

    blocks = unknown and on_error == "block"
    assert dict(reading.unknown) == ({"any": WHY} if unknown and not blocks else {})
    assert dict(reading.matches) == ({"any": 1.0} if blocks else {})
    assert reading.failed == (WHY if blocks else "")


async def test_an_attack_that_is_found_is_one():
    guard = Jailbreak(
        [JailbreakRule(name="any")], Surroundings(asked((0.1, 0.9), jailbreak=ATTACK))
    )

    reading = await guard.evaluate(request())

    assert (dict(reading.matches), dict(reading.unknown)) == ({"any": 0.9}, {})


async def test_what_is_read_in_plain_words_is_read():
    bold = "𝐰𝐡𝐢𝐜𝐡 𝐫𝐮𝐥𝐞𝐬 𝐚𝐩𝐩𝐥𝐲 𝐡𝐞𝐫𝐞"
    classified = {text: {"jailbreak": SAFE} for text in (bold, "which rules apply here")}
    inference = FakeInference(classified=classified, unreadable={bold: (1.0, 1.0)})
    guard = Jailbreak([JailbreakRule(name="any")], Surroundings(inference))

    reading = await guard.evaluate(request(bold))

    assert (dict(reading.matches), dict(reading.unknown)) == ({}, {})


async def test_examples_are_compared_with_what_is_read():
    inference = asked((1.0, 1.0))
    rule = JailbreakRule(name="any", method="contrastive", jailbreak_patterns=("hi",))
    guard = Jailbreak([rule], Surroundings(inference))

    assert dict((await guard.evaluate(request())).unknown) == {"any": WHY}


@pytest.mark.parametrize(
    ("how", "history", "unknown"),
    [
        ("whole", False, False),
        ("whole", True, True),
        ("a sentence in it", True, True),
        ("a word in it", True, False),
    ],
)
async def test_earlier_texts_count_where_they_are_read(how, history, unknown):
    inference = asked(FOREIGN[how], pii=[])
    inference.classified["hi"] = {"pii": []}
    pii = Pii([PiiRule(name="any", include_history=history)], Surroundings(inference))

    reading = await pii.evaluate(request("hi", (TEXT,)))

    assert dict(reading.unknown) == ({"any": WHY} if unknown else {})


async def test_what_passes_a_check_is_found_in_any_script():
    text = f"{TEXT} somchai@example.com"
    inference = FakeInference(classified={text: {"pii": []}}, unreadable={text: (1.0, 1.0)})
    rules = [PiiRule(name="any"), PiiRule(name="card", pii_types_allowed=("EMAIL_ADDRESS",))]

    reading = await Pii(rules, Surroundings(inference)).evaluate(request(text))

    assert (dict(reading.matches), dict(reading.unknown)) == ({"any": None}, {"card": WHY})


@pytest.mark.parametrize(("how", "unknown"), [("whole", True), ("a word in it", False)])
async def test_a_local_classifier(how, unknown):
    rule = ClassifierRule.model_validate(
        {"name": "own", "type": "local", "model_path": "m/own", "labels": ["a", "b"]}
    )
    inference = asked(FOREIGN[how], own={"a": 0.7, "b": 0.3})
    signal = SIGNALS["classifier"]([rule], Surroundings(inference))

    reading = await signal.evaluate(request())

    assert dict(reading.unknown) == ({"own": WHY} if unknown else {})


@pytest.mark.parametrize(
    ("family", "rule", "before"),
    [
        pytest.param("embedding", {"threshold": 0.1, "candidates": ["hi"]}, (), id="embedding"),
        pytest.param("preference", {"examples": ["hi"]}, (), id="preference"),
        pytest.param(
            "complexity",
            {"hard": {"candidates": ["hi"]}, "easy": {"candidates": ["hi"]}},
            (),
            id="complexity",
        ),
        pytest.param("reask", {}, ("hi",), id="reask"),
    ],
)
async def test_what_is_compared_is_unknown(family, rule, before):
    kind = SIGNALS[family]
    rows = [kind.Rule.model_validate({"name": "any"} | rule)]
    signal = kind(rows, Surroundings(asked((1.0, 1.0))))

    with pytest.raises(UnreadableText) as caught:
        await signal.evaluate(request(TEXT, before))

    assert caught.value.code == WHY


async def test_examples_that_are_not_read_match_nothing(caplog):
    kind = SIGNALS["embedding"]
    rules = [
        EmbeddingRule(name="thai", threshold=0.1, candidates=(TEXT,)),
        EmbeddingRule(name="both", threshold=0.1, candidates=(TEXT, "hi")),
    ]
    signal = kind(rules, Surroundings(asked((1.0, 1.0))))
    await signal.prepare()

    reading = await signal.evaluate(request("hi"))

    assert set(reading.matches) == {"both"}
    assert "1 of 2 are in no script that text_embedding reads" in caplog.text
