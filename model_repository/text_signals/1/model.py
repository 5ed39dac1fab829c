"""Triton's side of the text classifiers: requests to texts and tasks, answers to responses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from reader import Read, Reader
from sequences import Limits
from texts import Refused, texts_of


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
        """Read the rows of all requests together; a bad request gets an error of its own."""
        responses: list[pb_utils.InferenceResponse] = [None] * len(requests)
        texts: list[str] = []
        asked: list[list[str]] = []
        places: list[tuple[int, slice]] = []  # request, its rows in `texts`
        for index, request in enumerate(requests):
            try:
                rows, tasks = texts_of(request, self._max_bytes), self._tasks(request)
            except Refused as refusal:
                responses[index] = refusal.response()
            else:
                places.append((index, slice(len(texts), len(texts) + len(rows))))
                texts += rows
                asked += tasks
        if texts:
            read = self._reader.read(texts, asked)
            for index, place in places:
                responses[index] = self._response(
                    read, place, requests[index].requested_output_names()
                )
        return responses

    def _tasks(self, request: pb_utils.InferenceRequest) -> list[list[str]]:
        rows = pb_utils.get_input_tensor_by_name(request, "TASKS").as_numpy().ravel()
        tasks = [row.decode(errors="replace").split(",") if row else [] for row in rows]
        for name in {name for row in tasks for name in row} - self._reader.tasks.keys():
            message = f"no task {name[:80]!r}; the tasks are: {', '.join(self._reader.tasks)}"
            raise Refused(message, pb_utils.TritonError.INVALID_ARG)
        return tasks

    def _response(self, read: Read, rows: slice, names: list[str]) -> pb_utils.InferenceResponse:
        tensors = {
            "EMBEDDING": lambda: read.embeddings[rows],
            "WINDOWS": lambda: read.windows[rows, np.newaxis],
            "TRUNCATED": lambda: read.truncated[rows, np.newaxis],
        }
        for task, values in read.probabilities.items():
            tensors[f"PROBS_{task}"] = lambda values=values: values[rows]
        for task, found in read.entities.items():
            tensors[f"SPANS_{task}"] = lambda found=found: _spans(found[rows])
            tensors[f"SPAN_SCORES_{task}"] = lambda found=found: _scores(found[rows])
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor(name, tensors[name]()) for name in names if name in tensors]
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
