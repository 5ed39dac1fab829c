import gc
import weakref

import pytest

from orchestrator.app.collector import YOUNG, quiet, settle


class Ring:
    def __init__(self):
        self.itself = self


def test_settings_last_as_long_as_the_block():
    before = gc.get_threshold()

    with pytest.raises(KeyError), quiet():
        assert (gc.get_threshold()[0], gc.get_freeze_count() > 0) == (YOUNG, True)
        raise KeyError

    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_cycles_that_arise_later_are_still_freed():
    with quiet():
        for _ in range(3 * YOUNG):
            Ring()

        assert sum(isinstance(one, Ring) for one in gc.get_objects()) < 2 * YOUNG


def test_what_is_left_of_an_old_policy_is_freed_although_it_was_frozen():
    ring = weakref.ref(keep := Ring())
    with quiet():
        del keep
        gc.collect()
        assert ring() is not None

        settle()

        assert ring() is None
        assert gc.get_freeze_count() > 0
