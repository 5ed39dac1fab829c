"""A client of scripted backends."""

import json
from contextlib import asynccontextmanager
from random import Random

from orchestrator.config.schema import Config
from orchestrator.protocols.chat_completions import parse
from orchestrator.telemetry import Telemetry
from orchestrator.types import Candidate
from orchestrator.upstream.backends import backends
from orchestrator.upstream.client import HttpUpstream, session
from tests.upstream.scripted import answering, plain

RAW = b'{ "model":"q",  "messages":[{"role":"user","content":"hi"}], "top_k": 1.0 }'
OK = answering(plain(b'{"ok":true}'))
M = Candidate("q")


def request(raw=RAW, **headers):
    return parse(json.loads(raw), headers, raw=raw)


class First(Random):
    """Draws so that servers are tried in the order in which they are written."""

    def __init__(self):
        self.drawn = 0.0

    def random(self):
        self.drawn += 0.01
        return self.drawn


@asynccontextmanager
async def upstream(*refs, timeouts=None, **model):
    rows = [{"endpoint": ref} if isinstance(ref, str) else ref for ref in refs]
    config = Config.model_validate(
        {
            "providers": {
                "defaults": {
                    "reasoning_families": {
                        "qwen3": {"type": "chat_template_kwargs", "parameter": "enable_thinking"}
                    }
                },
                "models": [{"name": "q", "backend_refs": rows, **model}],
            }
        }
    )
    async with session() as http:
        yield HttpUpstream(backends(config, First()), http, Telemetry(["q"]), timeouts)


async def ask(subject, asked=None, resolution="passthrough", candidate=M):
    async with subject.open(candidate, asked or request(), resolution) as answer:
        return answer, b"".join([piece async for piece in answer.chunks])
