import subprocess
import sys

import pytest

from build_engines.errors import TargetError
from build_engines.job import ROOT
from build_engines.target import Target, require

DRIVER = "an NVIDIA driver (libcuda)"
PACKAGE = "the package tensorrt, of the version in the Triton that loads the engine"
END = "this version builds ONNX only"


@pytest.mark.parametrize(
    ("driver", "package", "needs"),
    [
        pytest.param(False, False, f"it needs {DRIVER} and {PACKAGE}; ", id="neither"),
        pytest.param(False, True, f"it needs {DRIVER}; ", id="no driver"),
        pytest.param(True, False, f"it needs {PACKAGE}; ", id="no package"),
        pytest.param(True, True, "", id="both are there"),
    ],
)
def test_an_engine_is_refused_and_what_is_missing_is_said(driver, package, needs):
    with pytest.raises(TargetError) as raised:
        require(Target.TENSORRT, lambda: driver, lambda: package)

    assert str(raised.value) == f"no TensorRT engine is built: {needs}{END}"


def test_onnx_needs_neither():
    require(Target.ONNX, lambda: False, lambda: False)


@pytest.mark.parametrize("command", ["export", "all"])
def test_the_command_line_refuses_before_it_builds(tmp_path, command):
    arguments = [command, "text_embedding", "--build", str(tmp_path), "--target", "tensorrt"]

    done = subprocess.run(
        [sys.executable, "-m", "build_engines", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: no TensorRT engine is built: ")
    assert line.endswith(END)
    assert list(tmp_path.iterdir()) == []
