"""In which languages what an adapter says is good enough to be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from build_engines.data import Example

# A policy has a default for what is unknown; a signal that is wrong more often than one time in
# four routes worse than that.
LEAST_ACCURACY = 0.75
# The standard error of an accuracy of 0.75 over 40 texts is 0.07: below, chance would decide.
FEWEST_TEXTS = 40


def trusted(examples: Sequence[Example], right: Iterable[bool]) -> tuple[str, ...] | None:
    """The languages of these texts, ISO 639-1 and sorted, in which LEAST_ACCURACY is reached.

    None where no language has enough texts to tell: then nothing speaks against any.

    `examples` are none that trained; `right` says of each, in order, whether the adapter's most
    probable label is its own. Raises ValueError where there are more of one than of the other.
    """
    found: dict[str, list[bool]] = defaultdict(list)
    for example, is_right in zip(examples, right, strict=True):
        found[example.language].append(bool(is_right))
    enough = {language: marks for language, marks in found.items() if len(marks) >= FEWEST_TEXTS}
    if not enough:
        return None
    return tuple(
        language
        for language, marks in sorted(enough.items())
        if sum(marks) >= LEAST_ACCURACY * len(marks)
    )
