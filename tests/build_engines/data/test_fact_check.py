import pytest

from build_engines.data import fact_check


@pytest.fixture(scope="module")
def labels():
    return {row.text: row.label for row in fact_check.examples()}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("What's 17*23?", id="arithmetic"),
        pytest.param("who are you", id="about the assistant"),
        pytest.param("Write a poem about the sea.", id="creative"),
        pytest.param(
            'Translate "The war ended in 1945" into Italian.', id="a fact in a given text"
        ),
        pytest.param(
            "Write a history of the fictional kingdom of Vael, with dates and kings.", id="fiction"
        ),
    ],
)
def test_questions_that_only_look_factual_need_no_check(labels, text):
    assert labels[text] == "NO_FACT_CHECK_NEEDED"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Write a short article on the 1929 crash with figures.", id="article"),
        pytest.param("Tell me about the Great Barrier Reef.", id="imperative"),
        pytest.param("capital of kazakhstan", id="keywords"),
        pytest.param("What's the maximum daily dose of paracetamol for an adult?", id="medicine"),
    ],
)
def test_prompts_about_the_world_need_a_check(labels, text):
    assert labels[text] == "FACT_CHECK_NEEDED"
