import pytest
from pydantic import ValidationError

from build_engines import spec as specs
from build_engines import tasks
from build_engines.errors import SpecError
from build_engines.gpu.spec import Gpu, GpuText
from build_engines.kinds import job_of

TEXT = {"lengths": [32, 64, 256], "windows": 16, "batch": 32}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"lengths": []}, "lengths", id="no bucket"),
        pytest.param(
            {"lengths": [64, 32]}, "lengths ascend, but 32 comes after 64", id="out of order"
        ),
        pytest.param(
            {"lengths": [32, 32]}, "lengths ascend, but 32 comes after 32", id="a bucket twice"
        ),
        pytest.param({"lengths": [20]}, "multiples of 8, but there is 20", id="odd length"),
        pytest.param({"lengths": [0, 8]}, "lengths.0", id="a bucket of nothing"),
        pytest.param({"batch": 0}, "batch", id="no text"),
        pytest.param({"batch": 4}, "optimal is 8 texts, batch only 4", id="tuned for too many"),
        pytest.param({"precision": "int8"}, "'fp16', 'bf16' or 'fp32'", id="unknown precision"),
        pytest.param(
            {"precision": "fp32", "fp32": ["Gelu/*"]}, "with precision", id="patterns for nothing"
        ),
        pytest.param({"buckets": [32]}, "buckets", id="unknown key"),
    ],
)
def test_a_wrong_table_is_refused(changed, message):
    with pytest.raises(ValidationError) as raised:
        GpuText.model_validate(TEXT | changed)

    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"lengths": [32, 128]}, "lengths end at 128, a window", id="too short"),
        pytest.param(
            {"lengths": [256, 512]}, "512 would never be used", id="a bucket beyond the window"
        ),
        pytest.param({"windows": 8}, "windows is 8, a text has up to 16", id="too few windows"),
    ],
)
def test_a_table_that_does_not_fit_the_text_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        GpuText.model_validate(TEXT | changed).fits(256, 16)


def test_a_window_may_be_filled_up_to_the_last_bucket():
    assert GpuText.model_validate(TEXT).fits(250, 16).lengths[-1] == 256


@pytest.mark.parametrize(
    ("read", "name"),
    [
        pytest.param(lambda path: specs.read(path), "text_embedding", id="encoder"),
        pytest.param(lambda path: tasks.read("text_signals"), "text_signals", id="classifiers"),
    ],
)
def test_the_file_is_named(monkeypatch, tmp_path, read, name):
    text = (specs.MODELS / f"{name}.toml").read_text(encoding="utf-8")
    path = tmp_path / f"{name}.toml"
    path.write_text(text.replace("lengths = [32, 64, 128, 256]", "lengths = [32, 64, 128]"))
    whole = specs.path_of
    monkeypatch.setattr(specs, "path_of", lambda model: path if model == name else whole(model))

    with pytest.raises(SpecError, match=f"(?s){name}.toml: .*lengths end at 128") as raised:
        read(path)

    assert "256 tokens" in str(raised.value)


@pytest.mark.parametrize("name", ["text_embedding", "text_signals", "vision_encoder"])
def test_an_engine_changes_nothing_of_what_is_exported(name):
    spec = job_of(name).spec
    other = spec.model_copy(update={"gpu": spec.gpu.model_copy(update={"batch": 9})})

    assert other.digest() == spec.digest()
    assert other.gpu.built() != spec.gpu.built()


def test_instances_are_no_part_of_an_engine():
    assert Gpu(batch=8, instances=3).built() == Gpu(batch=8).built()
