import pytest

from orchestrator.inference import Classification, Entity
from orchestrator.inference.differences import Limits, differences

LIMITS = Limits(probability=0.01, span_score=0.05)
AGE, PHONE = Entity(0, 2, "AGE", 0.9), Entity(5, 9, "PHONE", 0.8)
REFERENCE = Classification({"domain": {"law": 0.6, "art": 0.3, "math": 0.1}}, {"pii": (AGE, PHONE)})


def answer(law=0.6, art=0.3, math=0.1, pii=(AGE, PHONE)):
    return Classification({"domain": {"law": law, "art": art, "math": math}}, {"pii": pii})


def found(live, reference=REFERENCE):
    return differences(["canary law"], [reference], [live], LIMITS)


@pytest.mark.parametrize(
    ("live", "said"),
    [
        pytest.param(
            answer(0.29, 0.61),
            "task domain: probability off by 0.31 on text 'canary law'",
            id="probability",
        ),
        pytest.param(answer(0.58, 0.32), "probability off by 0.02", id="just beyond the limit"),
        pytest.param(
            answer(pii=(AGE,)),
            "task pii: does not find PHONE 5-9 on text 'canary law'",
            id="a span lacks",
        ),
        pytest.param(
            answer(pii=(AGE, PHONE, Entity(12, 14, "AGE", 0.6))),
            "task pii: finds AGE 12-14, which the reference does not, on text 'canary law'",
            id="a span too many",
        ),
        pytest.param(
            answer(pii=(AGE, Entity(5, 9, "AGE", 0.8))), "does not find PHONE 5-9", id="its label"
        ),
        pytest.param(
            answer(pii=(AGE, Entity(5, 10, "PHONE", 0.8))), "find PHONE 5-9", id="its end"
        ),
        pytest.param(
            answer(pii=(AGE, Entity(5, 9, "PHONE", 0.7))), "score of a span off by 0.10", id="score"
        ),
    ],
)
def test_what_differs_is_told(live, said):
    assert said in found(live).said


def test_another_label_is_told_though_the_probabilities_are_near():
    reference = Classification({"domain": {"law": 0.503, "art": 0.497}}, {})
    live = Classification({"domain": {"law": 0.498, "art": 0.502}}, {})

    assert "task domain: label 'art' instead of 'law'" in found(live, reference).said


@pytest.mark.parametrize(
    "live",
    [
        pytest.param(REFERENCE, id="equal"),
        pytest.param(answer(0.605, 0.295), id="rounded"),
        pytest.param(answer(pii=(AGE, Entity(5, 9, "PHONE", 0.76))), id="score rounded"),
    ],
)
def test_what_is_near_enough_is_not(live):
    assert found(live).said == ""


def test_a_tie_may_turn():
    reference = Classification({"domain": {"law": 0.5002, "art": 0.4998}}, {})
    live = Classification({"domain": {"law": 0.4999, "art": 0.5001}}, {})

    assert found(live, reference).said == ""


def test_of_several_the_worst_is_told_and_the_others_counted():
    live = [REFERENCE, answer(0.5, 0.4), answer(0.1, 0.8), answer(0.5, 0.4, pii=())]

    result = differences(list("abcd"), [REFERENCE] * 4, live, LIMITS)

    assert "(and 3 more like it)" in result.said
    assert "on text 'd'" in result.said, "a lost span of 0.9 is worse than 0.5"
    assert result.probability == pytest.approx(0.5)
    assert result.span_score == 0.0
