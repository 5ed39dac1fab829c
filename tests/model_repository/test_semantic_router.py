"""model.py of the router with Triton's module replaced by a stand-in."""

import importlib
import json
import logging
import queue
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from orchestrator.inference.repository import read_config
from tests.app.insiders import request
from tests.app.reloads import BAD, policy
from tests.inference.fake_backend import FakeBackend, TritonModelException

FOLDER = Path(__file__).parents[2] / "model_repository" / "semantic_router"
FINAL = 1


@dataclass
class Response:
    output_tensors: list = field(default_factory=list)
    error: Exception | None = None


@dataclass
class Request:
    """A request of Triton's, and the sender of its response."""

    rows: list[bytes]
    given: str = ""
    cancelled: bool = False
    responses: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)

    def is_cancelled(self):
        return self.cancelled

    def parameters(self):
        return self.given

    def get_response_sender(self):
        return self

    def send(self, response, flags):
        assert flags == FINAL
        self.responses.put(response)

    def routes(self):
        response = self.responses.get(timeout=30)
        assert response.error is None
        [tensor] = response.output_tensors
        assert tensor.name() == "ROUTE"
        assert tensor.as_numpy().shape == (len(self.rows), 1)
        return [json.loads(one) for one in tensor.as_numpy().ravel()]

    def refusal(self):
        response = self.responses.get(timeout=30)
        assert response.output_tensors == []
        return response.error


class Backend(FakeBackend):
    InferenceResponse = Response
    TRITONSERVER_RESPONSE_COMPLETE_FINAL = FINAL

    @staticmethod
    def get_input_tensor_by_name(request, name):
        assert name == "REQUEST"
        return FakeBackend.Tensor(name, np.array(request.rows, object).reshape(-1, 1))


@pytest.fixture
def backend():
    return Backend()


@pytest.fixture
def loaded(backend, monkeypatch):
    """Loads the model with parameters of its own."""
    root = logging.getLogger()
    before, level, path, models = [*root.handlers], root.level, [*sys.path], []
    monkeypatch.delenv("TSR_CONFIG", raising=False)
    monkeypatch.setitem(sys.modules, "triton_python_backend_utils", backend)
    monkeypatch.syspath_prepend(str(FOLDER / "1"))

    def load(**given):
        monkeypatch.delitem(sys.modules, "model", raising=False)
        model = importlib.import_module("model").TritonPythonModel()
        del sys.modules["model"]  # it holds the stand-in
        parameters = {name: {"string_value": value} for name, value in given.items()}
        model.initialize(
            {
                "model_name": "semantic_router",
                "model_repository": str(FOLDER),
                "model_config": json.dumps({"parameters": parameters}),
            }
        )
        models.append(model)
        return model

    yield load
    for model in models:
        model.finalize()
    root.handlers[:], sys.path[:] = before, path
    root.setLevel(level)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(policy(1, 9))
    return path


def test_without_a_policy_it_loads_and_says_what_is_missing(loaded, backend):
    asked = Request([request("hello")])
    loaded().execute([asked])

    error = asked.refusal()
    assert "has no policy" in error.message()
    assert "TSR_CONFIG" in error.message()
    assert error.code() == backend.TritonError.UNAVAILABLE
    assert [level for level, _ in backend.said] == ["warn"]


@pytest.mark.parametrize("how", ["parameter", "variable"])
def test_it_routes_by_the_policy(loaded, file, monkeypatch, how):
    if how == "variable":
        monkeypatch.setenv("TSR_CONFIG", str(file))
    asked = Request([request("hello"), request("bye")])
    assert loaded(**({"config": str(file)} if how == "parameter" else {})).execute([asked]) is None

    assert [one["routing_decision"] for one in asked.routes()] == ["decision-1", ""]


def test_the_parameter_wins_over_the_variable(loaded, file, tmp_path, monkeypatch):
    monkeypatch.setenv("TSR_CONFIG", str(tmp_path / "absent.yaml"))
    asked = Request([request("hello")])
    loaded(config=str(file)).execute([asked])

    assert asked.routes()[0]["routing_decision"] == "decision-1"


def test_a_bad_request_fails_alone(loaded, file, backend):
    good, bad, unknown, gone, last = (
        Request([request("hello")]),
        Request([b"{"]),
        Request([request("hello", model="gpt")]),
        Request([request("hello")], cancelled=True),
        Request([request("hello")]),
    )
    loaded(config=str(file)).execute([good, bad, unknown, gone, last])

    assert [one.routes()[0]["routing_decision"] for one in (good, last)] == ["decision-1"] * 2
    told = json.loads(bad.refusal().message())["error"]
    assert (told["type"], told["code"]) == ("invalid_request_error", "invalid_request")
    error = unknown.refusal()
    assert json.loads(error.message())["error"]["code"] == "model_not_found"
    assert error.code() == backend.TritonError.INVALID_ARG
    assert gone.refusal().code() == backend.TritonError.CANCELLED


def test_parameters_that_are_strings_are_headers(loaded, file):
    binding = "{name: staff, role: staff, subjects: [{kind: Group, name: staff}]}"
    text = policy(1, 9).replace("  signals:\n", f"  signals:\n    role_bindings: [{binding}]\n")
    file.write_text(text.replace("{type: keyword, name: word-1}", "{type: authz, name: staff}"))
    given = {"X-Authz-User-Id": "ann", "X-Authz-User-Groups": "staff", "priority": 3}
    asked = Request([request("anything")], json.dumps(given))
    loaded(config=str(file)).execute([asked])

    assert asked.routes()[0]["routing_decision"] == "decision-1"


@dataclass
class Undecodable(Request):
    """Parameters with bytes that are no text, as Triton's HTTP lets through."""

    def parameters(self):
        return b'{"x": "\xff"}'.decode()


def test_parameters_that_are_no_text_fail_their_request_alone(loaded, file, backend):
    good, bad, last = (kind([request("hello")]) for kind in (Request, Undecodable, Request))
    loaded(config=str(file)).execute([good, bad, last])

    assert [one.routes()[0]["routing_decision"] for one in (good, last)] == ["decision-1"] * 2
    error = bad.refusal()
    told = json.loads(error.message())["error"]
    assert error.code() == backend.TritonError.INVALID_ARG
    assert told["param"] == "parameters"
    assert "cannot be read: 'utf-8' codec can't decode byte 0xff" in told["message"]


def test_without_the_package_it_says_where_to_name_it(loaded, file, monkeypatch):
    monkeypatch.setitem(sys.modules, "orchestrator.app.opening", None)  # as if it were not there

    with pytest.raises(TritonModelException, match="the parameter `package` of its config.pbtxt"):
        loaded(config=str(file))


def test_a_folder_without_the_package_is_refused_though_one_is_installed(loaded, file, tmp_path):
    with pytest.raises(TritonModelException, match=f"{tmp_path} holds none"):
        loaded(config=str(file), package=str(tmp_path))


def test_a_bad_policy_is_an_error_of_the_load(loaded, file):
    file.write_text(BAD)

    with pytest.raises(TritonModelException, match="wich"):
        loaded(config=str(file))


def test_its_config_says_what_the_code_reads():
    config = read_config(FOLDER)

    assert {*config.parameters} == {
        "config",
        "package",
        "max_in_flight",
        "max_bytes",
        "start_seconds",
        "model_config_name",
    }
    assert [one.name for one in (*config.input, *config.output)] == ["REQUEST", "ROUTE"]
    assert not config.model_transaction_policy.decoupled


def test_in_each_form_it_looks_at_the_configs_of_that_form():
    plain, cpu = read_config(FOLDER), read_config(FOLDER, "cpu")

    told = [one.parameters.pop("model_config_name").string_value for one in (plain, cpu)]

    assert told == ["", "cpu"]
    assert plain == cpu
