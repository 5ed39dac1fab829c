"""A router inside of a Triton that is scripted, asked as its model asks it."""

import contextlib
import json
import queue
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from orchestrator.app.inside import Inside
from orchestrator.app.opening import opened
from orchestrator.errors import RouterError
from tests.inference.fake_backend import FakeBackend
from tests.processes import LIMIT_S

MODEL = "semantic_router"

EMBEDDING = """
version: v0.3
providers:
  defaults: {default_model: small}
  models: [{name: small, backend_refs: [{endpoint: "127.0.0.1:1"}]}]
routing:
  modelCards: [{name: small}]
  signals:
    embeddings: [{name: near, threshold: 0.99, candidates: [good morning]}]
  decisions:
    - name: greeting
      rules: {type: embedding, name: near}
      modelRefs: [{model: small}]
"""
REPLACED = f"{EMBEDDING}global: {{services: {{triton: {{models: {{text_embedding: large}}}}}}}}\n"
CONFIG = """
max_batch_size: 4
output [ { name: "EMBEDDING" data_type: TYPE_FP32 dims: [ 4 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]
"""


class Asking:
    """Threads are waited for here: the router has an event loop of its own."""

    def __init__(self, router: Inside, backend: FakeBackend) -> None:
        self.router = router
        self.backend = backend

    def submit(self, *rows: bytes, **headers: str) -> "queue.SimpleQueue[Any]":
        """Where the answer will be."""
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.router.submit(rows, named, answers.put)
        return answers

    def ask(self, *rows: bytes, **headers: str) -> list[dict[str, Any]] | RouterError:
        found = self.submit(*rows, **headers).get(timeout=LIMIT_S)
        return found if isinstance(found, RouterError) else [json.loads(one) for one in found]

    def decision(self, text: str) -> str:
        """An empty one, too."""
        [route] = self.ask(request(text))
        return route["routing_decision"]

    def until(self, level: str, part: str) -> str:
        """The line of the log with `part`, once it is there."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            for said, line in [*self.backend.said]:
                if said == level and part in line:
                    return line
            time.sleep(0.02)
        raise AssertionError(f"{part!r} is not in {self.backend.said}")


def request(text: str, **fields: Any) -> bytes:
    body = {"model": "auto", "messages": [{"role": "user", "content": text}], **fields}
    return json.dumps(body).encode()


@contextlib.contextmanager
def inside(
    policy: Path, repository: Path, backend: FakeBackend | None = None, **given: str
) -> Iterator[Asking]:
    backend = backend or FakeBackend()
    router = open_router(policy, repository, backend, given)
    try:
        yield Asking(router, backend)
    finally:
        router.stop()


def open_router(
    policy: Path, repository: Path, backend: FakeBackend, given: Mapping[str, str] = {}
) -> Inside:
    model = given.get("model", MODEL)
    return opened(backend, given, model, repository / model, policy)
