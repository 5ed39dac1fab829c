"""Triton's side of the text classifiers: requests to texts and tasks, answers to responses."""

from __future__ import annotations

import json
from pathlib import Path

import triton_python_backend_utils as pb_utils
from reader import Read, Reader
from sequences import Limits
from tensors import tensors
from texts import answered, tasks_of, texts_of


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
        texts = texts_of(request, self._max_bytes)
        return list(zip(texts, tasks_of(request, self._reader.tasks), strict=True))

    def _read(self, rows: list[tuple[str, list[str]]]) -> Read:
        texts, tasks = zip(*rows, strict=True)
        return self._reader.read(texts, tasks)

    def _response(
        self, read: Read, rows: slice, request: pb_utils.InferenceRequest
    ) -> pb_utils.InferenceResponse:
        made = tensors(read, rows)
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor(name, made[name]())
                for name in request.requested_output_names()
                if name in made
            ]
        )
