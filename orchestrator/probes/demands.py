"""What a probe file demands of itself: how much of the policy its assertions must name.

The reference's measures (spec/conformance.md 11.1): a signal is asserted where any probe expects
or forbids it; an algorithm or a plugin where a probe of its decision expects it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.probes.coverage import Coverage, Share
from orchestrator.probes.load import Probe
from orchestrator.probes.schema import Coverage as Minimums
from orchestrator.probes.schema import ProbeFile
from orchestrator.probes.tags import classes_of
from orchestrator.projections import PROJECTION

Surface = tuple[str, str, str]  # recipe, decision, algorithm or plugin


@dataclass(frozen=True, slots=True)
class Inventory:
    """All that can be asserted about a policy file. Signals are `key:rule`, with the key of
    matched_signals; `rules` leads from a leaf of several (`task:hard`) to its rule.
    """

    signals: frozenset[str]
    algorithms: frozenset[Surface]
    plugins: frozenset[Surface]
    rules: Mapping[str, str] = field(default_factory=dict)


def assertions(probes: Iterable[Probe], inventory: Inventory) -> dict[str, Share]:
    """How much of each kind the probes assert; by the names of the file's minimums."""
    signals: set[str] = set()
    algorithms: set[Surface] = set()
    plugins: set[Surface] = set()
    for probe in probes:
        decision = probe.decision
        here = (decision.expected_recipe, decision.expected_decision)
        for expectation in (probe.expected_signals, probe.forbidden_signals):
            named = (f"{key}:{name}" for key, names in expectation.items() for name in names)
            signals |= {inventory.rules.get(name, name) for name in named}
        if decision.expected_algorithm:
            algorithms.add((*here, decision.expected_algorithm))
        plugins |= {(*here, plugin) for plugin in decision.expected_plugins}
    projections = frozenset(s for s in inventory.signals if s.startswith(f"{PROJECTION}:"))
    return {
        "signal": _share(inventory.signals, signals),
        "projection": _share(projections, signals),
        "algorithm": _share(inventory.algorithms, algorithms),
        "plugin": _share(inventory.plugins, plugins),
    }


def shortfalls(
    file: ProbeFile, probes: Sequence[Probe], inventory: Inventory | None
) -> tuple[str, ...]:
    """Each minimum of the file's `coverage` that its probes do not reach, in words.

    Without the policy's inventory the minimums that need it count as not reached.
    """
    minimums = file.coverage
    return (
        *_assertions(minimums, assertions(probes, inventory) if inventory else {}),
        *_shapes(minimums, probes),
        *_classes(minimums, probes),
    )


def unexercised(floors: Mapping[str, float], coverage: Coverage) -> tuple[str, ...]:
    """Each of `floors` (percent, by the names of `Coverage.totals`) that is not reached, in words.

    Where no decision is known, since nothing answered, none is reached.
    """
    shares = coverage.totals
    if not coverage.decisions and not coverage.answers:
        return tuple(f"{name} exercised: none is known" for name, floor in floors.items() if floor)
    return tuple(
        f"{name} exercised: {shares[name].percent:.1f} % ({shares[name].seen}/{shares[name].of}),"
        f" {floor:g} % demanded"
        for name, floor in floors.items()
        if shares[name].percent < floor
    )


def _assertions(minimums: Minimums, shares: Mapping[str, Share]) -> Iterator[str]:
    demanded = {
        "signal": minimums.min_signal_assertion_percent,
        "projection": minimums.min_projection_assertion_percent,
        "algorithm": minimums.min_algorithm_assertion_percent,
        "plugin": minimums.min_plugin_assertion_percent,
    }
    for kind, floor in demanded.items():
        if kind not in shares and floor > 0:
            yield f"{kind}s asserted: {floor:g} % demanded, and only --config tells of how many"
        elif kind in shares and round(shares[kind].percent, 1) < floor:
            yield f"{kind}s asserted: {shares[kind].percent:.1f} %, {floor:g} % demanded"


def _shapes(minimums: Minimums, probes: Sequence[Probe]) -> Iterator[str]:
    shapes = {"messages" if probe.variant.messages else "text" for probe in probes}
    shapes |= {"tools" for probe in probes if probe.variant.tools}
    for shape in minimums.required_request_shapes:
        if shape not in shapes:
            yield f"requests with {shape}: none, demanded"


def _classes(minimums: Minimums, probes: Sequence[Probe]) -> Iterator[str]:
    counts = Counter(name for probe in probes for name in classes_of(probe.variant))
    for name, floor in minimums.min_tag_counts.items():
        if counts[name] < floor:
            yield f"tag {name}: {counts[name]} probes, {floor} demanded"


def _share(declared: frozenset[str] | frozenset[Surface], asserted: Iterable[object]) -> Share:
    return Share(len(declared & frozenset(asserted)), len(declared))
