"""The life of a request, one call a stage.

    resolve the name -> read the signals -> decide -> select a model -> forward

`route` stops before forwarding: /api/v1/eval, `tsr explain` and the chat endpoints all call it,
so that there is one implementation of every answer. This module knows the order of the stages
and nothing of how any of them works.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from orchestrator.config.schema import Decision
from orchestrator.decision.engine import Engine
from orchestrator.errors import ModelNotFound, RequestError
from orchestrator.evaluation import Evaluation
from orchestrator.projections import Projection
from orchestrator.selection import DEFAULT, candidates_of, plan_for
from orchestrator.telemetry import Telemetry
from orchestrator.types import Candidate, ModelEntry, Plan, Request, Route, Verdict
from orchestrator.upstream import Answer, Upstream


class Choice(NamedTuple):
    candidates: tuple[Candidate, ...]
    plan: Plan
    tier: int = 0  # of the decision


@dataclass(frozen=True, slots=True)
class Policy:
    """One recipe, compiled: built once per config and never changed."""

    recipe: str
    evaluation: Evaluation
    engine: Engine
    decisions: Mapping[str, Decision]
    declared: Mapping[str, tuple[str, ...]]  # family -> its rules' names
    results: Mapping[str, str]  # family -> its key in matched_signals
    default: Candidate | None  # answers when no decision matches
    projections: Sequence[Projection[Any]] = ()  # in the order in which they apply
    # family -> <name> of its debug header x-vsr-matched-<name>
    headers: Mapping[str, str] = field(default_factory=dict)
    # family -> rules that this version never evaluates
    idle: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # decision -> what `select` found for it before
    _choices: dict[str, Choice] = field(default_factory=dict, init=False, repr=False, compare=False)

    def select(self, verdict: Verdict | None) -> Choice:
        """The candidates, and which of them answers; the default model where nothing matched.

        Selectors know nothing but the decision, so each is asked once. RequestError where there
        is no default model.
        """
        name = verdict.decision if verdict else ""
        return self._choices.get(name) or self._choose(name)

    def _choose(self, name: str) -> Choice:
        if name:
            decision = self.decisions[name]
            candidates = candidates_of(decision)
            plan = plan_for(decision, candidates, self.default)
            choice = Choice(candidates, plan, decision.tier)
        elif self.default is not None:
            choice = Choice((), Plan(self.default, DEFAULT, reason="no decision matched"))
        else:
            raise RequestError(
                "no decision matched and providers.defaults.default_model is not set"
            )
        self._choices[name] = choice
        return choice


@dataclass(frozen=True, slots=True)
class Names:
    """What a client may write in `model`, and what each name means."""

    recipes: Mapping[str, str]  # routed name -> recipe
    models: frozenset[str]  # pass through untouched
    listing: tuple[ModelEntry, ...]  # GET /v1/models, in order
    default: str  # stands for an absent name


@dataclass(frozen=True, slots=True)
class Outcome:
    route: Route
    answer: Answer


class Pipeline:
    def __init__(
        self, names: Names, policies: Mapping[str, Policy], upstream: Upstream, telemetry: Telemetry
    ) -> None:
        self.names = names
        self.policies = policies
        self._upstream = upstream
        self._telemetry = telemetry

    async def route(self, request: Request, every_signal: bool = False) -> Route:
        """Which model answers, and why.

        Raises ModelNotFound for a name that is neither routed nor a backend model, RequestError
        when nothing matched and there is no default model, Forbidden from the authz signal.
        """
        started = time.perf_counter()
        recipe = self.names.recipes.get(request.model)
        if recipe is None:
            return self._passed_through(request, started)
        policy = self.policies[recipe]
        families = None if every_signal else policy.engine.families
        facts = await policy.evaluation.facts(request, families)
        read = time.perf_counter()
        verdict = policy.engine.decide(facts)
        self._telemetry.decided(time.perf_counter() - read)
        candidates, plan, tier = policy.select(verdict)
        route = Route(
            requested_model=request.model,
            resolution="routed",
            recipe=recipe,
            verdict=verdict,
            plan=plan,
            candidates=candidates,
            facts=facts,
            seconds=time.perf_counter() - started,
        )
        self._telemetry.routed(route, tier)
        return route

    def serve(self, request: Request) -> AbstractAsyncContextManager[Outcome]:
        """Route, then open the chosen model's answer; leaving the context closes it.

        Where no decision matched, the default model answers and no policy touches the request
        beyond its model name.
        """
        return _Serving(self, self._upstream, request)

    def _passed_through(self, request: Request, started: float) -> Route:
        if request.model not in self.names.models:
            known = ", ".join(entry.id for entry in self.names.listing)
            raise ModelNotFound(
                f"model {request.model!r} does not exist; routed names: {known}", "model"
            )
        return Route(
            requested_model=request.model,
            resolution="passthrough",
            recipe=None,
            verdict=None,
            plan=Plan(Candidate(request.model), "passthrough", reason="a backend model was named"),
            seconds=time.perf_counter() - started,
        )


class _Serving(AbstractAsyncContextManager[Outcome]):
    """Written out, since a generator would cost every request several microseconds more."""

    def __init__(self, pipeline: Pipeline, upstream: Upstream, request: Request) -> None:
        self._pipeline = pipeline
        self._upstream = upstream
        self._request = request

    async def __aenter__(self) -> Outcome:
        route = await self._pipeline.route(self._request)
        resolution = "passthrough" if route.verdict is None else route.resolution
        self._opened = self._upstream.open(route.plan.chosen, self._request, resolution)
        return Outcome(route, await self._opened.__aenter__())

    async def __aexit__(self, *error: Any) -> bool | None:  # noqa: ANN401 - what `with` hands over
        return await self._opened.__aexit__(*error)
