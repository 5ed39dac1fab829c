"""The table `[fleet]` of models/<model>.toml: how a model is served where it has an engine.

    [fleet]
    steps = 2          # processes of each step in Python
    queue = 256        # requests that wait for the first step, or the engine; more are refused
    timeout_ms = 2000  # that a request waits there, then it is refused
    priority = 1       # of those that share a GPU: the least goes first
    cache = false      # Triton keeps answers, by TEXT (and TASKS): nothing else changes them

What an engine is built for is in `[gpu]` (build_engines/gpu/spec.py).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[int, Field(gt=0)]


class Fleet(BaseModel):
    """`timeout_ms` is a second line: the client's deadline decides, and comes first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: Positive = 2
    queue: Positive = 256
    timeout_ms: Positive = 2000
    priority: Annotated[int, Field(ge=1, le=2)] = 2
    cache: bool = False
