"""References between projections that cannot be: what is said of them, and where."""

import pytest

from orchestrator.projections import Known, check_projections
from tests.projections.conftest import KNOWN, parsed
from tests.projections.written import from_output, from_score, keyword, mapping, partition, score


@pytest.mark.parametrize(
    ("rows", "path", "message"),
    [
        pytest.param(
            {"scores": [score("s", keyword("urgnt"))]},
            ("scores", 0, "inputs", 0, "name"),
            "unknown keyword rule 'urgnt'",
            id="rule that no signal declares",
        ),
        pytest.param(
            {"scores": [score("s", {"type": "nonsense", "name": "x", "weight": 1})]},
            ("scores", 0, "inputs", 0, "name"),
            "unknown nonsense rule 'x'",
            id="family that does not exist",
        ),
        pytest.param(
            {"scores": [score("s", from_score("t"))]},
            ("scores", 0, "inputs", 0, "name"),
            "unknown projection score 't'",
            id="score that does not exist",
        ),
        pytest.param(
            {"scores": [score("s", keyword("urgent")), score("t", from_output("s"))]},
            ("scores", 1, "inputs", 0, "name"),
            "unknown projection 's'",
            id="confidence of a score",
        ),
        pytest.param(
            {"mappings": [mapping("m", "s", "o")]},
            ("mappings", 0, "source"),
            "unknown projection score 's'",
            id="mapping of nothing",
        ),
        pytest.param(
            {"scores": [score("s", keyword("urgent")), score("s", keyword("calm"))]},
            ("scores", 1, "name"),
            "the name 's' is taken already",
            id="score twice",
        ),
        pytest.param(
            {
                "scores": [score("s", keyword("urgent"))],
                "mappings": [mapping("m", "s", "o"), mapping("n", "s", "p", "o")],
            },
            ("mappings", 1, "outputs", 1, "name"),
            "the name 'o' is taken already",
            id="output of two mappings",
        ),
        pytest.param(
            {"scores": [score("s", from_score("s"))]},
            ("scores", 0, "name"),
            "depends on itself: scores.s -> scores.s",
            id="cycle of one",
        ),
        pytest.param(
            {"partitions": [partition(members=("billing", "math"))]},
            ("partitions", 0, "members"),
            "members must be rules of one family, domain or embedding",
            id="members of two families",
        ),
        pytest.param(
            {"partitions": [partition(members=("urgent", "calm"))]},
            ("partitions", 0, "members"),
            "members must be rules of one family, domain or embedding",
            id="members of a family without scores",
        ),
    ],
)
def test_findings(rows, path, message):
    [finding] = check_projections(parsed(**rows), KNOWN, ("routing", "projections"))

    assert (finding.path, finding.message) == (("routing", "projections", *path), message)


def test_a_cycle_over_a_mapping_names_every_step():
    rows = parsed(
        scores=[score("a", from_output("o")), score("b", from_score("a"))],
        mappings=[mapping("m", "b", "o")],
    )

    [finding] = check_projections(rows, KNOWN)

    assert set(finding.message.removeprefix("depends on itself: ").split(" -> ")) == {
        "scores.a",
        "scores.b",
        "mappings.m",
    }


def test_names_of_different_kinds_may_be_equal():
    rows = parsed(
        partitions=[partition("x")],
        scores=[score("x", keyword("urgent"))],
        mappings=[mapping("x", "x", "x")],
    )

    assert check_projections(rows, KNOWN) == []


def test_references_wait_until_every_row_is_valid():
    rows = {**parsed(mappings=[mapping("m", "s", "o")]), "scores": [None]}

    assert check_projections(rows, KNOWN) == []


def test_ambiguous_members():
    both = Known({"a": {"x", "y"}, "b": {"x", "y"}}, frozenset({"a", "b"}))

    [finding] = check_projections(parsed(partitions=[partition(members=("x", "y"))]), both)

    assert finding.message.endswith("all of them are rules of a and of b")
