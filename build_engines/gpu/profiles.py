"""Which shapes an engine takes: one optimisation profile for each bucket, or one for pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from build_engines.errors import SpecError
from build_engines.gpu.spec import Gpu, GpuText
from build_engines.gpu.tensors import INPUT_IDS, LENGTHS, PIXELS

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Shapes of one input: the least, the one that the engine is tuned for, the greatest."""

    least: Shape
    optimal: Shape
    most: Shape

    def holds(self, shape: Sequence[int]) -> bool:
        return len(shape) == len(self.least) and all(
            low <= size <= high
            for low, size, high in zip(self.least, shape, self.most, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """The ranges of all inputs; `name` is for people."""

    name: str
    inputs: Mapping[str, Range]

    def holds(self, shapes: Mapping[str, Sequence[int]]) -> bool:
        return shapes.keys() == self.inputs.keys() and all(
            self.inputs[name].holds(shape) for name, shape in shapes.items()
        )


def of_texts(gpu: GpuText) -> list[Profile]:
    """One for each length, in their order, all for every batch and number of windows.

    A text of several windows is in the last bucket: its first window is full. The others take them
    as well, so that no step before need know that.
    """
    found = []
    for length in gpu.lengths:
        lengths = Range((1, 1), (gpu.optimal, 1), (gpu.batch, gpu.windows))
        ids = Range(*((*shape, length) for shape in (lengths.least, lengths.optimal, lengths.most)))
        found.append(Profile(f"{length} tokens", {INPUT_IDS: ids, LENGTHS: lengths}))
    return found


def of_pictures(gpu: Gpu, size: int) -> list[Profile]:
    """One, for every batch of pictures `size` pixels high and wide."""
    least, optimal, most = ((n, 3, size, size) for n in (1, gpu.optimal, gpu.batch))
    return [Profile(f"{size} pixels", {PIXELS: Range(least, optimal, most)})]


def bucket(lengths: Sequence[int], tokens: int) -> int:
    """The shortest of `lengths` that holds `tokens`. Raises SpecError where none does."""
    for length in lengths:
        if tokens <= length:
            return length
    raise SpecError(f"{tokens} tokens fit none of the lengths {list(lengths)}")


def chosen(profiles: Sequence[Profile], shapes: Mapping[str, Sequence[int]]) -> int:
    """The index of the first profile that takes these inputs.

    Raises SpecError that says what was asked and what there is.
    """
    for index, profile in enumerate(profiles):
        if profile.holds(shapes):
            return index
    asked = ", ".join(f"{name} {list(shape)}" for name, shape in sorted(shapes.items()))
    takes = "; ".join(
        f"{profile.name}: "
        + ", ".join(
            f"{name} {list(one.least)} to {list(one.most)}" for name, one in profile.inputs.items()
        )
        for profile in profiles
    )
    raise SpecError(f"no profile takes {asked}; there are {takes}")
