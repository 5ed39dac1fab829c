"""Files stay small enough to read in one sitting."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIMIT = 300
EXCEPTIONS: dict[str, str] = {}  # path -> the reason why it may be longer
SOURCES = sorted(
    path
    for folder in ("orchestrator", "build_engines", "perf")
    for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_file_is_short(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()

    assert name in EXCEPTIONS or len(path.read_text().splitlines()) <= LIMIT
