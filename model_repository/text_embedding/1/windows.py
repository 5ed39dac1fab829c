"""Token sequences into windows, and windows into runs of nearly equal length.

Pure arithmetic: knows neither the tokenizer, nor the network, nor Triton.
"""

from collections.abc import Sequence

Window = tuple[int, int]  # first token, one past the last


def windows(tokens: int, size: int, overlap: int) -> list[Window]:
    """Cut `tokens` tokens into windows of at most `size`, neighbours sharing `overlap`.

    A text of no tokens is one empty window: it still has an embedding.
    """
    if tokens <= size:
        return [(0, tokens)]
    step = size - overlap
    count = 1 + -(-(tokens - size) // step)
    return [(start, min(start + size, tokens)) for start in range(0, count * step, step)]


def runs(lengths: Sequence[int], padding: float, max_tokens: int) -> list[list[int]]:
    """Group sequences so that each group is one run of the network, padded to its longest.

    Returns indices into `lengths`, every index once, longest group first. In each run at most the
    share `padding` of the tokens is padding, and there are at most `max_tokens` of them (a
    single sequence always fits).
    """
    groups: list[list[int]] = []
    longest = filled = 0
    for row in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        length = lengths[row]
        size = longest * (len(groups[-1]) + 1) if groups else 0
        if groups and size <= max_tokens and size - filled - length <= padding * size:
            groups[-1].append(row)
            filled += length
        else:
            groups.append([row])
            longest = filled = length
    return groups
