"""Triton's Python module as a small stand-in: what a model.py makes of requests, without Triton."""

import types
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Tensor:
    name: str
    array: np.ndarray

    def as_numpy(self):
        return self.array


class TritonError(Exception):
    INVALID_ARG = "invalid"
    CANCELLED = "cancelled"

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


@dataclass
class InferenceResponse:
    output_tensors: list = field(default_factory=list)
    error: TritonError | None = None


@dataclass
class Texts:
    """A request with a row for each of its texts."""

    rows: list
    cancelled: bool = False
    dimension: Tensor | None = None

    def is_cancelled(self):
        return self.cancelled


def text_of(request, name):
    if name == "DIMENSION":
        return request.dimension
    assert name == "TEXT"
    return Tensor(name, np.array(request.rows, object).reshape(-1, 1))


def backend(input_of):
    """The module; `input_of` gives the tensor of a request by name."""
    made = types.ModuleType("triton_python_backend_utils")
    made.Tensor, made.TritonError, made.InferenceResponse = Tensor, TritonError, InferenceResponse
    made.get_input_tensor_by_name = input_of
    return made


def outputs(response):
    assert response.error is None
    return {tensor.name: tensor.array for tensor in response.output_tensors}
