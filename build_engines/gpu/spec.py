"""The table `[gpu]` of models/<model>.toml: what an engine is built for, and how it is served.

    [gpu]
    lengths = [32, 64, 128, 256]  # buckets: the places of a window, ascending; the last is `window`
    windows = 16                  # of one text, at most: `max_windows`
    batch = 32                    # texts of one run, at most
    optimal = 8                   # texts of the run that the engine is tuned for
    precision = "fp16"
    fp32 = ["LayerNormalization/*", "Softmax/*"]  # nodes that stay float32, by name
    workspace = 4096              # MiB that a tactic may take while the engine is built and runs
    instances = 1

An image encoder has neither `lengths` nor `windows`. A node is called `<operation>/<output>`; `*`
and `?` stand for what a file name's would.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Positive = Annotated[int, Field(gt=0)]
Precision = Literal["fp16", "bf16", "fp32"]

# What loses most in sixteen bits: sums over many numbers, and what is compared with a threshold.
FP32 = ("LayerNormalization/*", "Softmax/*", "Reduce*/*", "Div/*", "Clip/*", "*/LOGITS_*")
# Tensor cores work on eights; other lengths are filled up inside.
STEP = 8


class Gpu(BaseModel):
    """An engine of any model. `workspace` in MiB."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    batch: Positive
    optimal: Positive = 8
    precision: Precision = "fp16"
    fp32: tuple[str, ...] = FP32
    workspace: Positive = 4096
    instances: Positive = 1

    @model_validator(mode="after")
    def an_engine_is_tuned_for_a_batch_that_it_takes(self) -> Self:
        if self.optimal > self.batch:
            raise ValueError(f"optimal is {self.optimal} texts, batch only {self.batch}")
        return self

    @model_validator(mode="after")
    def patterns_are_for_mixed_precision(self) -> Self:
        if self.precision == "fp32" and self.fp32 != FP32:
            raise ValueError('fp32 names nodes to keep, but with precision = "fp32" all are kept')
        return self

    def built(self) -> dict[str, object]:
        """What decides the engine: not how many instances of it are served."""
        return self.model_dump(exclude={"instances"})


class GpuText(Gpu):
    """An engine of a text encoder: one optimisation profile for each of `lengths`."""

    lengths: Annotated[tuple[Positive, ...], Field(min_length=1)]
    windows: Positive

    @model_validator(mode="after")
    def lengths_ascend(self) -> Self:
        for shorter, longer in pairwise(self.lengths):
            if longer <= shorter:
                raise ValueError(f"lengths ascend, but {longer} comes after {shorter}")
        odd = [length for length in self.lengths if length % STEP]
        if odd:
            raise ValueError(f"lengths are multiples of {STEP}, but there is {odd[0]}")
        return self

    def fits(self, window: int, max_windows: int) -> Self:
        """Itself. Raises ValueError where a text of `[text]` would fit no bucket."""
        if self.lengths[-1] < window:
            raise ValueError(
                f"lengths end at {self.lengths[-1]}, a window of the text has {window} tokens"
            )
        if len(self.lengths) > 1 and self.lengths[-2] >= window:
            raise ValueError(
                f"no window has more than {window} tokens, {self.lengths[-1]} would never be used"
            )
        if self.windows < max_windows:
            raise ValueError(f"windows is {self.windows}, a text has up to {max_windows}")
        return self
