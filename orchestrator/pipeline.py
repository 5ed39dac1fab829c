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
from typing import Any

from orchestrator.choosing.building import Choice, choice_of
from orchestrator.choosing.catalogue import Catalogue, contenders_of
from orchestrator.choosing.polling import Poll
from orchestrator.config.schema import Decision
from orchestrator.decision.engine import Engine
from orchestrator.errors import ModelNotFound, NoCandidate, NoRoute, quoted
from orchestrator.evaluation import Evaluation
from orchestrator.projections import Projection
from orchestrator.selection import DEFAULT, Selector, Surroundings, Values
from orchestrator.standing import scope_of
from orchestrator.telemetry import Telemetry
from orchestrator.types import EMPTY, Candidate, ModelEntry, Plan, Request, Route, Verdict
from orchestrator.upstream import Answer, Upstream

NO_MATCH = "no decision matched"


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
    # what selectors are told of the models, and what else they depend on
    catalogue: Catalogue = field(default_factory=lambda: EMPTY)
    around: Surroundings = field(default_factory=Surroundings)
    # decision, or "" for none -> what `select` says
    _choices: dict[str, Choice] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """A selector that needs to know nothing of a request is asked once, here."""
        if self.default is not None:
            plan = Plan(self.default, DEFAULT, reason=NO_MATCH)
            self._choices[""] = Choice((), plan)
        for name, decision in self.decisions.items():
            contenders = contenders_of(decision, self.catalogue)
            if contenders or self.default is not None:
                self._choices[name] = choice_of(decision, contenders, self.default, self.around)

    @property
    def selectors(self) -> tuple[Selector[Any], ...]:
        """Those that are asked for every request."""
        return tuple(one.selector for one in self._choices.values() if one.selector)

    def select(self, verdict: Verdict | None) -> Choice:
        """The candidates, and which of them answers or what chooses one; the default model where
        nothing matched.

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
    """`poll` gathers what selectors need; without it they know nothing of a request."""

    def __init__(
        self,
        names: Names,
        policies: Mapping[str, Policy],
        upstream: Upstream,
        telemetry: Telemetry,
        poll: Poll | None = None,
    ) -> None:
        self.names = names
        self.policies = policies
        self._upstream = upstream
        self._telemetry = telemetry
        self._poll = poll

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
        candidates, plan, tier, selector = policy.select(verdict)
        if selector is not None and verdict is not None:
            plan = await self._chosen(selector, request, scope_of(recipe, verdict.decision))
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
        beyond its model name. Raises what `Upstream.open` raises, and NoCandidate where the
        policy refuses every candidate.
        """
        if route.plan.status == "failed":
            raise NoCandidate(f"no model for this request: {route.plan.reason}")
        if route.resolution == "routed":
            self._telemetry.routed(route)
        resolution = "passthrough" if route.verdict is None else route.resolution
        return self._upstream.open(route.plan.chosen, request, resolution)

    async def _chosen(self, selector: Selector[Any], request: Request, scope: str) -> Plan:
        if self._poll is None:
            return selector.choose(Values())
        return selector.choose(await self._poll.values(selector, request, scope))

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
