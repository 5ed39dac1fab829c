import pytest
from pydantic import ValidationError

from orchestrator.config.providers import BackendRef, ProviderModel, ReasoningFamily, Reliability


@pytest.mark.parametrize(
    ("model", "value", "message"),
    [
        pytest.param(
            ReasoningFamily,
            {"type": "top_level_reasoning_effort", "parameter": "effort"},
            "the parameter of top_level_reasoning_effort must be reasoning_effort, found 'effort'",
            id="top-level parameter",
        ),
        pytest.param(
            ReasoningFamily, {"type": "x", "parameter": "p"}, "Input should be", id="family type"
        ),
        pytest.param(
            ReasoningFamily,
            {"type": "reasoning_effort", "parameter": ""},
            "at least 1 character",
            id="empty parameter",
        ),
        pytest.param(
            BackendRef, {"weight": 1}, "a backend needs endpoint or base_url", id="no address"
        ),
        pytest.param(
            BackendRef,
            {"base_url": "example.com/v1"},
            "base_url starts with http:// or https://",
            id="relative base_url",
        ),
        pytest.param(
            BackendRef, {"endpoint": "e", "weight": -1}, "greater than or equal to 0", id="weight"
        ),
        pytest.param(ProviderModel, {"name": "m"}, "needs backend_refs, or one of", id="nothing"),
        pytest.param(
            ProviderModel,
            {"name": "m", "api_format": "grpc", "provider_model_id": "x"},
            "Input should be 'openai' or 'anthropic'",
            id="format",
        ),
        pytest.param(Reliability, {"retry_count": 1}, "retry_count needs retry_on", id="retries"),
        pytest.param(
            Reliability,
            {"retry_count": 6, "retry_on": "x"},
            "less than or equal to 5",
            id="6 retries",
        ),
        pytest.param(
            Reliability,
            {"health_check_path": "health"},
            "health_check_path starts with /, found 'health'",
            id="path",
        ),
        pytest.param(
            Reliability,
            {"max_ejection_percent": 101},
            "less than or equal to 100",
            id="percent",
        ),
    ],
)
def test_refused(model, value, message):
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)

    assert message in caught.value.errors()[0]["msg"]


def test_weight_zero_is_unset():
    assert BackendRef(endpoint="e", weight=0).weight == 1


@pytest.mark.parametrize(
    "field", ["provider_model_id", "reasoning_family", "api_format"], ids=lambda f: str(f)
)
def test_metadata_may_stand_for_backends(field):
    value = "anthropic" if field == "api_format" else "x"

    assert ProviderModel.model_validate({"name": "m", field: value}).backend_refs == ()


def test_durations_are_seconds():
    assert Reliability.model_validate({"base_ejection_time": "1m30s"}).base_ejection_time == 90
