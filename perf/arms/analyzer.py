"""A model of the repository, asked by NVIDIA's perf_analyzer (perf/install_perf_analyzer.sh)."""

from __future__ import annotations

from pathlib import Path

from perf.arms import Ready, Unavailable
from perf.arms.triton import Served
from perf.scenario import Triton


async def start(arm: Triton, server: Served, folder: Path) -> Ready:
    """`folder` is for its files. Raises Unavailable."""
    raise Unavailable("perf_analyzer is not installed: run perf/install_perf_analyzer.sh")
