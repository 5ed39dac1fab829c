"""Python's garbage collector, kept out of the way while a large document is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles while the block runs; what it makes then counts as long-lived.

    A document of a thousand decisions is a million objects that all stay alive; collections that
    find nothing among them took two thirds of the time of reading one (measured 2026-11). Blocks
    may nest, and threads may each have one: the one that began first puts things back.
    """
    were_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if were_on:
            if not gc.get_freeze_count():  # somebody else's, who wants them to stay so
                gc.freeze()
                gc.unfreeze()  # together: into the oldest generation, without looking at any
            gc.enable()
