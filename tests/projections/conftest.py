"""Builds projections from rows as they stand in YAML."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from orchestrator import projections
from orchestrator.projections import Known, Projection, build, sections
from orchestrator.registry import discover
from orchestrator.types import Facts

discover(projections)

KNOWN = Known(
    {
        "embedding": {"billing", "technical", "smalltalk"},
        "domain": {"math", "law"},
        "keyword": {"billing", "urgent", "calm"},
    },
    frozenset({"embedding", "domain"}),
)


def parsed(**rows: Sequence[dict[str, Any]]) -> projections.Rules:
    kinds = sections()
    return {s: [kinds[s].Rule.model_validate(row) for row in given] for s, given in rows.items()}


@pytest.fixture
def known() -> Known:
    return KNOWN


@pytest.fixture
def projected() -> Callable[..., tuple[Projection[Any], ...]]:
    return lambda **rows: build(parsed(**rows), KNOWN)


@pytest.fixture
def applied() -> Callable[..., Facts]:
    def apply(facts: Facts, **rows: Sequence[dict[str, Any]]) -> Facts:
        for projection in build(parsed(**rows), KNOWN):
            facts = projection.apply(facts)
        return facts

    return apply
