from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from orchestrator.config.known import keys_at


class Leaf(BaseModel):
    a: int
    b_: int = Field(alias="b")


class Root(BaseModel):
    one: Leaf | None = None
    many: Annotated[tuple[Leaf, ...], "mark"] = ()
    named: dict[str, list[Leaf]] = {}
    opaque: dict[str, object] = {}
    text: str = ""


@pytest.mark.parametrize(
    ("loc", "keys"),
    [
        pytest.param(("gone",), (), id="no such key"),
        pytest.param(("text",), (), id="text"),
        pytest.param(("opaque", "x", "y"), (), id="opaque"),
        pytest.param((), ("one", "many", "named", "opaque", "text"), id="itself"),
        pytest.param(("one",), ("a", "b"), id="optional"),
        pytest.param(("many", 3), ("a", "b"), id="item"),
        pytest.param(("named", "x", 0), ("a", "b"), id="item of a named list"),
    ],
)
def test_keys_at(loc, keys):
    assert keys_at(Root, loc) == keys
