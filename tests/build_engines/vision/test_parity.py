"""Builds of every family against PyTorch; a wrong one is refused, and by a reason of its own."""

import json
import shutil
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines import publish as publishing
from build_engines import receipt
from build_engines.errors import DriftError, ParityError, StaleError, WeightsError
from build_engines.vision import export, parity, publish
from build_engines.vision.isolation import compare
from tests.build_engines.vision.broken import BREAKS, FAULTS
from tests.build_engines.vision.broken_networks import pooled_graph
from tests.build_engines.vision.conftest import PICTURES, folder_of, random_projection


@pytest.fixture(params=["light_built", "siglip_one", "siglip_two"])
def built(request):
    return request.getfixturevalue(request.param)


def figures(job):
    return receipt.require("parity", job).figures


def test_every_family_is_its_reference(built):
    found = figures(built)

    assert min(found["least_cosine"].values()) >= 0.99999
    assert found["pictures"] == len(PICTURES)
    if built.spec.text is not None:
        assert min(found["least_cosine_of_prompts"].values()) >= 0.99999


def test_goldens_tell_pictures_apart(built):
    made = json.loads((built.build / "goldens.json").read_text())
    embeddings = np.asarray(made["embeddings"])

    assert made["pictures"] == sorted(PICTURES)
    assert embeddings.shape == (len(PICTURES), built.spec.dimension)
    assert np.linalg.norm(embeddings, axis=1) == pytest.approx(1, abs=1e-5)
    assert (embeddings @ embeddings.T).min() < 0.999
    assert len(set(made["pixels"])) == len(PICTURES)
    assert made["floor"] == built.spec.floor
    assert {"torch", "transformers", "pillow"} <= made["reference"].keys()


def test_a_light_file_is_small(light_built):
    assert (light_built.build / "model.onnx").stat().st_size <= 12e6


def test_the_same_checkpoint_gives_the_same_bytes(siglip_one, tmp_path):
    again = replace(siglip_one, build=tmp_path / "again")
    export.export(again, siglip_one.root / "checkpoint")

    for name in ("model.onnx", "text.onnx", "tokenizer.json"):
        assert (again.build / name).read_bytes() == (siglip_one.build / name).read_bytes()


def copied_code(job, tmp_path):
    """The job over a copy of the served Python, and the repository of that copy."""
    repository = tmp_path / "repository"
    for folder in (job.preprocess, job.code.parent):
        shutil.copytree(folder, repository / folder.name)
    moved = replace(
        job,
        preprocess=repository / job.preprocess.name,
        code=repository / job.code.parent.name / "1",
    )
    return moved, repository


@pytest.mark.parametrize("name", BREAKS)
def test_broken_code_is_refused_and_named(siglip_one, tmp_path, name):
    job, repository = copied_code(siglip_one, tmp_path)
    BREAKS[name](repository)
    said = {"preprocessing": "other pixels than those", "encoder": "an embedding is not finite"}

    with pytest.raises(ParityError) as raised:
        parity.run(job)

    message = str(raised.value)
    assert said[FAULTS[name]] in message
    assert f"; {FAULTS[name]}: {name} (explains " in message


def test_a_network_exported_with_mean_pooling_is_refused_and_named(own, siglip_one):
    """As if `export` had done it: its receipt says so."""
    job = own(siglip_one)
    made = receipt.require("export", job)
    (job.build / "model.onnx").write_bytes(pooled_graph(job, folder_of(job)))
    outputs = job.hashes(job.root / name for name in made.outputs)
    receipt.write(replace(made, outputs=outputs), job)

    with pytest.raises(ParityError, match=r"least cosine .*; encoder: mean pooling \(explains "):
        parity.run(job)


def test_code_that_is_broken_in_a_new_way_has_no_name(light_built, tmp_path):
    job, repository = copied_code(light_built, tmp_path)
    path = repository / "vision_encoder" / "1" / "encoder.py"
    code, kept = path.read_text(), "return embeddings, known"
    assert code.count(kept) == 1
    path.write_text(code.replace(kept, "return embeddings[:, ::-1], known"))

    with pytest.raises(ParityError, match="least cosine .*; encoder: differs by no known fault"):
        parity.run(job)


def test_an_encoder_that_is_too_sure_is_refused(light_built, tmp_path):
    job, repository = copied_code(light_built, tmp_path)
    path = repository / "vision_encoder" / "1" / "encoder.py"
    code, kept = path.read_text(), "return embeddings, known"
    path.write_text(code.replace(kept, "return embeddings, known + np.float32(0.02)"))

    with pytest.raises(ParityError, match=r"KNOWN is off by 0\.0[12]\d+$"):
        parity.run(job)


def test_a_weight_that_is_off_is_refused(own, siglip_one):
    job = own(siglip_one)
    model = onnx.load(job.build / "model.onnx")
    (weight,) = [
        one
        for one in model.graph.initializer
        if one.name.endswith("head.attention.out_proj.weight")
    ]
    values = numpy_helper.to_array(weight).copy()
    values[..., 0] += 0.5
    weight.CopyFrom(numpy_helper.from_array(values, weight.name))
    onnx.save(model, job.build / "model.onnx")

    with pytest.raises(StaleError, match="model.onnx has changed since export"):
        parity.run(job)
    made = json.loads((siglip_one.build / "goldens.json").read_text())
    with pytest.raises(ParityError, match="least cosine"):
        parity.compare(job, shown(job, made))


def shown(job, made):
    ours, _ = parity.served.preprocessor(job)
    pixels = np.stack([ours((job.pictures / name).read_bytes()) for name in made["pictures"]])
    embeddings, known = (np.asarray(made[name], np.float32) for name in ("embeddings", "known"))
    return parity.Shown(made["pictures"], pixels, embeddings, known)


def test_a_light_encoder_needs_its_projection(light_built, tmp_path):
    job = replace(light_built, projection=tmp_path / "none.safetensors", build=tmp_path / "build")

    with pytest.raises(WeightsError, match="no projection; run: make train"):
        export.run(job)


def test_another_projection_makes_a_build_stale(own, light_built):
    job = own(light_built)
    random_projection(job.projection, seed=9)

    with pytest.raises(StaleError, match="projection.safetensors has changed"):
        publish.run(job)


def test_what_is_published_verifies_and_takes_the_place_of_another(own, light_built, siglip_two):
    job = own(light_built)
    publish.run(job)
    publishing.verify(job)
    models = job.target.parent
    committed = (job.preprocess / "config.pbtxt").read_text()
    assert (models / "image_preprocess" / "config.pbtxt").read_text() == committed
    assert 'platform: "ensemble"' in (models / "image_text_embedding" / "config.pbtxt").read_text()
    assert sorted(
        path.name for path in (models / "image_signals" / "pictures").iterdir()
    ) == sorted(PICTURES)

    other = replace(siglip_two, target=job.target)
    publish.run(other)
    publishing.verify(other)
    text = models / "image_text_embedding"
    assert 'backend: "python"' in (text / "config.pbtxt").read_text()
    assert (text / "1" / "model.onnx").is_file()
    preprocess = (models / "image_preprocess" / "config.pbtxt").read_text()
    assert "dims: [ 3, 32, 32 ]" in preprocess
    assert '"bilinear"' in preprocess
    with pytest.raises(DriftError, match="the spec has changed since"):
        publishing.verify(job)

    publish.run(job)
    publishing.verify(job)
    assert not (text / "1" / "model.onnx").exists()


def test_pixels_set_by_hand_are_drift(own, light_built):
    job = own(light_built)
    publish.run(job)
    config = job.target.parent / "image_preprocess" / "config.pbtxt"
    config.write_text(config.read_text().replace('"bicubic"', '"bilinear"'))

    with pytest.raises(DriftError, match="what it is joined to has changed"):
        publishing.verify(job)


def test_a_new_build_meets_the_goldens(own, siglip_one):
    job = own(siglip_one)
    publish.run(job)

    said = parity.meets(job, job.target / "goldens.json")

    assert said.startswith("least cosine 0.99999") or said == "least cosine 1.00000000"


def test_other_pixels_do_not_meet_the_goldens(own, siglip_one):
    job = own(siglip_one)
    publish.run(job)
    wrong = job.spec.pixels.model_copy(update={"resample": "bilinear"})
    other = replace(job, spec=job.spec.model_copy(update={"pixels": wrong}))

    with pytest.raises(ParityError, match="other pixels than those of the goldens"):
        parity.meets(other, job.target / "goldens.json")


def test_not_finite_counts_as_the_opposite():
    found = compare(np.array([[np.nan, 1], [0, 0], [1, 0]]), np.array([[1.0, 0]] * 3))

    assert found.cosines.tolist() == [-1, -1, 1]
