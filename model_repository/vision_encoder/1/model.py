"""Triton's side of the image encoder: requests to pixels, embeddings to responses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from encoder import Encoder, Seen


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        parameters = json.loads(args["model_config"])["parameters"]
        self._encoder = Encoder.load(
            Path(args["model_repository"]) / args["model_version"] / "model.onnx",
            threads=int(parameters["threads"]["string_value"]),
        )
        self._encoder.warm()

    def execute(
        self, requests: list[pb_utils.InferenceRequest]
    ) -> list[pb_utils.InferenceResponse]:
        """See the pictures of all requests together; who has gone is left out."""
        responses: list[pb_utils.InferenceResponse] = [None] * len(requests)
        pixels: list[np.ndarray] = []
        places: list[tuple[int, slice]] = []  # request, its rows
        count = 0
        for index, request in enumerate(requests):
            if request.is_cancelled():
                responses[index] = _cancelled()
                continue
            rows = pb_utils.get_input_tensor_by_name(request, "PIXELS").as_numpy()
            places.append((index, slice(count, count + len(rows))))
            pixels.append(rows)
            count += len(rows)
        if pixels:
            seen = self._encoder.encode(np.concatenate(pixels))
            for index, place in places:
                responses[index] = _response(seen, place)
        return responses


def _response(seen: Seen, rows: slice) -> pb_utils.InferenceResponse:
    return pb_utils.InferenceResponse(
        [
            pb_utils.Tensor("EMBEDDING", seen.embeddings[rows]),
            pb_utils.Tensor("KNOWN", seen.known[rows, np.newaxis]),
        ]
    )


def _cancelled() -> pb_utils.InferenceResponse:
    code = pb_utils.TritonError.CANCELLED
    return pb_utils.InferenceResponse(error=pb_utils.TritonError("cancelled", code))
