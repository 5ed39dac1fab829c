import pytest

from orchestrator.errors import InferenceUnavailable, RequestError, Unavailable
from orchestrator.server.unavailable import answering


def test_only_a_failure_of_the_model_server_means_unavailable():
    with pytest.raises(RequestError), answering("AWAY", "a_model"):
        raise RequestError("no such field")


def test_the_model_the_code_and_when_to_try_again_are_told_and_no_address():
    with pytest.raises(Unavailable) as caught, answering("AWAY", "a_model"):
        raise InferenceUnavailable("10.1.2.3:8001: a_model: connection refused")

    assert (caught.value.status, caught.value.reason) == (503, "AWAY")
    assert caught.value.retry_after
    said = str(caught.value)
    assert "a_model" in said
    assert "inference_unavailable" in said
    assert "10.1.2.3" not in said
    assert "refused" not in said
