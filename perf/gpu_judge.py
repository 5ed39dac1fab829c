"""Figures of a GPU against what is expected of it: what is not there is missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PLAN = "tensorrt_plan"


@dataclass(frozen=True, slots=True)
class Run:
    """One text a call, `concurrency` calls at any time. Latencies in ms."""

    concurrency: int
    rate: float  # texts a second
    p50: float
    p95: float
    calls: int


@dataclass(frozen=True, slots=True)
class Verdict:
    what: str
    found: str
    wanted: str
    met: bool


def judged(
    expected: Mapping[str, Any],
    engines: Mapping[str, Mapping[str, Any]],
    steps: Sequence[str],
    runs: Sequence[Run],
) -> list[Verdict]:
    """`engines`: name -> its record; `steps`: what serves the classifiers, by platform."""
    by_count = {one.concurrency: one for one in runs}
    return [
        Verdict(
            "text_signals is served by", ", ".join(steps) or "no ensemble", PLAN, PLAN in steps
        ),
        *_agreement(expected["agreement"], engines),
        *_latency(expected["latency"], by_count),
        *_throughput(expected["throughput"], by_count),
    ]


def _agreement(
    expected: Mapping[str, Any], engines: Mapping[str, Mapping[str, Any]]
) -> Iterator[Verdict]:
    if not engines:
        yield Verdict("engines that were compared", "none", "one or more", False)
    for name, record in engines.items():
        found = record.get("against_fp32_on_cpu", {})
        cosine = float(found.get("least_cosine", "nan"))
        wanted = expected["cosine"]
        yield Verdict(f"{name}, least cosine", f"{cosine:.6f}", f">= {wanted}", cosine >= wanted)
        for kind, share in _shares(found):
            yield Verdict(
                f"{name}, labels of {kind} equal",
                f"{share:.3%}",
                f">= {expected['labels']:.1%}",
                share >= expected["labels"],
            )


def _shares(found: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Of texts, and of tokens: those of token tasks are many more."""
    counts = {
        task: tuple(int(part) for part in text.split(" of "))
        for task, text in found.get("labels_equal", {}).items()
    }
    rows = found.get("rows", 0)
    for kind, tokens in (("texts", False), ("tokens", True)):
        asked = [one for one in counts.values() if (one[1] > rows) is tokens]
        if asked:
            yield kind, sum(one[0] for one in asked) / sum(one[1] for one in asked)


def _latency(expected: Mapping[str, Any], runs: Mapping[int, Run]) -> Iterator[Verdict]:
    for count, most in expected.items():
        if not count.isdigit():
            continue
        one = runs.get(int(count))
        yield Verdict(
            f"p50 of all text signals, {expected['tokens']} tokens, {count} at once",
            f"{one.p50:.2f} ms" if one else "not measured",
            f"<= {most} ms",
            one is not None and one.p50 <= most,
        )


def _throughput(expected: Mapping[str, Any], runs: Mapping[int, Run]) -> Iterator[Verdict]:
    count = expected["concurrency"]
    one, many = runs.get(1), runs.get(count)
    if one is None or many is None:
        yield Verdict(f"throughput, {count} at once", "not measured", "measured", False)
        return
    rate, tail = many.rate / one.rate, many.p95 / one.p95
    yield Verdict(
        f"texts a second, {count} at once against 1",
        f"{rate:.2f} x ({many.rate} against {one.rate})",
        f">= {expected['ratio']} x",
        rate >= expected["ratio"],
    )
    yield Verdict(
        f"p95, {count} at once against 1",
        f"{tail:.2f} x ({many.p95} against {one.p95} ms)",
        f"<= {expected['p95']} x",
        tail <= expected["p95"],
    )
