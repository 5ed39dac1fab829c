import subprocess
import sys

import pytest

from build_engines.errors import TargetError
from build_engines.gpu import cuda
from build_engines.job import ROOT
from build_engines.target import Target, require

DRIVER = "an NVIDIA driver (libcuda.so.1)"
PACKAGE = "the package tensorrt, of the version in the Triton that loads the engine"


@pytest.mark.parametrize(
    ("driver", "package", "needs"),
    [
        pytest.param(False, False, f"{DRIVER} and {PACKAGE}", id="neither"),
        pytest.param(False, True, DRIVER, id="no driver"),
        pytest.param(True, False, PACKAGE, id="no package"),
    ],
)
def test_an_engine_is_refused_and_what_is_missing_is_said(driver, package, needs):
    with pytest.raises(TargetError) as raised:
        require(Target.TENSORRT, lambda: driver, lambda: package)

    assert str(raised.value) == f"no TensorRT engine here: it needs {needs}"


def test_where_both_are_an_engine_is_not_refused():
    require(Target.TENSORRT, lambda: True, lambda: True)


def test_onnx_needs_neither():
    require(Target.ONNX, lambda: False, lambda: False)


@pytest.mark.skipif(cuda.driver() is not None, reason="there is an NVIDIA driver here")
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["build", "text_embedding"], id="build"),
        pytest.param(["parity", "text_embedding", "--target", "tensorrt"], id="parity"),
        pytest.param(["all", "text_embedding", "--target", "tensorrt"], id="all"),
    ],
)
def test_the_command_line_refuses_before_it_does_anything(tmp_path, command):
    done = run([*command, "--build", str(tmp_path)])

    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: no TensorRT engine here: it needs {DRIVER}")
    assert list(tmp_path.iterdir()) == []


def test_onnx_runtime_needs_no_build(tmp_path):
    done = run(["build", "text_embedding", "--target", "onnx", "--build", str(tmp_path)])

    assert done.returncode == 1
    assert done.stderr == "error: nothing to build: ONNX Runtime loads what export writes\n"


def test_a_repository_without_an_engine_is_told_how_to_have_one(tmp_path):
    arguments = ["--target", "tensorrt", "--check", "--repository", str(tmp_path)]

    done = run(["publish", "text_embedding", *arguments])

    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.endswith(
        "no engine.json; run: python -m build_engines all text_embedding --target tensorrt"
    )


def run(arguments):
    return subprocess.run(
        [sys.executable, "-m", "build_engines", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
