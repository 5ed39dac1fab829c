"""The check where there is no GPU, and the order of its steps with stand-ins for all it runs.

Nothing here says anything of a GPU.
"""

import socket
import subprocess

import pytest

from build_engines.gpu import cuda
from build_engines.job import ROOT

SCRIPT = ROOT / "perf" / "gpu_check.sh"
# Stands for Python: writes down what it is asked, and fails where the test says so.
PYTHON = """#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$CALLS"
if [ "$1" = - ]; then grep -q libnvinfer && echo "${RELEASE:-}"; fi
set -f
for words in $FAILS; do case "$*" in *$words*) exit 3 ;; esac; done
exit 0
"""
TRITON = """#!/usr/bin/env bash
echo "triton $*" >>"$CALLS"
[ -z "${DIES:-}" ] || { echo "cannot load text_signals"; exit 1; }
exec -a "tritonserver $*" sleep 60
"""


def run(*arguments, **environment):
    names = " ".join(f"{name}={value!r}" for name, value in environment.items())
    command = f"{names} exec {SCRIPT} {' '.join(arguments)}"
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, cwd="/"
    )


def test_the_shell_reads_it():
    assert subprocess.run(["bash", "-n", str(SCRIPT)], timeout=20).returncode == 0


@pytest.mark.skipif(cuda.driver() is not None, reason="there is an NVIDIA driver here")
def test_without_a_gpu_it_says_so_in_one_line(tmp_path):
    done = run(GPU_CHECK_FOLDER=str(tmp_path / "work"))

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "gpu_check: no NVIDIA driver here (libcuda.so.1 is not found): "
        "nothing can be checked without a GPU\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        pytest.param(["--fast"], {}, "unknown option --fast", id="unknown option"),
        pytest.param(["--container"], {}, "--container needs a tag", id="no tag"),
        pytest.param([], {"PYTHON": "python-nowhere"}, "no python-nowhere here", id="no Python"),
    ],
)
def test_what_cannot_be_checked_is_refused(arguments, environment, message):
    done = run(*arguments, **environment)

    assert done.returncode == 2
    assert done.stderr.startswith(f"gpu_check: {message}")
    assert len(done.stderr.splitlines()) == 1


class Bench:
    """The script with stand-ins for Python and tritonserver."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        for name, text in {"python3": PYTHON, "tritonserver": TRITON}.items():
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)

    def run(self, *arguments, fails="", **environment):
        return run(
            *arguments,
            PATH=f"{self.folder / 'bin'}:/usr/bin:/bin",
            CALLS=str(self.folder / "calls"),
            FAILS=fails,
            GPU_CHECK_FOLDER=str(self.folder / "work"),
            **environment,
        )

    def calls(self):
        """What was run, but for the questions that are asked of the machine."""
        kinds = ("-m build", "-m perf", "triton ")
        return [line for line in self.all_calls() if line.startswith(kinds)]

    def all_calls(self):
        return (self.folder / "calls").read_text().splitlines()


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_where_all_is_met_it_says_so_and_leaves_no_server(bench):
    done = bench.run("--container", "25.12")

    assert done.returncode == 0, done.stderr
    assert "all met" in done.stdout.splitlines()[-1]
    signals, vision, server, load = bench.calls()
    work = bench.folder / "work"
    assert signals == (
        f"-m build_engines all text_signals --target tensorrt --build {work}/engines "
        f"--repository {work}/models --container 25.12"
    )
    assert vision.startswith("-m build_engines all vision_encoder --target tensorrt")
    assert f"--model-repository={work}/models" in server
    assert load.startswith("-m perf.gpu_load --url 127.0.0.1:18001")
    assert (work / "models/text_signals/1/trunk.onnx").is_file()
    assert not (work / "models/text_signals/1/trunk.onnx").is_symlink()
    assert running(bench.folder) == []


def test_the_checkout_is_left_as_it_is(bench):
    before = state()

    bench.run()

    assert state() == before


@pytest.mark.parametrize(
    ("cuda_version", "package"),
    [
        pytest.param("13.0.2", "tensorrt-cu13-bindings==10.13.3.*", id="CUDA 13"),
        pytest.param("12.9.1", "tensorrt-cu12-bindings==10.13.3.*", id="CUDA 12"),
    ],
)
def test_the_python_of_the_image_s_own_tensorrt_is_installed(bench, cuda_version, package):
    done = bench.run(fails="import?tensorrt", RELEASE="10.13.3", CUDA_VERSION=cuda_version)

    assert done.returncode == 0, done.stderr
    installs = [line for line in bench.all_calls() if " pip install " in line]
    assert len(installs) == 2
    assert installs[1].endswith(package)
    assert "--no-deps" in installs[1]


def test_another_server_is_not_measured_in_the_place_of_its_own(bench):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = bench.run(GPU_CHECK_PORT=str(port))

    assert done.returncode == 2
    assert done.stderr == f"gpu_check: port {port} is taken; name another in GPU_CHECK_PORT\n"
    assert bench.calls() == []


def test_the_report_of_an_earlier_run_does_not_stand_for_this_one(bench):
    report = bench.folder / "work" / "report.json"
    report.parent.mkdir()
    report.write_text("all met")

    assert bench.run(fails="perf.gpu_load").returncode == 1
    assert not report.exists()


def test_without_tensorrt_nothing_is_checked(bench):
    done = bench.run(fails="import?tensorrt")

    assert done.returncode == 2
    assert done.stderr == "gpu_check: no TensorRT here (libnvinfer is not found)\n"
    assert bench.calls() == []


@pytest.mark.parametrize(
    ("fails", "environment", "message"),
    [
        pytest.param("text_signals --target", {}, "text_signals was not built", id="a build"),
        pytest.param("vision_encoder --target", {}, "vision_encoder was not", id="another build"),
        pytest.param("perf.gpu_load", {}, "see above, and", id="an expectation"),
        pytest.param("pip install", {}, "the packages could not be installed", id="packages"),
        # It is never ready where it is to die.
        pytest.param("- 127.0.0.1", {"DIES": "1"}, "tritonserver ended", id="the server"),
    ],
)
def test_what_is_missed_ends_it_with_1(bench, fails, environment, message):
    done = bench.run(fails=fails.replace(" ", "?"), **environment)

    assert done.returncode == 1
    assert f"gpu_check: MISSED {message}" in done.stderr
    assert "all met" not in done.stdout
    assert running(bench.folder) == []


def running(folder):
    """Processes of the stand-in server that are left."""
    done = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, timeout=20)
    return [line for line in done.stdout.splitlines() if f"{folder}/work/models" in line]


def state():
    command = ["git", "status", "--short", "--ignored", "model_repository", "perf"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60).stdout
