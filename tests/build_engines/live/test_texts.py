import numpy as np
import pytest

from build_engines.live.texts import SOME, Read, compare

TEXTS = [f"text {at}" for at in range(SOME + 2)]
VECTORS = np.eye(SOME + 2, dtype=np.float32)
SHARES = np.tile(np.float32([0.25, 0.75]), (SOME + 2, 1))


class Paper:
    """Answers in order, and remembers what was asked."""

    def __init__(self, vectors=VECTORS, shares=SHARES):
        self.answers = {"EMBEDDING": vectors, "PROBS_mood": shares}
        self.asked = []
        self.at = 0

    def infer(self, model, inputs, outputs):
        rows = len(inputs["TEXT"])
        self.asked.append((model, [one[0] for one in inputs["TEXT"]], sorted(inputs)))
        self.at += rows
        return [self.answers[name][self.at - rows : self.at] for name in outputs]


def read(**options):
    return Read([f"name {at}" for at in range(len(TEXTS))], TEXTS, VECTORS, 0.999, **options)


def test_what_is_right_differs_in_nothing():
    server, steps = Paper(), []

    found = compare(server, "m", read(), steps.append)

    assert found.differs == ()
    assert steps == [SOME, 2]
    assert server.asked[1] == ("m", [b"text 8", b"text 9"], ["TEXT"])
    assert found.document["summary"].keys() == {"forward_only"}
    assert found.document["texts"][9] == {
        "name": "name 9",
        "forward_only": {"cosine": 1.0, "max_abs": 0.0},
    }


def test_an_embedding_that_is_off_is_named():
    wrong = VECTORS.copy()
    wrong[9] = wrong[8]

    assert compare(Paper(wrong), "m", read()).differs == (
        "embedding, least cosine 0.00000 ('name 9')",
    )


def test_what_is_not_finite_is_off():
    found = compare(Paper(VECTORS * np.float32("nan")), "m", read())

    assert found.differs == ("embedding, least cosine -1.00000 ('name 0')",)
    assert found.document["summary"]["forward_only"]["max_abs"] is None


@pytest.mark.parametrize(
    ("off", "differs"),
    [(0.001, ()), (0.01, ("probabilities of mood, off by 0.0100",))],
    ids=["within the tolerance", "beyond"],
)
def test_probabilities_are_compared_where_there_are_any(off, differs):
    server = Paper(shares=SHARES + np.float32(off))

    found = compare(server, "m", read(probabilities={"mood": SHARES}, most=0.005))

    assert found.differs == differs
    assert server.asked[0][2] == ["TASKS", "TEXT"]
    assert found.document["summary"]["probabilities"]["max_abs"] == {
        "mood": pytest.approx(off, 1e-3)
    }


def test_a_probability_that_is_no_number_is_off():
    server = Paper(shares=SHARES * np.float32("nan"))

    assert compare(server, "m", read(probabilities={"mood": SHARES}, most=0.1)).differs == (
        "probabilities of mood, off by nan",
    )
