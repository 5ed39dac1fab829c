"""Triton's side of the sentence encoder: requests to texts, embeddings to responses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from averages import shortened
from encoder import Encoded, Encoder, Limits
from texts import Refused, answered, texts_of


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        folder = Path(args["model_repository"])
        settings = {
            name: value["string_value"]
            for name, value in json.loads(args["model_config"])["parameters"].items()
        }
        self._max_bytes = int(settings["max_bytes"])
        # Lengths to which an embedding may be cut; none where the network was not trained for it.
        self._dimensions = [int(one) for one in settings.get("dimensions", "").split(",") if one]
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
        return answered(requests, self._texts, self._encoder.encode, self._response)

    def _texts(self, request: pb_utils.InferenceRequest) -> list[str]:
        self._dimension(request)  # or a refusal, before its texts are read
        return texts_of(request, self._max_bytes)

    def _dimension(self, request: pb_utils.InferenceRequest) -> int | None:
        """What the request asks for; None: all of it. Raises Refused."""
        asked = pb_utils.get_input_tensor_by_name(request, "DIMENSION")
        if asked is None:
            return None
        found = sorted({int(one) for one in asked.as_numpy().ravel()})
        if len(found) != 1 or found[0] not in self._dimensions:
            message = (
                f"DIMENSION is {', '.join(map(str, found))}; this model has "
                f"{', '.join(map(str, self._dimensions))}, one for all rows of a request"
            )
            raise Refused(message, pb_utils.TritonError.INVALID_ARG)
        return found[0]

    def _response(
        self, encoded: Encoded, rows: slice, request: pb_utils.InferenceRequest
    ) -> pb_utils.InferenceResponse:
        vectors, dimension = encoded.embeddings[rows], self._dimension(request)
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor(
                    "EMBEDDING", vectors if dimension is None else shortened(vectors, dimension)
                ),
                pb_utils.Tensor("WINDOWS", encoded.windows[rows, np.newaxis]),
                pb_utils.Tensor("TRUNCATED", encoded.truncated[rows, np.newaxis]),
                pb_utils.Tensor("UNREADABLE", encoded.unreadable[rows]),
            ]
        )
