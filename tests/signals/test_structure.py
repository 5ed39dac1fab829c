import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.matching.patterns import MOST_MATCHES
from orchestrator.signals import Surroundings
from orchestrator.signals.structure import Structure, StructureRule
from orchestrator.types import Request

QUESTIONS = {"type": "regex", "pattern": "[?？]"}
STEPS = {"type": "sequence", "sequences": [["first", "then"], ["首先", "然后"]]}
LIMITS = {"type": "keyword_set", "keywords": ["at most", "under", "至少"]}


def rule(feature, source, predicate=None, **fields):
    row = {"name": "rule", "feature": {"type": feature, "source": source}} | fields
    return row | ({"predicate": predicate} if predicate else {})


def reading(row, text, user_text=""):
    signal = Structure([StructureRule.model_validate(row)], Surroundings(FakeInference()))
    return signal.evaluate(Request("auto", text, user_text=user_text or text))


@pytest.mark.parametrize(
    ("row", "text", "value", "expected"),
    [
        pytest.param(rule("exists", QUESTIONS), "no", 0, False, id="exists: none"),
        pytest.param(rule("count", QUESTIONS), "no", 0, False, id="count: none"),
        pytest.param(rule("count", QUESTIONS, {"gte": 3}), "a? b？", 2, False, id="count: too few"),
        pytest.param(
            rule("count", QUESTIONS, {"lte": 1}), "   ", 0, False, id="a blank text has no shape"
        ),
        pytest.param(rule("sequence", STEPS), "then first", 0, False, id="sequence: order"),
        pytest.param(rule("sequence", STEPS), "first 然后", 0, False, id="sequence: mixed up"),
        pytest.param(rule("count", LIMITS), "thunder", 0, False, id="keyword_set: inside a word"),
        pytest.param(
            rule("density", LIMITS, {"gt": 0.5}), "under one two", 1 / 3, False, id="density: thin"
        ),
        pytest.param(
            rule("exists", {**QUESTIONS, "pattern": "A", "case_sensitive": True}),
            "a",
            0,
            False,
            id="regex: case",
        ),
        pytest.param(rule("exists", QUESTIONS), "a? b?", 1, True, id="exists: some"),
        pytest.param(rule("count", QUESTIONS), "a? b？", 2, True, id="count without predicate"),
        pytest.param(rule("count", QUESTIONS, {"lte": 1}), "no", 0, True, id="count: at most"),
        pytest.param(
            rule("exists", {"type": "regex", "pattern": r"(?m)^\s*\d+\.\s+"}),
            "do\n 1. this",
            1,
            True,
            id="regex with flags of its own",
        ),
        pytest.param(rule("sequence", STEPS), "First a, THEN b", 1, True, id="sequence: case"),
        pytest.param(rule("sequence", STEPS), "首先这样，然后那样", 1, True, id="sequence: han"),
        pytest.param(
            rule("density", LIMITS, {"gt": 0.3}), "under one two", 1 / 3, True, id="density: words"
        ),
        pytest.param(
            rule("density", LIMITS, {"gte": 0.2}), "至少三个？", 1 / 4, True, id="density: han"
        ),
        pytest.param(
            rule("count", {"type": "text_bytes"}, {"gte": 6}), "用é!", 6, True, id="bytes"
        ),
    ],
)
def test_structure(row, text, value, expected):
    result = reading(row, text)

    assert dict(result.values) == {"rule": pytest.approx(value)}
    assert bool(result.matches) is expected


def test_bytes_are_those_of_the_current_user_text():
    row = rule("count", {"type": "text_bytes"}, {"gte": 3})

    assert dict(reading(row, "evaluation text", user_text="abc").values) == {"rule": 3.0}


@pytest.mark.parametrize(
    ("predicate", "text", "confidence"),
    [
        pytest.param(None, "?", 1.0, id="no predicate"),
        pytest.param({"gte": 2}, "??", 0.5, id="on the bound"),
        pytest.param({"gte": 2}, "???", 0.982, id="one above"),
    ],
)
def test_confidence(predicate, text, confidence):
    matches = reading(rule("count", QUESTIONS, predicate), f"a{text}").matches

    assert dict(matches) == {"rule": pytest.approx(confidence, abs=1e-3)}


def test_counting_a_flood_stops_and_density_is_that_of_the_part():
    flood = "a? b " * (2 * MOST_MATCHES)

    counted = reading(rule("count", QUESTIONS), flood)
    assert (counted.values["rule"], counted.truncated) == (MOST_MATCHES, True)
    assert not reading(rule("count", QUESTIONS), "a? b").truncated
    density = reading(rule("density", QUESTIONS), flood).values["rule"]
    assert density == pytest.approx(0.5, abs=1e-3)


def test_exists_reads_the_whole_text():
    found = reading(rule("exists", {"type": "regex", "pattern": "a+|end$"}), "a " * 10**5 + "end")

    assert (found.values["rule"], found.truncated) == (1, False)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(rule("span", QUESTIONS), "feature.type\n", id="unknown feature"),
        pytest.param(rule("count", {"type": "words"}), "source.type\n", id="unknown source"),
        pytest.param(rule("count", {"type": "regex"}), "needs a pattern", id="no pattern"),
        pytest.param(
            rule("count", {"type": "regex", "pattern": "("}),
            "not a valid RE2 pattern: missing",
            id="bad pattern",
        ),
        pytest.param(rule("count", {"type": "keyword_set"}), "needs keywords", id="no keywords"),
        pytest.param(rule("sequence", {"type": "sequence"}), "needs sequences", id="no sequences"),
        pytest.param(rule("exists", STEPS), "need each other", id="exists of a sequence"),
        pytest.param(
            rule("sequence", {"type": "sequence", "sequences": [["one"]]}),
            "at least 2 items",
            id="short sequence",
        ),
        pytest.param(rule("sequence", QUESTIONS), "need each other", id="sequence"),
        pytest.param(
            rule("density", {"type": "text_bytes"}), "needs feature type count", id="bytes"
        ),
        pytest.param(rule("exists", QUESTIONS, {"gt": 1}), "takes no predicate", id="exists"),
        pytest.param(rule("count", QUESTIONS, {"equals": 1}), "equals\n", id="unknown bound"),
    ],
)
def test_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        StructureRule.model_validate(row)


@given(st.text(max_size=60))
@settings(deadline=None)
def test_any_text_is_no_crash(text):
    for feature, source in (("density", QUESTIONS), ("density", LIMITS), ("sequence", STEPS)):
        assert reading(rule(feature, source), text).values["rule"] >= 0
