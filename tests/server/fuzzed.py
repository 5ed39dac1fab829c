"""Both planes over every heuristic signal family, with the rules of its configuration fragment."""

import asyncio
import json
import logging
from contextlib import contextmanager
from dataclasses import dataclass

import aiohttp
import pytest
import yaml
from aiohttp import web

from orchestrator import evaluation
from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.app.policies import compile_policies, discover_extensions
from orchestrator.config.load import examine
from orchestrator.evaluation.unknowns import CRASHED
from orchestrator.inference.triton import TritonInference
from orchestrator.pipeline import Pipeline
from orchestrator.server import management, middleware, routes
from orchestrator.server.evaluate import Evaluate
from orchestrator.server.keys import DataPlane
from orchestrator.server.management import Auth
from orchestrator.signals import SIGNALS
from orchestrator.telemetry import Telemetry
from orchestrator.upstream.fake import FakeUpstream
from tests.processes import ROOT


def policy():
    """All families that this version computes itself, each with a decision of its own."""
    discover_extensions()
    sections, decisions = {}, []
    for family in SIGNALS.names():
        kind = SIGNALS[family]
        if not kind.runs or kind.awaits:
            continue
        fragment = yaml.safe_load((ROOT / f"configs/fragments/signal/{family}.yaml").read_text())
        rows = fragment["routing"]["signals"][kind.section]
        sections[kind.section] = rows
        leaves = [{"type": family, "name": row.get("role", row["name"])} for row in rows]
        rules = {"operator": "OR", "conditions": leaves}
        decisions.append({"name": family, "rules": rules, "modelRefs": [{"model": "q"}]})
    return {
        "version": "v0.3",
        "providers": {
            "defaults": {
                "default_model": "q",
                "reasoning_families": {
                    "qwen3": {"type": "chat_template_kwargs", "parameter": "enable_thinking"}
                },
            },
            "models": [{"name": "q", "reasoning_family": "qwen3"}],
        },
        "routing": {
            "modelCards": [{"name": "q"}],
            "signals": sections,
            "decisions": decisions,
        },
        "global": {"services": {"authz": {"fail_open": True}}},
    }


class Crashes(logging.Handler):
    """Collects what is logged as an error: a signal or a handler that broke."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


@dataclass
class Fuzzed:
    """Both planes over a fake upstream; `send` posts bytes to a path."""

    runner: asyncio.Runner
    http: aiohttp.ClientSession
    ports: dict[str, int]
    crashes: Crashes

    def send(self, path, raw, headers=None):
        url = f"http://127.0.0.1:{self.ports[path]}{path}"
        given = {"content-type": "application/json", **(headers or {})}

        async def post():
            async with self.http.post(url, data=raw, headers=given) as answer:
                return answer.status, await answer.read()

        status, body = self.runner.run(post())
        said, self.crashes.said = self.crashes.said, []
        assert said == []
        return status, body


# Loggers of what catches exceptions; aiohttp logs broken bodies as errors, which they are not.
CRASHES = (evaluation.__name__, management.__name__, middleware.__name__)
CHAT, EVAL = "/v1/chat/completions", "/api/v1/eval"


@contextmanager
def fuzzed():
    compiled = compile_policies(examine(yaml.safe_dump(policy(), allow_unicode=True)))
    telemetry = Telemetry()
    policies = build_policies(compiled, TritonInference(()), telemetry.signal)
    pipeline = Pipeline(names_of(compiled.config), policies, FakeUpstream(), telemetry)
    data = routes.runner(routes.data_plane(DataPlane(lambda: pipeline, telemetry)), 1.0)
    evaluate = Evaluate(lambda: pipeline)
    managed = routes.runner(management.build(evaluate.endpoints(), Auth()), 1.0)
    crashes = Crashes()
    for name in CRASHES:
        logging.getLogger(name).addHandler(crashes)
    with asyncio.Runner() as runner:
        ports = {}

        async def start():
            for path, served in ((CHAT, data), (EVAL, managed)):
                await served.setup()
                await web.TCPSite(served, "127.0.0.1", 0).start()
                ports[path] = served.addresses[0][1]
            return aiohttp.ClientSession()

        http = runner.run(start())
        yield Fuzzed(runner, http, ports, crashes)

        async def stop():
            await http.close()
            await data.cleanup()
            await managed.cleanup()

        runner.run(stop())
    for name in CRASHES:
        logging.getLogger(name).removeHandler(crashes)


def judge_chat(status, body):
    assert status == 200 or 400 <= status < 500, (status, body)
    if status != 200:
        error = json.loads(body)["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert all(isinstance(error[field], str) for field in ("message", "type", "code"))


def judge_eval(status, body):
    answer = json.loads(body)
    assert status == 200 or 400 <= status < 500, (status, body)
    if status == 200:
        assert CRASHED not in answer["signal_errors"].values()
    else:
        assert set(answer["error"]) == {"code", "message", "timestamp"}


JUDGES = {CHAT: judge_chat, EVAL: judge_eval}
BOTH = pytest.mark.parametrize("path", [CHAT, EVAL])


VALID = {
    "model": "auto",
    "messages": [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": [{"type": "text", "text": "debug my python"}], "name": "ann"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c", "content": "sunny"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "urgent: payment_failed"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
        },
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "tool_choice": "auto",
    "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {}}},
    "metadata": {"tenant": "alpha", "event_type": "payment_failed", "severity": "high"},
    "stream": False,
    "stream_options": {"include_usage": True},
    "max_tokens": 100,
    "max_completion_tokens": 100,
    "reasoning_effort": "high",
    "chat_template_kwargs": {"enable_thinking": True},
    "temperature": 0.5,
    "user": "u",
    "functions": [],
    "text": "hello",
    "options": {"trace": True},
}


def encoded(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=True)
    return text.encode("utf-8", "surrogatepass")


RAW = encoded(VALID, True)
