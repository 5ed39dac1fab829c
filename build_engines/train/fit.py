"""Training one adapter: epochs over cached states, the best epoch by validation loss.

An interrupted run goes on after its last whole epoch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from peft import PeftModel, get_peft_model_state_dict, set_peft_model_state_dict
from rich.progress import track

from build_engines.tasks import Task
from build_engines.train.network import top
from build_engines.train.parts import Batch, Part
from build_engines.train.rows import IGNORED

Floats = npt.NDArray[np.float32]

WARM = 0.06  # share of the steps in which the learning rate rises
DECAY = 0.01
# Where the processor multiplies tiles of bfloat16, four times as fast; never for figures.
FAST = torch.cpu._is_amx_tile_supported()
EVALUATED = 64  # texts of a batch when nothing is trained


@dataclass(frozen=True, slots=True)
class Job:
    """A network to train, of `task`; `positive` are the classes whose sum is the risk."""

    network: PeftModel
    task: Task
    positive: tuple[int, ...]


def fit(job: Job, train: Part, check: Part, keep: Path) -> float:
    """Leave the best epoch's weights in the network; give its validation loss.

    `keep` is the file for what is done so far.
    """
    plan = job.task.training
    parameters = [one for one in job.network.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=plan.rate, weight_decay=DECAY)
    steps = plan.epochs * math.ceil(len(train.rows) / plan.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _slope(steps))
    state: dict[str, Any] = {"done": 0, "best": math.inf}
    if keep.is_file():
        state = torch.load(keep, weights_only=True)
        set_peft_model_state_dict(job.network, state["now"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
    for epoch in range(state["done"], plan.epochs):
        torch.manual_seed(plan.seed + epoch)
        job.network.train()
        order = train.order(plan.batch, plan.seed + epoch)
        for texts in track(order, f"epoch {epoch + 1} of {plan.epochs}"):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=FAST):
                error = loss(job, train, train.batch(texts))
            error.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
        found = validate(job, check)
        print(f"epoch {epoch + 1}: validation loss {found:.4f}", flush=True)
        state["now"] = _copy(job.network)
        if found < state["best"]:
            state |= {"best": found, "chosen": state["now"]}
        state |= {"done": epoch + 1, "optimizer": optimizer.state_dict()}
        state["schedule"] = schedule.state_dict()
        keep.parent.mkdir(parents=True, exist_ok=True)
        torch.save(state, keep)
    set_peft_model_state_dict(job.network, state["chosen"])
    return float(state["best"])


def loss(job: Job, part: Part, batch: Batch) -> torch.Tensor:
    """Mean cross-entropy of the texts, or of the tokens of a token task.

    A window beside what its text is labelled for counts as one more text, of no risk.
    """
    found = top(job.network, batch.hidden, batch.mask, job.task).float()
    if job.task.kind == "token":
        wanted = torch.from_numpy(part.rows.targets[batch.tokens])
        return torch.nn.functional.cross_entropy(found[batch.mask], wanted, ignore_index=IGNORED)
    beside = torch.from_numpy(part.rows.beside[batch.windows])
    tokens = torch.from_numpy(part.rows.lengths[batch.windows])
    logs = over_windows(job, found, batch.owner, tokens, beside)
    targets = torch.from_numpy(part.rows.targets[batch.texts])
    errors = torch.nn.functional.nll_loss(logs, targets, reduction="none")
    if beside.any():  # where nothing is, nothing should be seen
        calm = [at for at in range(found.shape[1]) if at not in job.positive]
        quiet = torch.log_softmax(found[beside], -1)[:, calm].logsumexp(-1)
        errors = torch.cat([errors, -quiet])
    return errors.mean()


def validate(job: Job, part: Part) -> float:
    """The mean loss, every text counted alike where no window is beside what is looked for."""
    job.network.train(False)
    total = 0.0
    with torch.inference_mode():
        for texts in part.order(EVALUATED):
            total += float(loss(job, part, part.batch(texts))) * len(texts)
    return total / len(part.rows)


def logits(job: Job, part: Part) -> Floats:
    """Of every window [windows, classes], or of every token [tokens, classes]."""
    job.network.train(False)
    places, values = [], []
    with torch.inference_mode():
        for texts in part.order(EVALUATED):
            batch = part.batch(texts)
            found = top(job.network, batch.hidden, batch.mask, job.task)
            token = job.task.kind == "token"
            places.append(batch.tokens if token else batch.windows)
            values.append((found[batch.mask] if token else found).numpy())
    ordered: Floats = np.concatenate(values)
    ordered[np.concatenate(places)] = ordered.copy()
    return ordered


def over_windows(
    job: Job,
    found: torch.Tensor,
    owner: torch.Tensor,
    lengths: torch.Tensor,
    beside: torch.Tensor | None = None,
) -> torch.Tensor:
    """Log-probabilities of texts from the logits of their windows; `owner` counts from 0.

    The mean of the probabilities, weighted by tokens (`lengths` has [CLS] and [SEP], too), or those
    of the window with the highest risk; windows `beside` what is looked for cannot be that one.
    """
    logs = torch.log_softmax(found, -1)
    texts = int(owner[-1]) + 1
    if job.task.over_windows == "mean":
        tokens = (lengths - 2).clamp_min(1).to(logs.dtype)
        total = torch.zeros(texts, logs.shape[1])
        total = total.index_add(0, owner, logs.exp() * tokens[:, None])
        count = torch.zeros(texts).index_add(0, owner, tokens)[:, None]
        return (total / count).clamp_min(1e-9).log()
    risk = logs.detach()[:, list(job.positive)].logsumexp(-1)
    if beside is not None:
        risk = risk.masked_fill(beside, -torch.inf)
    order = torch.argsort(risk, stable=True)  # the riskiest window of a text is written last
    chosen = torch.zeros(texts, dtype=torch.long)
    for window in order.tolist():
        chosen[owner[window]] = window
    return logs[chosen]


def _slope(steps: int) -> Callable[[int], float]:
    """Up in a straight line, then down along a cosine to 0."""
    warm = max(1, round(WARM * steps))

    def share(step: int) -> float:
        if step < warm:
            return (step + 1) / warm
        return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))

    return share


def _copy(network: PeftModel) -> dict[str, torch.Tensor]:
    return {name: one.clone() for name, one in get_peft_model_state_dict(network).items()}
