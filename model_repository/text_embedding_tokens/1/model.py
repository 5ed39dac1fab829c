"""Triton's side of a text model's first step on GPUs: requests to texts, tokens to responses."""

from __future__ import annotations

import json
from pathlib import Path

import triton_python_backend_utils as pb_utils
from texts import answered, tasks_of, texts_of
from tokens import Tokenized, Tokens


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        settings = {
            name: value["string_value"]
            for name, value in json.loads(args["model_config"])["parameters"].items()
        }
        self._max_bytes = int(settings["max_bytes"])
        self._tokens = Tokens.load(Path(args["model_repository"]), settings)

    def execute(
        self, requests: list[pb_utils.InferenceRequest]
    ) -> list[pb_utils.InferenceResponse]:
        return answered(requests, self._rows, self._tokens.read, self._response)

    def _rows(self, request: pb_utils.InferenceRequest) -> list[tuple[str, list[str]]]:
        texts = texts_of(request, self._max_bytes)
        tasks = self._tokens.tasks
        asked = tasks_of(request, tasks) if tasks else [[] for _ in texts]
        return list(zip(texts, asked, strict=True))

    def _response(
        self, read: Tokenized, rows: slice, request: pb_utils.InferenceRequest
    ) -> pb_utils.InferenceResponse:
        made = self._tokens.tensors(read, rows)
        wanted = request.requested_output_names()
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor(name, made[name]) for name in wanted if name in made]
        )
