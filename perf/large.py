"""A policy file of many decisions, for what `perf.micro` says of reading one."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import yaml

from orchestrator.app.assembly import build_policies
from orchestrator.app.policies import compile_policies, discover_extensions
from orchestrator.config.decisions import Node
from orchestrator.config.load import examine
from orchestrator.inference.fake import FakeInference

RULES = tuple(f"rule_{i}" for i in range(20))
SIGNALS: dict[str, tuple[str, Callable[[str], dict[str, Any]]]] = {  # family -> section, row
    "keyword": ("keywords", lambda name: {"name": name, "operator": "OR", "keywords": [name]}),
    "domain": ("domains", lambda name: {"name": name, "mmlu_categories": ["law"]}),
    "structure": (
        "structure",
        lambda name: {
            "name": name,
            "feature": {"type": "count", "source": {"type": "text_bytes"}},
            "predicate": {"gt": 5},
        },
    ),
}


def document(decisions: list[Node]) -> str:
    """The YAML of a policy with one decision for each tree, over RULES of SIGNALS."""
    rows = [
        {
            "name": f"decision_{i}",
            "priority": i,
            "rules": rules.model_dump(mode="json", exclude_unset=True),
            "modelRefs": [{"model": "large"}, {"model": "small"}],
        }
        for i, rules in enumerate(decisions)
    ]
    signals = {section: [row(name) for name in RULES] for section, row in SIGNALS.values()}
    cards = [{"name": "large"}, {"name": "small"}]
    policy = {
        "version": "v0.3",
        "routing": {"modelCards": cards, "signals": signals, "decisions": rows},
    }
    text: str = yaml.dump(policy, Dumper=yaml.CSafeDumper)
    return text


def seconds_to_load(text: str) -> float:
    """From the text to policies that decide: parsed, checked, compiled."""
    discover_extensions()
    started = time.perf_counter()
    build_policies(compile_policies(examine(text)), FakeInference(), lambda *_: None)
    return time.perf_counter() - started


def trees(make: Callable[[random.Random], Node], number: int) -> list[Node]:
    """The same on every run."""
    rng = random.Random(7)
    return [make(rng) for _ in range(number)]
