import pytest

from build_engines.errors import TargetError
from build_engines.gpu.containers import TENSORRT, check


@pytest.mark.parametrize(
    ("version", "container", "inside"),
    [
        pytest.param("10.13.3.9", "25.12", False, id="as the table has it"),
        pytest.param("10.13.3.11", "25.12", False, id="another build of the release"),
        pytest.param("10.5.0.18", "24.10", True, id="inside, whatever the table says"),
        pytest.param("11.4.0.106", "27.01", False, id="a container that is not in it"),
        pytest.param("11.4.0.106", "", False, id="no container is named"),
    ],
)
def test_an_engine_that_will_be_read_is_built(version, container, inside):
    check(version, container, inside)


def test_an_engine_that_would_not_be_read_is_refused():
    with pytest.raises(TargetError, match=r"TensorRT here is 10.16.1.11, Triton 25.12 has 10.13.3"):
        check("10.16.1.11", "25.12", inside=False)


def test_the_table_is_in_order_and_of_versions():
    assert list(TENSORRT) == sorted(TENSORRT)
    assert all(version.startswith("10.") for version in TENSORRT.values())
