import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import (
    InferenceTimeout,
    InferenceUnavailable,
    RequestError,
    Unavailable,
)
from orchestrator.inference.gathering import Gathering
from orchestrator.server.classify_bodies import MOST_TOTAL
from orchestrator.server.unavailable import LONG_TOKENS, Served, allowance, patient
from tests.server.classifier import Model


def asked(*texts, deadline=2.0):
    return patient(Served(Gathering(Model()), (), deadline), "AWAY", "a_model", texts)


async def test_only_a_failure_of_the_model_server_means_unavailable():
    with pytest.raises(RequestError):
        async with asked("hi"):
            raise RequestError("no such field")


async def test_the_model_the_code_and_when_to_try_again_are_told_and_no_address():
    with pytest.raises(Unavailable) as caught:
        async with asked("x" * 100_000):
            raise InferenceUnavailable("10.1.2.3:8001: a_model: connection refused")

    assert (caught.value.status, caught.value.reason) == (503, "AWAY")
    assert caught.value.retry_after
    said = str(caught.value)
    assert "a_model" in said
    assert "inference_unavailable" in said
    assert "too long" not in said
    assert "10.1.2.3" not in said
    assert "refused" not in said


@pytest.mark.parametrize(
    ("texts", "blamed"),
    [
        pytest.param(["word " * 1_600], False, id="as much as one inference reads"),
        pytest.param(["word " * 1_600, "word " * 100], True, id="more, in two texts"),
        pytest.param(["\N{CJK UNIFIED IDEOGRAPH-4E00}" * 2_731], True, id="bytes count"),
        pytest.param(["?" * (LONG_TOKENS + 1)], True, id="tokens count"),
    ],
)
@pytest.mark.parametrize("too_late", ["the server's limit", "ours"])
async def test_much_text_is_blamed_for_a_deadline_and_not_the_model(texts, blamed, too_late):
    with pytest.raises(Unavailable) as caught:
        async with asked(*texts, deadline=2.0 if too_late == "the server's limit" else 0.0):
            if too_late == "ours":
                await asyncio.Event().wait()
            raise InferenceTimeout("10.1.2.3:8001: a_model: no answer in time")

    said = str(caught.value)
    assert ("too long for the deadline" in said) == blamed
    assert ("/ready" in said) == (not blamed)
    assert "inference_timeout" in said
    assert "10.1.2.3" not in said


@given(st.integers(0, MOST_TOTAL - 1))
def test_more_text_has_more_time_and_all_that_a_body_may_hold_a_bounded_one(count):
    assert 10.0 <= allowance(2.0, count) <= allowance(2.0, count + 1) <= 266.0
    assert allowance(2.0, MOST_TOTAL // 4) > allowance(2.0, count % (MOST_TOTAL // 4))
