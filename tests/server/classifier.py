"""A text classifier behind the real gathering, and both planes' endpoints over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.app.policies import compile_policies
from orchestrator.config.load import examine
from orchestrator.config.schema import Config
from orchestrator.inference import Classification, Entity
from orchestrator.inference.answers import Answer
from orchestrator.inference.examples import MODEL
from orchestrator.inference.gathering import Gathering
from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.pipeline import Pipeline
from orchestrator.server.classification import KINDS
from orchestrator.server.classify import Classify
from orchestrator.server.embeddings import DIMENSION, Embeds
from orchestrator.server.management import Auth, build
from orchestrator.server.unavailable import Served
from orchestrator.signals import pii
from orchestrator.telemetry import Telemetry
from tests.server.policies import a_pipeline

LABELS = {task: labels for kind in KINDS.values() for task, labels in kind.tasks.items()}
UNREAD = "สวัสดี"  # a text with it is in a script that the model does not read
Sayings = Mapping[str, Mapping[str, Mapping[str, float] | Sequence[Entity]]]


class Model:
    """Says of a text what `sayings` have, text -> task -> shares or entities; of any other task
    that its last label is certain, and that there are no entities. `requests` are the texts that
    came together, each with its tasks; `patience` is that of each row.
    """

    def __init__(self, sayings: Sayings | None = None, failure: Exception | None = None) -> None:
        self.sayings = sayings or {}
        self.failure = failure
        self.requests: list[list[tuple[str, frozenset[str]]]] = []
        self.patience: list[float] = []

    async def ask(self, model, rows):
        self.requests.append([(row.text.decode(), row.tasks) for row in rows])
        self.patience += [row.patience for row in rows]
        if self.failure is not None:
            raise self.failure
        return [self._answer(row) for row in rows]

    async def embed(self, model, texts):
        raise AssertionError("nothing is embedded of no text")

    def labels(self, model):
        return LABELS

    def languages(self, model):
        return {}

    def _answer(self, row):
        text = row.text.decode()
        said = self.sayings.get(text, {})
        shares = {
            task: dict.fromkeys(LABELS[task], 0.0) | {LABELS[task][-1]: 1.0} | said.get(task, {})
            for task in row.tasks - {pii.TASK}
        }
        entities = {task: tuple(said.get(task, ())) for task in row.tasks & {pii.TASK}}
        said = Classification(shares, entities, 1, False, *[float(UNREAD in text)] * 2)
        return Answer(vector(text) if row.embeds else None, said)


def vector(text: str):
    """In the direction of the length of the text: short texts are close to each other."""
    found = np.zeros(DIMENSION, np.float32)
    found[0], found[1] = 1, len(text)
    return found / np.linalg.norm(found)


def compiled_pipeline(policy):
    """What makes the pipeline of a policy file's text over an inference."""

    def over(inference):
        compiled, telemetry = compile_policies(examine(policy)), Telemetry()
        policies = build_policies(compiled, inference, telemetry.signal)
        return Pipeline(names_of(compiled.config), policies, None, telemetry)

    return over


def application(
    model=None,
    *,
    models=(TEXT_SIGNALS, MODEL),
    config=None,
    pipeline=None,
    auth=None,
    deadline=2.0,
    stand_ins=None,
):
    inference = Gathering(model or Model(), stand_ins=stand_ins or {})

    def serve():
        return Served(inference, models, deadline, stand_ins or {})

    routed = pipeline(inference) if callable(pipeline) else pipeline or a_pipeline({})
    settings = Config.model_validate(config or {})
    classify = Classify(serve, lambda: routed, settings, ("x-user", "x-groups"))
    return build([*classify.endpoints(), *Embeds(serve).endpoints()], auth or Auth())


def modules(**settings):
    """A config with these modules."""
    return {"global": {"model_catalog": {"modules": settings}}}
