import importlib.metadata
import re
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.errors import ServerStartError
from orchestrator.inference import installation as bundled
from orchestrator.inference.installation import STUB, Installation


@pytest.fixture
def installation(tmp_path):
    root = tmp_path / "wheel"
    for name in ("bin/tritonserver", "backends/python/libtriton_python.so"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text("")
    for version in ("3.11", "3.12"):
        folder = root / "python_backend_stubs" / version
        folder.mkdir(parents=True)
        (folder / STUB).write_text("#!/bin/sh\necho usage >&2; exit 1\n")
    return Installation(root, "0.7.0", Path(sys.executable), "3.11", ())


def _without_server(made):
    made.server.unlink()
    return made


@pytest.mark.parametrize(
    ("change", "numpy", "message"),
    [
        pytest.param(_without_server, "1.26.4", "reinstall nvidia-pytriton", id="no server"),
        pytest.param(
            lambda made: replace(made, version="3.14"),
            "1.26.4",
            "no Python backend for Python 3.14; it has: 3.11, 3.12",
            id="Python too new",
        ),
        pytest.param(lambda made: made, "2.0.1", "NumPy 2.0.1 breaks .*'numpy<2'", id="NumPy 2"),
        pytest.param(lambda made: made, "10.0", "NumPy 10.0 breaks", id="NumPy 10"),
    ],
)
def test_what_cannot_run_is_named(installation, change, numpy, message):
    with pytest.raises(ServerStartError, match=message):
        bundled.check_installation(change(installation), numpy=numpy)


def test_what_can_run_passes(installation):
    bundled.check_installation(installation, numpy="1.26.4")


LOADER = "{}: error while loading shared libraries: {}: cannot open shared object file: No such"


@pytest.mark.parametrize(
    ("library", "message"),
    [
        pytest.param(
            "libpython3.11.so.1.0",
            r"needs libpython3\.11\.so\.1\.0, .*apt-get install libpython3\.11 ",
            id="libpython",
        ),
        pytest.param("libcudart.so.12", r"needs libcudart\.so\.12, which is not found$", id="else"),
    ],
)
def test_a_missing_library_is_named(installation, tmp_path, library, message):
    stub = tmp_path / "stub"
    stub.write_text(f"#!/bin/sh\necho '{LOADER.format(stub, library)}' >&2; exit 127\n")
    stub.chmod(0o755)

    with pytest.raises(ServerStartError, match=message):
        bundled.check_libraries(stub, installation)


@pytest.mark.parametrize(
    "content",
    [pytest.param(None, id="absent"), pytest.param("not a program", id="no program")],
)
def test_a_stub_that_cannot_run_is_named(installation, tmp_path, content):
    stub = tmp_path / "stub"
    if content is not None:
        stub.write_text(content)

    with pytest.raises(ServerStartError, match=f"{stub} cannot be run"):
        bundled.check_libraries(stub, installation)


def test_little_shared_memory_is_named():
    with pytest.raises(ServerStartError, match=r"MiB free .* --shm-size"):
        bundled.check_shared_memory(least=2**62)


def test_absent_shared_memory_is_named(tmp_path):
    with pytest.raises(ServerStartError, match=f"{tmp_path}/shm is not writable"):
        bundled.check_shared_memory(tmp_path / "shm")


def test_the_backend_is_made_once_by_many(installation, tmp_path):
    state = tmp_path / "state"
    with ThreadPoolExecutor(8) as pool:
        made = {f.result() for f in [_submit(pool, installation, state) for _ in range(32)]}

    [backends] = made
    assert [path.name for path in state.iterdir()] == [backends.name], "no draft is left"
    assert sorted(path.name for path in (backends / "python").iterdir()) == [
        "libtriton_python.so",
        STUB,
    ]
    bundled.check_libraries(backends / "python" / STUB, installation)


def _submit(pool, installation, state):
    return pool.submit(bundled.python_backend, installation, state)


def test_other_versions_have_backends_of_their_own(installation, tmp_path):
    made = {
        bundled.python_backend(changed, tmp_path)
        for changed in (
            installation,
            replace(installation, version="3.12"),
            replace(installation, release="0.8.0"),
        )
    }

    assert len(made) == 3


def test_the_environment_is_ours_alone(installation):
    libdirs = ("/python/lib", "/wheel.libs")
    environment = replace(installation, libraries=libdirs).environment()

    assert environment["LD_LIBRARY_PATH"] == "/python/lib:/wheel.libs"
    assert environment["PATH"].startswith(f"{Path(sys.executable).parent}:")
    assert set(environment) == {
        "PATH",
        "LD_LIBRARY_PATH",
        "LC_ALL",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "GLIBC_TUNABLES",
    }


def test_the_wheel_here_is_found():
    found = bundled.find_installation()

    assert found.release == importlib.metadata.version("nvidia-pytriton")
    assert re.fullmatch(r"3\.\d+", found.version)
    assert found.libraries[0] == sysconfig.get_config_var("LIBDIR")
    bundled.check_installation(found, numpy=bundled.numpy_version())
