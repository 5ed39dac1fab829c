import numpy as np
import pytest

from orchestrator.errors import ImageRefused, InferenceTimeout
from orchestrator.inference import Classification, Entity
from orchestrator.inference.fake import FakeInference

PHONE = Entity(5, 9, "PHONE", 0.9)


@pytest.mark.parametrize(
    ("text", "task"),
    [
        pytest.param("never scripted", "domain", id="unknown text"),
        pytest.param("call 5550", "guard", id="unknown task"),
    ],
)
async def test_what_was_not_scripted_is_a_key_error(text, task):
    fake = FakeInference(classified={"call 5550": {"domain": {"law": 1.0}}})

    with pytest.raises(KeyError):
        await fake.classify("m", [text], [task])


async def test_scripted_answers_come_in_order_and_calls_are_recorded():
    fake = FakeInference(
        classified={
            "call 5550": {"domain": {"law": 0.75, "art": 0.25}, "pii": [PHONE]},
            "hi": {"domain": {"art": 1.0}, "pii": []},
        },
        cut={"hi"},
    )

    assert await fake.classify("m", ["hi", "call 5550"], ["pii", "domain"]) == [
        Classification({"domain": {"art": 1.0}}, {"pii": ()}, truncated=True),
        Classification({"domain": {"law": 0.75, "art": 0.25}}, {"pii": (PHONE,)}),
    ]
    assert fake.asked == [("m", ("hi", "call 5550"), ("pii", "domain"))]
    assert fake.calls == []


async def test_a_failure_comes_instead():
    fake = FakeInference(failure=InferenceTimeout("late"), classified={})

    with pytest.raises(InferenceTimeout):
        await fake.classify("m", ["hi"], ["domain"])
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        pytest.param(None, {"domain": ("law", "art"), "pii": ("PHONE",)}, id="those used"),
        pytest.param({"domain": ["law", "tax"]}, {"domain": ("law", "tax")}, id="those given"),
    ],
)
def test_labels(names, labels):
    classified = {"a": {"domain": {"law": 1.0}, "pii": [PHONE]}, "b": {"domain": {"art": 1.0}}}

    assert FakeInference(classified=classified, names=names).labels("m") == labels


async def test_pictures_are_seen_as_scripted():
    fake = FakeInference(
        pictures={b"a": [3, 4], b"b": [0, 2]}, known={b"b": 0.25}, refused={b"": "empty"}, floor=0.3
    )

    seen = await fake.see("m", [b"b", b"a"])
    with pytest.raises(ImageRefused, match="^empty$"):
        await fake.see("m", [b"a", b""])
    with pytest.raises(KeyError):
        await fake.see("m", [b"never scripted"])

    np.testing.assert_allclose(seen.embeddings, [[0, 1], [0.6, 0.8]], atol=1e-6)
    assert (seen.known.tolist(), seen.floor) == ([0.25, 1.0], 0.3)
    assert fake.looked[:2] == [("m", (b"b", b"a")), ("m", (b"a", b""))]
    with pytest.raises(InferenceTimeout):
        await FakeInference(failure=InferenceTimeout("late")).see("m", [b"a"])
