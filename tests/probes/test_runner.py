import asyncio

import aiohttp
import pytest
from aiohttp import web

from orchestrator.errors import ModelNotFound, UpstreamError, UpstreamUnavailable
from orchestrator.probes.dependencies import dependencies_of
from orchestrator.probes.runner import asking, run
from tests.probes.files import ANSWER, DOCUMENT, a_file, edited
from tests.server.policies import a_policy


def many(count: int, **evaluation):
    variants = [{"id": f"v{n}", "query": f"q{n}"} for n in range(count)]
    return a_file(
        edited(DOCUMENT, {"decisions.0.variants": variants, "evaluation": evaluation or {}})
    )


async def passing(body):
    return ANSWER


async def test_results_come_in_file_order_and_progress_as_they_end():
    file, probes = many(3, concurrency=3)
    turns = {f"q{n}": asyncio.Event() for n in range(3)}
    turns["q2"].set()
    ended = []

    async def ask(body):
        await turns[body["text"]].wait()
        return ANSWER

    def progress(result):
        ended.append(result.probe.variant.query)
        for before, after in (("q2", "q1"), ("q1", "q0")):
            if ended[-1] == before:
                turns[after].set()

    results = await run(file, probes, ask, progress=progress)

    assert ended == ["q2", "q1", "q0"]
    assert [result.probe.variant.query for result in results] == ["q0", "q1", "q2"]
    assert {result.status for result in results} == {"pass"}


@pytest.mark.parametrize(
    ("parallel", "most"),
    [
        pytest.param(None, 3, id="as the file says"),
        pytest.param(5, 5, id="as the caller says"),
    ],
)
async def test_no_more_at_once_than_is_allowed(parallel, most):
    file, probes = many(8, concurrency=3)
    running = highest = 0

    async def ask(body):
        nonlocal running, highest
        running += 1
        highest = max(highest, running)
        await asyncio.sleep(0)
        running -= 1
        return ANSWER

    await run(file, probes, ask, parallel=parallel)

    assert highest == most


async def test_a_signal_that_differs_is_told_with_its_numbers():
    file, probes = many(1)
    result = {**ANSWER["decision_result"], "matched_signals": {"topics": ["cooking"]}}

    async def ask(body):
        unknown = {"words:urgent": "inference_timeout"}
        return {**ANSWER, "decision_result": result, "signals_unknown": unknown}

    (failed,) = await run(file, probes, ask)

    assert [str(signal) for signal in failed.signals] == [
        "missing words:urgent: unknown (inference_timeout)",
        "forbidden topics:cooking: matched",
    ]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(ModelNotFound("no such model"), "model_not_found: no such model", id="ours"),
        pytest.param(UpstreamError("answered 500"), "upstream_error: answered 500", id="theirs"),
    ],
)
async def test_no_answer_is_a_failure_that_says_why(error, said):
    file, probes = many(1)

    async def ask(body):
        raise error

    (result,) = await run(file, probes, ask)

    assert (result.status, result.error, result.comparison) == ("fail", said, None)


async def test_an_answer_that_does_not_come_is_a_failure():
    file, probes = many(1)
    file = file.model_copy(
        update={"evaluation": file.evaluation.model_copy(update={"request_timeout_seconds": 0.01})}
    )

    async def ask(body):
        await asyncio.Event().wait()

    (result,) = await run(file, probes, ask)

    assert (result.status, result.error) == ("fail", "no answer within 0.01 s")


async def test_a_fault_of_the_program_is_not_a_result():
    file, probes = many(1)

    async def ask(body):
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as raised:
        await run(file, probes, ask)
    assert raised.group_contains(ZeroDivisionError)


@pytest.mark.parametrize(
    ("idle", "state", "status"),
    [
        pytest.param({}, "unknown", "fail", id="every signal is run"),
        pytest.param({"topic": ("law",)}, "no_match", "fail", id="one is not, and has no say"),
        pytest.param({"topic": ("law",)}, None, "fail", id="one is not, and there is no proof"),
        pytest.param(
            {"topic": ("law",)}, "unknown", "needs learned signals", id="one is not, and decides"
        ),
    ],
)
async def test_want_of_a_signal_is_told_apart(idle, state, status):
    file, probes = many(1)
    lost = edited(ANSWER, {"routing_decision": "long", "eval_trace.0.matched": False})
    known = dependencies_of(_with_idle(idle), "priority")

    async def ask(body):
        return lost

    async def doubting(body):
        if state is None:
            raise UpstreamUnavailable("away")
        trace = [{"decision_name": "lawyer", "state": state}]
        return {"signals_unknown": {"topic:law": "not_run"}, "eval_trace": trace}

    (result,) = await run(file, probes, ask, {"default": known}.get, doubting=doubting)

    assert result.status == status
    assert result.needs == (("topic",) if status != "fail" else ())


def _with_idle(idle):
    policy = a_policy({})
    return type(policy)(
        policy.recipe,
        policy.evaluation,
        policy.engine,
        policy.decisions,
        policy.declared,
        policy.results,
        policy.default,
        idle=idle,
    )


class Router:
    """A small real server in place of a router."""

    def __init__(self, **response) -> None:
        self.response = response
        self.seen: list[tuple[str, str, object, str | None]] = []

    async def handle(self, request: web.Request) -> web.Response:
        self.seen.append(
            (
                request.path,
                request.query_string,
                await request.json(),
                request.headers.get("Authorization"),
            )
        )
        return web.json_response(**self.response)

    def app(self) -> web.Application:
        app = web.Application(client_max_size=20 << 20)
        app.router.add_post("/{tail:.*}", self.handle)
        return app


@pytest.mark.parametrize("suffix", ["", "/", "/api/v1/eval"])
async def test_a_router_behind_a_url(aiohttp_server, suffix):
    router = Router(data=ANSWER)
    server = await aiohttp_server(router.app())
    file, probes = many(1)

    async with aiohttp.ClientSession() as session:
        ask = asking(session, str(server.make_url("")).rstrip("/") + suffix, token="tok")
        (result,) = await run(file, probes, ask)

    assert result.status == "pass"
    assert router.seen == [("/api/v1/eval", "trace=true", {"text": "q0"}, "Bearer tok")]


async def test_no_token_no_header(aiohttp_server):
    router = Router(data=ANSWER)
    server = await aiohttp_server(router.app())

    async with aiohttp.ClientSession() as session:
        await asking(session, str(server.make_url("")))({"text": "q"})

    assert router.seen[0][3] is None


async def test_large_requests_are_sent(aiohttp_server):
    router = Router(data=ANSWER)
    server = await aiohttp_server(router.app())
    body = {"text": "x" * (3 << 20)}

    async with aiohttp.ClientSession() as session:
        await asking(session, str(server.make_url("")))(body)

    assert router.seen[0][2] == body


@pytest.mark.parametrize(
    ("response", "said"),
    [
        pytest.param({"data": {"error": 1}, "status": 503}, "answered 503", id="status"),
        pytest.param({"text": "<html>"}, "not JSON", id="a page"),
        pytest.param({"data": [1]}, "not an object", id="a list"),
    ],
)
async def test_answers_that_are_none(aiohttp_server, response, said):
    server = await aiohttp_server(Router(**response).app())

    async with aiohttp.ClientSession() as session:
        with pytest.raises(UpstreamError, match=said):
            await asking(session, str(server.make_url("")))({"text": "q"})


async def test_nobody_listens(unused_tcp_port):
    async with aiohttp.ClientSession() as session:
        with pytest.raises(UpstreamUnavailable, match="api/v1/eval"):
            await asking(session, f"http://127.0.0.1:{unused_tcp_port}")({"text": "q"})
