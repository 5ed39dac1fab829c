"""Triton's Python module, as far as a router inside of Triton uses it: scripted neighbours."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.inference.fake_models import TASKS, known, pixels, probabilities, vector

DEAD = "Stub process 'm_0_1' is not healthy."
ABSENT = "Failed for execute the inference request. Model 'm' is not ready."


class TritonModelException(Exception):
    pass


class TritonError(Exception):
    UNKNOWN, INTERNAL, NOT_FOUND, INVALID_ARG = range(4)
    UNAVAILABLE, UNSUPPORTED, ALREADY_EXISTS, CANCELLED = range(4, 8)

    def __init__(self, message: str, code: int = INTERNAL) -> None:
        super().__init__(message)
        self._code = code

    def message(self) -> str:
        return str(self)

    def code(self) -> int:
        return self._code


@dataclass
class Tensor:
    label: str
    array: np.ndarray

    def name(self) -> str:
        return self.label

    def as_numpy(self) -> np.ndarray:
        return self.array


@dataclass
class Response:
    tensors: list[Tensor] = field(default_factory=list)
    failure: TritonError | None = None

    def has_error(self) -> bool:
        return self.failure is not None

    def error(self) -> TritonError | None:
        return self.failure

    def output_tensors(self) -> list[Tensor]:
        return self.tensors


@dataclass
class Asked:
    model: str
    inputs: dict[str, list[bytes]]
    wanted: list[str]


class FakeBackend:
    """`answer` gives the tensors of a request, or raises TritonError; `failures` meet requests
    before it, in order. Models are loaded unless in `away`.
    """

    TRITONSERVER_MEMORY_CPU = 0
    TritonError = TritonError
    TritonModelException = TritonModelException
    Tensor = Tensor

    def __init__(self) -> None:
        self.answer: Callable[[Asked], dict[str, np.ndarray]] = embedded
        self.failures: list[Exception] = []
        self.asked: list[Asked] = []
        self.away: set[str] = set()
        self.hang = False
        self.said: list[tuple[str, str]] = []  # level, line of the log
        self.metrics: dict[tuple[str, ...], float] = {}  # name and labels -> value
        self.MetricFamily = _families(self.metrics)
        self.Logger = _Logger(self.said)

    def PreferredMemory(self, kind: int) -> int:
        return kind

    def InferenceRequest(self, **given: object) -> "_Request":
        return _Request(self, **given)


class _Request:
    def __init__(self, backend, *, model_name, requested_output_names, inputs, preferred_memory):
        assert preferred_memory == backend.TRITONSERVER_MEMORY_CPU
        rows = {one.name(): one.as_numpy() for one in inputs}
        assert all(array.shape[1:] == (1,) for array in rows.values())
        kinds = {name: np.int32 if name == "DIMENSION" else object for name in rows}
        assert {name: array.dtype for name, array in rows.items()} == kinds
        values = {name: array.ravel().tolist() for name, array in rows.items()}
        self._backend = backend
        self._asked = Asked(model_name, values, requested_output_names)

    async def async_exec(self) -> Response:
        backend = self._backend
        backend.asked.append(self._asked)
        if backend.hang:
            await asyncio.Event().wait()
        if backend.failures:
            failure = backend.failures.pop(0)
            if isinstance(failure, TritonError):
                return Response(failure=failure)
            raise failure
        if self._asked.model in backend.away:
            return Response(failure=TritonError(ABSENT))
        if not self._asked.inputs:
            return Response(failure=TritonError("expected 1 inputs but got 0 inputs"))
        try:
            made = backend.answer(self._asked)
        except TritonError as error:
            return Response(failure=error)
        return Response([Tensor(name, array) for name, array in made.items()])


def embedded(asked: Asked) -> dict[str, np.ndarray]:
    """What the models of FakeTriton answer to the same: texts or pictures."""
    if "IMAGE" in asked.inputs:
        files = asked.inputs["IMAGE"]
        if asked.wanted == ["PIXELS"]:
            return {"PIXELS": np.stack([pixels(one) for one in files])}
        return {
            "EMBEDDING": np.stack([vector(one) for one in files]),
            "KNOWN": np.array([[known(one)] for one in files], np.float32),
        }
    texts = asked.inputs["TEXT"]
    found = {
        "EMBEDDING": np.stack([vector(text) for text in texts]),
        "WINDOWS": np.ones((len(texts), 1), np.int32),
        "TRUNCATED": np.zeros((len(texts), 1), np.bool_),
    }
    for task in {"domain", "guard"} & {name.removeprefix("PROBS_") for name in asked.wanted}:
        assert not TASKS[task].spans
        found[f"PROBS_{task}"] = np.stack([probabilities(text, task) for text in texts])
    return found


class _Logger:
    def __init__(self, said: list[tuple[str, str]]) -> None:
        self._said = said

    def log_info(self, line: str) -> None:
        self._said.append(("info", line))

    def log_warn(self, line: str) -> None:
        self._said.append(("warn", line))

    def log_error(self, line: str) -> None:
        self._said.append(("error", line))


def _families(values: dict[tuple[str, ...], float]) -> type:
    class Family:
        COUNTER, GAUGE = range(2)

        def __init__(self, name: str, description: str, kind: int) -> None:
            assert description
            self._name, self._kind = name, kind

        def Metric(self, labels: dict[str, str]) -> "Family":
            metric = Family(self._name, "one", self._kind)
            metric.key = (self._name, *labels.values())
            values[metric.key] = 0.0
            return metric

        def increment(self, by: float) -> None:
            assert self._kind == Family.COUNTER
            values[self.key] += by

        def set(self, value: float) -> None:
            assert self._kind == Family.GAUGE
            values[self.key] = value

    return Family
