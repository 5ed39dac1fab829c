"""The format's own files compile as they are; what of them does not run is said, each once."""

from collections import Counter
from pathlib import Path

import pytest

from orchestrator.app.policies import compile_file
from orchestrator.config.unused import NOT_USED

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
REFERENCE = SHARED / "reference-config.yaml"
FILES = [REFERENCE, *sorted(SHARED.glob("recipes/*/config.yaml"))]

pytestmark = pytest.mark.skipif(
    not REFERENCE.is_file(), reason="the published configs (../shared/conformance) are not here"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SHARED).as_posix())
def test_it_compiles_and_each_place_that_does_not_run_is_listed_once(path):
    compiled = compile_file(path)

    unused = Counter(one.path for one in compiled.warnings if one.message.endswith(NOT_USED))
    assert {one.severity for one in compiled.warnings} == {"warning"}
    assert set(unused.values()) == {1}


def test_what_runs_of_the_reference_is_not_listed():
    listed = {problem.path for problem in compile_file(REFERENCE).warnings}

    for key in ("annotations", "candidateIterations", "modelRefs", "rules"):
        assert not any(path.endswith(f"decisions[0].{key}") for path in listed)
