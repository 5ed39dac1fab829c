"""The life of a request, one call a stage.

    resolve the name -> read the signals -> decide -> select a model -> forward

`route` stops before forwarding: /api/v1/eval, `tsr explain` and the chat endpoints all call it,
so that there is one implementation of every answer; it counts as traffic only where `forward`
follows. This module knows the order of the stages and nothing of how any of them works.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from orchestrator.config.schema import Decision
from orchestrator.decision.engine import Engine
from orchestrator.errors import ModelNotFound, NoRoute, quoted
from orchestrator.evaluation import Evaluation
from orchestrator.projections import Projection
from orchestrator.selection import DEFAULT, candidates_of, plan_for
from orchestrator.telemetry import Telemetry
from orchestrator.types import Candidate, ModelEntry, Plan, Request, Route, Verdict
from orchestrator.upstream import Answer, Upstream

NO_MATCH = "no decision matched"


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
    # families whose rules' values are probabilities
    weighs: frozenset[str] = frozenset()
    # decision, or "" for none -> what `select` says
    _choices: dict[str, Choice] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Selectors know nothing but the decision, so each is asked once, here."""
        if self.default is not None:
            plan = Plan(self.default, DEFAULT, reason=NO_MATCH)
            self._choices[""] = Choice((), plan)
        for name, decision in self.decisions.items():
            candidates = candidates_of(decision)
            if candidates or self.default is not None:
                plan = plan_for(decision, candidates, self.default)
                self._choices[name] = Choice(candidates, plan, decision.tier)

    def select(self, verdict: Verdict | None) -> Choice:
        """The candidates, and which of them answers; the default model where nothing matched.

        NoRoute where that is needed and there is none.
        """
        choice = self._choices.get(verdict.decision if verdict else "")
        if choice is None:
            why = f"decision {verdict.decision!r} names no model" if verdict else NO_MATCH
            raise NoRoute(f"{why} and providers.defaults.default_model is not set")
        return choice


@dataclass(frozen=True, slots=True)
class Names:
    """What a client may write in `model`, and what each name means."""

    recipes: Mapping[str, str]  # routed name -> recipe
    models: frozenset[str]  # pass through untouched
    listing: tuple[ModelEntry, ...]  # GET /v1/models, in order
    default: str  # stands for an absent name


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

        Raises ModelNotFound for a name that is neither routed nor a backend model, NoRoute
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
        return Route(
            requested_model=request.model,
            resolution="routed",
            recipe=recipe,
            verdict=verdict,
            plan=plan,
            candidates=candidates,
            tier=tier,
            facts=facts,
            seconds=time.perf_counter() - started,
        )

    def forward(self, request: Request, route: Route) -> AbstractAsyncContextManager[Answer]:
        """Open the answer of the model that `route` chose; leaving the context closes it.

        Where no decision matched, the default model answers and no policy touches the request
        beyond its model name. Raises what `Upstream.open` raises.
        """
        if route.resolution == "routed":
            self._telemetry.routed(route)
        resolution = "passthrough" if route.verdict is None else route.resolution
        return self._upstream.open(route.plan.chosen, request, resolution)

    def _passed_through(self, request: Request, started: float) -> Route:
        if request.model not in self.names.models:
            known = ", ".join(entry.id for entry in self.names.listing)
            raise ModelNotFound(
                f"model {quoted(request.model)!r} does not exist; routed names: {known}", "model"
            )
        return Route(
            requested_model=request.model,
            resolution="passthrough",
            recipe=None,
            verdict=None,
            plan=Plan(Candidate(request.model), "passthrough", reason="a backend model was named"),
            seconds=time.perf_counter() - started,
        )
