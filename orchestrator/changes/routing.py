"""One request through the old and the new policy: what each makes of it, and how sure that is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from orchestrator.changes.traffic import Recorded
from orchestrator.config.settings import Strategy
from orchestrator.errors import InferenceTimeout, RouterError
from orchestrator.pipeline import Pipeline, Policy
from orchestrator.probes.dependencies import surely_before
from orchestrator.protocols import chat_completions
from orchestrator.protocols.session import REQUEST_ID
from orchestrator.server.evaluate import chat_body
from orchestrator.signals.context import BYTES_PER_TOKEN
from orchestrator.types import Candidate, Request, Route

PARALLEL = 4  # requests at a time, each through two policies
OUTPUT = ("max_completion_tokens", "max_tokens")  # the first that is given counts


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two policies, ready to be asked."""

    pipeline: Pipeline
    strategies: Mapping[str, Strategy]  # by recipe


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a policy makes of a request: a model, or the code of an error.

    `recipe` and `decision` are empty where nothing was decided. `unknown` are the signals for want
    of which another decision might have won, with reasons: `domain:law (inference_unavailable)`.
    """

    recipe: str = ""
    decision: str = ""
    candidate: Candidate | None = None
    error: str = ""
    unknown: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()  # the decisions that might have won
    # algorithms for whose choice the first candidate stands:
    fallback: str = ""  # it could not be judged, for want of an artefact or of what it reads
    not_run: str = ""  # it does not run in this version

    @property
    def model(self) -> str:
        return self.candidate.name if self.candidate else ""


@dataclass(frozen=True, slots=True)
class Pair:
    """`prompt_tokens` by the router's own estimate; `completion_tokens` None: not said."""

    id: str
    text: str
    old: Outcome
    new: Outcome
    prompt_tokens: int = 0
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A request that is not compared; `place` is its file and line. `understood`: it is a request,
    and neither policy routes it.
    """

    id: str
    reason: str
    place: str = ""
    understood: bool = False


@dataclass(frozen=True, slots=True)
class Routed:
    pairs: tuple[Pair, ...] = ()
    unread: tuple[Unread, ...] = field(default_factory=tuple)


async def route(
    requests: Sequence[Recorded],
    old: Side,
    new: Side,
    progress: Callable[[], None] = lambda: None,
    parallel: int = PARALLEL,
) -> Routed:
    """Each through both policies at the same moment, so that a model asked by both is asked once;
    `parallel` requests at a time. What a model did not answer in time is asked once more, alone.
    `progress` is called as each ends.
    """
    slots, alone = asyncio.Semaphore(parallel), asyncio.Lock()

    async def one(recorded: Recorded) -> Pair | Unread:
        async with slots:
            found = await _both(recorded, old, new)
        if isinstance(found, Pair) and _late(found):
            async with alone:
                found = await _both(recorded, old, new)
        progress()
        return found

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(recorded)) for recorded in requests]
    found = [task.result() for task in tasks]
    return Routed(
        tuple(one for one in found if isinstance(one, Pair)),
        tuple(one for one in found if isinstance(one, Unread)),
    )


def _late(pair: Pair) -> bool:
    return any(InferenceTimeout.code in one for one in (*pair.old.unknown, *pair.new.unknown))


async def _both(recorded: Recorded, old: Side, new: Side) -> Pair | Unread:
    if recorded.body is None:
        return Unread(recorded.id, recorded.problem, recorded.place)
    try:
        requests = [_parsed(recorded.body, side) for side in (old, new)]
    except RouterError as error:
        return Unread(recorded.id, str(error) or error.code, recorded.place)
    before, after = await asyncio.gather(_outcome(old, requests[0]), _outcome(new, requests[1]))
    if before.error and before.error == after.error:
        said = f"neither policy routes it: {before.error}"
        return Unread(recorded.id, said, recorded.place, understood=True)
    prompt, completion = tokens(requests[0])
    return Pair(recorded.id, requests[0].text, before, after, prompt, completion)


def _parsed(body: Mapping[str, Any], side: Side) -> Request:
    # Without text or a name it is of no session, and a split by weights goes by its id.
    written = json.dumps(body, sort_keys=True, default=str).encode()
    headers = {REQUEST_ID: blake2b(written, digest_size=12).hexdigest()}
    return chat_completions.parse(chat_body(body, side.pipeline.names.default), headers)


async def _outcome(side: Side, request: Request) -> Outcome:
    try:
        found = await side.pipeline.route(request)
    except RouterError as error:
        return Outcome(recipe=side.pipeline.names.recipes.get(request.model, ""), error=error.code)
    open_ = tuple(_open(side, found))
    plan = found.plan
    return Outcome(
        recipe=found.recipe or "",
        decision=found.verdict.decision if found.verdict else "",
        candidate=found.plan.chosen,
        unknown=tuple(
            dict.fromkeys(leaf for entry in open_ for leaf in _leaves(entry["root_trace"]))
        ),
        rivals=tuple(entry["decision_name"] for entry in open_),
        fallback=plan.method if plan.status == "fallback" else "",
        not_run=plan.method if plan.status == "execution_required" else "",
    )


def _open(side: Side, found: Route) -> Iterator[Mapping[str, Any]]:
    """The traces of decisions that are unknown and could still win."""
    if found.recipe is None or not any(one.unknown for one in found.facts.readings.values()):
        return
    policy = side.pipeline.policies[found.recipe]
    strategy = side.strategies[found.recipe]
    for entry in policy.engine.trace(found.facts):
        if entry["state"] == "unknown" and _may_win(policy, strategy, found, entry):
            yield entry


def _may_win(policy: Policy, strategy: Strategy, found: Route, entry: Mapping[str, Any]) -> bool:
    if found.verdict is None:
        return True
    winner = policy.decisions[found.verdict.decision]
    return not surely_before(winner, policy.decisions[entry["decision_name"]], strategy)


def _leaves(node: Mapping[str, Any]) -> Iterator[str]:
    if node["state"] != "unknown":
        return
    if node.get("signal_type"):
        reason = f" ({node['reason']})" if node.get("reason") else ""
        yield f"{node['signal_type']}:{node['signal_name']}{reason}"
    for child in node.get("children") or ():
        yield from _leaves(child)


def tokens(request: Request) -> tuple[int, int | None]:
    """Prompt tokens as `context` estimates them (bytes / 4, pictures, schemas and framing), without
    the output that the request reserves; and that output, None where it says nothing.
    """
    asked = (request.body.get(key) for key in OUTPUT)
    given = next((value for value in asked if value is not None), None)
    reserved = max(0, int(given)) if given is not None else 0
    text = -(-request.shape.context_bytes // BYTES_PER_TOKEN)
    prompt = max(text, request.shape.floor_tokens - reserved)
    return prompt, reserved if given is not None else None
