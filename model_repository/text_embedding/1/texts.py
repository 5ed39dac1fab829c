"""The texts of Triton's requests, or why one is refused; shared by the text models."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

import triton_python_backend_utils as pb_utils

Row = TypeVar("Row")
Said = TypeVar("Said")


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


def tasks_of(request: pb_utils.InferenceRequest, known: Collection[str]) -> list[list[str]]:
    """The rows of `TASKS`. Raises Refused over one that is not `known`."""
    rows = pb_utils.get_input_tensor_by_name(request, "TASKS").as_numpy().ravel()
    tasks = [row.decode(errors="replace").split(",") if row else [] for row in rows]
    for name in {name for row in tasks for name in row}.difference(known):
        message = f"no task {name[:80]!r}; the tasks are: {', '.join(known)}"
        raise Refused(message, pb_utils.TritonError.INVALID_ARG)
    return tasks


def answered(
    requests: list[pb_utils.InferenceRequest],
    rows_of: Callable[[pb_utils.InferenceRequest], list[Row]],
    read: Callable[[list[Row]], Said],
    response: Callable[[Said, slice, pb_utils.InferenceRequest], pb_utils.InferenceResponse],
) -> list[pb_utils.InferenceResponse]:
    """Read the rows of all requests together; one that `rows_of` refuses gets an error of its own.

    All answers are returned at once. Sending the first ones early (response senders) would
    spare short texts the wait for long ones, but an exception after that ends the whole
    server (2.51: SIGSEGV).
    """
    responses: list[pb_utils.InferenceResponse] = [None] * len(requests)
    rows: list[Row] = []
    places: list[tuple[int, slice]] = []  # request, its part of `rows`
    for index, request in enumerate(requests):
        try:
            own = rows_of(request)
        except Refused as refusal:
            responses[index] = refusal.response()
        else:
            places.append((index, slice(len(rows), len(rows) + len(own))))
            rows += own
    if rows:
        said = read(rows)
        for index, place in places:
            responses[index] = response(said, place, requests[index])
    return responses
