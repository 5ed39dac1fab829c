"""Several texts, a few at a time: what is said of each, and statistics over all."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence

from orchestrator.errors import UnreadableText
from orchestrator.inference import Inference
from orchestrator.inference.pacing import paced, together
from orchestrator.server.classify_answers import Answers
from orchestrator.server.classify_bodies import Batch, MixedOptions
from orchestrator.server.classify_shapes import Json, milliseconds, statistics
from orchestrator.server.unavailable import unreadable
from orchestrator.signals import fact_check, jailbreak, pii, user_feedback
from orchestrator.types import Request

INTENT, SECURITY, ALL = "intent", "security", "all"
TASKS = (INTENT, pii.TASK, SECURITY, ALL)  # the first is asked where none is named
EVERY = (INTENT, pii.TASK, SECURITY, fact_check.TASK, user_feedback.TASK)

Ask = Callable[[Inference, str, MixedOptions], Awaitable[Json]]


async def answer_batch(answers: Answers, inference: Inference, batch: Batch) -> Json:
    """`batch.task_type` is empty or one of TASKS. Raises InferenceError, and UnreadableInput that
    names the texts that cannot be read, of the first few that were asked together."""

    async def intent(inference: Inference, text: str, options: MixedOptions) -> Json:
        return await answers.intent(inference, Request("", text), options)

    async def every(inference: Inference, text: str, options: MixedOptions) -> Json:
        return await everything(answers, inference, text, options)

    rows: Sequence[Ask] = (intent, answers.pii, answers.security, every)
    task = batch.task_type or INTENT
    ask = dict(zip(TASKS, rows, strict=True))[task]
    started = time.perf_counter()
    results: list[Json] = []
    for texts in paced(batch.texts):
        asking = [_read(ask(inference, text, batch.options)) for text in texts]
        said = await together(asking)
        lost = [len(results) + at for at, one in enumerate(said) if one is None]
        if lost:
            raise unreadable(f"texts[{at}]" for at in lost)
        results += [one for one in said if one is not None]
    return {
        "results": results,
        "total_count": len(results),
        "processing_time_ms": milliseconds(time.perf_counter() - started),
        "statistics": statistics(pair for one in results for pair in _said(task, one)),
    }


async def everything(
    answers: Answers, inference: Inference, text: str, options: MixedOptions
) -> Json:
    """All that is known of one text. Raises InferenceError."""
    started = time.perf_counter()
    options = options.model_copy(update={"confidence_threshold": None})
    said = await together(
        (
            answers.intent(inference, Request("", text), options),
            answers.pii(inference, text, options),
            answers.security(inference, text, options),
            answers.facts(inference, text),
            answers.feedback(inference, text),
        )
    )
    found: Json = dict(zip(EVERY, said, strict=True))
    return found | {"processing_time_ms": milliseconds(time.perf_counter() - started)}


async def _read(asked: Awaitable[Json]) -> Json | None:
    """None where the text cannot be read."""
    try:
        return await asked
    except UnreadableText:
        return None


def _said(task: str, result: Json) -> Iterator[tuple[str, float]]:
    """Names of what an answer found, and how sure each is; of all tasks, the subject."""
    if task == pii.TASK:
        yield from ((one["type"], one["confidence"]) for one in result["entities"])
    elif task == SECURITY:
        safe, attack = jailbreak.LABELS
        yield attack if result["is_jailbreak"] else safe, result["confidence"]
    else:
        said = (result[INTENT] if task == ALL else result)["classification"]
        yield said["category"], said["confidence"]
