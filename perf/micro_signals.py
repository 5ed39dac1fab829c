"""Times every heuristic signal, alone on one core: `python -m perf.micro_signals`.

Prints microseconds a call for a short prompt (English, Chinese), one of 10 KB and one of 1 MB, with
policies of a realistic size. The last column is the time of 1 MB over that of 256 KB: 4 is linear,
1 a method that reads a sample of no more than that.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Any

from orchestrator import signals
from orchestrator.inference.fake import FakeInference
from orchestrator.registry import discover
from orchestrator.signals import SIGNALS, Heuristic, Surroundings
from orchestrator.types import Identity, Request, Shape

ENGLISH = "Please explain how compound interest works and write a python function for it, thanks."
CHINESE = "请解释复利是怎么计算的，并用python写一个函数，谢谢。"
PROSE = f"{ENGLISH} The invoice was paid late — twice! Is that urgent, or can it wait? "
MEGABYTE = 1 << 20

WORDS = [f"{first} {second}" for first in "abcdefghij" for second in ("plan", "review", "SDK")]
PATTERNS = [rf"\b{word}[_ -]?(key|token)s?\b" for word in ("api", "secret", "access", "id", "ssh")]


def keywords(count: int, **fields: object) -> list[dict[str, Any]]:
    words = PATTERNS if fields.get("method") == "regex" else [*WORDS, "系统设计", "credit card"]
    return [
        {"name": f"rule{i}", "operator": "OR", "keywords": words} | fields for i in range(count)
    ]


# What is timed -> signal and rules.
POLICIES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "keyword, 10 rules, 320 literals": ("keyword", keywords(10)),
    "keyword, 20 rules, 100 patterns": ("keyword", keywords(20, method="regex")),
    "keyword, 2 rules, 64 bm25": ("keyword", keywords(2, method="bm25")),
    "keyword, 1 rule, 32 ngram": ("keyword", keywords(1, method="ngram")),
    "keyword, 1 rule, 32 fuzzy": ("keyword", keywords(1, method="fuzzy")),
    "language, 3 rules": ("language", [{"name": code} for code in ("en", "zh", "es")]),
    "context, 3 rules": (
        "context",
        [{"name": f"rule{i}", "min_tokens": f"{i}K", "max_tokens": "64K"} for i in range(3)],
    ),
    "structure, count of a pattern": (
        "structure",
        [
            {
                "name": "rule",
                "feature": {"type": "count", "source": {"type": "regex", "pattern": "[?？]"}},
                "predicate": {"gte": 4},
            }
        ],
    ),
    "structure, density of keywords": (
        "structure",
        [
            {
                "name": "rule",
                "feature": {"type": "density", "source": {"type": "keyword_set", "keywords": ws}},
                "predicate": {"gt": 0.08},
            }
            for ws in (["under", "at most", "or", "and", "至少"],)
        ],
    ),
    "conversation, 2 rules": (
        "conversation",
        [
            {"name": kind, "feature": {"type": "count", "source": {"type": kind}}}
            for kind in ("message", "tool_definition")
        ],
    ),
    "event, 2 rules": (
        "event",
        [
            {"name": f"rule{i}", "event_types": ["payment_failed"], "severities": ["high"]}
            | {"temporal": True}
            for i in range(2)
        ],
    ),
    "metadata, 2 rules": (
        "metadata",
        [{"name": f"rule{i}", "key": "k", "predicate": {"equals": "v"}} for i in range(2)],
    ),
    "authz, 2 rules": (
        "authz",
        [
            {"name": f"rule{i}", "role": "r", "subjects": [{"kind": "Group", "name": "g"}]}
            for i in range(2)
        ],
    ),
}


def request(text: str) -> Request:
    return Request(
        "auto",
        text,
        user_text=text,
        shape=Shape(roles={"user": 1}, context_bytes=len(text)),
        identity=Identity("ada", ("g",)),
    )


def prose(size: int) -> str:
    return (PROSE * (size // len(PROSE) + 1))[:size]


def per_call(signal: Heuristic[Any], text: str, seconds: float = 0.2, least: int = 3) -> float:
    """Median microseconds of one evaluation."""
    asked = request(text)
    signal.evaluate(asked)
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while len(samples) < least or time.perf_counter() < end:
        started = time.perf_counter()
        signal.evaluate(asked)
        samples.append(time.perf_counter() - started)
    return statistics.median(samples) * 1e6


def measure() -> Iterator[tuple[str, Sequence[float]]]:
    discover(signals)
    for name, (family, rows) in POLICIES.items():
        kind: Any = SIGNALS[family]
        rules = [kind.Rule.model_validate(row) for row in rows]
        signal: Heuristic[Any] = kind(rules, Surroundings(FakeInference()))
        texts = (ENGLISH, CHINESE, prose(10_240), prose(MEGABYTE))
        times = [per_call(signal, text) for text in texts]
        yield name, [*times, times[-1] / per_call(signal, prose(MEGABYTE // 4))]


def main() -> None:
    print(f"{'us a call':34}{'en 86 B':>10}{'zh 73 B':>10}{'10 KB':>10}{'1 MB':>12}{'x4':>8}")
    for name, (english, chinese, middle, large, ratio) in measure():
        print(f"{name:34}{english:10.1f}{chinese:10.1f}{middle:10.1f}{large:12.1f}{ratio:8.1f}")


if __name__ == "__main__":
    main()
