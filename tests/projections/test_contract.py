"""What holds for projections together: references, order, cycles, the trace, the fragments."""

from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from orchestrator.projections import (
    PROJECTIONS,
    Known,
    behind,
    build,
    check_projections,
    explain,
    outputs,
    sections,
    used,
)
from orchestrator.types import Facts, Reading
from tests.projections.conftest import KNOWN, parsed

ROOT = Path(__file__).parent.parent.parent


def score(name, *inputs):
    return {"name": name, "method": "weighted_sum", "inputs": list(inputs)}


def keyword(name, **fields):
    return {"type": "keyword", "name": name, "weight": 1.0, **fields}


def from_score(name):
    return {"type": "projection", "name": name, "weight": 1.0, "value_source": "score"}


def from_output(name):
    return {"type": "projection", "name": name, "weight": 1.0, "value_source": "confidence"}


def mapping(name, source, *names):
    return {"name": name, "source": source, "outputs": [{"name": n, "gte": 0.5} for n in names]}


def partition(name="topic", members=("billing", "technical"), **fields):
    row = {"name": name, "semantics": "exclusive", "members": list(members), "default": members[0]}
    return {**row, **fields}


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


def test_order_follows_dependencies_whatever_the_file_says(applied):
    rows = {
        "mappings": [mapping("late", "total", "alarm"), mapping("early", "base", "hot")],
        "scores": [
            score("total", from_output("hot"), from_score("base")),
            score("base", keyword("urgent")),
        ],
    }
    facts = Facts({"keyword": Reading(matches={"urgent": None})})

    found = applied(facts, **rows).readings["projection"]

    assert found.values["base"] == 1.0
    assert found.values["total"] == pytest.approx(1.0 + found.matches["hot"])
    assert set(found.matches) == {"hot", "alarm"}
    assert facts.readings == {"keyword": Reading(matches={"urgent": None})}, "nothing is changed"


def test_outputs_are_what_decisions_may_name():
    rows = parsed(
        scores=[score("s", keyword("urgent"))],
        mappings=[mapping("m", "s", "a", "b"), mapping("n", "s", "c")],
    )

    assert outputs(rows) == ("a", "b", "c")


def test_trace_has_every_section(projected):
    built = projected(scores=[score("s", keyword("urgent"))])

    trace = explain(built, built[0].apply(Facts()))

    assert {key: trace[key] for key in ("schema_version", "partitions", "mappings")} == {
        "schema_version": "1",
        "partitions": [],
        "mappings": [],
    }
    assert [row["name"] for row in trace["scores"]] == ["s"]


@pytest.mark.parametrize("name", PROJECTIONS.names())
def test_fragment_is_valid(name):
    text = (ROOT / f"configs/fragments/projection/{name}.yaml").read_text()
    [(section, rows)] = yaml.safe_load(text)["routing"]["projections"].items()

    assert sections()[section] is PROJECTIONS[name]
    for row in rows:
        PROJECTIONS[name].Rule.model_validate(row)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        pytest.param("partition", partition(default="other"), id="default is no member"),
        pytest.param("partition", partition(semantics="softmax_exclusive"), id="no temperature"),
        pytest.param(
            "partition", partition(semantics="softmax_exclusive", temperature=0), id="cold"
        ),
        pytest.param("partition", partition(members=("a", "a")), id="member twice"),
        pytest.param("partition", {**partition(), "members": []}, id="no members"),
        pytest.param("partition", {**partition(), "extra": 1}, id="unknown key"),
        pytest.param("score", score("s"), id="no inputs"),
        pytest.param("score", {**score("s", keyword("a")), "method": "product"}, id="method"),
        pytest.param("score", score("s", keyword("a", value_source="score")), id="score of a rule"),
        pytest.param("score", score("s", {"type": "keyword", "weight": 1}), id="no name"),
        pytest.param("score", score("s", keyword("a", kb="k")), id="kb of a rule"),
        pytest.param(
            "score", score("s", {**from_score("x"), "value_source": "binary"}), id="binary score"
        ),
        pytest.param("score", score("s", {"type": "kb_metric", "kb": "k"}), id="no metric"),
        pytest.param(
            "score",
            score("s", {"type": "kb_metric", "kb": "k", "metric": "m", "value_source": "raw"}),
            id="raw metric",
        ),
        pytest.param("mapping", mapping("m", "s"), id="no outputs"),
        pytest.param(
            "mapping", {**mapping("m", "s", "o"), "method": "multi_emit"}, id="multi_emit of one"
        ),
        pytest.param(
            "mapping", {"name": "m", "source": "s", "outputs": [{"name": "o"}]}, id="no bounds"
        ),
        pytest.param(
            "mapping",
            {"name": "m", "source": "s", "outputs": [{"name": "o", "gt": 0, "gte": 1}]},
            id="two lower bounds",
        ),
        pytest.param(
            "mapping", {**mapping("m", "s", "o"), "calibration": {"slope": -1}}, id="negative slope"
        ),
    ],
)
def test_invalid_row(name, row):
    with pytest.raises(ValidationError):
        PROJECTIONS[name].Rule.model_validate(row)


def test_build_without_rows_is_empty():
    assert build({}, Known()) == ()


CHAIN = {
    "scores": [
        score("low", keyword("urgent")),
        score("sum", from_score("low"), from_output("band"), keyword("greeting")),
    ],
    "mappings": [mapping("m", "low", "band"), mapping("top", "sum", "high")],
}
BASES = Known({"kb": ("secret", "public"), "keyword": ("urgent",)})


@pytest.mark.parametrize(
    ("output", "rules"),
    [
        pytest.param("band", {"urgent"}, id="one score"),
        pytest.param("high", {"urgent", "greeting"}, id="through scores and outputs"),
        pytest.param("nothing", set(), id="no such output"),
    ],
)
def test_the_rules_behind_an_output(output, rules):
    facts = behind(parsed(**CHAIN), KNOWN, output)

    assert {name for family, name in facts if family == "keyword"} == rules


def test_a_metric_of_a_knowledge_base_uses_all_rules_of_its_family():
    metric = {"type": "kb_metric", "kb": "k", "metric": "best_score", "weight": 1.0}

    assert used(parsed(scores=[score("s", metric)]), BASES) == {
        ("kb", "secret"),
        ("kb", "public"),
    }


def test_a_partition_uses_its_members():
    facts = used(parsed(partitions=[partition()]), KNOWN)

    assert {name for _, name in facts} == {"billing", "technical"}
