"""Counters, gauges and histograms kept in plain dictionaries; `telemetry` gives them their names.

They become metrics when `/metrics` is read. One event loop writes them, so they need no lock.
Measured 2026-11 for a request with eight families and four matches, one cloud core: 7 us here,
21 us with prometheus_client's own counters.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

Labels = tuple[str, ...]


class Tally(defaultdict[Labels, int]):
    """A counter: `tally[labels] += 1`."""

    def __init__(self, name: str, text: str, labels: Labels) -> None:
        super().__init__(int)
        self._described = name, text, labels
        if not labels:
            self[()] = 0  # a counter without labels exists from the start

    def collect(self) -> Metric:
        name, text, names = self._described
        family = CounterMetricFamily(name, text, labels=names)
        for labels, count in self.items():
            family.add_metric(labels, count)
        return family


class Level(dict[Labels, float]):
    """A gauge: `level[labels] = value`."""

    def __init__(self, name: str, text: str, labels: Labels) -> None:
        super().__init__()
        self._described = name, text, labels
        if not labels:
            self[()] = 0.0

    def collect(self) -> Metric:
        name, text, names = self._described
        family = GaugeMetricFamily(name, text, labels=names)
        for labels, value in self.items():
            family.add_metric(labels, value)
        return family


class Spread:
    """How often a duration fell under each bound (the last count: above all), and their sum."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds

    def cumulative(self) -> list[tuple[str, float]]:
        buckets: list[tuple[str, float]] = []
        seen = 0
        for bound, count in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            seen += count
            buckets.append((bound, seen))
        return buckets


class Timer(dict[Labels, Spread]):
    """A histogram of seconds: `timer[labels].add(seconds)`."""

    def __init__(self, name: str, text: str, labels: Labels, bounds: tuple[float, ...]) -> None:
        super().__init__()
        self._described = name, text, labels
        self._bounds = bounds

    def __missing__(self, labels: Labels) -> Spread:
        spread = self[labels] = Spread(self._bounds)
        return spread

    def collect(self) -> Metric:
        name, text, names = self._described
        family = HistogramMetricFamily(name, text, labels=names)
        for labels, spread in self.items():
            family.add_metric(labels, spread.cumulative(), spread.total)
        return family
