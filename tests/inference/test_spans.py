import pytest

from orchestrator.inference import Classification, Entity
from orchestrator.inference.questions import Answer, Part
from orchestrator.inference.spans import checked, united
from orchestrator.matching.personal import Personal
from orchestrator.matching.pieces import pieces
from tests.signals.personal import CARD, MAIL, NAME


def union(text, answer):
    personal = Personal()
    return united(text, "pii", answer, checked(text, pieces(text), personal), personal)


def part(start, text, *found):
    return Part(start, start + len(text), Classification({}, {"pii": found}))


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        pytest.param(
            MAIL,
            [Entity(0, 3, "PERSON", 0.95)],
            [(0, 15, "EMAIL_ADDRESS")],
            id="a name within an address is no name",
        ),
        pytest.param(
            MAIL,
            [Entity(0, 11, "EMAIL_ADDRESS", 0.5)],
            [(0, 15, "EMAIL_ADDRESS")],
            id="the checked span stands for the model's",
        ),
        pytest.param(
            f"{NAME} {MAIL}",
            [Entity(0, 8, "PERSON", 0.95)],
            [(0, 8, "PERSON"), (9, 24, "EMAIL_ADDRESS")],
            id="side by side",
        ),
        pytest.param(
            CARD[:-1] + "2",
            [Entity(0, 19, "CREDIT_CARD", 0.95)],
            [],
            id="a card that fails the check",
        ),
    ],
)
def test_the_model_and_the_checks_are_united(text, said, expected):
    answer = Answer((part(0, text, *said),), False)

    found = union(text, answer)

    assert [(one.start, one.stop, one.label) for one in found] == expected


def test_of_one_thing_the_higher_score_counts():
    text = "call 415-555-2671 now"
    (alone,) = union(text, Answer((), False))
    said = Entity(5, 17, "PHONE_NUMBER", 0.999)

    (both,) = union(text, Answer((part(0, text, said),), False))

    assert (alone.label, both.score) == ("PHONE_NUMBER", 0.999)
    assert alone.score < both.score
