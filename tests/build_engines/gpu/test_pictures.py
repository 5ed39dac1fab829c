"""The graph of the image encoder: as exported, and in the types of its spec nearly so."""

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the engines environment: make test-engines")

import onnx

from build_engines.gpu import pictures, samples
from build_engines.gpu.agreement import compare
from build_engines.gpu.export import answers
from build_engines.gpu.job import job_of
from build_engines.gpu.precision import kept, typed
from build_engines.gpu.rounding import opened, rounded
from tests.build_engines.gpu import rectangles


@pytest.fixture(scope="module")
def job():
    return job_of("vision_encoder")


@pytest.fixture(scope="module")
def graph(job):
    return pictures.published(job.source.target)


@pytest.fixture(scope="module")
def pixels(job):
    """Four of the golden pictures."""
    return pictures.golden(job.source)[::4]


def test_the_graph_gives_what_the_published_network_gives(job, graph, pixels):
    network = (job.source.target / "1" / "model.onnx").read_bytes()

    found = answers(opened(graph))({"PIXELS": pixels})

    for name, expected in answers(rectangles.session(network))({"PIXELS": pixels}).items():
        np.testing.assert_allclose(found[name], expected, atol=1e-5)


def test_its_weights_are_float32_and_its_nodes_have_names(graph):
    halves = [one for one in graph.graph.initializer if one.data_type == onnx.TensorProto.FLOAT16]

    assert halves == []
    assert all(node.name == f"{node.op_type}/{node.output[0]}" for node in graph.graph.node)


def test_in_the_types_of_its_spec_it_agrees(job, graph, pixels):
    gpu = job.spec.gpu
    narrow = typed(graph, gpu.precision, gpu.fp32)

    agreement = compare(
        answers(opened(graph)),
        answers(opened(rounded(narrow))),
        samples.of_pictures(pixels, 4),
        {},
    )

    agreement.demand("the image encoder")
    assert agreement.rows == len(pixels)
    assert agreement.least_cosine < 1


def test_its_convolutions_are_narrow(job, graph):
    gpu = job.spec.gpu

    assert not any(name.startswith("Conv/") for name in kept(graph, gpu.fp32, gpu.precision))
