"""Inversion, margins and thresholds for a person, for a program, and as a fragment of a policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import yaml
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from orchestrator.labelled.inversion import Report, Threshold
from orchestrator.labelled.looking import Looked


def plain(report: Report, looked: Looked, groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """As JSON has it: what there is nothing to tell of is null."""
    column = {text: at for at, text in enumerate(looked.texts)}
    return {
        "summary": report.summary(),
        "groups": {name: list(texts) for name, texts in groups.items()},
        "thresholds": {name: asdict(one) for name, one in report.thresholds.items()},
        "images": [
            {
                "file": one.file,
                "group": one.group,
                "best": one.best,
                "inverted": one.inverted,
                "beaten": one.beaten,
                "margin": one.margin,
                "known": one.known,
                "familiar": one.familiar,
                "scores": dict(one.scores),
                "labels": {
                    name: {text: float(looked.cosines[row, column[text]]) for text in texts}
                    for name, texts in groups.items()
                },
            }
            for row, one in enumerate(report.pictures)
        ],
        "refused": dict(looked.refused),
    }


def show(console: Console, report: Report) -> None:
    """The figures, and a row for each group."""
    for line in _lines(report):
        console.print(line, highlight=False)
    if not report.judged:
        return
    found = Table("group", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("lowest right", "highest wrong", "threshold"):
        found.add_column(name, justify="right")
    for name, one in report.thresholds.items():
        value = "overlap" if _overlap(one) else _figure(one.value)
        found.add_row(escape(name), _figure(one.lowest_right), _figure(one.highest_wrong), value)
    console.print(found)


def fragment(report: Report, groups: Mapping[str, Sequence[str]], source: str) -> str:
    """Embedding rules with the proposed thresholds."""
    rules, left = [], []
    for name, texts in groups.items():
        one = report.thresholds[name]
        if one.value is None:
            left.append(f"# {' '.join(name.split())}: none, {_why_none(one)}")
            continue
        rules.append(
            {
                "name": name,
                "threshold": round(one.value, 4),
                "query_modality": "image",
                "aggregation_method": str(report.aggregation),
                "candidates": list(texts),
            }
        )
    lines = [f"# Proposed by the pictures of {' '.join(source.split())}.", *left]
    text = "\n".join(lines) + "\n"
    if not rules:
        return text
    policy = {"routing": {"signals": {"embeddings": rules}}}
    return text + yaml.safe_dump(policy, sort_keys=False, allow_unicode=True, width=100)


def verdict(report: Report, most: float) -> str | None:
    """What is wrong where more than the share `most` of what is known is inverted, or where nothing
    is known at all, in one line.
    """
    judged, told, inverted = len(report.judged), len(report.told), report.inverted
    if judged and not told:
        return f"none of {judged} pictures is known (KNOWN below {report.floor:g}): nothing is told"
    if not told or len(inverted) / told <= most:
        return None
    worst = min(inverted, key=lambda one: one.margin or 0.0)
    return (
        f"{len(inverted)} of {told} pictures are inverted ({len(inverted) / told:.1%}, allowed "
        f"{most:.1%}); the worst is {worst.file}, {worst.group} by {worst.margin:+.3f} "
        f"against {worst.best}"
    )


def _lines(report: Report) -> Iterator[str]:
    said: Any = report.summary()
    if not report.judged:
        yield "no picture has a right group among several: nothing to judge"
        return
    if report.told:
        colour = "red" if said["inverted"] else "green"
        rate = f"[{colour}]{said['inversion_rate']:.1%}[/{colour}]"
        yield f"inversion rate {rate}, {said['inverted']} of {len(report.told)} pictures"
    below = f"unknown, KNOWN below {report.floor:g}"
    wrong = f", {said['unknown_beaten']} of them beaten" if said["unknown"] else ""
    yield f"{below}: {said['unknown']} of {said['judged']} pictures with a group{wrong}"
    if said["others"]:
        yield f"{below}: {said['others_unknown']} of {said['others']} others"
    margin, by = said["margin"], f"by the {report.aggregation} of a group's texts"
    yield f"margin {margin['min']:+.3f} at least, {margin['mean']:+.3f} on average, {by}"


def _why_none(one: Threshold) -> str:
    if one.lowest_right is None:
        return "no familiar picture is of this group"
    if one.highest_wrong is None:
        return "no familiar picture is of another group"
    return f"its own reach down to {one.lowest_right:.3f} and others up to {one.highest_wrong:.3f}"


def _overlap(one: Threshold) -> bool:
    return one.value is None and one.lowest_right is not None and one.highest_wrong is not None


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
