"""What a policy asks for and does not get, once each: for a reader of `tsr check`.

A file in the format's full length repeats itself: every model of the reference router has a path, a
device and a variant, every other decision the same plugin. Only warnings that something is accepted
and not used are put together; nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from orchestrator.config.unused import NOT_USED
from orchestrator.errors import Problem

_INDEX = re.compile(r"\[\d+\]")
_IN_ROUTING = re.compile(r"(routing|recipes\[\d+\])\.")
MOST_LINES = 5  # that are named


def grouped(problems: Iterable[Problem]) -> list[Problem]:
    """`problems` in their order, each group in the place of its first.

    In a routing block what is said twice in like places is one group (a plugin of ten decisions),
    elsewhere all settings of one block are (a model that is not used).
    """
    groups: dict[object, list[Problem]] = {}
    for number, problem in enumerate(problems):
        groups.setdefault(_group(problem) or number, []).append(problem)
    return [group[0] if len(group) == 1 else _together(group) for group in groups.values()]


def _group(problem: Problem) -> tuple[str, str] | None:
    """None: it stays alone."""
    if not problem.message.endswith(NOT_USED):
        return None
    pattern = _INDEX.sub("[*]", problem.path)
    if _IN_ROUTING.match(problem.path):
        return pattern, problem.message
    return pattern.rpartition(".")[0], ""


def _together(group: Sequence[Problem]) -> Problem:
    """Of one setting: where it stands. Of several: which they are."""
    first = group[0]
    times: dict[str, int] = {}
    for problem in group:
        place = _INDEX.sub("[*]", problem.path)
        times[place] = times.get(place, 0) + 1
    if len(times) == 1:
        said = f"{first.message}, {len(group)} times{_lines(group)}"
        return replace(first, path=next(iter(times)), message=said)
    parents = {problem.path.rpartition(".")[0] for problem in group}
    block = parents.pop() if len(parents) == 1 else next(iter(times)).rpartition(".")[0]
    names = (
        place.rpartition(".")[2] + (f" ({number} times)" if number > 1 else "")
        for place, number in times.items()
    )
    said = f"{len(times)} settings are {NOT_USED}: {', '.join(names)}"
    return replace(first, path=block, message=said)


def _lines(group: Sequence[Problem]) -> str:
    numbers = [str(problem.line) for problem in group if problem.line]
    more = ", ..." if len(numbers) > MOST_LINES else ""
    return f" (lines {', '.join(numbers[:MOST_LINES])}{more})" if numbers else ""
