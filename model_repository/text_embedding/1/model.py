"""Triton's side of the sentence encoder: requests to texts, embeddings to responses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from encoder import Encoded, Encoder, Limits
from texts import Refused, texts_of


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
        """Embed the rows of all requests together; a bad request gets an error of its own.

        All answers are returned at once. Sending the first ones early (response senders) would
        spare short texts the wait for long ones, but an exception after that ends the whole
        server (2.51: SIGSEGV).
        """
        responses: list[pb_utils.InferenceResponse] = [None] * len(requests)
        texts: list[str] = []
        places: list[tuple[int, slice]] = []  # request, its rows in `texts`
        for index, request in enumerate(requests):
            try:
                rows = texts_of(request, self._max_bytes)
            except Refused as refusal:
                responses[index] = refusal.response()
            else:
                places.append((index, slice(len(texts), len(texts) + len(rows))))
                texts += rows
        if texts:
            encoded = self._encoder.encode(texts)
            for index, place in places:
                responses[index] = _response(encoded, place)
        return responses


def _response(encoded: Encoded, rows: slice) -> pb_utils.InferenceResponse:
    return pb_utils.InferenceResponse(
        [
            pb_utils.Tensor("EMBEDDING", encoded.embeddings[rows]),
            pb_utils.Tensor("WINDOWS", encoded.windows[rows, np.newaxis]),
            pb_utils.Tensor("TRUNCATED", encoded.truncated[rows, np.newaxis]),
        ]
    )
