"""What headers, metrics and logs tell of one chat request."""

import pytest

from orchestrator.errors import UpstreamUnavailable
from orchestrator.types import Facts, Reading
from orchestrator.upstream.fake import FakeUpstream
from tests.server.plane import plane, routed
from tests.upstream.scripted import CHUNKED, answering, backend, chunk, plain

HI = [{"role": "user", "content": "hi"}]
DONE = b"data: [DONE]\n\n"
EVENTS = CHUNKED + chunk(DONE) + b"0\r\n\r\n"


async def test_metrics_of_a_whole_answer():
    async with backend(answering(plain(b"{}"))) as server, routed(server.endpoint) as running:
        async with running.chat():
            pass
        counted = {
            name: running.metric(name)
            for name in (
                "llm_model_requests_total",
                "llm_model_ttft_seconds_count",
                "llm_model_completion_latency_seconds_count",
                "llm_request_errors_total",
                "tsr_inflight_requests",
            )
        }

    assert list(counted.values()) == [1, 1, 1, 0, 0], counted


@pytest.mark.parametrize("debug", [False, True], ids=["silent", "debug"])
async def test_retention_is_told_to_who_asks(debug):
    emits = ({"kind": "retention", "retention": {"ttl_turns": 4}},)
    asked = {"x-vsr-debug": "true"} if debug else {}
    async with plane(FakeUpstream(), emits=emits) as running:
        async with running.chat(headers=asked) as response:
            told = response.headers.get("x-vsr-retention-ttl-turns")

    assert told == ("4" if debug else None)


COUNTED = "llm_model_completion_latency_seconds"


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
async def test_latency_is_counted_from_forwarding_on(streamed):
    script = answering(EVENTS if streamed else plain(b"{}"))
    async with backend(script) as server, routed(server.endpoint, seconds=0.5) as running:
        async with running.chat({"model": "auto", "messages": HI, "stream": streamed}) as response:
            await response.read()
        assert running.metric(f"{COUNTED}_count") == 1
        assert running.metric(f"{COUNTED}_sum") < 0.5


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    "status, reason", [("429 Wait", "upstream_4xx"), ("503 No", "upstream_5xx")]
)
async def test_an_error_of_the_backend_is_counted_as_one(status, reason, streamed):
    body = {"model": "auto", "messages": HI, "stream": streamed}
    async with backend(answering(plain(b"{}", status))) as server:
        async with routed(server.endpoint) as running, running.chat(body) as response:
            await response.read()
        assert running.metric(f"{COUNTED}_count") == 0
        shown = running.telemetry.render().decode()

    assert f'llm_request_errors_total{{model="q",reason="{reason}"}} 1.0' in shown


UNREAD = Facts({"keyword": Reading({"a": None}), "kb": Reading(unknown={"x": "inference_timeout"})})


ROUTED = {
    "x-vsr-selected-recipe": "default",
    "x-vsr-selected-decision": "always",
    "x-vsr-selected-confidence": "0.0000",
    "x-vsr-selected-algorithm": "static",
    "x-vsr-selected-model": "q",
    "x-tsr-signals-unknown": "kb",
    "x-vsr-matched-keywords": "a",
}


@pytest.mark.parametrize(
    "failure, status",
    [(UpstreamUnavailable("none"), 503), (RuntimeError("a bug"), 500)],
    ids=["no backend", "bug"],
)
async def test_an_error_after_routing_tells_the_route(failure, status):
    fake = FakeUpstream(refusal=failure)
    async with plane(fake, facts=UNREAD) as running:
        async with running.chat(headers={"X-VSR-Debug": "true"}) as response:
            assert response.status == status
        shown = running.telemetry.render().decode()

    assert {name: response.headers.get(name) for name in ROUTED} == ROUTED
    assert response.headers["x-vsr-response-path"] == "error"
    if status == 503:
        assert 'llm_request_errors_total{model="q",reason="upstream_unavailable"} 1.0' in shown


@pytest.mark.parametrize("facts, named", [(Facts(), None), (UNREAD, "kb")], ids=["all", "some"])
async def test_an_answer_names_the_families_that_could_not_be_read(facts, named):
    async with plane(FakeUpstream(), facts=facts) as running, running.chat() as response:
        assert response.headers.get("x-tsr-signals-unknown") == named


async def test_headers_of_a_router_behind_do_not_pass():
    extra = (
        b"X-VSR-Selected-Model: theirs\r\nx-tsr-signals-unknown: kb\r\nx-vsr-cache-hit: true\r\n"
    )
    async with backend(answering(plain(b"{}", extra=extra))) as server:
        async with routed(server.endpoint) as running, running.chat() as response:
            pass

    assert response.headers["x-vsr-selected-model"] == "q"
    assert "x-tsr-signals-unknown" not in response.headers
    assert "x-vsr-cache-hit" not in response.headers


@pytest.mark.parametrize(
    "family, asked, told",
    [(None, True, None), ("qwen3", True, "on"), ("qwen3", False, "off")],
    ids=["no family", "on", "off"],
)
async def test_the_reasoning_header_says_what_was_sent(family, asked, told):
    model = {"reasoning_family": family} if family else {}
    refs = ({"model": "q", "use_reasoning": asked},)
    async with backend(answering(plain(b"{}"))) as server:
        async with routed(server.endpoint, model=model, refs=refs) as running:
            async with running.chat(headers={"X-VSR-Debug": "true"}) as response:
                pass

    assert response.headers.get("x-vsr-selected-reasoning") == told
    sent = server.exchanges[0].body.get("chat_template_kwargs", {}).get("enable_thinking")
    assert {None: None, True: "on", False: "off"}[sent] == told


async def test_logs_name_the_backend(caplog):
    with caplog.at_level("DEBUG", "orchestrator"):
        async with backend(answering(plain(b"{}"))) as server, routed(server.endpoint) as running:
            async with running.chat():
                pass
            async with running.http.get(running.url + "/v1/models"):
                pass

    lines = [line for line in caplog.messages if "/v1/" in line]
    assert [line.rsplit(" ", 1)[1] for line in lines] == ["q_primary", "-"]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
async def test_a_broken_answer_is_logged_with_its_backend(streamed, caplog):
    body = {"model": "auto", "messages": HI, "stream": streamed}
    head = CHUNKED if streamed else CHUNKED.replace(b"text/event-stream", b"application/json")
    cut = answering(head + chunk(b"data: {}\n\n"), close=True)
    async with backend(cut) as server, routed(server.endpoint) as running:
        async with running.chat(body) as response:
            await response.read()

    assert [line for line in caplog.messages if "q_primary: upstream_error" in line]
