"""Triton's side of the sentence encoder: requests to texts, embeddings to responses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from encoder import Encoded, Encoder, Limits
from texts import answered, texts_of


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        folder = Path(args["model_repository"])
        settings = {
            name: value["string_value"]
            for name, value in json.loads(args["model_config"])["parameters"].items()
        }
        self._max_bytes = int(settings["max_bytes"])
        self._encoder = Encoder.load(
            folder / args["model_version"] / "model.onnx",
            folder / "tokenizer.json",
            Limits.read(settings),
            threads=int(settings["threads"]),
        )
        self._encoder.warm()

    def execute(
        self, requests: list[pb_utils.InferenceRequest]
    ) -> list[pb_utils.InferenceResponse]:
        return answered(requests, self._texts, self._encoder.encode, _response)

    def _texts(self, request: pb_utils.InferenceRequest) -> list[str]:
        return texts_of(request, self._max_bytes)


def _response(
    encoded: Encoded, rows: slice, request: pb_utils.InferenceRequest
) -> pb_utils.InferenceResponse:
    return pb_utils.InferenceResponse(
        [
            pb_utils.Tensor("EMBEDDING", encoded.embeddings[rows]),
            pb_utils.Tensor("WINDOWS", encoded.windows[rows, np.newaxis]),
            pb_utils.Tensor("TRUNCATED", encoded.truncated[rows, np.newaxis]),
            pb_utils.Tensor("UNREADABLE", encoded.unreadable[rows]),
        ]
    )
