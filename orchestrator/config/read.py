"""YAML text to a Document. Knows nothing of the schema.

Differs from PyYAML's safe loader where operators are surprised by YAML 1.1: a key given twice
is an error; only true and false are booleans (`no` is Norwegian); dates, octal and sexagesimal
numbers stay text. Size, depth and alias expansion are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from pydantic import SecretStr

from orchestrator.config.document import (
    TEXT_TAGS,
    YAML_TAG,
    Document,
    Path,
    dotted,
    in_routing,
    secret_path,
)
from orchestrator.config.environment import expand
from orchestrator.config.problems import nearest
from orchestrator.errors import ConfigError, Problem

MOST_BYTES = 16 * 2**20  # a policy of 10,000 decisions has 10 MiB
MOST_DEPTH = 200  # pydantic refuses recursion beyond 255
MOST_NODES = 1_000_000  # after expansion of aliases

_INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.(inf|nan)", re.I)
_SCALAR_TAGS = TEXT_TAGS | {YAML_TAG + kind for kind in ("bool", "int", "float")}


class _Builder:
    """Plain data from a YAML tree; collects problems instead of stopping at the first."""

    def __init__(self, name: str, environ: Mapping[str, str], most_nodes: int) -> None:
        self._name = name
        self._environ = environ
        self._most_nodes = most_nodes
        self._nodes = 0
        self.problems: list[Problem] = []

    def build(self, node: yaml.Node, path: Path) -> object:
        self._count(node, path, 0)
        if len(path) > MOST_DEPTH:
            raise self._refuse(node, path, f"nested deeper than {MOST_DEPTH} levels")
        if isinstance(node, yaml.MappingNode):
            self._expect_tag(node, path, "map")
            return {
                key: self.build(value, (*path, key))
                for key, value in self._pairs(node, path, 0).items()
            }
        if isinstance(node, yaml.SequenceNode):
            self._expect_tag(node, path, "seq")
            return [self.build(item, (*path, index)) for index, item in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        return self._scalar(node, path)

    def _count(self, node: yaml.Node, path: Path, more: int) -> None:
        self._nodes += 1 + more
        most = self._most_nodes
        if self._nodes > most:
            raise self._refuse(node, path, f"more than {most:,} values (aliases expanded)")

    def _refuse(self, node: yaml.Node, path: Path, message: str) -> ConfigError:
        self._add(node, path, message)
        return ConfigError(f"cannot read {self._name}", tuple(self.problems))

    def _add(self, node: yaml.Node, path: Path, message: str, hint: str | None = None) -> None:
        line = node.start_mark.line + 1
        self.problems.append(Problem(dotted(path), message, line, self._name, hint))

    def _expect_tag(self, node: yaml.Node, path: Path, kind: str) -> None:
        if node.tag != YAML_TAG + kind:
            self._add(node, path, f"the tag {node.tag!r} is not supported")

    def _pairs(self, node: yaml.MappingNode, path: Path, depth: int) -> dict[str, yaml.Node]:
        """Keys and value nodes; merged mappings (`<<`) give what the mapping does not say."""
        self._count(node, path, 0)
        if depth > MOST_DEPTH:
            raise self._refuse(node, path, f"merges nested deeper than {MOST_DEPTH} levels")
        own: dict[str, yaml.Node] = {}
        merged: dict[str, yaml.Node] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            if key.tag == YAML_TAG + "merge":
                for source in self._sources(value, path):
                    for name, inner in self._pairs(source, path, depth + 1).items():
                        merged.setdefault(name, inner)
            elif not isinstance(key, yaml.ScalarNode):
                self._add(key, path, "a key must be text, found a list or mapping")
            elif key.value in own:
                self._add(
                    key,
                    (*path, key.value),
                    f"key {key.value!r} is given twice, first on line {lines[key.value]}",
                )
            else:
                own[key.value] = value
                lines[key.value] = key.start_mark.line + 1
        self._count(node, path, len(merged))
        return {**merged, **own} if merged else own

    def _sources(self, value: yaml.Node, path: Path) -> list[yaml.MappingNode]:
        candidates = value.value if isinstance(value, yaml.SequenceNode) else [value]
        mappings = [source for source in candidates if isinstance(source, yaml.MappingNode)]
        if len(mappings) != len(candidates):
            self._add(value, path, "<< needs a mapping or a list of mappings")
        return mappings

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> object:
        text: str = node.value
        kind = node.tag.removeprefix(YAML_TAG)
        if kind == "null":
            return None
        if secret_path(path):
            return self._secret(text)
        if kind == "bool" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if kind == "int" and _INT.fullmatch(text):
            return int(text)
        if kind == "float" and _FLOAT.fullmatch(text):
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        if node.tag not in _SCALAR_TAGS:
            self._add(node, path, f"the tag {node.tag!r} is not supported")
        return self._expanded(node, path)

    def _secret(self, text: str) -> object:
        return SecretStr(text)

    def _expanded(self, node: yaml.ScalarNode, path: Path) -> str:
        text: str = node.value
        if "$" not in text:
            return text
        expansion = expand(text, self._environ, routing=in_routing(path))
        for name in expansion.unset:
            self._add(
                node,
                path,
                f"environment variable {name} is not set",
                f"set it, give a default as ${{{name}:-default}}, or write $$ for a dollar sign",
            )
        return expansion.text


class _Verbatim(_Builder):
    """Leaves references to the environment and secrets as they are written."""

    def _secret(self, text: str) -> object:
        return text

    def _expanded(self, node: yaml.ScalarNode, path: Path) -> str:
        text: str = node.value
        return text


def verbatim(text: str, name: str) -> dict[str, Any]:
    """The document as it is written, for editing: it holds secrets, and nothing is expanded.

    Raises ConfigError where it cannot be read or is no mapping.
    """
    root = _compose(text, name)
    builder = _Verbatim(name, {}, MOST_NODES)
    data = None if root is None else builder.build(root, ())
    if builder.problems:
        raise ConfigError(f"cannot read {name}", tuple(builder.problems))
    if not isinstance(data, dict):
        raise _unreadable(name, "the document is not a mapping of keys to values", 1)
    return data


def read(
    text: str, name: str, environ: Mapping[str, str], most_nodes: int = MOST_NODES
) -> tuple[Document, list[Problem]]:
    """The document and what is wrong with it short of its meaning.

    Raises ConfigError where nothing can be said about the rest: not YAML, not a mapping, no
    policy in it, or beyond the bounds above.
    """
    root = _compose(text, name)
    builder = _Builder(name, environ, most_nodes)
    data = None if root is None else builder.build(root, ())
    if not isinstance(data, dict):
        what = "is empty" if data is None else "is not a mapping of keys to values"
        raise _unreadable(name, f"the document {what}; it needs `routing` or `global`", 1)
    if "routing" not in data and "global" not in data:
        near = {key: hint for key in data if (hint := nearest(key, ("routing", "global")))}
        if near:
            raise ConfigError(f"cannot read {name}", tuple(_misspelt(name, root, near)))
        found = ", ".join(sorted(data)[:8]) or "no key"
        raise _unreadable(
            name,
            f"neither `routing` nor `global` is here (found: {found}); a file of an older format"
            " must first be migrated to version v0.3",
            1,
        )
    return Document(name, data, root), builder.problems


def _misspelt(name: str, root: yaml.Node | None, near: Mapping[str, str]) -> Iterator[Problem]:
    document = Document(name, {}, root)
    for key, hint in near.items():
        line = document.line((key,))
        yield Problem(key, f"neither `routing` nor `global` is here, but {key!r}", line, name, hint)


def _compose(text: str, name: str) -> yaml.Node | None:
    if len(text) > MOST_BYTES:
        raise _unreadable(name, f"the document is larger than {MOST_BYTES >> 20} MiB", 1)
    try:
        return yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = "; ".join(part for part in (error.context, error.problem) if part)
        raise _unreadable(name, f"not valid YAML: {said}", mark.line + 1 if mark else 1) from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise _unreadable(name, f"not valid YAML: {str(error).splitlines()[0]}", 1) from None


def _unreadable(name: str, message: str, line: int) -> ConfigError:
    return ConfigError(f"cannot read {name}", (Problem("(document)", message, line, name),))
