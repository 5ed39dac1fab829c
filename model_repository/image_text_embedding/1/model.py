"""Triton's side of a text tower. Not used by the light default, which is an ensemble."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from texts import Refused, texts_of
from tower import Encoded, Tower


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        folder = Path(args["model_repository"])
        settings = {
            name: value["string_value"]
            for name, value in json.loads(args["model_config"])["parameters"].items()
        }
        self._max_bytes = int(settings["max_bytes"])
        self._tower = Tower.load(
            folder / args["model_version"] / "model.onnx",
            folder / "tokenizer.json",
            int(settings["max_characters"]),
            threads=int(settings["threads"]),
        )
        self._tower.warm()

    def execute(
        self, requests: list[pb_utils.InferenceRequest]
    ) -> list[pb_utils.InferenceResponse]:
        """Embed the rows of all requests together; a bad request gets an error of its own."""
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
            encoded = self._tower.encode(texts)
            for index, place in places:
                responses[index] = _response(encoded, place)
        return responses


def _response(encoded: Encoded, rows: slice) -> pb_utils.InferenceResponse:
    truncated = encoded.truncated[rows, np.newaxis]
    return pb_utils.InferenceResponse(
        [
            pb_utils.Tensor("EMBEDDING", encoded.embeddings[rows]),
            pb_utils.Tensor("WINDOWS", np.ones(truncated.shape, np.int32)),
            pb_utils.Tensor("TRUNCATED", truncated),
        ]
    )
