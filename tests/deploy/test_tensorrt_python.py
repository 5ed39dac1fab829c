"""Which Python of TensorRT goes into the image, by the library that is there."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.deploy.compose import ROOT

SCRIPT = ROOT / "docker/tensorrt-python.sh"


def _tool(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def _run(folder: Path, library: str, cuda: str, *, there: bool = False) -> tuple[int, str]:
    """Its status, and what it asked pip for or said."""
    if library:
        (folder / library).touch()
        (folder / "libnvinfer.so.10").symlink_to(library)
    row = f"libnvinfer.so.10 (libc6,x86-64) => {folder}/libnvinfer.so.10"
    other = "libnvinfer_plugin.so.10 (libc6,x86-64) => /nowhere/libnvinfer_plugin.so.10"
    _tool(folder, "ldconfig", f"echo '\t{other}'" + (f"; echo '\t{row}'" if library else ""))
    _tool(folder, "python3", f'[ "$1" = -c ] && exit {0 if there else 1}; echo "$@"')
    path = f"{folder}{os.pathsep}{os.defpath}"
    environment = {"PATH": path, "CUDA_VERSION": cuda}
    done = subprocess.run(
        ["sh", SCRIPT, "/opt/site"], env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("library", "cuda", "said"),
    [
        pytest.param("", "13.1.0", "libnvinfer is not found", id="no-library"),
        pytest.param("libnvinfer.so.10.14.1", "", "expected 12 or 13", id="no-cuda"),
        pytest.param("libnvinfer.so.10.14.1", "11.8", "expected 12 or 13", id="old-cuda"),
    ],
)
def test_what_it_cannot_tell_ends_the_build(
    tmp_path: Path, library: str, cuda: str, said: str
) -> None:
    code, told = _run(tmp_path, library, cuda)

    assert (code, said in told) == (1, True)


@pytest.mark.parametrize(
    ("cuda", "wanted"),
    [
        pytest.param("12.9.1.006", "tensorrt-cu12-bindings==10.13.3.*", id="cuda-12"),
        pytest.param("13.1.0.036", "tensorrt-cu13-bindings==10.13.3.*", id="cuda-13"),
    ],
)
def test_the_bindings_are_of_the_library_s_version(tmp_path: Path, cuda: str, wanted: str) -> None:
    code, told = _run(tmp_path, "libnvinfer.so.10.13.3", cuda)

    assert code == 0
    assert told.splitlines()[-1] == f"-m pip install --no-deps --target /opt/site {wanted}"


def test_nothing_is_installed_where_the_image_has_it(tmp_path: Path) -> None:
    assert _run(tmp_path, "libnvinfer.so.10.13.3", "12.9", there=True) == (0, "")
