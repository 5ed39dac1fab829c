"""Every broken variant is caught in the right part and called by its name, and nothing else is."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch

from build_engines import weights
from build_engines.vision import faults, served, siglip
from build_engines.vision.isolation import (
    END_TO_END,
    FORWARD,
    PREPROCESS,
    Reference,
    Seen,
    Side,
    diagnose,
    isolate,
)
from tests.build_engines.vision.broken import broken_pixels
from tests.build_engines.vision.broken_networks import mean_pooled, overflowing, sure, widened
from tests.build_engines.vision.conftest import files_of, folder_of

PIXEL_FAULTS = [
    "no normalisation",
    "BGR",
    "bilinear without antialias",
    "resized after normalising",
    "cropped before resizing",
]


@pytest.fixture(scope="module")
def made():
    """Job -> its sides, made once."""
    return {}


def remembered(made, job):
    """The job, its reference and its served code."""
    if job.root not in made:
        made[job.root] = sides(job, weights.find(job.spec, job.root).folder)
    return made[job.root]


@pytest.fixture
def light_sides(made, light_built):
    return remembered(made, light_built)


@pytest.fixture(params=["siglip_one", "siglip_two"])
def siglip_sides(made, request):
    return remembered(made, request.getfixturevalue(request.param))


@pytest.fixture(params=["light_built", "siglip_one", "siglip_two"])
def any_sides(made, request):
    return remembered(made, request.getfixturevalue(request.param))


def sides(job, folder):
    ours, code = served.preprocessor(job)
    encoder = served.encoder(job)
    reference = faults.reference_of(job, folder, code)
    return job, reference, Side(ours, encoder.encode)


def decoded(code):
    return lambda data: code.decode(data, 10**8, 10**8)


def test_what_is_right_is_off_in_no_part(any_sides):
    job, reference, ours = any_sides
    found = isolate(files_of(job), reference, ours)

    assert diagnose(found, files_of(job), reference) == []
    assert found.vectors[PREPROCESS].cosines.min() >= 0.9999999
    assert found.vectors[FORWARD].cosines.min() >= 0.99999
    assert found.vectors[END_TO_END].cosines.min() >= 0.99999
    assert found.pixels == (0.0,) * len(found.names)
    # Pictures must be told apart, or none of this could fail.
    others = found.reference @ found.reference.T
    assert np.sort(others.ravel())[0] < 0.999


@pytest.mark.parametrize("fault", PIXEL_FAULTS)
def test_wrong_pixels_are_named(any_sides, fault):
    job, reference, ours = any_sides
    settings = job.spec.pixels
    if (settings.resample, fault) == ("bilinear", "resized after normalising"):
        pytest.skip("bilinear overshoots nothing: the order changes less than half a level")
    _, code = served.preprocessor(job)
    wrong = dict(broken_pixels(decoded(code), settings.size, settings.resample))[fault]
    found = isolate(files_of(job), reference, replace(ours, pixels=wrong))

    findings = diagnose(found, files_of(job), reference)

    assert [(one.part, one.fault) for one in findings] == [("preprocessing", fault)]
    assert found.vectors[FORWARD].cosines.min() >= 0.99999
    assert found.vectors[PREPROCESS].cosines.min() < 0.99999
    assert fault in findings[0].sentence()


def test_mean_pooling_is_named(siglip_sides):
    job, reference, ours = siglip_sides
    model = siglip.load(job.spec, folder_of(job))
    found = isolate(files_of(job), reference, replace(ours, encode=mean_pooled(model)))

    findings = diagnose(found, files_of(job), reference)

    assert [(one.part, one.fault) for one in findings] == [("encoder", "mean pooling")]
    assert found.vectors[PREPROCESS].cosines.min() >= 0.99999


def test_overflow_is_named(siglip_sides):
    job, reference, ours = siglip_sides
    model = widened(siglip.load(job.spec, folder_of(job)))
    found = isolate(files_of(job), reference, replace(ours, encode=overflowing(model)))

    findings = diagnose(found, files_of(job), reference)

    assert [(one.part, one.fault) for one in findings] == [("encoder", "fp16 overflow")]
    assert found.vectors[FORWARD].summary()["min"] == -1
    assert np.isfinite(found.vectors[PREPROCESS].embeddings).all()


def test_the_widened_model_is_right_in_float32(siglip_sides):
    """Or the fixture would be wrong by something else than precision."""
    job, reference, _ = siglip_sides
    model = widened(siglip.load(job.spec, folder_of(job)))
    pixels = np.stack([reference.pixels(one) for one in files_of(job).values()])
    with torch.inference_mode():
        rows = model.vision_model(pixel_values=torch.from_numpy(pixels)).pooler_output
    wide = torch.nn.functional.normalize(rows, dim=-1).numpy()
    assert (wide * reference.encode(pixels).embeddings).sum(1).min() >= 0.99999


def test_faults_of_both_parts_are_both_named(siglip_sides):
    job, reference, ours = siglip_sides
    _, code = served.preprocessor(job)
    size, resample = job.spec.pixels.size, job.spec.pixels.resample
    wrong = dict(broken_pixels(decoded(code), size, resample))["cropped before resizing"]
    model = siglip.load(job.spec, folder_of(job))
    broken = replace(ours, pixels=wrong, encode=mean_pooled(model))

    findings = diagnose(isolate(files_of(job), reference, broken), files_of(job), reference)

    assert [one.part for one in findings] == ["preprocessing", "encoder"]
    assert findings[1].fault == "mean pooling"


def test_an_unknown_fault_is_not_called_by_a_known_name(light_sides):
    job, reference, ours = light_sides

    def mirrored(data):
        return ours.pixels(data)[:, :, ::-1].copy()

    found = isolate(files_of(job), reference, replace(ours, pixels=mirrored))
    (finding,) = diagnose(found, files_of(job), reference)

    assert finding.fault is None
    assert "no known fault" in finding.sentence()


def test_the_document_has_every_vector_of_every_picture():
    def one(data):
        return np.full((3, 2, 2), float(data[0]), np.float32)

    def first(pixels):
        rows = np.stack([pixels[:, 0, 0, 0], np.ones(len(pixels))], 1).astype(np.float32)
        return Seen(rows, np.full(len(rows), 0.5, np.float32))

    def tripled(pixels):
        right = first(pixels)
        return Seen(right.embeddings * 3, right.known + pixels[:, 0, 0, 0] / 8)

    pictures = {"a": b"\1", "b": b"\2"}
    found = isolate(pictures, Reference(one, first), Side(one, tripled))

    document = found.document()
    assert document["summary"].keys() == {"end_to_end", "forward_only", "preprocess_only"}
    assert document["summary"]["end_to_end"] == pytest.approx(
        {"min": 1.0, "mean": 1.0, "max": 1.0, "max_abs": 4.0, "known_max_abs": 0.25}
    )
    assert [image["name"] for image in document["images"]] == ["a", "b"]
    assert document["images"][1]["forward_only"] == pytest.approx(
        {"cosine": 1.0, "max_abs": 4.0, "known_max_abs": 0.25}
    )
    assert document["images"][0]["preprocess_only"]["known_max_abs"] == 0.0


def test_no_pictures_are_refused():
    with pytest.raises(ValueError, match="no pictures"):
        isolate({}, Reference(None, None), Side(None, None))


def test_what_is_asked_as_a_whole_counts_as_end_to_end():
    def plain(data):
        return np.ones((3, 1, 1), np.float32)

    def two(pixels):
        return sure(np.ones((len(pixels), 2), np.float32))

    ours = Side(plain, two, whole=lambda files: sure(np.array([[1, -1]] * len(files), np.float32)))
    found = isolate({"a": b""}, Reference(plain, two), ours)

    assert found.vectors[END_TO_END].cosines.tolist() == [0.0]
    assert found.vectors[FORWARD].cosines.tolist() == pytest.approx([1.0])
