"""These tests need what rendering needs; the fonts and volumes are downloaded, not installed."""

import pytest

from build_engines.data.packages import CorpusError


@pytest.fixture(scope="session")
def archives():
    from_disk = pytest.importorskip("build_engines.pictures.archives")
    try:
        from_disk.Archives().check()
    except CorpusError as error:
        pytest.skip(str(error))
    return from_disk.Archives()
