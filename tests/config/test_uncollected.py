import gc

import pytest

from orchestrator.config.uncollected import uncollected


class Cycle:
    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collecting():
    gc.enable()
    yield
    gc.unfreeze()
    gc.enable()


def test_it_is_off_inside_and_on_again_after_a_failure():
    with pytest.raises(ValueError, match="broken"):
        with uncollected():
            off = not gc.isenabled()
            raise ValueError("broken")

    assert off
    assert gc.isenabled()


def test_an_inner_block_leaves_it_off_for_the_outer_one():
    with uncollected():
        with uncollected():
            pass
        assert not gc.isenabled()


def test_where_it_was_off_it_stays_off():
    gc.disable()

    with uncollected():
        pass

    assert not gc.isenabled()


def test_what_was_made_is_old_and_still_found():
    gc.collect()
    with uncollected():
        cycles = [Cycle() for _ in range(1000)]
    old = {id(one) for one in gc.get_objects(generation=2)}

    assert {id(cycle) for cycle in cycles} <= old
    assert gc.get_freeze_count() == 0
    del cycles
    assert gc.collect() >= 1000


def test_what_somebody_froze_stays_frozen():
    gc.freeze()
    before = gc.get_freeze_count()

    with uncollected():
        pass

    assert gc.get_freeze_count() >= before // 2 > 0
