import pytest

from build_engines.errors import SpecError
from build_engines.gpu import profiles
from build_engines.gpu.spec import Gpu, GpuText

GPU = GpuText(lengths=(32, 256), windows=16, batch=32, optimal=8)


def test_a_text_model_has_a_profile_for_each_bucket():
    short, long = profiles.of_texts(GPU)

    assert (short.name, long.name) == ("32 tokens", "256 tokens")
    assert short.inputs == {
        "INPUT_IDS": profiles.Range((1, 1, 32), (8, 1, 32), (32, 16, 32)),
        "LENGTHS": profiles.Range((1, 1), (8, 1), (32, 16)),
    }
    assert long.inputs["INPUT_IDS"] == profiles.Range((1, 1, 256), (8, 1, 256), (32, 16, 256))


def test_pictures_have_one():
    (only,) = profiles.of_pictures(Gpu(batch=8, optimal=4), 224)

    assert only.inputs == {
        "PIXELS": profiles.Range((1, 3, 224, 224), (4, 3, 224, 224), (8, 3, 224, 224))
    }


@pytest.mark.parametrize(
    ("tokens", "length"),
    [(0, 32), (1, 32), (32, 32), (33, 256), (256, 256)],
)
def test_a_text_goes_into_the_shortest_bucket_that_holds_it(tokens, length):
    assert profiles.bucket(GPU.lengths, tokens) == length


def test_a_window_that_fits_none_is_refused():
    with pytest.raises(SpecError, match=r"257 tokens fit none of the lengths \[32, 256\]"):
        profiles.bucket(GPU.lengths, 257)


def shapes(texts, windows, length):
    return {"INPUT_IDS": (texts, windows, length), "LENGTHS": (texts, windows)}


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        pytest.param(shapes(1, 1, 32), 0, id="least"),
        pytest.param(shapes(32, 16, 32), 0, id="most"),
        pytest.param(shapes(3, 2, 256), 1, id="several windows"),
    ],
)
def test_the_profile_of_a_batch_is_found(asked, index):
    assert profiles.chosen(profiles.of_texts(GPU), asked) == index


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(shapes(33, 1, 32), id="too many texts"),
        pytest.param(shapes(1, 17, 32), id="too many windows"),
        pytest.param(shapes(1, 1, 64), id="no bucket"),
        pytest.param(shapes(0, 1, 32), id="no text"),
        pytest.param({"INPUT_IDS": (1, 1, 32)}, id="an input less"),
        pytest.param({"INPUT_IDS": (1, 32), "LENGTHS": (1, 1)}, id="another rank"),
    ],
)
def test_other_shapes_are_refused_and_what_is_taken_is_said(asked):
    with pytest.raises(SpecError) as raised:
        profiles.chosen(profiles.of_texts(GPU), asked)

    assert "no profile takes INPUT_IDS" in str(raised.value)
    assert "256 tokens: INPUT_IDS [1, 1, 256] to [32, 16, 256]" in str(raised.value)
