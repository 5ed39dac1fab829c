"""The names that the engine builder uses, in the real Python of TensorRT 10 and 11."""

import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from build_engines.gpu import bindings, builder
from build_engines.gpu.hardware import LEVELS, Hardware
from build_engines.job import ROOT

FOLDER = ROOT / "build" / "bindings"
VERSIONS = ("10.5.0", "10.13.3.9", "10.16.1.11", "11.4.0.106")
# What is asked here -> what TensorRT calls it.
CLASSES = {
    bindings.Tensor: "ITensor",
    bindings.Layer: "ILayer",
    bindings.Network: "INetworkDefinition",
    bindings.Profile: "IOptimizationProfile",
    bindings.TimingCache: "ITimingCache",
    bindings.Config: "IBuilderConfig",
    bindings.Builder: "Builder",
    bindings.Parser: "OnnxParser",
    bindings.Context: "IExecutionContext",
    bindings.Engine: "ICudaEngine",
    bindings.Runtime: "Runtime",
}
ONLY_10 = {("ILayer", "precision"), ("ILayer", "set_output_type")}

pytestmark = pytest.mark.bindings


def asked(protocol):
    """Attributes and methods that a Protocol states."""
    stated = set(protocol.__annotations__) | set(vars(protocol))
    return sorted(name for name in stated if name[0] != "_")


def parameters(protocol, name):
    """The names by which a method is called, without self."""
    method = vars(protocol).get(name)
    return list(inspect.signature(method).parameters)[1:] if inspect.isfunction(method) else None


@pytest.fixture(scope="module", params=VERSIONS)
def real(request):
    version = request.param
    if not (FOLDER / version / "tensorrt_bindings").is_dir():
        pytest.skip(f"no {FOLDER.relative_to(ROOT)}/{version}; run: scripts/tensorrt-bindings")
    if not list((FOLDER / version / "tensorrt_bindings").glob("tensorrt*.so")):
        pytest.skip(f"the bindings of {version} are of no use to this Python")
    libraries = FOLDER / "lib" / version.partition(".")[0]
    done = subprocess.run(
        ["env", f"LD_LIBRARY_PATH={libraries}", f"PYTHONPATH={FOLDER / version}"]
        + [sys.executable, str(Path(__file__).parent / "look.py"), *CLASSES.values()],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["version"] == version
    return found


def is_11(real):
    return bindings.major(real["version"]) == 11


@pytest.mark.parametrize("protocol", CLASSES, ids=CLASSES.values())
def test_every_name_is_there(real, protocol):
    kind = CLASSES[protocol]
    absent = {(kind, name) for name in asked(protocol) if name not in real["classes"][kind]}

    assert asked(protocol)
    assert absent == ({one for one in ONLY_10 if one[0] == kind} if is_11(real) else set())


@pytest.mark.parametrize("protocol", CLASSES, ids=CLASSES.values())
def test_every_argument_has_its_name(real, protocol):
    kind = CLASSES[protocol]
    for name in asked(protocol):
        wanted = parameters(protocol, name)
        said = real["classes"][kind].get(name, "")
        # One that is overloaded says only *args.
        if wanted is None or not said.startswith(f"{name}(self"):
            continue
        given = re.findall(r"[(,] ?(\w+): ", said)[1:]
        assert given[: len(wanted)] == wanted, said


def test_precision_is_told_by_flags_in_10_and_by_nothing_in_11(real):
    narrow = {*builder.FLAGS.values(), "OBEY_PRECISION_CONSTRAINTS"}

    assert narrow & set(real["enums"]["BuilderFlag"]) == (set() if is_11(real) else narrow)


def test_a_network_is_strongly_typed_where_it_is_asked_to_be(real):
    assert "STRONGLY_TYPED" in real["flags"]
    assert ("EXPLICIT_BATCH" in real["flags"]) is not is_11(real)


@pytest.mark.parametrize(
    ("enum", "members"),
    [
        ("BuilderFlag", {"TF32", "VERSION_COMPATIBLE"}),
        ("DataType", {"FLOAT"}),
        ("MemoryPoolType", {"WORKSPACE"}),
        ("TensorIOMode", {"INPUT", "OUTPUT"}),
    ],
)
def test_other_members_are_there(real, enum, members):
    assert members <= set(real["enums"][enum])
    assert "WARNING" in real["severities"]


def test_the_levels_of_hardware_are_there_but_for_one_in_early_versions(real):
    there = set(real["enums"]["HardwareCompatibilityLevel"])
    early = {LEVELS[Hardware.CAPABILITY]} if real["version"] == "10.5.0" else set()

    assert set(LEVELS.values()) - there == early


def test_the_fake_of_the_builder_s_tests_has_no_member_that_the_real_one_lacks(real):
    pytest.importorskip("onnx", reason="needs the engines environment: make test-engines")
    fake = importlib.import_module("tests.build_engines.gpu.fake_tensorrt").TensorRT(
        real["version"]
    )
    members = {
        name: {member.name for member in getattr(fake, name)}
        for name in real["enums"]
        if hasattr(fake, name)
    }

    assert len(members) >= 6
    assert all(found <= set(real["enums"][name]) for name, found in members.items())
