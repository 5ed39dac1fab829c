"""Which texts a guard reads of a request, how much of them, and how often it asks."""

import pytest

from orchestrator.inference.pacing import AT_ONCE
from orchestrator.matching.pieces import MOST_BYTES, pieces
from orchestrator.types import Reading, Request
from tests.signals.guard import (
    AGAINST,
    ATTACK,
    BY_ALL,
    BY_EXAMPLE,
    BY_WORDS,
    HARMLESS,
    Guard,
    jailbreak,
    read,
)

EARLIER = {"prior_user_texts": ("attack!",), "non_user_texts": ("calm",)}


@pytest.mark.parametrize(
    ("row", "request_", "expected"),
    [
        pytest.param({}, Request("auto", "calm", **EARLIER), [], id="the current text alone"),
        pytest.param(
            {"include_history": True}, Request("auto", "calm", **EARLIER), ["any"], id="history"
        ),
        pytest.param(
            {"include_history": True}, Request("auto", " ", **EARLIER), ["any"], id="only history"
        ),
        pytest.param(
            AGAINST | {"include_history": True},
            Request("auto", "calm", prior_user_texts=("sly",)),
            ["any"],
            id="contrastive",
        ),
        pytest.param(AGAINST, Request("auto", "calm", prior_user_texts=("sly",)), [], id="not it"),
        pytest.param(
            BY_WORDS | {"include_history": True},
            Request("auto", "calm", non_user_texts=(ATTACK,)),
            ["any"],
            id="patterns",
        ),
        pytest.param(
            BY_WORDS, Request("auto", "calm", non_user_texts=(ATTACK,)), [], id="not patterns"
        ),
    ],
)
async def test_history(row, request_, expected):
    assert list((await jailbreak(Guard(), row).evaluate(request_)).matches) == expected


async def test_rules_of_all_kinds_ask_once():
    inference = Guard()
    signal = jailbreak(
        inference,
        {"name": "now"},
        {"name": "ever", "include_history": True, "threshold": 0.9},
        BY_ALL | {"name": "all"},
        BY_WORDS | {"name": "words"},
    )
    await signal.prepare()

    reading = await signal.evaluate(Request("auto", "calm", **EARLIER))

    assert list(reading.matches) == ["ever"]
    assert [texts for _, texts, _ in inference.asked] == [("calm", "attack!")]
    assert [texts for _, texts in inference.calls] == [(ATTACK, HARMLESS), ("calm",)]


@pytest.mark.parametrize("row", [{"threshold": 0}, AGAINST, BY_WORDS, BY_ALL])
@pytest.mark.parametrize("text", ["", " \n"], ids=["empty", "blank"])
async def test_an_empty_text_is_no_attack_and_asks_nobody(row, text):
    inference = Guard()

    assert await read(inference, row, text) == Reading()
    assert (inference.asked, inference.calls) == ([], [])


@pytest.mark.parametrize("words", [0, 1_500, 10_000])
async def test_an_attack_is_found_wherever_it_stands(words):
    text = "word " * words + "attack!" + " word" * words

    reading = await read(Guard(), {}, text)

    assert (list(reading.matches), reading.truncated) == (["any"], False)


@pytest.mark.parametrize(
    ("thresholds", "all_read"),
    [
        pytest.param((0.9, 0.95), False, id="each rule's threshold"),
        pytest.param((0.9, 0.96), True, id="one rule's threshold of two"),
    ],
)
async def test_after_a_piece_that_reaches_every_threshold_no_more_is_asked(thresholds, all_read):
    inference = Guard()
    rows = [{"name": str(at), "threshold": at} for at in thresholds]
    text = "attack! " + " ".join(map(str, range(10_000)))

    reading = await jailbreak(inference, *rows).evaluate(Request("auto", text))

    read = {piece for _, texts, _ in inference.asked for piece in texts}
    assert (len(read) == len(pieces(text).pieces), len(read) <= AT_ONCE) == (all_read, not all_read)
    assert reading.matches == {str(at): 0.95 for at in thresholds if at <= 0.95}
    assert reading.values == dict.fromkeys(map(str, thresholds), 0.95)
    assert not reading.truncated


async def test_the_deadline_grows_with_what_is_read():
    request = Request("auto", "words " * 4_000, non_user_texts=("more " * 10_000,))

    assert 0.9 <= jailbreak(Guard()).more(request) < 2.5
    assert 5 <= jailbreak(Guard(), {"include_history": True}).more(request) < 9


async def test_a_very_long_text_is_read_in_part_and_that_is_told():
    inference = Guard()

    reading = await read(inference, {}, "word " * 200_000 + "attack!")

    assert (list(reading.matches), reading.truncated) == (["any"], True)
    assert all(len(text) <= MOST_BYTES for _, texts, _ in inference.asked for text in texts)


CHAT = [f"harmless turn {number}" for number in range(1_200)]


@pytest.mark.parametrize("row", [{}, BY_EXAMPLE | {"threshold": 0.5}, BY_WORDS, BY_ALL])
async def test_a_long_harmless_chat_is_read_whole_and_no_attack(row):
    request = Request("auto", "calm", prior_user_texts=tuple(CHAT))

    reading = await jailbreak(Guard(), row | {"include_history": True}).evaluate(request)

    assert (reading.matches, reading.unknown, reading.truncated) == ({}, {}, False)


@pytest.mark.parametrize("before", [0, 100, 200, 600, 1_199])
@pytest.mark.parametrize("turns", [400, 1_200])
async def test_an_attack_is_found_in_whichever_turn_it_stands(before, turns):
    turn = min(before, turns - 1)
    texts = (*CHAT[:turn], "attack!", *CHAT[turn:turns])

    for earlier in ({"prior_user_texts": texts}, {"non_user_texts": texts}):
        request = Request("auto", "calm", **earlier)
        reading = await jailbreak(Guard(), {"include_history": True}).evaluate(request)
        assert (list(reading.matches), reading.truncated) == (["any"], False)
    assert (await jailbreak(Guard()).evaluate(request)).matches == {}


HARMLESS_TEXT = "word " * 80_000
CUT, LEFT_OUT = {"any": "text_cut"}, {"any": "history_not_read"}
OF_ALL = {"include_history": True}


@pytest.mark.parametrize(
    ("row", "request_", "unknown"),
    [
        pytest.param({}, Request("auto", "word " * 20_000), {}, id="long and read"),
        pytest.param({}, Request("auto", "x", prior_user_texts=(HARMLESS_TEXT,)), {}, id="not its"),
        pytest.param(
            BY_WORDS, Request("auto", HARMLESS_TEXT), {}, id="words are looked for in all"
        ),
        pytest.param({}, Request("auto", HARMLESS_TEXT), CUT, id="the classifier"),
        pytest.param(AGAINST, Request("auto", HARMLESS_TEXT), CUT, id="contrastive"),
        pytest.param(BY_ALL, Request("auto", HARMLESS_TEXT), CUT, id="hybrid"),
        pytest.param(
            OF_ALL,
            Request("auto", "calm", non_user_texts=(HARMLESS_TEXT,)),
            LEFT_OUT,
            id="history",
        ),
        pytest.param(
            OF_ALL,
            Request("auto", "calm", prior_user_texts=tuple(map(str, range(9_000)))),
            LEFT_OUT,
            id="too many turns",
        ),
    ],
)
@pytest.mark.parametrize("on_error", ["allow", "block"])
async def test_where_a_part_is_not_read_that_nothing_is_found_is_not_known(
    row, request_, unknown, on_error
):
    reading = await jailbreak(Guard(), row, on_error=on_error).evaluate(request_)

    blocked = bool(unknown) and on_error == "block"
    assert reading.unknown == ({} if blocked else unknown)
    assert reading.matches == ({"any": 1.0} if blocked else {})
    assert reading.failed == (unknown["any"] if blocked else "")
    assert ("any" in reading.values) == (not unknown)


async def test_words_are_found_in_all_of_a_very_long_text():
    reading = await read(Guard(), BY_WORDS, "word " * 50_000 + ATTACK + " word" * 60_000)

    assert list(reading.matches) == ["any"]
