"""The part of a long text that models read (spec/signals.md 2.0, text window)."""

LIMIT = 2048  # characters
MARKER = "\n... [content sampled for routing signal evaluation] ...\n"

_THIRD = LIMIT // 3
_REST = LIMIT - 2 * _THIRD


def window(text: str) -> str:
    """`text`, or LIMIT characters of it: head, middle and tail, joined by MARKER."""
    if len(text) <= LIMIT:
        return text
    middle = (len(text) - _THIRD) // 2
    return MARKER.join((text[:_THIRD], text[middle : middle + _THIRD], text[-_REST:]))
