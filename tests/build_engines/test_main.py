"""The command line, and the default model built anew."""

import json
import subprocess
import sys

import pytest

from build_engines.__main__ import _module
from build_engines.errors import TargetError
from build_engines.job import ROOT
from build_engines.receipt import versions


def test_a_package_that_is_missing_is_named_with_what_brings_it():
    with pytest.raises(TargetError, match=r"package none_such is not installed: pip .*'.\[gpu\]'"):
        _module("none_such.steps", "gpu")
    with pytest.raises(ModuleNotFoundError):  # a module of our own is a mistake of ours
        _module("build_engines.none_such", "gpu")


def build_engines(*arguments):
    command = [sys.executable, "-m", "build_engines", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("export", "nothing"), "error: no model 'nothing'", id="unknown model"),
        pytest.param(
            ("parity", "text_embedding", "--check"), "parity has not run", id="check before a build"
        ),
        pytest.param(
            ("publish", "text_embedding", "--check", "--repository"), "no receipt.json", id="drift"
        ),
        pytest.param(
            ("export", "mmbert_32k", "--revision", "main"),
            "--revision main: give a commit",
            id="a revision that moves",
        ),
        *(
            pytest.param(
                (step, "text_signals", "--target", "tensorrt", "--revision", "0" * 40),
                "--revision names a checkpoint, and an engine is built of a network",
                id=f"{step} of an engine at a revision",
            )
            for step in ("export", "parity", "all")
        ),
    ],
)
def test_a_failure_is_one_readable_line(tmp_path, arguments, message):
    folder = [str(tmp_path)] if arguments[-1] == "--repository" else ["--build", str(tmp_path)]

    done = build_engines(*arguments, *folder)

    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_repository_that_is_not_there_is_one_line_too(tmp_path):
    command = [sys.executable, "-m", "build_engines.fleet", "text_signals"]
    done = subprocess.run(
        [*command, "--repository", str(tmp_path / "none")], cwd=ROOT, capture_output=True, text=True
    )

    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


def test_the_committed_model_verifies():
    done = build_engines("publish", "text_embedding", "--check")

    assert (done.returncode, done.stderr) == (0, "")


def test_the_default_model_is_reproduced():
    """All steps into an empty folder; the result meets the committed goldens."""
    pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

    done = build_engines("all", "text_embedding", "--check")

    assert done.returncode == 0, done.stderr
    *_, last = done.stdout.splitlines()
    assert "a new build meets the committed goldens, least cosine" in last
    assert float(last.rsplit(maxsplit=1)[1]) >= 0.99999


def test_the_same_packages_give_the_same_network(tmp_path):
    """Bit for bit, as long as the exporter is of the versions in the committed receipt."""
    pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
    committed = json.loads((ROOT / "model_repository/text_embedding/receipt.json").read_text())
    step = committed["steps"][0]
    here = versions()
    if any(here[name] != step["versions"][name] for name in ("torch", "onnx", "onnxscript")):
        pytest.skip("other versions of torch, onnx or onnxscript than the committed build's")

    assert build_engines("export", "text_embedding", "--build", str(tmp_path)).returncode == 0

    built = json.loads((tmp_path / "text_embedding" / "export.json").read_text())
    assert sorted(built["outputs"].values()) == sorted(step["outputs"].values())
