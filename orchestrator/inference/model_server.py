"""What is asked of one Triton server, and what its failures mean, whatever carries the questions.

`endpoint.py` carries them over gRPC, `neighbours.py` from inside the server. No type of either
comes here.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from orchestrator.errors import (
    ImageRefused,
    InferenceError,
    InferenceTimeout,
    InferenceUnavailable,
)
from orchestrator.inference import Seen
from orchestrator.inference.answers import Answer, Tensors, decode, outputs
from orchestrator.inference.rows import Row
from orchestrator.inference.sights import OUTPUTS, PREPROCESSOR, decode_pixels, decode_seen
from orchestrator.inference.tasks import NO_TASKS, Tasks

FIRST = 1  # of Triton's priorities; a model without levels of them knows no difference
DETAIL_CHARS = 300  # of a server's message that go into ours
REFUSAL = "IMAGE is "  # before the preprocessor's reason

Message: TypeAlias = Any  # protobuf makes its classes at run time
Strings: TypeAlias = Sequence[bytes]  # BYTES [rows, 1]
Numbers: TypeAlias = npt.NDArray[np.int32]  # INT32 [rows, 1]
Inputs = Mapping[str, Strings | Numbers]


class Fault(Enum):
    """What a failed call says about the model behind it."""

    DEAD_INSTANCE = "a Python process of the model has died"  # Triton never restarts it
    NOT_LOADED = "the model is not loaded"
    HUNG = "a Python process of the model hangs"  # seen by probes only
    UNREACHABLE = "the server does not answer"


@dataclass(frozen=True, slots=True)
class Description:
    """What a server says of a model it has loaded; of an ensemble, of the models it is made of."""

    version: str
    device: str  # "cpu" or "gpu"
    instances: int  # those of the model in an ensemble that has most
    max_batch: int  # rows a request may have; 1 where the model does not batch
    dimension: int  # of EMBEDDING; -1: any


class ModelServer(ABC):
    """The server at `url`. `faults` holds what failed calls said, by model, until `forget`;
    `trouble` is set with each.
    """

    def __init__(self, url: str, *, timeout_s: float = 5.0) -> None:
        self.url = url
        self.timeout_s = timeout_s
        self.faults: dict[str, Fault] = {}
        self.trouble = asyncio.Event()
        self._descriptions: dict[str, Description] = {}

    @abstractmethod
    async def infer(
        self,
        model: str,
        inputs: Inputs,
        wanted: Sequence[str],
        timeout_s: float,
        *,
        blamed: str = "",
        priority: int = 0,
    ) -> Tensors:
        """One request; of no `wanted` tensor, all that the model has. Raises `failed` of its
        failure, which is a fault of `blamed` where that is given. `priority`: of Triton's, where
        the server takes one; 0 states none.
        """

    @abstractmethod
    async def ready(self) -> bool:
        """Whether the server says so. True does not mean that its models answer."""

    @abstractmethod
    def connected(self) -> bool:
        """Whether it is surely the server of the last call; a restart breaks the connection."""

    @abstractmethod
    async def load(self, model: str) -> None:
        """Load a model that is not loaded (a no-op where it is)."""

    @abstractmethod
    async def reload(self, model: str) -> None:
        """Unload and load, which replaces dead processes, also those of an ensemble's steps; the
        model is away for about as long as it takes to load. Raises InferenceError where the
        server does not allow model control.
        """

    @abstractmethod
    async def look_up(self, model: str) -> Description:
        """Raises InferenceError."""

    @abstractmethod
    async def close(self) -> None:
        """Nothing is asked any more."""

    async def describe(self, model: str) -> Description:
        """Asked once, and again after `forget`."""
        if model not in self._descriptions:
            self._descriptions[model] = await self.look_up(model)
        return self._descriptions[model]

    def forget(self, model: str) -> None:
        self._descriptions.pop(model, None)
        self.faults.pop(model, None)

    async def ask(
        self,
        model: str,
        rows: Sequence[Row],
        tasks: Tasks = NO_TASKS,
        timeout_s: float | None = None,
        dimension: int = 0,
    ) -> list[Answer]:
        """One request: at most `max_batch` rows, at least one. Answers in their order.

        `tasks` are all that the model has, and each row's are among them. A model that has
        none is only given the texts. `dimension`: the length of its embeddings, of a model that
        cuts them; 0: it is not said.
        """
        inputs: dict[str, Strings | Numbers] = {"TEXT": [row.text for row in rows]}
        if tasks:
            inputs["TASKS"] = [",".join(sorted(row.tasks)).encode() for row in rows]
        if dimension:
            inputs["DIMENSION"] = np.full((len(rows), 1), dimension, np.int32)
        wanted = outputs(rows, tasks)
        guarded = any(tasks[name].guards for row in rows for name in row.tasks)
        tensors = await self.infer(
            model, inputs, wanted, timeout_s or self.timeout_s, priority=FIRST if guarded else 0
        )
        return decode(model, tensors, rows, tasks)

    async def see(
        self, model: str, files: Sequence[bytes], floor: float, timeout_s: float | None = None
    ) -> Seen:
        """One request, of as many pictures as `ask` has rows. One that is not read refuses all."""
        timeout_s = timeout_s or self.timeout_s
        tensors = await self.infer(model, {"IMAGE": files}, OUTPUTS, timeout_s)
        return decode_seen(model, tensors, len(files), floor)

    async def pixels(self, model: str, file: bytes, timeout_s: float | None = None) -> bytes:
        """What the preprocessor of `model` makes of one picture. A fault is one of `model`."""
        timeout_s = timeout_s or self.timeout_s
        inputs = {"IMAGE": [file]}
        return decode_pixels(
            await self.infer(PREPROCESSOR, inputs, ["PIXELS"], timeout_s, blamed=model)
        )

    def failed(self, model: str, code: str, details: str) -> InferenceError:
        """What a failure of `model` (empty: of the server) means; it is remembered as its fault.
        `code` is a name of gRPC's.
        """
        details = details[:DETAIL_CHARS]
        fault = _fault(code, details)
        if fault is not None and model:
            self.faults[model] = fault
            self.trouble.set()
        return _error(code, details, fault, f"{self.url}: {model or 'server'}")


Connect = Callable[..., ModelServer]  # as the class is made


def described(config: Message, parts: Sequence[Message], versions: Sequence[str]) -> Description:
    """Of a model's config, and those of the steps that it has as an ensemble."""
    groups = [one.instance_group for one in (config, *parts)]
    gpu = any(group.kind == type(group).KIND_GPU for some in groups for group in some)
    dims = next((tuple(o.dims) for o in config.output if o.name == "EMBEDDING"), ()) or (-1,)
    return Description(
        version=versions[-1] if versions else "",
        device="gpu" if gpu else "cpu",
        instances=max(1, *(sum(group.count for group in some) for some in groups)),
        max_batch=max(1, config.max_batch_size),
        dimension=int(dims[-1]),
    )


def steps(config: Message) -> list[str]:
    """The models that an ensemble is made of, each once; none of another model."""
    return [*dict.fromkeys(one.model_name for one in config.ensemble_scheduling.step)]


def _fault(code: str, details: str) -> Fault | None:
    """Triton's own UNAVAILABLE (full queue, queue timeout) is a busy server, not a lost one."""
    match code:
        case "INTERNAL" if "Stub process" in details:
            return Fault.DEAD_INSTANCE
        case "NOT_FOUND":
            return Fault.NOT_LOADED
        case "UNAVAILABLE" if "is not found" in details or "not ready" in details:
            return Fault.NOT_LOADED
        case "UNAVAILABLE" if not _busy(details):
            return Fault.UNREACHABLE
    return None


def _busy(details: str) -> bool:
    return "queue size" in details or "timeout expired" in details


def _error(code: str, details: str, fault: Fault | None, subject: str) -> InferenceError:
    if code == "DEADLINE_EXCEEDED" or "Request timeout expired" in details:
        return InferenceTimeout(f"{subject}: no answer in time")
    if code == "INVALID_ARGUMENT" and REFUSAL in details:
        return ImageRefused(details.partition(REFUSAL)[2])
    if fault is not None:
        return InferenceUnavailable(f"{subject}: {fault.value} ({details})")
    if code in ("UNAVAILABLE", "CANCELLED"):
        return InferenceUnavailable(f"{subject}: {details}")
    return InferenceError(f"{subject}: {code}: {details}")
