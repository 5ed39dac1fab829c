import pytest

from orchestrator.errors import InferenceUnavailable
from orchestrator.inference.offline import Offline


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(lambda one: one.embed("m", ["a"]), id="embed"),
        pytest.param(lambda one: one.classify("m", ["a"], ["t"]), id="classify"),
        pytest.param(lambda one: one.see("m", [b"a"]), id="see"),
        pytest.param(lambda one: one.unhurried(9).embed("m", ["a"]), id="with patience"),
    ],
)
async def test_nobody_answers(question):
    with pytest.raises(InferenceUnavailable):
        await question(Offline())


def test_nothing_is_known_of_any_model():
    assert Offline().languages("m") == {}
    with pytest.raises(InferenceUnavailable):
        Offline().labels("m")
