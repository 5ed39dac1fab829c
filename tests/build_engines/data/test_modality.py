import pytest

from build_engines.data import modality


@pytest.fixture(scope="module")
def labels():
    return {row.text: row.label for row in modality.examples()}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("draw a conclusion from the survey results", id="draw, not a picture"),
        pytest.param("Paint a picture of the economy in words.", id="a picture in words"),
        pytest.param("Write an image classifier in PyTorch.", id="code about images"),
        pytest.param(
            "Give me the SVG markup of a simple house icon.", id="vector graphics are text"
        ),
        pytest.param("ASCII art of a dog", id="ASCII art is text"),
        pytest.param("Write a Midjourney prompt for a medieval tavern.", id="a prompt is text"),
    ],
)
def test_words_about_pictures_alone_ask_for_text(labels, text):
    assert labels[text] == "AR"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        pytest.param("a cat astronaut, 4k, cinematic lighting", "DIFFUSION", id="prompt style"),
        pytest.param("Draw a cat.", "DIFFUSION", id="without the word image"),
        pytest.param(
            "Write a story about a fox and illustrate it.", "BOTH", id="story and picture"
        ),
        pytest.param("draw a cat and then tell me a story about him", "BOTH", id="picture first"),
    ],
)
def test_wishes_for_pictures(labels, text, label):
    assert labels[text] == label
