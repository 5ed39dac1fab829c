"""A YAML file as plain data that knows the line of everything, and which texts are secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

Path = tuple[str | int, ...]

YAML_TAG = "tag:yaml.org,2002:"
TEXT_TAGS = frozenset(YAML_TAG + kind for kind in ("str", "timestamp", "value", "merge"))
_SECRET = re.compile(
    r"(^|[_-])(pass(word|wd)?|secret|token|credential|authorization|(api|access|private)[_-]?key)$",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"[^/@\s:]+:[^/@\s]+@")
_SECRET_MAPS = {"extra_headers", "headers", "env"}  # their values may be credentials ...
_NAMES_ONLY = {"identity", "tokens"}  # ... but not here: names of headers and of variables


@dataclass(frozen=True, slots=True)
class Mark:
    line: int  # 1-based
    column: int  # 1-based


@dataclass(frozen=True, slots=True)
class Document:
    """The file as plain data; text under secret keys is SecretStr, unexpanded."""

    name: str
    data: dict[str, Any]
    root: yaml.Node | None = field(default=None, repr=False, compare=False)

    def line(self, path: Path) -> int | None:
        mark = self.mark(path)
        return None if mark is None else mark.line

    def mark(self, path: Path) -> Mark | None:
        """Where the value at `path` is said: its key, or its own line if it is text on another.

        A path that is not in the file gets the place of its deepest ancestor that is.
        """
        steps = list(self._walk(path))
        return steps[-1][0] if steps else None

    def found(self, path: Path) -> str | None:
        """The value at `path` as written, for a message; None if there is none. No secrets."""
        steps = list(self._walk(path))
        if len(steps) != len(path) + 1:
            return None
        node = steps[-1][1]
        if not isinstance(node, yaml.ScalarNode):
            return "a mapping" if isinstance(node, yaml.MappingNode) else "a list"
        return "a value not shown here" if secret_path(path) else shown(node)

    def _walk(self, path: Path) -> Iterator[tuple[Mark, yaml.Node]]:
        node = self.root
        if node is None:
            return
        yield _mark(node), node
        for step in path:
            entry = _child(node, step)
            if entry is None:
                return
            key, node = entry
            spoken = node if isinstance(node, yaml.ScalarNode) and node.value else key
            yield _mark(spoken), node


def shown(node: yaml.ScalarNode) -> str:
    """The scalar as it would be typed, cut to 60 characters, without the password of a URL."""
    if node.tag == YAML_TAG + "null":
        return "nothing"
    text = _USERINFO.sub("***@", node.value[:1000])
    text = text if len(text) <= 60 else text[:57] + "..."
    return repr(text) if node.tag in TEXT_TAGS else text


def secret_path(path: Path) -> bool:
    """Is the text at `path` a credential? Rows of signals and projections hold none."""
    routing = in_routing(path)
    if routing and "configuration" not in path:
        return False
    names = [step for step in path if isinstance(step, str)]
    if routing:
        names = names[names.index("configuration") + 1 :]
    if not names:
        return False
    last = names[-1]
    in_secret_map = not _SECRET_MAPS.isdisjoint(names[-2:]) and _NAMES_ONLY.isdisjoint(names)
    is_list_item = bool(path) and isinstance(path[-1], int)
    return in_secret_map or bool(_SECRET.search(last)) or (is_list_item and last == "tokens")


def in_routing(path: Path) -> bool:
    return path[:1] == ("routing",) or (path[:1] == ("recipes",) and path[2:3] == ("routing",))


def _mark(node: yaml.Node) -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1)


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """The key node and the value node of one step; an item of a list is its own key."""
    if isinstance(node, yaml.SequenceNode):
        if isinstance(step, int) and 0 <= step < len(node.value):
            return node.value[step], node.value[step]
        return None
    if not isinstance(node, yaml.MappingNode):
        return None
    for key, value in node.value:
        if key.value == step and key.tag != YAML_TAG + "merge":
            return key, value
    for key, value in node.value:
        if key.tag == YAML_TAG + "merge":
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for source in sources:
                if (entry := _child(source, step)) is not None:
                    return entry
    return None


def dotted(path: Path) -> str:
    """`routing.decisions[3].name`; the document itself is `(document)`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.lstrip(".") or "(document)"
