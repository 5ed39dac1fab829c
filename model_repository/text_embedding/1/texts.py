"""The texts of one of Triton's requests, or why it is refused; shared by the text models."""

from __future__ import annotations

import triton_python_backend_utils as pb_utils


class Refused(Exception):
    """A request that gets no answer; its neighbours in the batch do."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code

    def response(self) -> pb_utils.InferenceResponse:
        return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(self), self.code))


def texts_of(request: pb_utils.InferenceRequest, max_bytes: int) -> list[str]:
    """The rows of `TEXT`. Raises Refused: cancelled, longer than `max_bytes`, not UTF-8."""
    if request.is_cancelled():
        raise Refused("cancelled", pb_utils.TritonError.CANCELLED)
    rows = pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy().ravel()
    if max(map(len, rows)) > max_bytes:
        message = f"TEXT is longer than {max_bytes} bytes"
        raise Refused(message, pb_utils.TritonError.INVALID_ARG)
    try:
        return [row.decode() for row in rows]
    except UnicodeDecodeError as error:
        message = f"TEXT is not UTF-8: {error.reason} at byte {error.start}"
        raise Refused(message, pb_utils.TritonError.INVALID_ARG) from error
