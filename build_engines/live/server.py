"""A running Triton as one side of a comparison: plain calls, whatever the models answer.

Unlike the router's own client it refuses nothing: an embedding that is not finite is a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from tritonclient.grpc import InferenceServerClient, InferInput, InferRequestedOutput
from tritonclient.utils import InferenceServerException

from build_engines.vision.isolation import Floats, Seen, Side
from build_engines.vision.spec import ENCODER, PREPROCESS, SIGNALS
from orchestrator.errors import ImageRefused, InferenceError

Values = npt.NDArray[Any]

TIMEOUT_S = 120.0  # of one request
MOST = 8  # rows of one, if the model takes as many
_REFUSAL = "IMAGE is "
_ANSWERS = ("EMBEDDING", "KNOWN")
# No limit to a message but Triton's own; the environment's proxy is for the outside world.
_OPTIONS = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.enable_http_proxy", 0),
]


class Server:
    """`url` is host:port of KServe v2 gRPC. Every call raises InferenceError where it fails."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = InferenceServerClient(url, channel_args=_OPTIONS)
        self._most: dict[str, int] = {}

    def close(self) -> None:
        self._client.close()

    def infer(self, model: str, inputs: dict[str, Values], outputs: Sequence[str]) -> list[Values]:
        """Rows of any number, in requests that the model takes; outputs in their order.

        Raises ImageRefused for a picture that the preprocessor does not read.
        """
        rows, most = len(next(iter(inputs.values()))), self._rows(model)
        parts = [
            self._infer(model, {name: one[at : at + most] for name, one in inputs.items()}, outputs)
            for at in range(0, rows, most)
        ]
        return [np.concatenate(each) for each in zip(*parts, strict=True)]

    def _rows(self, model: str) -> int:
        if model not in self._most:
            try:
                config = self._client.get_model_config(model).config
            except InferenceServerException as error:
                raise self._failure(model, error) from error
            self._most[model] = max(1, min(MOST, config.max_batch_size))
        return self._most[model]

    def _infer(self, model: str, inputs: dict[str, Values], outputs: Sequence[str]) -> list[Values]:
        tensors = []
        for name, values in inputs.items():
            kind = "BYTES" if values.dtype == object else "FP32"
            tensors.append(InferInput(name, list(values.shape), kind))
            tensors[-1].set_data_from_numpy(values)
        wanted = [InferRequestedOutput(name) for name in outputs]
        try:
            answer = self._client.infer(model, tensors, outputs=wanted, client_timeout=TIMEOUT_S)
        except InferenceServerException as error:
            raise self._failure(model, error) from error
        return [answer.as_numpy(name) for name in outputs]

    def _failure(self, model: str, error: InferenceServerException) -> InferenceError:
        said = str(error.message()).strip()
        if _REFUSAL in said:
            return ImageRefused(said.partition(_REFUSAL)[2])
        return InferenceError(f"{self._url}: {model}: {said}")


def strings(values: Sequence[bytes]) -> Values:
    """A tensor of rows with one element."""
    found = np.empty((len(values), 1), object)
    found[:, 0] = values
    return found


class Eyes:
    """The image models of a server. PIXELS of a file are asked once."""

    def __init__(
        self,
        server: Server,
        preprocess: str = PREPROCESS,
        encoder: str = ENCODER,
        whole: str | None = SIGNALS,
    ) -> None:
        self._server, self._preprocess, self._encoder = server, preprocess, encoder
        self._whole = whole
        self._seen: dict[bytes, Floats] = {}

    def side(self) -> Side:
        return Side(self.pixels, self._encode, None if self._whole is None else self._see)

    def pixels(self, data: bytes) -> Floats:
        """PIXELS of one encoded file. Raises ImageRefused."""
        if data not in self._seen:
            row = strings([data])
            (found,) = self._server.infer(self._preprocess, {"IMAGE": row}, ["PIXELS"])
            self._seen[data] = found[0].astype(np.float32)
        return self._seen[data]

    def forget(self) -> None:
        """The pixels: 600 kB a picture."""
        self._seen.clear()

    def _encode(self, pixels: Floats) -> Seen:
        rows = np.ascontiguousarray(pixels, np.float32)
        return _seen([self._server.infer(self._encoder, {"PIXELS": rows}, _ANSWERS)])

    def _see(self, files: Sequence[bytes]) -> Seen:
        assert self._whole is not None
        whole = self._whole
        return _seen(
            [self._server.infer(whole, {"IMAGE": strings([one])}, _ANSWERS) for one in files]
        )


def _seen(answers: Sequence[list[Values]]) -> Seen:
    embeddings, known = (np.concatenate(each) for each in zip(*answers, strict=True))
    return Seen(embeddings.astype(np.float32), known[:, 0].astype(np.float32))
