"""The config files of a text model on GPUs, letter for letter, and as Triton's own schema reads
them."""

from pathlib import Path

import pytest
from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2 as pb

from build_engines.fleet import forms, texts
from build_engines.fleet.spec import Fleet
from build_engines.fleet.texts import TextModel
from build_engines.gpu.profiles import of_texts
from build_engines.gpu.spec import GpuText
from build_engines.kinds import job_of

GOLDEN = Path(__file__).parent / "golden"
MODELS = ("text_embedding", "text_signals", "vision_encoder", "siglip_base")
WITHOUT_ENGINE = ("embeddinggemma_300m", "mmbert_32k", "text_signals_mmbert")
SETTINGS = {"window": "16", "overlap": "2", "max_bytes": "100", "threads": "1"}
GPU = GpuText(lengths=(8, 16), windows=2, batch=4, optimal=2)


def model(**changes):
    """Two tasks over a tiny encoder."""
    stated = {
        "name": "tiny",
        "summary": "Two tasks",
        "dimension": 6,
        "settings": SETTINGS,
        "gpu": GPU,
        "fleet": Fleet(steps=3, queue=9, timeout_ms=50, priority=1),
        "sequences": {"topic": 3},
        "tokens": {"place": 5},
        "order": ("topic", "place"),
    }
    return TextModel(**(stated | changes))


def parsed(text):
    return text_format.Parse(text, pb.ModelConfig())


@pytest.mark.parametrize("path", sorted(texts.files(model())))
def test_the_text_is_the_golden_one(path):
    golden = GOLDEN / path.removeprefix("../").replace("/", ".")

    assert texts.files(model())[path] == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*MODELS, *WITHOUT_ENGINE])
def test_every_config_is_one_to_triton(name):
    rendered = forms.rendered(job_of(name))

    configs = {path: text for path, text in rendered.items() if path.endswith(".pbtxt")}
    for text in configs.values():
        parsed(text.decode())
    assert {"config.pbtxt", "configs/cpu.pbtxt"} <= configs.keys()


@pytest.mark.parametrize("name", WITHOUT_ENGINE)
def test_an_encoder_that_is_served_on_cpus_has_one_form(name):
    rendered = forms.rendered(job_of(name))

    assert {*rendered} == {"config.pbtxt", forms.CPU}
    assert rendered["config.pbtxt"] == rendered[forms.CPU]
    assert parsed(rendered[forms.CPU].decode()).backend == "python"


@pytest.mark.parametrize("name", ["text_embedding", "text_signals"])
def test_both_forms_have_the_same_tensors(name):
    rendered = forms.rendered(job_of(name))
    gpu, cpu = (parsed(rendered[path].decode()) for path in ("config.pbtxt", forms.CPU))

    for one in ("input", "output"):
        both = [
            {(t.name, t.data_type, tuple(t.dims)) for t in getattr(config, one)}
            for config in (gpu, cpu)
        ]
        assert both[0] == both[1]


def test_an_engine_is_served_for_every_profile_and_batch():
    config = parsed(texts.engine(model()))

    profiles = of_texts(GPU)
    [group] = config.instance_group
    assert list(group.profile) == [str(at) for at in range(len(profiles))]
    assert list(config.dynamic_batching.preferred_batch_size) == [GPU.optimal, GPU.batch]
    for sample in config.model_warmup:
        shapes = {name: (sample.batch_size, *one.dims) for name, one in sample.inputs.items()}
        assert any(profile.holds(shapes) for profile in profiles), sample.name
    batches = [(one.batch_size, *one.inputs["INPUT_IDS"].dims) for one in config.model_warmup]
    assert batches == [(b, 1, s) for s in (8, 16) for b in (1, 2, 4)] + [(1, 2, 16)]


@pytest.mark.parametrize(
    ("priority", "streams"),
    [
        pytest.param(2, pb.ModelOptimizationPolicy.PRIORITY_DEFAULT, id="after guards"),
        pytest.param(1, pb.ModelOptimizationPolicy.PRIORITY_MAX, id="guards"),
    ],
)
def test_who_goes_first_where_engines_share_a_gpu(priority, streams):
    config = parsed(texts.engine(model(fleet=Fleet(priority=priority))))

    assert config.instance_group[0].rate_limiter.priority == priority
    assert config.optimization.priority == streams


def test_guards_go_before_the_rest():
    """All guards are tasks of one model: a request carries them together with its other tasks."""
    priorities = {name: job_of(name).spec.fleet.priority for name in MODELS}

    assert priorities.pop("text_signals") < min(priorities.values())


@pytest.mark.parametrize("name", MODELS)
def test_no_answer_is_kept_unless_the_spec_says_so(name):
    """The router compares what it is told with goldens again and again: a kept answer would hide an
    engine that has gone wrong."""
    rendered = forms.rendered(job_of(name))

    assert not any(b"response_cache" in text for text in rendered.values())


def test_answers_are_kept_of_the_whole_alone():
    written = texts.files(model(fleet=Fleet(cache=True)))

    cached = {path for path, text in written.items() if parsed(text).response_cache.enable}
    assert cached == {"config.pbtxt"}


def test_a_model_without_an_engine_has_one_form():
    job = job_of("text_embedding")
    spec = job.spec.model_copy(update={"gpu": None})
    bare = type(job)(spec, job.root, job.build, job.code, job.target)

    rendered = forms.rendered(bare)

    assert set(rendered) == {"config.pbtxt", forms.CPU}
    assert rendered["config.pbtxt"] == rendered[forms.CPU] == spec.config().encode()
