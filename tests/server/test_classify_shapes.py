import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.inference import Entity
from orchestrator.server import classify_shapes as shapes
from orchestrator.server.classification import Privacy, Verdict
from orchestrator.server.classify_bodies import IntentOptions, PiiOptions
from orchestrator.server.classify_shapes import LOW, mask, statistics
from orchestrator.signals import pii


def entities(*rows):
    return [Entity(start, stop, label, score) for start, stop, label, score in rows]


@pytest.mark.parametrize(
    ("text", "rows", "masked", "names"),
    [
        pytest.param("nobody here", [], "nobody here", [], id="nothing"),
        pytest.param("Ann", [(0, 3, "PERSON", 1)], "[PERSON_1]", ["[PERSON_1]"], id="all of it"),
        pytest.param(
            "Ann, Bob, Ann",
            [(0, 3, "PERSON", 1), (5, 8, "PERSON", 1), (10, 13, "PERSON", 1)],
            "[PERSON_1], [PERSON_2], [PERSON_1]",
            ["[PERSON_1]", "[PERSON_2]", "[PERSON_1]"],
            id="the same words have the same number",
        ),
        pytest.param(
            "Ann 12",
            [(0, 3, "PERSON", 1), (4, 6, "AGE", 1)],
            "[PERSON_1] [AGE_1]",
            ["[PERSON_1]", "[AGE_1]"],
            id="each type counts by itself",
        ),
        pytest.param(
            "AnnBob",
            [(0, 3, "PERSON", 1), (3, 6, "PERSON", 1)],
            "[PERSON_1][PERSON_2]",
            ["[PERSON_1]", "[PERSON_2]"],
            id="neighbours",
        ),
        pytest.param(
            "at 12 Mill Road, Ely",
            [(3, 15, "STREET_ADDRESS", 0.8), (6, 20, "GPE", 0.9), (17, 20, "GPE", 0.5)],
            "at [GPE_1]",
            ["[GPE_1]"] * 3,
            id="what overlaps is one piece, named after the surest",
        ),
        pytest.param(
            "abcdef x",
            [(0, 6, "GPE", 0.9), (1, 2, "AGE", 0.5), (4, 6, "AGE", 0.5)],
            "[GPE_1] x",
            ["[GPE_1]"] * 3,
            id="several within one",
        ),
    ],
)
def test_mask(text, rows, masked, names):
    assert mask(text, entities(*rows)) == (names, masked)


@st.composite
def marked(draw):
    text = draw(st.text(st.characters(blacklist_characters="[]"), min_size=1, max_size=40))
    spans = st.integers(0, len(text) - 1).flatmap(
        lambda start: st.builds(
            Entity,
            st.just(start),
            st.integers(start + 1, len(text)),
            st.sampled_from(pii.TYPES),
            st.floats(0, 1),
        )
    )
    return text, sorted(draw(st.lists(spans, max_size=6)), key=lambda one: (one.start, one.stop))


@given(marked())
def test_all_of_every_entity_is_hidden_and_nothing_else(case):
    text, found = case
    hidden = {at for one in found for at in range(one.start, one.stop)}

    names, masked = mask(text, found)

    rest = masked
    for name in sorted(set(names), key=len, reverse=True):
        rest = rest.replace(name, "")
    assert rest == "".join(one for at, one in enumerate(text) if at not in hidden)
    assert all(name in masked for name in names)


def test_nothing_of_a_text_leaves_without_being_asked_for():
    found = Privacy("canary-9d7", tuple(entities((0, 10, "PERSON", 1.0))))

    assert "canary" not in repr(shapes.privacy(found, PiiOptions(), 0.9, 0.0))


@pytest.mark.parametrize(
    ("score", "found"), [pytest.param(0.49, False, id="below"), pytest.param(0.5, True, id="on it")]
)
def test_an_entity_counts_from_the_threshold_on(score, found):
    privacy = Privacy("Ann", tuple(entities((0, 3, "PERSON", score))))

    assert shapes.privacy(privacy, PiiOptions(), 0.5, 0.0)["has_pii"] == found


@pytest.mark.parametrize("truncated", [False, True])
def test_a_text_that_was_not_read_whole_is_marked(truncated):
    verdict = Verdict("jailbreak", 0.9, {"jailbreak": 0.9}, True, truncated)
    privacy = Privacy("Ann", (), truncated)
    said = [
        shapes.intent(verdict, IntentOptions(), 0.0)["classification"],
        shapes.privacy(privacy, PiiOptions(), 0.5, 0.0),
        shapes.security(verdict, None, 0.0),
        shapes.facts(verdict, 0.0),
        shapes.feedback(Verdict("satisfied", 0.9, {}, truncated=truncated), 0.0),
    ]

    assert [one.get("truncated", False) for one in said] == [truncated] * 5


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        pytest.param([], ({}, 0.0, 0), id="nothing was found"),
        pytest.param(
            [("law", 1.0), ("math", LOW), ("law", LOW - 0.1)],
            ({"law": 2, "math": 1}, pytest.approx((2 * LOW + 0.9) / 3), 1),
            id="three texts",
        ),
    ],
)
def test_statistics(pairs, expected):
    said = statistics(pairs)

    assert (
        said["category_distribution"],
        said["avg_confidence"],
        said["low_confidence_count"],
    ) == expected
