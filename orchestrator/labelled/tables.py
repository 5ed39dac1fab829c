"""The figures for a person at a terminal, and for a program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from orchestrator.labelled.entities import Entities, Found
from orchestrator.labelled.figures import Report, Slice
from orchestrator.labelled.guards import RATES, Flips, Guard
from orchestrator.labelled.proposal import Proposals
from orchestrator.quality.classes import Score


def plain(reports: Sequence[Report], proposals: Sequence[Proposals]) -> dict[str, Any]:
    """As JSON has it: what there is nothing to tell of is null."""
    told: dict[str, Any] = {"tasks": [asdict(report) for report in reports]}
    if proposals:
        told["proposals"] = [asdict(one) for one in proposals]
    found: dict[str, Any] = _finite(told)
    return found


def show(console: Console, report: Report) -> None:
    read = f", {report.truncated} not read to the end" if report.truncated else ""
    console.print(f"\n[bold]{escape(report.task)}[/bold]  {report.texts} texts{read}")
    summary = Table(show_header=False, box=None, padding=(0, 2))
    for name, figure, note in _summary(report):
        summary.add_row(name, figure, f"[dim]{escape(note)}[/dim]" if note else "")
    console.print(summary)
    if report.classes:
        console.print(_scores("label", report.classes.labels))
    if report.entities:
        console.print(_types(report.entities))
    if report.slices:
        console.print(_slices(report.slices))


def _summary(report: Report) -> Iterator[tuple[str, str, str]]:
    if report.classes:
        yield "accuracy", _share(report.classes.accuracy), ""
        yield "macro-F1", _figure(report.classes.macro_f1), "of the labels that occur"
        error = _figure(report.classes.calibration_error)
        yield "calibration error", error, "of the top label, 15 bins"
    if report.guard:
        yield from _guard(report.guard)
    if report.entities:
        yield from _entities(report.entities)
    if report.latency:
        one = report.latency
        told = f"{one.texts} texts one by one, of {one.characters_p50} characters (median)"
        said = f"{one.p50_ms:.1f} ms, {one.p95_ms:.1f} ms"
        yield "latency p50, p95", said, f"{told}, {one.characters_most} at most"


def _guard(guard: Guard) -> Iterator[tuple[str, str, str]]:
    yield "AUC", _figure(guard.auc), f"{guard.positives} attacks, {guard.negatives} others"
    for point in guard.points:
        name = f"recall at {point.rate:.0%} FPR"
        yield name, _share(point.recall), f"above {point.threshold:.4f}"
    if guard.served is not None:
        at = f"served threshold {guard.served:g}"
        yield "recall, FPR", f"{_share(guard.served_recall)}, {_share(guard.served_rate)}", at
    if (lures := guard.over_defence) is not None:
        told = f"{lures.texts} harmless texts with trigger words"
        where = f"above {lures.threshold:.4f}, {RATES[0]:.0%} FPR of the others"
        yield "over-defence", _share(lures.rate), f"{told}, {where}"
        if lures.served_rate is not None:
            yield "", _share(lures.served_rate), f"from the served threshold {guard.served:g}"
    for flips in (guard.flips, guard.served_flips):
        if flips is not None:
            yield "flip rate", _share(flips.rate), _flipped(flips)


def _flipped(flips: Flips) -> str:
    told = f"of {flips.detected} detected attacks, with ten harmless words appended"
    return f"{told}; from {flips.threshold:.4f}"


def _entities(found: Entities) -> Iterator[tuple[str, str, str]]:
    for name, one in _rows(found):
        score = one.overall
        told = f"precision {_figure(score.precision)}, recall {_figure(score.recall)}"
        yield f"span F1, {name}", _figure(score.f1), f"{told}, {score.support} entities"
    if found.calibration_error is not None:
        error = _figure(found.calibration_error)
        yield (
            "calibration error",
            error,
            "of the model's own spans, if they touch one of their type; 15 bins",
        )
    if found.threshold is not None:
        told = f"texts with entities and without in which some reach {found.threshold:g}"
        yield "texts flagged", f"{_share(found.text_recall)}, {_share(found.text_rate)}", told


def _rows(found: Entities) -> Iterator[tuple[str, Found]]:
    if found.alone is not None:
        yield "model alone", found.alone
    yield "with validators", found.united
    if found.served is not None:
        yield f"with validators, from {found.threshold:g}", found.served


def _scores(title: str, scores: Mapping[str, Score], what: str = "texts") -> Table:
    table = _table(title, "precision", "recall", "F1", what)
    for label, one in scores.items():
        cells = (_figure(one.precision), _figure(one.recall), _figure(one.f1))
        table.add_row(escape(label), *cells, str(one.support))
    return table


def _types(found: Entities) -> Table:
    if found.alone is None:
        return _scores("type, with validators", found.united.labels, "entities")
    columns = ("precision", "recall", "F1", "precision", "recall", "F1 with validators", "entities")
    table = _table("type, model alone", *columns)
    nothing = Score(0.0, 0.0, 0.0, 0)
    for label in sorted({*found.alone.labels, *found.united.labels}):
        alone, united = (one.labels.get(label, nothing) for one in (found.alone, found.united))
        cells = [
            _figure(figure)
            for one in (alone, united)
            for figure in (one.precision, one.recall, one.f1)
        ]
        table.add_row(escape(label), *cells, str(alone.support or united.support))
    return table


def _slices(slices: Sequence[Slice]) -> Table:
    names = list(slices[0].figures)
    table = _table("slice", "texts", *names)
    for one in slices:
        cells = [_figure(one.figures[name]) for name in names]
        table.add_row(escape(f"{one.by}: {one.value}"), str(one.texts), *cells)
    return table


def _table(first: str, *columns: str) -> Table:
    table = Table(title_justify="left")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _share(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.1%}"


def _figure(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.3f}"


def _finite(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
