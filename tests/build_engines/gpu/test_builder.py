"""What TensorRT 10 and 11 are told, by a fake that has the members of each."""

import pytest

pytest.importorskip("onnx", reason="needs the engines environment: make test-engines")

from build_engines.errors import TargetError
from build_engines.gpu.builder import Options, build
from build_engines.gpu.hardware import Hardware
from build_engines.gpu.profiles import Profile, Range
from tests.build_engines.gpu.fake_tensorrt import TensorRT
from tests.build_engines.gpu.networks import head

GRAPH = head().SerializeToString()
PROFILES = [
    Profile("few", {"x": Range((1, 8), (2, 8), (4, 8))}),
    Profile("many", {"x": Range((1, 8), (16, 8), (32, 8))}),
]
HALF = Options("fp16", frozenset({"Softmax/shares", "Div/unit"}), workspace=256)


def built(trt, options=HALF, timings=b""):
    return build(trt, GRAPH, PROFILES, options, timings)


def flags(trt):
    return {flag.name for flag in trt.config.flags}


def test_every_profile_is_added_in_its_order():
    trt = TensorRT()

    assert built(trt).plan == GRAPH
    assert trt.config.profiles == [
        {"x": ((1, 8), (2, 8), (4, 8))},
        {"x": ((1, 8), (16, 8), (32, 8))},
    ]


def test_10_is_told_by_flags_and_layers_what_stays_float32():
    trt = TensorRT("10.13.3.9")

    found = built(trt)

    assert trt.flags == 1 << trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH
    assert flags(trt) == {"FP16", "OBEY_PRECISION_CONSTRAINTS"}
    told = {layer.name: layer.precision for layer in trt.network.layers if layer.told}
    wide = trt.DataType.FLOAT
    assert told == {"Softmax/shares": wide, "Div/unit": wide}
    # A kept node's other layers make indices: of those nothing is told.
    assert (found.layers, found.layers_fp32) == (10, 2)


@pytest.mark.parametrize(
    ("version", "options"),
    [
        pytest.param("11.4.0.106", HALF, id="11"),
        pytest.param(
            "10.13.3.9", Options("fp16", HALF.kept, 256, typed=True), id="10 if it is asked"
        ),
    ],
)
def test_a_strongly_typed_network_is_told_by_its_graph_alone(version, options):
    trt = TensorRT(version)

    assert built(trt, options).layers_fp32 == 0
    assert trt.flags == 1 << trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED
    assert flags(trt) == set()
    assert not any(layer.told for layer in trt.network.layers)


@pytest.mark.parametrize(
    ("precision", "allowed"),
    [
        pytest.param("bf16", {"BF16", "OBEY_PRECISION_CONSTRAINTS"}, id="brain"),
        pytest.param("fp32", set(), id="all wide"),
    ],
)
def test_other_precisions(precision, allowed):
    trt = TensorRT()
    kept = frozenset() if precision == "fp32" else HALF.kept

    built(trt, Options(precision, kept, 256))

    assert flags(trt) == allowed


def test_float32_is_never_shortened_to_ten_bits():
    trt = TensorRT()

    built(trt)

    assert {flag.name for flag in trt.config.cleared} == {"TF32"}


@pytest.mark.parametrize("version", ["10.13.3.9", "11.4.0.106"])
def test_the_workspace_is_in_mebibytes(version):
    trt = TensorRT(version)

    built(trt)

    assert trt.config.pools == {trt.MemoryPoolType.WORKSPACE: 256 * 1024 * 1024}


@pytest.mark.parametrize(
    ("hardware", "level"),
    [
        (Hardware.SAME, "NONE"),
        (Hardware.CAPABILITY, "SAME_COMPUTE_CAPABILITY"),
        (Hardware.AMPERE, "AMPERE_PLUS"),
    ],
)
def test_an_engine_may_run_on_other_gpus(hardware, level):
    trt = TensorRT()

    built(trt, Options("fp16", HALF.kept, 256, hardware=hardware))

    assert trt.config.hardware_compatibility_level.name == level


def test_what_a_version_has_not_is_refused_by_name():
    with pytest.raises(TargetError, match="TensorRT 10.5.0 has no SAME_COMPUTE_CAPABILITY"):
        built(TensorRT("10.5.0"), Options("fp16", HALF.kept, 256, hardware=Hardware.CAPABILITY))


@pytest.mark.parametrize("version", ["10.13.3.9", "11.4.0.106"])
def test_an_engine_may_run_with_later_versions(version):
    trt = TensorRT(version)

    built(trt, Options("fp16", HALF.kept, 256, versions=True))

    assert "VERSION_COMPATIBLE" in flags(trt)


@pytest.mark.parametrize(
    ("refuses", "before", "used", "after"),
    [
        pytest.param("", b"", b"", b"+", id="the first build"),
        pytest.param("", b"old", b"old", b"old+", id="again"),
        pytest.param("timings", b"old", b"", b"+", id="of another GPU"),
    ],
)
def test_timings_are_kept_for_the_next_build(refuses, before, used, after):
    trt = TensorRT(refuses=refuses)

    assert built(trt, timings=before).timings == after
    assert trt.config.cache.data == used


@pytest.mark.parametrize(
    ("refuses", "message"),
    [
        pytest.param(
            "graph",
            "TensorRT 10.13.3.9 cannot read the graph: node 0 is not known; node 1 is not known",
            id="graph",
        ),
        pytest.param("profile", "TensorRT refuses the profile of few", id="profile"),
        pytest.param("build", "TensorRT built no plan", id="build"),
    ],
)
def test_what_tensorrt_refuses_is_said(refuses, message):
    with pytest.raises(TargetError, match=message):
        built(TensorRT(refuses=refuses))


def test_names_that_no_layer_has_are_refused():
    with pytest.raises(TargetError, match="no layer of the network has the name"):
        built(TensorRT(), Options("fp16", frozenset({"Softmax/other"}), 256))


@pytest.mark.parametrize("version", ["8.6.1", "9.3.0", "12.0.0", "x"])
def test_other_major_versions_are_refused_before_anything_is_made(version):
    trt = TensorRT()
    trt.__version__ = version

    with pytest.raises(TargetError, match=f"TensorRT {version}: engines are built with 10 and 11"):
        built(trt)
    assert trt.made == []
