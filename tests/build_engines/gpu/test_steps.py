"""Export, build, parity and publish of a tiny encoder, with a TensorRT that computes on the CPU."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx

from build_engines import check_parity, export_onnx
from build_engines import publish as publishing
from build_engines.errors import DriftError, ParityError, SpecError, StaleError, TargetError
from build_engines.gpu import build, export, parity, publish
from build_engines.gpu.asked import Wanted
from build_engines.gpu.hardware import Hardware
from build_engines.gpu.here import Here
from build_engines.gpu.job import Engine, EngineJob
from build_engines.gpu.running import Plan
from build_engines.gpu.spec import Gpu, GpuText
from orchestrator.inference import plans
from orchestrator.inference.plans import Place
from tests.build_engines.conftest import Tiny, spec_of
from tests.build_engines.gpu.fake_tensorrt import TensorRT

GPU = GpuText(lengths=(8, 16), windows=3, batch=4, optimal=2)
AS_USUAL = Wanted()
PLACES = ("build", "target", "texts")
H200 = Place("NVIDIA H200", "9.0", "570.86.15", "10.13.3.9", "25.12", "2.64.0")


def at(trt, **changed):
    return Here(replace(H200, tensorrt=trt.__version__, **changed), trt, trt.memory)


def opened(plan, profiles, here):
    return Plan(here.trt, plan, profiles, here.gpu)


@pytest.fixture(scope="module")
def encoder(tiny_checkpoint, tmp_path_factory):
    """A tiny encoder, published; tests have copies."""
    root = tmp_path_factory.mktemp("published")
    source = Tiny(checkpoint=tiny_checkpoint, root=root, spec=spec_of(tiny_checkpoint)).job()
    export_onnx.run(source)
    check_parity.run(source)
    publishing.run(source)
    return source


@pytest.fixture
def job(encoder, tmp_path):
    """An engine's job; tests may spoil its files."""
    root = tmp_path / "root"
    shutil.copytree(encoder.root, root)
    places = {name: root / getattr(encoder, name).relative_to(encoder.root) for name in PLACES}
    source = replace(encoder, root=root, **places)
    return EngineJob(
        spec=Engine("tiny", source.spec.digest(), GPU, source.spec.settings()),
        root=source.root,
        build=source.build / "tensorrt",
        code=source.code,
        target=source.target.parent / "tiny_encoder",
        texts=source.texts,
        source=source,
        written=12,
    )


def made(job, trt=None, wanted=AS_USUAL):
    """All steps but the last; the place."""
    here = at(trt or TensorRT())
    export.run(job)
    build.run(job, here, wanted)
    return here


@pytest.mark.parametrize("version", ["10.13.3.9", "11.4.0.106"])
def test_an_engine_goes_all_the_way(job, version):
    here = made(job, TensorRT(version))

    said = parity.run(job, here, opened)
    publish.run(job)

    assert said.startswith("tiny on NVIDIA H200: least cosine ")
    publish.verify(job, here.place)
    record = json.loads((job.target / "engine.json").read_text())
    assert record["built"] == {
        "gpu": "NVIDIA H200",
        "capability": "9.0",
        "driver": "570.86.15",
        "tensorrt": version,
        "container": "25.12",
        "server": "2.64.0",
    }
    assert record["command"] == "python -m build_engines all tiny --target tensorrt"
    assert record["strongly_typed"] is (version[:2] == "11")
    assert record["against_fp32_on_cpu"]["least_cosine"] > 0.999
    assert [one["name"] for one in record["profiles"]] == ["8 tokens", "16 tokens"]


def test_10_is_given_the_float32_graph_and_11_the_typed_one(job):
    for version, file in (("10.13.3.9", "encoder.fp32.onnx"), ("11.4.0.106", "encoder.onnx")):
        made(job, TensorRT(version))

        assert (job.build / "model.plan").read_bytes() == (job.build / file).read_bytes()


def test_the_graph_says_how_it_differs_from_float32(job):
    export.run(job)

    receipt = json.loads((job.build / "export.json").read_text())
    found = receipt["figures"]["against_fp32_on_cpu"]
    assert found["rows"] > 12
    assert 0.999 < found["least_cosine"] < 1
    assert receipt["figures"]["precision"] == "fp16"
    types = {one.data_type for one in onnx.load(job.build / "encoder.onnx").graph.initializer}
    assert onnx.TensorProto.FLOAT16 in types


def test_every_bucket_is_entered(job):
    trt = TensorRT()
    here = made(job, trt)

    parity.run(job, here, opened)

    assert trt.entered == [0, 1]
    assert trt.memory.waits == 2


def test_a_plan_that_answers_otherwise_is_not_published(job):
    here = made(job, TensorRT(bent=lambda rows: rows[..., ::-1] + np.float32(0)))

    with pytest.raises(ParityError, match="tiny on NVIDIA H200: least cosine"):
        parity.run(job, here, opened)
    with pytest.raises(StaleError, match="parity has not run"):
        publish.run(job)
    assert not job.target.exists()


@pytest.mark.parametrize(
    ("refuses", "message"),
    [
        ("plan", "does not read the plan"),
        ("context", "no room on the GPU"),
        ("enter", "refuses profile 0"),
        ("run", "refuses the run"),
    ],
)
def test_what_tensorrt_refuses_is_said(job, refuses, message):
    trt = TensorRT()
    here = made(job, trt)
    trt.refuses = refuses

    with pytest.raises(TargetError, match=message):
        parity.run(job, here, opened)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        pytest.param({"gpu": "NVIDIA L4", "capability": "8.9"}, "8.9", id="another GPU"),
        pytest.param({"tensorrt": "10.11.0.33"}, "TensorRT 10.11.0.33|10.11", id="version"),
    ],
)
def test_a_plan_of_another_place_is_not_run(job, changed, why):
    here = made(job)
    elsewhere = Here(replace(here.place, **changed), here.trt, here.gpu)

    with pytest.raises(StaleError, match=why) as raised:
        parity.run(job, elsewhere, opened)
    assert str(raised.value).endswith("python -m build_engines all tiny --target tensorrt")
    assert "runtime" not in here.trt.made


def test_the_command_that_builds_it_again_has_its_options(job):
    wanted = Wanted(Hardware.AMPERE, versions=True, typed=True)
    here = made(job, wanted=wanted)
    parity.run(job, here, opened)
    publish.run(job)

    engine = plans.read(job.target / "engine.json")

    assert engine.command == (
        "python -m build_engines all tiny --target tensorrt "
        "--hardware ampere --version-compatible --strongly-typed"
    )
    assert (engine.hardware, engine.versions) == ("ampere", True)
    publish.verify(job, replace(here.place, gpu="NVIDIA L4", capability="8.9"))


@pytest.fixture
def published(job):
    here = made(job)
    parity.run(job, here, opened)
    publish.run(job)
    return job


def other_spec(job):
    changed = replace(job.spec, gpu=job.spec.gpu.model_copy(update={"batch": 5}))
    return replace(job, spec=changed)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        pytest.param(
            lambda job: (job.target / "1/model.plan").unlink(), "model.plan is missing", id="gone"
        ),
        pytest.param(
            lambda job: (job.target / "1/model.plan").write_bytes(b"x"),
            "model.plan is not the one that was compared",
            id="another",
        ),
        pytest.param(
            lambda job: (job.source.target / "1/model.onnx").write_bytes(b"x"),
            "tiny/1/model.onnx has changed since",
            id="another network",
        ),
        pytest.param(other_spec, "the spec has changed since", id="another spec"),
        pytest.param(
            lambda job: (job.target / "engine.json").unlink(), "no engine.json", id="no record"
        ),
    ],
)
def test_what_is_not_as_it_was_compared_is_found(published, spoil, why):
    changed = spoil(published)
    job = changed if isinstance(changed, EngineJob) else published

    with pytest.raises(DriftError, match=why) as raised:
        publish.verify(job)
    assert str(raised.value).endswith("run: python -m build_engines all tiny --target tensorrt")


def test_a_published_engine_of_another_place_is_refused(published):
    publish.verify(published)  # nothing is known of the place

    with pytest.raises(DriftError, match="tiny_encoder: it was built by TensorRT 10.13.3.9"):
        publish.verify(published, replace(H200, tensorrt="10.11.0.33"))


def test_a_base_that_is_not_the_published_one_is_not_exported(job):
    (job.source.target / "1" / "model.onnx").write_bytes(b"x")

    with pytest.raises(DriftError, match="model.onnx is not the published one"):
        export.run(job)


def test_a_changed_spec_makes_the_steps_stale(job):
    export.run(job)

    with pytest.raises(StaleError, match="run: python -m build_engines export tiny --target"):
        build.run(other_spec(job), at(TensorRT()), Wanted())


def test_a_text_model_needs_buckets(job):
    wrong = replace(job, spec=replace(job.spec, gpu=Gpu(batch=8)))

    with pytest.raises(SpecError, match="needs lengths and windows"):
        wrong.profiles()


def test_timings_of_the_last_build_are_used_again(job):
    made(job)
    assert (job.build / "timings.cache").read_bytes() == b"+"

    build.run(job, at(TensorRT()), Wanted())

    assert (job.build / "timings.cache").read_bytes() == b"++"
    assert json.loads((job.build / "build.json").read_text())["figures"]["timings_reused"] is True
