import logging

import pytest
from pydantic import ValidationError

from orchestrator.config.schema import Config
from orchestrator.errors import InferenceUnavailable
from orchestrator.matching.pieces import MOST_READ
from orchestrator.signals.pii import TYPES, Pii, PiiRule
from orchestrator.types import Reading, Request
from tests.signals.personal import CARD, MAIL, NAME, SCORE, Reader, pii

VALID = {"name": "personal", "threshold": 0.85}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            VALID | {"threshold": -1},
            "threshold\n.*greater than or equal to 0",
            id="threshold below 0",
        ),
        pytest.param(
            VALID | {"pii_types_allowed": "EMAIL_ADDRESS"}, "valid tuple", id="types not in a list"
        ),
        pytest.param(
            VALID | {"pii_types_allowed": [" "]}, "pii_types_allowed.0\n", id="blank type"
        ),
        pytest.param(
            VALID | {"pii_types_denied": ["EMAIL_ADDRESS"]},
            "pii_types_denied\n.*not permitted",
            id="unknown key",
        ),
    ],
)
def test_pii_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        PiiRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="any personal data"),
        pytest.param({"name": "personal"}, id="name alone"),
        pytest.param(
            VALID | {"pii_types_allowed": ["EMAIL_ADDRESS"], "include_history": True},
            id="allowed types",
        ),
    ],
)
def test_pii_rule_is_accepted(row):
    assert PiiRule.model_validate(row).name == row["name"]


@pytest.mark.parametrize(
    ("text", "row", "settings"),
    [
        pytest.param("nothing of that kind", {}, {}, id="no entity"),
        pytest.param(NAME, {"threshold": 0.94}, {}, id="below the threshold"),
        pytest.param(NAME, {}, {"threshold": 0.94}, id="below the threshold of the settings"),
        pytest.param(NAME, {"pii_types_allowed": ["PERSON"]}, {}, id="an allowed type"),
        pytest.param(NAME, {"pii_types_allowed": ["person"]}, {}, id="allowed in lower case"),
        pytest.param(NAME, {"pii_types_allowed": ["B-PERSON"]}, {}, id="allowed as a BIO label"),
        pytest.param(
            f"{NAME}, {MAIL}",
            {"pii_types_allowed": ["I-person", "EMAIL_ADDRESS"]},
            {},
            id="all of several types are allowed",
        ),
        pytest.param(CARD[:-1] + "2", {}, {}, id="the model's card fails the check"),
        pytest.param(NAME, {}, {"enabled": False}, id="the classifier is switched off"),
    ],
)
async def test_does_not_match(text, row, settings):
    inference = Reader((NAME, "PERSON"), (CARD[:-1] + "2", "CREDIT_CARD"))

    reading = await pii(inference, row, **settings).evaluate(Request("auto", text))

    assert (reading.matches, reading.unknown) == ({}, {})


@pytest.mark.parametrize(
    ("text", "row", "settings", "value"),
    [
        pytest.param(NAME, {}, {}, SCORE, id="any type"),
        pytest.param(f"こんにちは、{NAME}です", {}, {}, SCORE, id="in another script"),
        pytest.param(NAME, {"threshold": SCORE}, {}, SCORE, id="just at the threshold"),
        pytest.param(NAME, {"threshold": 0}, {}, SCORE, id="threshold 0"),
        pytest.param(NAME, {}, {"threshold": 0.5}, SCORE, id="threshold of the settings"),
        pytest.param(NAME, {"pii_types_allowed": ["GPE"]}, {}, SCORE, id="another type allowed"),
        pytest.param(
            f"{NAME}, {MAIL}",
            {"pii_types_allowed": ["EMAIL_ADDRESS"]},
            {},
            SCORE,
            id="one of two types allowed",
        ),
        pytest.param(
            f"pay with {CARD}", {"threshold": 0.95}, {}, 0.99, id="proved by its own form"
        ),
    ],
)
async def test_matches_without_a_confidence(text, row, settings, value):
    inference = Reader((NAME, "PERSON"))

    reading = await pii(inference, row, **settings).evaluate(Request("auto", text))

    assert (reading.matches, reading.unknown) == ({"any": None}, {})
    assert reading.values == {"any": value}


EARLIER = {"prior_user_texts": (f"I am {NAME}",), "non_user_texts": ("Be kind.",)}


@pytest.mark.parametrize(
    ("request_", "history", "expected"),
    [
        pytest.param(Request("auto", "hello", **EARLIER), False, [], id="only the current text"),
        pytest.param(Request("auto", "hello", **EARLIER), True, ["any"], id="an earlier text"),
        pytest.param(
            Request("auto", " ", **EARLIER), True, ["any"], id="the current text is blank"
        ),
    ],
)
async def test_history(request_, history, expected):
    inference = Reader((NAME, "PERSON"))

    reading = await pii(inference, {"include_history": history}).evaluate(request_)

    assert list(reading.matches) == expected


async def test_rules_with_and_without_history_ask_once():
    inference = Reader((NAME, "PERSON"))
    signal = pii(inference, {"name": "now"}, {"name": "ever", "include_history": True})

    reading = await signal.evaluate(Request("auto", "hello", **EARLIER))

    assert list(reading.matches) == ["ever"]
    assert [texts for _, texts, _ in inference.asked] == [("hello", "Be kind.", f"I am {NAME}")]


@pytest.mark.parametrize("text", ["", " \n"], ids=["empty", "blank"])
async def test_an_empty_text_holds_nothing_and_asks_nobody(text):
    inference = Reader()

    assert await pii(inference).evaluate(Request("auto", text)) == Reading()
    assert inference.asked == []


@pytest.mark.parametrize("words", [0, 700, 2_000, 10_000])
async def test_a_name_is_found_wherever_it_stands(words):
    text = "word " * words + NAME + " word" * words

    reading = await pii(Reader((NAME, "PERSON"))).evaluate(Request("auto", text))

    assert (list(reading.matches), reading.truncated) == (["any"], False)


async def test_a_very_long_text_is_read_in_part_and_that_is_told():
    inference = Reader((NAME, "PERSON"))

    reading = await pii(inference).evaluate(Request("auto", "word " * 200_000 + NAME))

    assert (list(reading.matches), reading.truncated) == (["any"], True)
    assert sum(len(text) for _, texts, _ in inference.asked for text in texts) <= MOST_READ


CHAT = tuple(f"turn {number} of a long chat" for number in range(1_200))
LONG_TEXT = "word " * 80_000


@pytest.mark.parametrize(
    ("request_", "history", "expected"),
    [
        pytest.param(
            Request("auto", "hi", prior_user_texts=CHAT),
            True,
            Reading({}, {"any": 0}),
            id="a long chat",
        ),
        pytest.param(
            Request("auto", "hi", prior_user_texts=(LONG_TEXT,)),
            False,
            Reading({}, {"any": 0}),
            id="not its",
        ),
        pytest.param(
            Request("auto", LONG_TEXT),
            False,
            Reading(unknown={"any": "text_cut"}, truncated=True),
            id="a part of the text is not read",
        ),
        pytest.param(
            Request("auto", "hi", prior_user_texts=(LONG_TEXT,)),
            True,
            Reading(unknown={"any": "history_not_read"}, truncated=True),
            id="a part of the history is not read",
        ),
    ],
)
async def test_that_nothing_is_found_is_known_only_where_all_is_read(request_, history, expected):
    row = {"include_history": history}

    assert await pii(Reader((NAME, "PERSON")), row).evaluate(request_) == expected


@pytest.mark.parametrize("turn", [0, 700, 1_199])
@pytest.mark.parametrize("what", [NAME, CARD], ids=["a name", "a card"])
async def test_it_is_found_in_whichever_turn_it_stands(turn, what):
    texts = (*CHAT[:turn], f"it is {what}, yes", *CHAT[turn:])

    reading = await pii(Reader((NAME, "PERSON")), {"include_history": True}).evaluate(
        Request("auto", "hi", prior_user_texts=texts)
    )

    assert (list(reading.matches), reading.truncated) == (["any"], False)


def test_the_deadline_grows_with_what_is_read():
    request = Request("auto", "words " * 4_000, non_user_texts=("more " * 10_000,))

    assert 0.9 <= pii(Reader()).more(request) < 2.5
    assert 5 <= pii(Reader(), {"include_history": True}).more(request) < 9


async def test_no_log_quotes_what_was_found(caplog):
    caplog.set_level(logging.DEBUG)

    await pii(Reader((NAME, "PERSON"))).evaluate(Request("auto", f"{NAME} {CARD}"))
    await pii(Reader(failure=InferenceUnavailable("x"))).evaluate(Request("auto", f"{NAME} {CARD}"))

    assert NAME not in caplog.text
    assert CARD not in caplog.text


@pytest.mark.parametrize(
    ("types", "enabled", "said"),
    [
        pytest.param(list(TYPES), True, [], id="all that there are"),
        pytest.param(["person", "B-GPE", "I-us_ssn"], True, [], id="spellings"),
        pytest.param(
            ["EMAIL_ADRESS"],
            True,
            [((0, "pii_types_allowed", 0), "did you mean 'EMAIL_ADDRESS'?")],
            id="misspelt",
        ),
        pytest.param(
            ["PERSON", "QQ"],
            True,
            [((0, "pii_types_allowed", 1), f"known: {', '.join(TYPES)}")],
            id="unknown",
        ),
        pytest.param([], False, [((), "set enabled: true there")], id="switched off"),
    ],
)
def test_check(types, enabled, said):
    modules = {"classifier": {"pii": {"enabled": enabled}}}
    config = Config.model_validate({"global": {"model_catalog": {"modules": modules}}})
    rule = PiiRule.model_validate(VALID | {"pii_types_allowed": types})

    found = list(Pii.check([rule], config, {}))

    assert [(one.path, one.hint) for one in found] == said
    assert {one.severity for one in found} <= {"warning"}


@pytest.mark.parametrize(
    ("settings", "idle"), [({}, ()), ({"enabled": False}, ("any",))], ids=["on", "off"]
)
def test_rules_are_not_run_where_the_classifier_is_off(settings, idle):
    signal = pii(Reader(), **settings)

    assert (Pii.runs, signal.not_run()) == (True, idle)
    assert Pii.asks(signal.rules, settings) == (() if idle else ("text_signals",))
