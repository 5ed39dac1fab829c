"""Which reference belongs to what is published. The references are compared elsewhere."""

import json

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
pytest.importorskip("efficientnet_lite_pytorch")

from build_engines.errors import DriftError
from build_engines.job import sha256
from build_engines.kinds import job_of
from build_engines.live import subjects
from orchestrator.errors import RouterError


@pytest.fixture
def receipt(tmp_path):
    """Writes the receipt of an image encoder; what it says changes nothing else."""
    path = tmp_path / "vision_encoder" / "receipt.json"
    path.parent.mkdir()

    def write(spec, *inputs):
        steps = [{"inputs": {str(at): one for at, one in enumerate(inputs)}}]
        path.write_text(json.dumps({"spec": spec, "steps": steps}))
        return tmp_path

    return write


def test_the_spec_of_a_receipt_is_found(receipt):
    repository = receipt(job_of("siglip2_base").spec.digest())

    job = subjects.published(repository)

    assert job.spec.name == "siglip2_base"
    assert job.target == repository / "vision_encoder"


def test_a_receipt_of_no_spec(receipt):
    with pytest.raises(DriftError, match="no spec of .* has built this"):
        subjects.published(receipt("0" * 64))


@pytest.mark.parametrize("text", [None, "{", "{}"], ids=["absent", "cut", "empty"])
def test_a_receipt_that_cannot_be_read(tmp_path, text):
    if text is not None:
        (tmp_path / "vision_encoder").mkdir()
        (tmp_path / "vision_encoder" / "receipt.json").write_text(text)

    with pytest.raises(RouterError, match=r"receipt.json does not say what was published"):
        subjects.subject("vision_encoder", tmp_path)


def test_other_weights_than_the_trained_ones(receipt):
    job = job_of("vision_encoder")
    with pytest.raises(DriftError, match="built from another projection.safetensors; run: python"):
        subjects.published(receipt(job.spec.digest(), "0" * 64))
    found = subjects.published(receipt(job.spec.digest(), sha256(job.projection)))
    assert found.spec.name == "vision_encoder"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("image_preprocess", "image_preprocess has no weights of its own: compare vision_encoder"),
        ("mine", "no model 'mine'; known: "),
    ],
)
def test_a_model_without_a_reference(tmp_path, model, said):
    with pytest.raises(RouterError, match=said):
        subjects.subject(model, tmp_path)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    document = {"summary": {}, "images": []}

    with pytest.raises(RouterError, match=r"cannot write .*absent/a.png: No such file"):
        subjects.draw(subjects.Outcome(document, ()), tmp_path / "absent" / "a.png")
