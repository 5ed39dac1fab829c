"""Models that answer in the place of others: named in the settings of Triton, and nowhere else."""

import numpy as np
import pytest

from build_engines import spec as specs
from orchestrator.app.model_plane import loaded, model_plane
from orchestrator.app.policies import ENCODERS
from orchestrator.config.services import Triton
from orchestrator.telemetry import Telemetry
from tests.app.findings import problems, warnings
from tests.inference.fake_models import vector
from tests.inference.fake_triton import FakeTriton, serving
from tests.inference.golden_files import write_classifier, write_goldens

CONFIG = 'parameters {{ key: "dimensions" value {{ string_value: "{}" }} }}'


def policy(triton, model_type="all-MiniLM-L6-v2"):
    return f"""
        version: v0.3
        providers: {{defaults: {{default_model: small}}}}
        global:
          services: {{triton: {triton}}}
          model_catalog:
            embeddings: {{semantic: {{embedding_config: {{model_type: {model_type}}}}}}}
        routing:
          modelCards: [{{name: small}}]
          signals: {{embeddings: [{{name: a, threshold: 1, candidates: [b]}}]}}
          decisions: []
    """


def publish(repository, model, dimensions=""):
    write_goldens(repository, model)
    (repository / model / "config.pbtxt").write_text(CONFIG.format(dimensions))
    return repository


@pytest.mark.parametrize(
    ("dimension", "shape"), [pytest.param(0, (8,), id="whole"), pytest.param(2, (2,), id="cut")]
)
async def test_the_named_model_is_asked_and_compared(tmp_path, dimension, shape):
    """It is proved with all its numbers, and asked for as many as the settings say."""
    write_goldens(tmp_path, "large")
    settings = Triton(
        model_repository=str(tmp_path), models={"text_embedding": "large"}, dimension=dimension
    )
    async with (
        serving(FakeTriton()) as url,
        model_plane(settings, ["text_embedding"], [url], Telemetry()) as plane,
    ):
        await plane.looked()
        found = await plane.inference.embed("text_embedding", ["hi"])
        status, answering = plane.status(), plane.stand_ins

    assert answering == {"text_embedding": "large"}
    own = vector(b"hi")[: dimension or None]
    np.testing.assert_allclose(found[0], own / np.linalg.norm(own), atol=1e-6)
    assert [(one.model, one.trusted) for one in status.models] == [("large", True)]


async def test_a_classifier_is_replaced_with_all_that_is_asked_of_it(tmp_path):
    write_classifier(tmp_path, "mine")
    settings = Triton(model_repository=str(tmp_path), models={"text_signals": "mine"})
    async with (
        serving(FakeTriton()) as url,
        model_plane(settings, ["text_signals"], [url], Telemetry()) as plane,
    ):
        await plane.looked()
        tasks = plane.inference.labels("text_signals")
        (said,) = await plane.inference.classify("text_signals", ["hi"], ["domain"])

    assert set(said.probabilities["domain"]) == set(tasks["domain"])


def test_a_name_that_nobody_asks_is_told(tmp_path):
    publish(tmp_path, "large")
    triton = f"{{models: {{text_embeding: large}}, model_repository: {tmp_path}}}"

    told = {path.rpartition(".")[2]: message for path, message in warnings(policy(triton))}

    assert "no rule asks a model 'text_embeding'" in told["text_embeding"]


def test_what_is_replaced_is_not_loaded():
    settings = Triton(models={"text_embedding": "large", "text_signals": "large"})

    assert loaded(settings, ["text_embedding", "text_signals"]) == ("large",)


@pytest.mark.parametrize(
    ("triton", "message"),
    [
        pytest.param(
            "{{models: {{text_embedding: absent}}, model_repository: {0}}}",
            "no model 'absent' in ",
            id="a model that there is not",
        ),
        pytest.param(
            "{{models: {{text_embedding: large}}, model_repository: {0}, dimension: 300}}",
            "large does not give 300 numbers (it gives 768, 512)",
            id="a dimension that there is not",
        ),
        pytest.param(
            "{{models: {{text_embedding: whole}}, model_repository: {0}, dimension: 128}}",
            "whole does not give 128 numbers (it was not trained to be cut: leave it out)",
            id="an encoder that may not be cut",
        ),
    ],
)
def test_what_cannot_answer_is_refused(tmp_path, triton, message):
    publish(publish(tmp_path, "large", "768,512"), "whole")

    (problem,) = problems(policy(triton.format(tmp_path)))

    said = f"{problem.message} ({problem.hint})"
    assert message.split(" (")[0] in said
    assert message.partition(" (")[2].rstrip(")") in said


def test_a_model_of_another_triton_is_missed_where_its_goldens_are_looked_for(tmp_path):
    stated = f"models: {{text_embedding: large}}, model_repository: {tmp_path}"
    text = policy(f"{{urls: ['127.0.0.1:1'], {stated}}}", "large")
    place = "global.services.triton.models.text_embedding"

    [missed] = [said for path, said in warnings(text) if path == place]

    assert missed.startswith(f"no model 'large' in {tmp_path}; what asks text_embedding is unknown")
    publish(tmp_path, "large")
    assert place not in dict(warnings(text))


@pytest.mark.parametrize(
    ("model", "model_type", "warned"),
    [
        pytest.param("embeddinggemma_300m", "gemma", False, id="the encoder that runs"),
        pytest.param("embeddinggemma_300m", "embeddinggemma_300m", False, id="by its own name"),
        pytest.param("embeddinggemma_300m", "qwen3", True, id="another encoder"),
        pytest.param("embeddinggemma_300m", "all-MiniLM-L6-v2", True, id="the default one"),
    ],
)
def test_an_encoder_is_called_by_the_name_of_the_one_that_runs(model, model_type, warned):
    triton = f"{{urls: ['127.0.0.1:1'], models: {{text_embedding: {model}}}}}"

    said = [path for path, _ in warnings(policy(triton, model_type)) if "model_type" in path]

    assert bool(said) is warned


def test_every_encoder_that_the_format_names_can_be_built():
    assert [model for model in ENCODERS.values() if not specs.path_of(model).is_file()] == []
