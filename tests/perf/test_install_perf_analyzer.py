"""The installation, with stand-ins for all that would reach a network."""

import subprocess

import pytest

from build_engines.job import ROOT

SCRIPT = ROOT / "perf" / "install_perf_analyzer.sh"
PIP = 'case "$*" in *download*) echo "ERROR: no network" >&2; exit 1 ;; esac; exit 0'
# Stands for pip and for the program in its wheel.
WHEEL = """case "$*" in
  *zipfile*)
    mkdir -p "$5/perf_analyzer/bin" "$5/p.dist-info/licenses"
    echo BSD > "$5/p.dist-info/licenses/LICENSE"
    printf '#!/bin/sh\\n%s\\n' "$PROGRAM" > "$5/perf_analyzer/bin/perf_analyzer" ;;
esac"""
WORKS = "echo 'Perf Analyzer Version 0.0.0 (commit 3a49a23)'"


def run(tmp_path, tools, **environment):
    """With `tools`, name -> shell, before all others."""
    tools = {"python": PIP, "apt-get": "exit 1"} | tools
    (tmp_path / "tools").mkdir(exist_ok=True)
    for name, body in tools.items():
        path = tmp_path / "tools" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    names = " ".join(f"{name}={value!r}" for name, value in environment.items())
    command = f'PATH="{tmp_path}/tools:$PATH" PYTHON=python {names} exec "{SCRIPT}" "$0"'
    return subprocess.run(
        ["bash", "-c", command, str(tmp_path / "a folder")],
        capture_output=True,
        text=True,
        timeout=60,
    )


OLD, NEW = "echo glibc 2.36", "echo glibc 2.38"


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        pytest.param({"uname": "echo Linux aarch64"}, "Linux on x86_64", id="another processor"),
        pytest.param({"getconf": "exit 1"}, "this machine has another libc", id="no glibc"),
        pytest.param({"python": "exit 1"}, "python has no pip", id="no pip"),
        pytest.param({"getconf": NEW}, "ERROR: no network", id="no network"),
        pytest.param(
            {"getconf": OLD, "python": WHEEL},
            "needs glibc 2.38 and this machine has 2.36",
            id="old",
        ),
        pytest.param(
            {"getconf": NEW, "python": WHEEL},
            "does not run here: libssl is missing",
            id="libraries",
        ),
    ],
)
def test_a_refusal_is_one_line_and_leaves_nothing_that_counts(tmp_path, tools, message):
    done = run(tmp_path, tools, PROGRAM="echo libssl is missing >&2; exit 127")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("install_perf_analyzer: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "a folder/release").exists()
    assert not (tmp_path / "a folder/perf_analyzer").exists()


def test_a_machine_with_a_new_libc_runs_the_program_itself_and_once_is_enough(tmp_path):
    first = run(tmp_path, {"getconf": NEW, "python": WHEEL}, PROGRAM=WORKS)
    again = run(tmp_path, {"getconf": "exit 1"})

    program = tmp_path / "a folder/perf_analyzer"
    for done in (first, again):
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{program}\n", "")
    said = subprocess.run([str(program), "--version"], capture_output=True, text=True, timeout=20)
    assert "Perf Analyzer Version" in said.stdout
    names = sorted(path.name for path in program.parent.iterdir())
    assert names == ["bin", "perf_analyzer", "release"]
