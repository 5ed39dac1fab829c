import pytest

from orchestrator.errors import ModelUntrusted, RequestError
from orchestrator.server.unavailable import Unavailable, answering


def test_only_a_failure_of_the_model_server_means_unavailable():
    with pytest.raises(RequestError), answering("AWAY"):
        raise RequestError("no such field")


def test_the_reason_the_cause_and_when_to_try_again_are_told():
    with pytest.raises(Unavailable) as caught, answering("AWAY"):
        raise ModelUntrusted("text_signals: cosine 0.5")

    assert (caught.value.status, caught.value.reason) == (503, "AWAY")
    assert caught.value.retry_after
    assert "text_signals: cosine 0.5" in str(caught.value)
    assert "model_untrusted" in str(caught.value)
