import pytest
from pydantic import ValidationError

from orchestrator.config.schema import Config
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.metadata import Metadata, MetadataRule
from orchestrator.types import Request


@pytest.mark.parametrize(
    ("predicate", "metadata", "expected"),
    [
        pytest.param({"equals": "denied"}, {}, False, id="equals: no key"),
        pytest.param({"equals": "denied"}, {"consent": "Denied"}, False, id="equals: case"),
        pytest.param({"equals": ""}, {}, False, id="empty is not absent"),
        pytest.param({"in": ["a", "b"]}, {"consent": "c"}, False, id="in: another"),
        pytest.param({"in": ["a", "b"]}, {"other": "a"}, False, id="in: another key"),
        pytest.param({"exists": True}, {"other": "a"}, False, id="exists: no key"),
        pytest.param({"exists": False}, {"consent": ""}, False, id="not exists: there"),
        pytest.param({"equals": "denied"}, {"consent": "denied"}, True, id="equals"),
        pytest.param({"equals": 7}, {"consent": "7"}, True, id="equals: number in the file"),
        pytest.param({"in": ["a", "b"]}, {"consent": "b"}, True, id="in"),
        pytest.param({"exists": True}, {"consent": ""}, True, id="exists"),
        pytest.param({"exists": False}, {}, True, id="not exists"),
    ],
)
def test_metadata(predicate, metadata, expected):
    rule = MetadataRule.model_validate({"name": "r", "key": "consent", "predicate": predicate})
    signal = Metadata([rule], Surroundings(FakeInference()))

    matches = signal.evaluate(Request("auto", "", metadata=metadata)).matches

    assert dict(matches) == ({"r": 1.0} if expected else {})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({"predicate": {"exists": True}}, "key\n.*required", id="no key"),
        pytest.param({"key": " ", "predicate": {"exists": True}}, "key\n", id="blank key"),
        pytest.param({"key": "k"}, "predicate\n.*required", id="no predicate"),
        pytest.param({"key": "k", "predicate": {}}, "exactly one of", id="no comparison"),
        pytest.param(
            {"key": "k", "predicate": {"equals": "a", "exists": True}}, "exactly one of", id="two"
        ),
        pytest.param({"key": "k", "predicate": {"in": []}}, "predicate.in\n", id="empty list"),
        pytest.param({"key": "k", "predicate": {"gt": 1}}, "predicate.gt\n", id="unknown"),
    ],
)
def test_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        MetadataRule.model_validate({"name": "r"} | row)


@pytest.mark.parametrize(
    ("names", "places"),
    [
        pytest.param(["vip", "VIP", "Vip"], [(1, "name"), (2, "name")], id="case alone"),
        pytest.param(["vip", "vips"], [], id="different"),
    ],
)
def test_names_differ_by_more_than_case(names, places):
    row = {"key": "k", "predicate": {"exists": True}}
    rules = [MetadataRule.model_validate({"name": name} | row) for name in names]

    assert [one.path for one in Metadata.check(rules, Config(), {})] == places
