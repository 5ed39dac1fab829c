import pytest

from orchestrator.errors import ConfigError, InferenceError
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.labelled.looking import look
from orchestrator.labelled.pictures import files
from tests.labelled.scenes import SEEN, TEXTS, inference, write


@pytest.fixture
def found(tmp_path):
    return files(write(tmp_path))


async def test_every_picture_against_every_text(found):
    asked, steps = inference(), []

    looked = await look(asked, found, list(TEXTS), steps.append)

    assert looked.names == ("bars.gif", "cat.webp", "shop.png", "till.jpg")
    assert looked.cosines.shape == (4, 3)
    assert looked.cosines[0] == pytest.approx([0.3313, 0.4268, 0.8835], abs=1e-4)
    assert looked.known.tolist() == pytest.approx([0.9, 0.1, 0.9, 0.99])
    assert (looked.floor, looked.refused) == (0.5, {})
    assert steps == [1] * 4
    assert {model for model, _ in asked.calls} == {IMAGE_TEXT}
    assert sorted(asked.looked) == [(IMAGE_SIGNALS, (name.encode(),)) for name in sorted(SEEN)]


async def test_a_refused_picture_is_named_and_the_others_are_seen(found):
    looked = await look(inference(refused={"cat.webp": "empty"}), found, list(TEXTS))

    assert looked.names == ("bars.gif", "shop.png", "till.jpg")
    assert looked.cosines.shape == (3, 3)
    assert looked.refused == {"cat.webp": "empty"}


async def test_a_file_that_is_gone_is_named(found):
    found["cat.webp"].unlink()

    looked = await look(inference(), found, list(TEXTS))

    assert looked.refused == {"cat.webp": "No such file or directory"}


async def test_none_that_is_read_is_an_error(found):
    with pytest.raises(ConfigError, match="none of 4 pictures is read; bars.gif is empty"):
        await look(inference(refused=dict.fromkeys(SEEN, "empty")), found, list(TEXTS))


async def test_a_server_that_fails_ends_it(found):
    with pytest.raises(InferenceError, match="no server"):
        await look(inference(failure=InferenceError("no server")), found, list(TEXTS))
