"""A decision's rules as one line, and the form in which equal trees are the same text.

Only what cannot change an outcome is evened out: the order of the children of AND and OR. A mean
over the leaves of an AND would change with its nesting, so that stays.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.config.decisions import Node
from orchestrator.decision.tree import Branch, Leaf, Tree, parse

Rename = Callable[[str, str], str]  # family, name -> name
ALWAYS = "always"
_BOUNDS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def _same(family: str, name: str) -> str:
    return name


def expression(node: Node | None) -> str:
    """As written: `keyword:code AND NOT (domain:law OR domain:health)`."""
    return _text(_without_shells(parse(node)), _same, ordered=True)


def canonical(node: Node | None, rename: Rename = _same) -> str:
    return _text(_without_shells(parse(node)), rename, ordered=False)


def _without_shells(tree: Tree) -> Tree:
    """The same where an OR of one condition is that condition, also for confidences."""
    if isinstance(tree, Leaf):
        return tree
    children = tuple(_without_shells(child) for child in tree.children)
    if tree.operator == "OR" and len(children) == 1:
        return children[0]
    return Branch(tree.operator, children)


def _text(tree: Tree, rename: Rename, ordered: bool) -> str:
    if isinstance(tree, Leaf):
        return _leaf(tree, rename)
    children = [_inner(child, rename, ordered) for child in tree.children]
    if tree.operator == "fallback":
        return ALWAYS
    if tree.operator == "NOT":
        return f"NOT {' '.join(children)}"
    if not children:
        return f"{tree.operator} of nothing"
    if len(children) == 1:  # of an AND: an OR of one is that one, see `_without_shells`
        return f"{tree.operator}({children[0]})"
    return f" {tree.operator} ".join(children if ordered else sorted(children))


def _inner(tree: Tree, rename: Rename, ordered: bool) -> str:
    text = _text(tree, rename, ordered)
    nested = isinstance(tree, Branch) and tree.operator in ("AND", "OR") and len(tree.children) > 1
    return f"({text})" if nested else text


def _leaf(leaf: Leaf, rename: Rename) -> str:
    text = f"{leaf.family}:{rename(leaf.family, leaf.name)}"
    if leaf.label is not None:
        text += f":{leaf.label}"
    if leaf.predicate is not None:
        bounds = leaf.predicate.model_dump(exclude_none=True)
        text += "".join(f" {_BOUNDS[key]} {value:g}" for key, value in bounds.items())
    return text if leaf.on_error is None else f"{text} (on error {leaf.on_error})"
