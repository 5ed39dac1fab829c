"""The Triton that the wheel `nvidia-pytriton` carries, and whether it can run here.

Every check fails with one ServerStartError that says what to do about it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import ServerStartError

WHEEL = "nvidia-pytriton"
STUB = "triton_python_backend_stub"
SHARED_MEMORY = Path("/dev/shm")
SHM_MIN_BYTES = 32 * 2**20  # 1 MiB an instance at rest; it grows with the largest message and stays

_MISSING_LIBRARY = re.compile(r"shared librar\w+: ([^\s:]+): cannot open")


@dataclass(frozen=True, slots=True)
class Installation:
    """The server files of the wheel `nvidia-pytriton` and the Python that its models run in."""

    root: Path  # bin/, backends/, caches/, python_backend_stubs/
    release: str  # of the wheel
    python: Path  # interpreter; its folder leads PATH
    version: str  # of Python, "3.11"
    libraries: tuple[str, ...]  # searched by the loader before the system's folders

    @property
    def server(self) -> Path:
        return self.root / "bin" / "tritonserver"

    @property
    def stub(self) -> Path:
        return self.root / "python_backend_stubs" / self.version / STUB

    def environment(self) -> dict[str, str]:
        """All that the server and its stubs see of the environment; one thread a model library.

        No PYTHON* variable: the Python in the stubs is isolated and reads none. It finds its
        packages by the `python3` that comes first on PATH.
        """
        return {
            "PATH": os.pathsep.join((str(self.python.parent), os.defpath)),
            "LD_LIBRARY_PATH": os.pathsep.join(self.libraries),
            "LC_ALL": "C.UTF-8",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            # Weights on huge pages: 12 to 18 % less CPU a text (all-MiniLM-L6-v2, 2026-11).
            "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        }


def find_installation() -> Installation:
    """The wheel in the running interpreter's environment. Raises ServerStartError without it."""
    spec = importlib.util.find_spec("pytriton")
    if spec is None or spec.origin is None:
        raise ServerStartError(
            f"the package {WHEEL} is not installed: pip install {WHEEL}, or use --triton-url"
        )
    package = Path(spec.origin).parent
    # LIBDIR first: a system libpython of the same minor version must not replace the running one.
    # The environment's own lib last: `make install` puts one there where the system has none.
    libdir = sysconfig.get_config_var("LIBDIR")
    fetched = str(Path(sys.prefix) / "lib")
    return Installation(
        root=package / "tritonserver",
        release=importlib.metadata.version(WHEEL),
        python=Path(sys.executable),
        version=f"{sys.version_info.major}.{sys.version_info.minor}",
        libraries=(
            *([libdir] if libdir else []),
            str(package.parent / "nvidia_pytriton.libs"),
            fetched,
        ),
    )


def check_installation(installation: Installation, *, numpy: str) -> None:
    """Raise ServerStartError where the bundled server cannot run. `numpy` is its version."""
    if not installation.server.is_file():
        raise ServerStartError(f"{installation.server} is missing: reinstall {WHEEL}")
    if not installation.stub.is_file():
        known = sorted(p.name for p in (installation.root / "python_backend_stubs").glob("3.*"))
        raise ServerStartError(
            f"{WHEEL} {installation.release} has no Python backend for Python "
            f"{installation.version}; it has: {', '.join(known) or 'none'}"
        )
    if int(numpy.partition(".")[0]) >= 2:
        raise ServerStartError(
            f"NumPy {numpy} breaks the Python backend of {WHEEL} {installation.release}: "
            "pip install 'numpy<2'"
        )


def check_libraries(stub: Path, installation: Installation) -> None:
    """Ask the loader itself, by running the stub without arguments (it prints its usage)."""
    try:
        done = subprocess.run(
            [stub],
            env=installation.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServerStartError(f"{stub} cannot be run: {error}") from error
    missing = _MISSING_LIBRARY.search(done.stderr)
    if missing is None:
        return
    library = missing[1]
    advice = ""
    if library.startswith("libpython"):
        advice = (
            f"; on Debian and Ubuntu: apt-get install libpython{installation.version}"
            " (elsewhere: a Python built with --enable-shared)"
        )
    raise ServerStartError(f"the Python backend needs {library}, which is not found{advice}")


def check_shared_memory(folder: Path = SHARED_MEMORY, least: int = SHM_MIN_BYTES) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ServerStartError(f"{folder} is not writable; Triton's Python backend works in it")
    usage = os.statvfs(folder)
    free = usage.f_bavail * usage.f_frsize
    if free < least:
        raise ServerStartError(
            f"{folder} has {free >> 20} MiB free and Triton's Python backend needs "
            f"{least >> 20} MiB: start the container with --shm-size=256m"
        )


def python_backend(installation: Installation, state_dir: Path) -> Path:
    """A backend folder with the stub of this Python in it, made once; returns it for Triton's
    `--backend-directory`.

    The wheel keeps the stubs apart and site-packages may be read-only. Safe when several
    processes make it at once: each fills a folder of its own, the first to rename it wins.
    Raises OSError where `state_dir` cannot be written.
    """
    key = f"{installation.release}-py{installation.version}-{platform.machine()}"
    backends = state_dir / f"backends-{key}"
    if backends.is_dir():
        return backends
    state_dir.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".backends-", dir=state_dir))
    try:
        folder = draft / "python"
        shutil.copytree(
            installation.root / "backends" / "python",
            folder,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        stub = Path(shutil.copy(installation.stub, folder / STUB))
        stub.chmod(0o755)
        draft.chmod(0o755)
        _claim(draft, backends)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return backends


def _claim(draft: Path, target: Path) -> None:
    try:
        draft.rename(target)
    except OSError:
        if not target.is_dir():  # otherwise another process was first, with the same files
            raise


def numpy_version() -> str:
    return importlib.metadata.version("numpy")
