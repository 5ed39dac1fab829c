import asyncio
import contextlib
from dataclasses import replace

import grpc
import numpy as np
import pytest

from orchestrator.errors import ImageRefused, InferenceError, InferenceTimeout, InferenceUnavailable
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.model_server import Fault
from orchestrator.inference.rows import Row
from tests.inference.fake_models import TASKS, vector
from tests.inference.fake_triton import ABSENT, DEAD, FakeTriton, serving

CODE = grpc.StatusCode


@contextlib.asynccontextmanager
async def reached(fake, **options):
    async with serving(fake) as url:
        endpoint = Endpoint(url, **options)
        try:
            yield endpoint
        finally:
            await endpoint.close()


@pytest.mark.parametrize(
    ("failure", "kind", "fault"),
    [
        pytest.param((CODE.INVALID_ARGUMENT, "bad shape"), InferenceError, None, id="our mistake"),
        pytest.param((CODE.INTERNAL, "out of memory"), InferenceError, None, id="its mistake"),
        pytest.param(
            (CODE.INTERNAL, "IMAGE is what broke it"),
            InferenceError,
            None,
            id="a picture broke it",
        ),
        pytest.param(
            (CODE.INVALID_ARGUMENT, "in ensemble 'm', IMAGE is empty"),
            ImageRefused,
            None,
            id="a picture that is not read",
        ),
        pytest.param(
            (CODE.UNAVAILABLE, "Exceeds maximum queue size"), InferenceUnavailable, None, id="full"
        ),
        pytest.param(
            (CODE.UNAVAILABLE, "Request timeout expired"), InferenceTimeout, None, id="queued long"
        ),
        pytest.param((CODE.DEADLINE_EXCEEDED, ""), InferenceTimeout, None, id="deadline"),
        pytest.param((CODE.CANCELLED, ""), InferenceUnavailable, None, id="cancelled there"),
        pytest.param(
            (CODE.UNAVAILABLE, "Socket closed"),
            InferenceUnavailable,
            Fault.UNREACHABLE,
            id="lost connection",
        ),
        pytest.param(ABSENT, InferenceUnavailable, Fault.NOT_LOADED, id="unloaded"),
        pytest.param(DEAD, InferenceUnavailable, Fault.DEAD_INSTANCE, id="dead process"),
    ],
)
async def test_failures_become_ours(failure, kind, fault):
    fake = FakeTriton()
    fake.failures = [failure]
    async with reached(fake) as endpoint:
        with pytest.raises(InferenceError) as caught:
            await endpoint.ask("m", [Row(b"x")])

    assert type(caught.value) is kind
    assert caught.value.__cause__ is None, "no gRPC type behind it"
    assert endpoint.faults.get("m") is fault
    assert endpoint.trouble.is_set() is (fault is not None)


def _without(name):
    def corrupt(response):
        index = [output.name for output in response.outputs].index(name)
        del response.outputs[index], response.raw_output_contents[index]

    return corrupt


def _raw(values):
    def corrupt(response):
        response.outputs[0].shape[:] = values.shape
        response.raw_output_contents[0] = values.tobytes()

    return corrupt


@pytest.mark.parametrize(
    "corrupt",
    [
        pytest.param(_without("EMBEDDING"), id="no embedding"),
        pytest.param(_without("WINDOWS"), id="no windows"),
        pytest.param(lambda r: r.raw_output_contents.pop(), id="an output without contents"),
        pytest.param(lambda r: r.ClearField("outputs"), id="contents without outputs"),
        pytest.param(lambda r: r.Clear(), id="nothing"),
        pytest.param(_raw(np.zeros((1, 4), np.float32)), id="a row is missing"),
        pytest.param(_raw(np.zeros((2, 0), np.float32)), id="no dimension"),
        pytest.param(_raw(np.zeros((2, 2, 2), np.float32)), id="one axis too many"),
        pytest.param(_raw(np.zeros((2, 4), np.float16)), id="half of the bytes"),
        pytest.param(_raw(np.full((2, 4), np.nan, np.float32)), id="not a number"),
        pytest.param(_raw(np.full((2, 4), np.inf, np.float32)), id="infinite"),
    ],
)
async def test_malformed_answers_are_refused(corrupt):
    fake = FakeTriton()
    fake.corrupt = corrupt
    async with reached(fake) as endpoint:
        with pytest.raises(InferenceError):
            await endpoint.ask("m", [Row(b"x"), Row(b"y")])


async def test_a_model_that_does_not_tell_its_dimension_may_have_any():
    fake = FakeTriton()
    fake.dims = []
    async with reached(fake) as endpoint:
        assert (await endpoint.describe("m")).dimension == -1


async def test_rows_come_in_order_with_windows_and_cuts_counted():
    texts = [b"one", b"", "drei \N{SNOWMAN}".encode(), b"\0", b"x" * 100]
    async with reached(FakeTriton()) as endpoint:
        answers = await endpoint.ask("m", [Row(text) for text in texts])

    np.testing.assert_array_equal([a.vector for a in answers], [vector(text) for text in texts])
    assert [answer.said.windows for answer in answers] == [1] * 5
    assert [answer.said.truncated for answer in answers] == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("tasks", "stated"),
    [
        pytest.param([()], 0, id="an embedding alone"),
        pytest.param([("domain",)], 0, id="what a text is about"),
        pytest.param([("pii",)], 1, id="personal data"),
        pytest.param([("domain", "guard")], 1, id="a risk with another task"),
        pytest.param([("domain",), ("guard",)], 1, id="a risk in another row"),
    ],
)
async def test_a_request_with_a_guard_goes_first(tasks, stated):
    fake = FakeTriton()
    known = TASKS | {"guard": replace(TASKS["guard"], positive=("danger",))}

    async with reached(fake) as endpoint:
        await endpoint.ask("m", [Row(b"text", frozenset(some)) for some in tasks], known)

    assert fake.priorities == [stated]


async def test_cancelling_reaches_the_server():
    fake = FakeTriton()
    fake.gate.clear()
    async with reached(fake) as endpoint:
        call = asyncio.create_task(endpoint.ask("m", [Row(b"x")]))
        await fake.entered.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

        await asyncio.wait_for(fake.cancelled.wait(), 10)


async def test_an_answer_that_takes_too_long_is_a_timeout():
    fake = FakeTriton()
    fake.gate.clear()
    async with reached(fake, timeout_s=0.05) as endpoint:
        with pytest.raises(InferenceTimeout):
            await endpoint.ask("m", [Row(b"x")])

        await asyncio.wait_for(fake.cancelled.wait(), 10)


async def test_a_model_is_described_once_until_forgotten():
    fake = FakeTriton(instances=2, max_batch=8)
    async with reached(fake) as endpoint:
        first = await endpoint.describe("m")
        fake.instances = 5
        same = await endpoint.describe("m")
        endpoint.forget("m")
        fresh = await endpoint.describe("m")

    assert (first.version, first.device, first.max_batch, first.dimension) == ("1", "cpu", 8, 4)
    assert (first.instances, same.instances, fresh.instances) == (2, 2, 5)


async def test_nobody_there():
    async with serving(FakeTriton()) as url:
        pass
    endpoint = Endpoint(url)

    assert not await endpoint.ready()
    assert not endpoint.connected()
    with pytest.raises(InferenceUnavailable, match=url):
        await endpoint.ask("m", [Row(b"x")])
    assert endpoint.faults == {"m": Fault.UNREACHABLE}
    await endpoint.close()
