"""Triton's side of the image preprocessor: requests to files, pixels to responses."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils
from headers import Unreadable
from pixels import Floats, Preprocessor, Settings


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        config = json.loads(args["model_config"])
        settings = Settings.read(
            {name: value["string_value"] for name, value in config["parameters"].items()}
        )
        wanted, (output,) = [3, settings.size, settings.size], config["output"]
        if [int(size) for size in output["dims"]] != wanted:
            raise ValueError(f"PIXELS has dims {output['dims']}; by the size they are {wanted}")
        self._preprocessor = Preprocessor(settings)
        self._preprocessor.warm()

    def execute(
        self, requests: list[pb_utils.InferenceRequest]
    ) -> list[pb_utils.InferenceResponse]:
        """The pictures one after another, so that only one is decoded in memory at a time."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        """An error for a request with a picture that is not read; its neighbours get pixels."""
        if request.is_cancelled():
            return _refusal("cancelled", pb_utils.TritonError.CANCELLED)
        rows = pb_utils.get_input_tensor_by_name(request, "IMAGE").as_numpy().ravel()
        try:
            pixels: list[Floats] = [self._preprocessor.pixels(row) for row in rows]
        except Unreadable as error:
            return _refusal(f"IMAGE is {error}", pb_utils.TritonError.INVALID_ARG)
        return pb_utils.InferenceResponse([pb_utils.Tensor("PIXELS", np.stack(pixels))])


def _refusal(message: str, code: int) -> pb_utils.InferenceResponse:
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(message, code))
