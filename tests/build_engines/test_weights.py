import shutil

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from safetensors.torch import load_file, save_file

from build_engines import weights
from build_engines.errors import WeightsError
from build_engines.spec import Spec

BIAS = "encoder.layer.1.output.dense.bias"


def missing(tensors):
    del tensors[BIAS]


def unexpected(tensors):
    tensors["adapter.bias"] = tensors[BIAS].clone()


def misshapen(tensors):
    tensors[BIAS] = tensors[BIAS][:-1].clone()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(missing, f"missing {BIAS}", id="missing"),
        pytest.param(unexpected, "unexpected adapter.bias", id="unexpected"),
        pytest.param(misshapen, rf"{BIAS} is \[63\], not \[64\]", id="misshapen"),
    ],
)
def test_a_wrong_tensor_is_named(tiny, tmp_path, spoil, message):
    folder = tmp_path / "spoilt"
    shutil.copytree(tiny.checkpoint, folder)
    tensors = load_file(folder / "model.safetensors")
    spoil(tensors)
    save_file(tensors, folder / "model.safetensors")

    with pytest.raises(WeightsError, match=message):
        weights.load(folder)


def test_a_tensor_that_the_spec_ignores_may_be_there(tiny, tmp_path):
    folder = tmp_path / "extra"
    shutil.copytree(tiny.checkpoint, folder)
    tensors = load_file(folder / "model.safetensors")
    unexpected(tensors)
    save_file(tensors, folder / "model.safetensors")

    assert weights.load(folder, ignore=("adapter.bias",)).config.hidden_size == 64


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            {"sources": [{"kind": "folder", "path": "nowhere"}]},
            "tiny: no weights; tried folder nowhere",
            id="no source",
        ),
        pytest.param(
            {"files": {"model.safetensors": "0" * 64}},
            "the spec pins 0000",
            id="another checkpoint",
        ),
        pytest.param({"files": {"labels.json": "0" * 64}}, "no labels.json", id="a file too few"),
        pytest.param(
            {
                "sources": [
                    {"kind": "package", "distribution": "pytest", "version": "0", "path": "."}
                ]
            },
            r"pytest is [\d.]+, not 0",
            id="another version of the package",
        ),
    ],
)
def test_a_source_that_is_not_as_pinned_is_refused(tiny, change, message):
    with pytest.raises(WeightsError, match=message):
        weights.find(Spec.model_validate(tiny.spec | change), tiny.root)


def test_the_first_source_that_is_there_is_taken(tiny):
    sources = [
        {"kind": "folder", "path": "nowhere"},
        {"kind": "package", "distribution": "no-such-thing", "version": "1", "path": "."},
        {"kind": "folder", "path": str(tiny.checkpoint)},
    ]

    found = weights.find(Spec.model_validate(tiny.spec | {"sources": sources}), tiny.root)

    assert found.folder == tiny.checkpoint


def test_a_hub_without_a_commit_is_not_asked(tiny, tmp_path):
    spec = Spec.model_validate(tiny.spec | {"sources": [{"kind": "hub", "repository": "a/b"}]})

    with pytest.raises(WeightsError, match="hub a/b at a commit that --revision has to name"):
        weights.find(spec, tmp_path)


def test_an_encoder_may_come_without_its_pooler(tiny, tmp_path):
    """Half of it is no pooler."""
    folder = tmp_path / "bare"
    shutil.copytree(tiny.checkpoint, folder)
    tensors = load_file(folder / "model.safetensors")
    half = {name: one for name, one in tensors.items() if name != "pooler.dense.bias"}
    save_file(half, folder / "model.safetensors")
    with pytest.raises(WeightsError, match=r"missing pooler\.dense\.bias"):
        weights.load(folder)
    none = {name: one for name, one in half.items() if not name.startswith("pooler.")}
    save_file(none, folder / "model.safetensors")

    assert weights.load(folder).pooler is None
