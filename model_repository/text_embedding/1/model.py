"""Triton's side of the sentence encoder: requests to texts, embeddings to responses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils
from encoder import Encoded, Encoder, Limits, Tokens


class Refused(Exception):
    """A request that gets no answer; its neighbours in the batch do."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


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
    ) -> list[pb_utils.InferenceResponse | None]:
        """Embed the rows of all requests together; a bad request gets an error of its own.

        Texts of several windows take many times longer than the others. Where both meet, the
        others are answered first, each through its own sender, and stand as None in the list.
        """
        responses: list[pb_utils.InferenceResponse | None] = [None] * len(requests)
        texts: list[str] = []
        places: list[tuple[int, slice]] = []  # request, its rows in `texts`
        for index, request in enumerate(requests):
            try:
                rows = self._texts(request)
            except Refused as refusal:
                responses[index] = _error(refusal)
                continue
            places.append((index, slice(len(texts), len(texts) + len(rows))))
            texts += rows
        tokens = self._encoder.tokenize(texts)
        slow = [place for place in places if any(len(t.windows) > 1 for t in tokens[place[1]])]
        quick = [place for place in places if place not in slow]
        for index, response in self._answers(quick, tokens):
            if slow:
                sender = requests[index].get_response_sender()
                sender.send(response, flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
            else:
                responses[index] = response
        for index, response in self._answers(slow, tokens):
            responses[index] = response
        return responses

    def _answers(
        self, places: list[tuple[int, slice]], tokens: list[Tokens]
    ) -> Iterator[tuple[int, pb_utils.InferenceResponse]]:
        if not places:
            return
        encoded = self._encoder.embed([text for _, rows in places for text in tokens[rows]])
        start = 0
        for index, rows in places:
            stop = start + rows.stop - rows.start
            yield index, _response(encoded, start, stop)
            start = stop

    def _texts(self, request: pb_utils.InferenceRequest) -> list[str]:
        if request.is_cancelled():
            raise Refused("cancelled", pb_utils.TritonError.CANCELLED)
        rows = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy().ravel()
        if max(map(len, rows)) > self._max_bytes:
            message = f"TEXT is longer than {self._max_bytes} bytes"
            raise Refused(message, pb_utils.TritonError.INVALID_ARG)
        try:
            return [row.decode() for row in rows]
        except UnicodeDecodeError as error:
            message = f"TEXT is not UTF-8: {error.reason} at byte {error.start}"
            raise Refused(message, pb_utils.TritonError.INVALID_ARG) from error


def _response(encoded: Encoded, start: int, stop: int) -> pb_utils.InferenceResponse:
    return pb_utils.InferenceResponse(
        [
            pb_utils.Tensor("EMBEDDING", encoded.embeddings[start:stop]),
            pb_utils.Tensor("WINDOWS", encoded.windows[start:stop, np.newaxis]),
            pb_utils.Tensor("TRUNCATED", encoded.truncated[start:stop, np.newaxis]),
        ]
    )


def _error(refusal: Refused) -> pb_utils.InferenceResponse:
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(refusal), refusal.code))
