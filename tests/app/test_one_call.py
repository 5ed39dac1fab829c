"""However many families read a request, the model server is asked once for its text."""

import asyncio

import numpy as np
import pytest

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.evaluation import ignore
from orchestrator.inference import Classification
from orchestrator.inference.answers import Answer
from orchestrator.inference.gathering import Gathering
from orchestrator.pipeline import Pipeline
from orchestrator.server.evaluate import evaluate
from orchestrator.signals import SIGNALS
from orchestrator.telemetry import Telemetry
from tests.app.planes import compiled

POLICY = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    domains: [{name: law}]
    jailbreak: [{name: attack, threshold: 0.9}]
    pii: [{name: personal, threshold: 0.9}]
    fact_check: [{name: needs_fact_check}]
    embeddings: [{name: help, threshold: 0.5, candidates: [help me]}]
    complexity:
      - {name: hard, threshold: 0.1, hard: {candidates: [prove]}, easy: {candidates: [say]}}
    keywords: [{name: code, operator: OR, keywords: [python]}]
  decisions: []
"""
TASKS = {"domain", "jailbreak", "pii", "fact_check"}


class Source:
    """Says that every label is as likely as the others."""

    def __init__(self):
        self.labels_of = {
            task: tuple(labels)
            for family in SIGNALS.names()
            for task, labels in SIGNALS[family].tasks.items()
        }
        self.requests = []
        self.knows = {}

    async def ask(self, model, rows):
        self.requests.append([(row.text.decode(), row.tasks, row.embeds) for row in rows])
        return [self._answer(row) for row in rows]

    def labels(self, model):
        return self.labels_of

    def languages(self, model):
        return self.knows

    def _answer(self, row):
        shares = {
            task: dict.fromkeys(self.labels_of[task], 1 / len(self.labels_of[task]))
            for task in row.tasks - {"pii"}
        }
        said = Classification(shares, {task: () for task in row.tasks & {"pii"}})
        return Answer(np.array([0.6, 0.8], np.float32), said)


@pytest.fixture
async def asked():
    """A pipeline, and what its model server was asked since it was prepared."""
    return await prepared(Source())


async def prepared(source):
    found = compiled(POLICY)
    gathering = Gathering(source, stand_ins={"text_embedding": "text_signals"})
    policies = build_policies(found, gathering, ignore)
    for policy in policies.values():
        await policy.evaluation.prepare()
    source.requests.clear()
    return Pipeline(names_of(found.config), policies, None, Telemetry()), source


async def test_of_one_request_all_families_are_one_row(asked):
    pipeline, source = asked

    answer = await evaluate(pipeline, {"text": "is python legal?"})

    assert answer["signal_errors"] == {}
    assert source.requests == [[("is python legal?", TASKS, True)]]


async def test_topics_that_do_not_read_the_language_are_left_out_of_that_row():
    source = Source()
    source.knows = {"domain": ("en",), "fact_check": ("en",)}
    pipeline, _ = await prepared(source)

    german, english = "Darf mein Vermieter die Wohnung betreten?", "May my landlord enter the flat?"
    answer = await evaluate(pipeline, {"text": german})
    await evaluate(pipeline, {"text": english})

    assert source.requests == [[(german, {"jailbreak", "pii"}, True)], [(english, TASKS, True)]]
    assert answer["signals_unknown"] == {
        "domain:law": "unsupported_language:de",
        "fact_check:needs_fact_check": "unsupported_language:de",
    }
    assert answer["signal_errors"] == {}


async def test_requests_of_one_moment_are_rows_of_one_call(asked):
    pipeline, source = asked

    texts = ["first", "second", "first"]
    await asyncio.gather(*(evaluate(pipeline, {"text": text}) for text in texts))

    assert source.requests == [[("first", TASKS, True), ("second", TASKS, True)]]
