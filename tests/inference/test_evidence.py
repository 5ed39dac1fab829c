from dataclasses import replace

import pytest

from orchestrator.errors import InferenceUnavailable
from orchestrator.inference import Classification
from orchestrator.inference.evidence import Evidence, illegible, risks, scores_of
from orchestrator.inference.fake import FakeInference
from orchestrator.matching.pieces import Cut, Piece

PLACES = {0, 7}
WRITTEN = Evidence([0.2, None, 0.9], {"rule": [0.4]}, {"rule": [0.0, 1.0]})


@pytest.mark.parametrize(
    ("evidence", "part", "rule", "history", "expected"),
    [
        pytest.param(Evidence(), "classifier", "rule", True, None, id="nothing asked"),
        pytest.param(Evidence(), "patterns", "rule", True, None, id="nothing searched"),
        pytest.param(Evidence([None, 0.9]), "classifier", "rule", False, None, id="blank"),
        pytest.param(WRITTEN, "contrastive", "other", True, None, id="another rule's"),
        pytest.param(WRITTEN, "classifier", "rule", False, 0.2, id="the current text"),
        pytest.param(WRITTEN, "classifier", "rule", True, 0.9, id="the highest"),
        pytest.param(WRITTEN, "contrastive", "rule", True, 0.4, id="by rule"),
        pytest.param(WRITTEN, "patterns", "rule", True, 1.0, id="hits"),
        pytest.param(Evidence("away"), "classifier", "rule", False, "away", id="a reason"),
        pytest.param(Evidence(cosines="late"), "contrastive", "rule", True, "late", id="for all"),
    ],
)
def test_of(evidence, part, rule, history, expected):
    assert evidence.of(part, rule, history) == expected


@pytest.mark.parametrize(
    ("again", "scores", "why"),
    [
        pytest.param(Evidence(), {"classifier": 0.2, "patterns": 0.0}, None, id="nothing more"),
        pytest.param(
            Evidence([0.7], hits={"rule": [1.0]}),
            {"classifier": 0.7, "patterns": 1.0},
            None,
            id="higher",
        ),
        pytest.param(
            Evidence([0.1], hits={"rule": [0.0]}),
            {"classifier": 0.2, "patterns": 0.0},
            None,
            id="lower",
        ),
        pytest.param(
            Evidence("away"), {"classifier": 0.2, "patterns": 0.0}, "away", id="a reason is kept"
        ),
    ],
)
def test_the_highest_score_of_several_readings(again, scores, why):
    assert scores_of((WRITTEN, again), ("classifier", "patterns"), "rule", False) == (scores, why)


class Model(FakeInference):
    """The risk of a piece is its last digit."""

    async def classify(self, model, texts, tasks):
        self.asked.append((model, tuple(texts), tuple(tasks)))
        if "away" in texts:
            raise InferenceUnavailable("away")
        shares = [int(text[-1]) / 10 for text in texts]
        return [
            Classification({"guard": {"fine": 1 - s, "bad": s / 2, "worse": s / 2}}, {})
            for s in shares
        ]


def cut(*texts, truncated=False):
    return Cut(tuple(Piece(0, text) for text in texts), truncated)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param([], Evidence([]), id="none"),
        pytest.param([cut()], Evidence([None], cut=(False,)), id="blank"),
        pytest.param(
            [cut("a3", "b5")], Evidence([0.5], cut=(False,)), id="the highest of its pieces"
        ),
        pytest.param(
            [cut("a3"), cut("b5", truncated=True)],
            Evidence([0.3, 0.5], cut=(False, True)),
            id="each text, one in part",
        ),
        pytest.param(
            [cut("away"), cut(truncated=True)],
            Evidence("inference_unavailable", cut=(False, True)),
            id="away, one in part",
        ),
    ],
)
async def test_risks(texts, expected):
    found = await risks(Model(), texts, "guard", ("bad", "worse"), 1.0)

    assert (found.risks, found.cut) == (expected.risks, expected.cut)


async def test_where_pieces_are_that_were_not_read():
    class Foreign(Model):
        async def classify(self, model, texts, tasks):
            said = await super().classify(model, texts, tasks)
            return [
                replace(one, unreadable_stretch=float("x" in text))
                for one, text in zip(said, texts, strict=True)
            ]

    texts = [Cut((Piece(0, "a1"), Piece(7, "x2"))), Cut((Piece(0, "b3"),))]
    found = await risks(Foreign(), texts, "guard", ("bad", "worse"), 1.0)

    assert found.risks == [0.2, 0.3]
    assert (found.read, found.illegible) == ((PLACES, {0}), ({7}, frozenset()))


@pytest.mark.parametrize(
    ("written", "plain", "expected"),
    [
        pytest.param([], Evidence(), [], id="nothing asked"),
        pytest.param([{}, {7}], Evidence(), [False, True], id="a piece that was not read"),
        pytest.param(
            [{7}], Evidence(read=({0},), illegible=({},)), [True], id="another in disguise"
        ),
        pytest.param([{7}], Evidence(read=({7},), illegible=({},)), [False], id="in plain words"),
        pytest.param(
            [{7}], Evidence(read=({7},), illegible=({7},)), [True], id="nor in plain words"
        ),
    ],
)
def test_what_neither_reading_read(written, plain, expected):
    def frozen(some):
        return tuple(map(frozenset, some))

    own = Evidence(illegible=frozen(written))
    again = replace(plain, read=frozen(plain.read), illegible=frozen(plain.illegible))

    assert illegible(own, again) == expected
