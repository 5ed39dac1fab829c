import pytest

from build_engines.data import user_feedback


@pytest.fixture(scope="module")
def rows():
    return {row.text: row for row in user_feedback.examples()}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        pytest.param("What's the population of Kenya?", "SAT", id="a new question"),
        pytest.param("Great, now let's move on to the next chapter.", "SAT", id="goes on"),
        pytest.param("simpler please", "NEED_CLARIFICATION", id="simpler is to understand"),
        pytest.param("more details please", "NEED_CLARIFICATION", id="more on the same"),
        pytest.param("No, I meant the other file.", "WRONG_ANSWER", id="misread by the assistant"),
        pytest.param("It still throws the same error.", "WRONG_ANSWER", id="reported failure"),
        pytest.param("Thanks, but that's not right.", "WRONG_ANSWER", id="thanks before a fault"),
        pytest.param("Actually, make it Thursday instead.", "WANT_DIFFERENT", id="change of mind"),
        pytest.param("shorter please", "WANT_DIFFERENT", id="another form"),
        pytest.param("try again", "WANT_DIFFERENT", id="again without a fault"),
    ],
)
def test_border_cases_follow_the_convention(rows, text, label):
    assert rows[text].label == label


def test_satisfied_holds_enough_follow_ups_without_thanks(rows):
    assert sum(row.kind == "neutral" for row in rows.values()) >= 150
