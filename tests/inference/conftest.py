import pytest

from tests.inference.golden_files import write_goldens


@pytest.fixture
def repository(tmp_path):
    """Goldens of one encoder, `m`."""
    return write_goldens(tmp_path, "m")
