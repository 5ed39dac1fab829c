from typing import Annotated, Literal

import pytest

from orchestrator.config.fields import NOT_RUN, NOT_RUN_IF_ON, Name, Strict
from orchestrator.config.unused import NOT_USED
from orchestrator.reference.keys import Walk
from orchestrator.reference.writing import Line, written


class Row(Strict):
    name: Name
    """As others call it."""
    rows: tuple["Row", ...] = ()
    """Inside."""


class Switch(Strict):
    enabled: bool = False
    """Goes on."""


class Part(Strict):
    size: int = 1
    """How large."""


class Whole(Strict):
    word: Literal["a", "b"] = "a"
    """Which."""
    part: Part = Part(size=2)
    """A part."""
    maybe: Part | None = None
    """Another."""
    rows: tuple[Row, ...] = ()
    """Rows."""
    gone: Annotated[bool, NOT_RUN] = True
    """No more."""
    switch: Annotated[Switch, NOT_RUN_IF_ON] = Switch()
    """Light."""


EXPECTED = f"""\
word: a  # a | b. Which.
part:  # A part.
  size: 2  # integer. How large.
#maybe:  # Another.
  #size: 1  # integer. How large.
#rows:  # list. Rows.
  #- name: ...  # text, required. As others call it.
    #rows: []  # list. Inside. Written as rows[].
#gone: true  # true | false. No more. ({NOT_USED})
switch:  # Light. (if enabled: {NOT_USED})
  enabled: false  # true | false. Goes on."""


def walk(specials=None):
    return Walk(specials or {}, {Row: "rows[]"}, frozenset({(Whole, "rows")}))


def test_every_key_with_its_default():
    found = walk().model(Whole, 0, live=True)

    assert [line for line in written(found) if line] == EXPECTED.split("\n")


def test_a_special_writes_its_key():
    special = {(Whole, "word"): lambda walk, head: [Line(head.depth, "instead")]}

    found = [line.name for line in walk(special).model(Whole, 0, live=True)]

    assert found[:2] == ["instead", "part"]


@pytest.mark.parametrize("live", [True, False])
def test_what_stands_in_a_comment_is_commented_out(live):
    assert {line.live for line in walk().model(Part, 3, live)} == {live}
