import pytest
from pydantic import BaseModel

from orchestrator.reference.meanings import Meanings


class Base(BaseModel):
    """Not of a field."""

    silent: int = 0
    said: int = 0
    """Of the
    base."""
    again: int = 0
    """Of the base, too."""


class Derived(Base):
    again: int = 1
    """Of its own."""
    own: int = 0
    constant: int = 0
    "text"


@pytest.mark.parametrize(
    ("field", "meaning"),
    [
        pytest.param("silent", "", id="nothing said"),
        pytest.param("own", "", id="nothing said of the last but one"),
        pytest.param("said", "Of the base.", id="inherited, on one line"),
        pytest.param("again", "Of its own.", id="the nearest one"),
        pytest.param("constant", "text", id="any string"),
    ],
)
def test_meaning(field, meaning):
    assert Meanings().of(Derived, field) == meaning
