import pytest

from build_engines.errors import SpecError
from build_engines.kinds import job_of, steps_of
from build_engines.spec import path_of
from build_engines.vision import spec as visions
from build_engines.vision.job import VisionJob

MODELS = ["vision_encoder", "siglip_base", "siglip2_base", "siglip_so400m"]


@pytest.mark.parametrize(
    ("model", "old", "new", "message"),
    [
        pytest.param("vision_encoder", "floor = 0.7", "floor = 2", "floor", id="floor above 1"),
        pytest.param(
            "vision_encoder", "[onnx]", "[onnx]\nwidth = 3", "onnx.width", id="unknown key"
        ),
        pytest.param(
            "vision_encoder",
            '"579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"',
            '"by commit"',
            "a file of a package needs its sha256",
            id="package without a pin",
        ),
        pytest.param(
            "vision_encoder",
            'family = "light"',
            'family = "siglip"',
            r"\[text\] is for siglip",
            id="siglip without a text tower",
        ),
        pytest.param(
            "siglip_base",
            'family = "siglip"',
            'family = "light"',
            r"\[text\] is for siglip",
            id="light with a text tower",
        ),
        pytest.param(
            "siglip_base", "7fd15f0689c7", "main", "revision", id="a revision that is no commit"
        ),
        pytest.param("siglip_base", '"bicubic"', '"lanczos"', "resample", id="unknown filter"),
    ],
)
def test_what_cannot_be_built_is_named(tmp_path, model, old, new, message):
    text = path_of(model).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "bad.toml").write_text(text.replace(old, new), encoding="utf-8")

    with pytest.raises(SpecError, match=message):
        visions.read(tmp_path / "bad.toml")


@pytest.mark.parametrize("model", MODELS)
def test_image_encoders_are_published_in_one_place(model):
    job = job_of(model)

    assert isinstance(job, VisionJob)
    assert (job.spec.name, job.target.name) == (model, "vision_encoder")
    assert steps_of(model).keys() == {"export", "parity", "publish"}
    assert job.build.name == model
    assert 'name: "vision_encoder"' in job.spec.config()
    assert f"from build_engines/models/{model}.toml" in job.spec.config()


def test_a_text_tower_is_published_with_its_tokenizer():
    with_tower, without = (visions.read(path_of(name)) for name in ("siglip_base", MODELS[0]))

    assert set(with_tower.published()) - set(without.published()) == {"text.onnx", "tokenizer.json"}


def test_how_it_is_served_changes_nothing_of_what_is_built():
    spec = visions.read(path_of("siglip_base"))
    serving = spec.serving.model_copy(update={"instances": 7})

    assert spec.model_copy(update={"serving": serving}).digest() == spec.digest()
    assert spec.model_copy(update={"floor": 0.4}).digest() != spec.digest()
