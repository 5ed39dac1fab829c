"""Triton's side of a text model's last step on GPUs: requests to windows, answers to responses.

Requests of any shape come together (`allow_ragged_batch`): only the engine needs equal ones.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from answers import Task
from tensors import tensors
from texts import Refused, tasks_of, texts_of
from windowed import Windowed, read


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        config = json.loads(args["model_config"])
        self._max_bytes = int(config["parameters"]["max_bytes"]["string_value"])
        labels = Path(args["model_repository"]) / "labels.json"
        self._tasks = Task.read(labels) if labels.is_file() else {}
        self._placed = any(task.kind == "token" for task in self._tasks.values())

    def execute(
        self, requests: list[pb_utils.InferenceRequest]
    ) -> list[pb_utils.InferenceResponse]:
        return [self._answer(request) for request in requests]

    def _answer(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        try:
            given = self._given(request)
        except Refused as refusal:
            return refusal.response()
        made = tensors(read(self._tasks, given), slice(None))
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor(name, made[name]())
                for name in request.requested_output_names()
                if name in made
            ]
        )

    def _given(self, request: pb_utils.InferenceRequest) -> Windowed:
        texts = texts_of(request, self._max_bytes)
        return Windowed(
            texts=texts,
            asked=tasks_of(request, self._tasks) if self._tasks else [[] for _ in texts],
            parts=_tensor(request, "PARTS"),
            places=_tensor(request, "PLACES") if self._placed else None,
            embeddings=_tensor(request, "EMBEDDING_W"),
            logits={name: _tensor(request, f"LOGITS_{name}") for name in self._tasks},
        )


def _tensor(request: pb_utils.InferenceRequest, name: str) -> np.ndarray:
    return pb_utils.get_input_tensor_by_name(request, name).as_numpy()
