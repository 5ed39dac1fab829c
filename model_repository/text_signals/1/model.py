"""Triton's side of the text classifiers: requests to texts and tasks, answers to responses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from reader import Read, Reader
from sequences import Limits
from texts import Refused, answered, texts_of


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        settings = {
            name: value["string_value"]
            for name, value in json.loads(args["model_config"])["parameters"].items()
        }
        self._max_bytes = int(settings["max_bytes"])
        self._reader = Reader.load(
            Path(args["model_repository"]),
            args["model_version"],
            Limits.read(settings),
            threads=int(settings["threads"]),
        )
        self._reader.warm()

    def execute(
        self, requests: list[pb_utils.InferenceRequest]
    ) -> list[pb_utils.InferenceResponse]:
        return answered(requests, self._rows, self._read, self._response)

    def _rows(self, request: pb_utils.InferenceRequest) -> list[tuple[str, list[str]]]:
        return list(zip(texts_of(request, self._max_bytes), self._tasks(request), strict=True))

    def _read(self, rows: list[tuple[str, list[str]]]) -> Read:
        texts, tasks = zip(*rows, strict=True)
        return self._reader.read(texts, tasks)

    def _tasks(self, request: pb_utils.InferenceRequest) -> list[list[str]]:
        rows = pb_utils.get_input_tensor_by_name(request, "TASKS").as_numpy().ravel()
        tasks = [row.decode(errors="replace").split(",") if row else [] for row in rows]
        for name in {name for row in tasks for name in row} - self._reader.tasks.keys():
            message = f"no task {name[:80]!r}; the tasks are: {', '.join(self._reader.tasks)}"
            raise Refused(message, pb_utils.TritonError.INVALID_ARG)
        return tasks

    def _response(
        self, read: Read, rows: slice, request: pb_utils.InferenceRequest
    ) -> pb_utils.InferenceResponse:
        tensors = {
            "EMBEDDING": lambda: read.embeddings[rows],
            "WINDOWS": lambda: read.windows[rows, np.newaxis],
            "TRUNCATED": lambda: read.truncated[rows, np.newaxis],
            "UNREADABLE": lambda: read.unreadable[rows],
        }
        for task, values in read.probabilities.items():
            tensors[f"PROBS_{task}"] = lambda values=values: values[rows]
        for task, found in read.entities.items():
            tensors[f"SPANS_{task}"] = lambda found=found: _spans(found[rows])
            tensors[f"SPAN_SCORES_{task}"] = lambda found=found: _scores(found[rows])
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor(name, tensors[name]())
                for name in request.requested_output_names()
                if name in tensors
            ]
        )


def _spans(rows: list[list[object]]) -> np.ndarray:
    """[texts, most, 3]: start, stop, label; -1 where a text has fewer."""
    spans = np.full((len(rows), max(1, *map(len, rows)), 3), -1, np.int32)
    for at, found in enumerate(rows):
        for n, one in enumerate(found):
            spans[at, n] = (one.start, one.stop, one.label)
    return spans


def _scores(rows: list[list[object]]) -> np.ndarray:
    scores = np.zeros((len(rows), max(1, *map(len, rows))), np.float32)
    for at, found in enumerate(rows):
        scores[at, : len(found)] = [one.score for one in found]
    return scores
