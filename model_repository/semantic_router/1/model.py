"""Triton's side of the router: requests in, routes or errors out, each when it is ready.

Nothing of the router is imported where no policy is given, so that a server that loads everything
it finds does not need the package.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

IDLE = (
    "semantic_router has no policy: name one in the parameter `config` of its config.pbtxt or in "
    "the environment variable TSR_CONFIG, and load it again"
)
NO_PACKAGE = (
    "semantic_router needs the Python package `orchestrator`: name the folder that holds it in the "
    "parameter `package` of its config.pbtxt, or pip install triton-semantic-router for Triton's "
    "Python (docs/bls.md)"
)


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        """Raises where there is a policy and it cannot be used."""
        parameters = json.loads(args["model_config"]).get("parameters", {})
        given = {name: value["string_value"] for name, value in parameters.items()}
        policy = given.get("config") or os.environ.get("TSR_CONFIG")  # noqa: TID251 - see above
        self._router = None
        if not policy:
            pb_utils.Logger.log_warn(IDLE)
            return
        sys.path.insert(0, str(_package(given.get("package", ""))))
        try:
            opening = importlib.import_module("orchestrator.app.opening")
        except ImportError as error:
            raise pb_utils.TritonModelException(f"{NO_PACKAGE}: {error}") from None
        folder = Path(args["model_repository"])
        self._router = opening.opened(pb_utils, given, args["model_name"], folder, folder / policy)
        self._refusal, self._unreadable = opening.refusal, opening.unreadable

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> None:
        """Returns before the answers, which go through each request's own sender; blocks while
        too many are under way, so that the rest waits in Triton's queue.
        """
        for request in requests:
            sender = request.get_response_sender()
            if request.is_cancelled():
                _refuse(sender, "cancelled", pb_utils.TritonError.CANCELLED)
            elif self._router is None:
                _refuse(sender, IDLE, pb_utils.TritonError.UNAVAILABLE)
            else:
                self._submit(request, partial(self._answered, sender))

    def finalize(self) -> None:
        if self._router is not None:
            self._router.stop()

    def _submit(
        self, request: pb_utils.InferenceRequest, done: Callable[[list[bytes] | Exception], None]
    ) -> None:
        rows = pb_utils.get_input_tensor_by_name(request, "REQUEST").as_numpy().ravel()
        try:
            headers = _headers(request)
        except ValueError as error:  # raised further, it would fail all that came with this one
            done(self._unreadable(error))
        else:
            self._router.submit(rows.tolist(), headers, done)

    def _answered(
        self, sender: pb_utils.InferenceResponseSender, routes: list[bytes] | Exception
    ) -> None:
        if isinstance(routes, list):
            column = np.empty((len(routes), 1), np.object_)
            column[:, 0] = routes
            _send(sender, pb_utils.InferenceResponse([pb_utils.Tensor("ROUTE", column)]))
        else:
            message, code = self._refusal(routes)
            _refuse(sender, message, getattr(pb_utils.TritonError, code))


def _headers(request: pb_utils.InferenceRequest) -> dict[str, str]:
    """Parameters of a request that are strings stand for HTTP headers: Triton makes such ones of
    headers that it is told to forward. Raises ValueError: over HTTP any bytes come through.
    """
    parameters = json.loads(request.parameters() or "{}")
    return {name.lower(): value for name, value in parameters.items() if isinstance(value, str)}


def _package(folder: str) -> Path:
    """Where to look for the package first: the version that is beside this file fits it.

    Raises where a folder is named that holds none: another version may be installed.
    """
    if folder and not (Path(folder) / "orchestrator").is_dir():
        raise pb_utils.TritonModelException(f"{NO_PACKAGE}: {folder} holds none")
    return Path(folder) if folder else Path(__file__).resolve().parents[3]


def _refuse(sender: pb_utils.InferenceResponseSender, message: str, code: int) -> None:
    _send(sender, pb_utils.InferenceResponse(error=pb_utils.TritonError(message, code)))


def _send(sender: pb_utils.InferenceResponseSender, response: pb_utils.InferenceResponse) -> None:
    sender.send(response, flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
