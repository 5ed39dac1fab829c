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
    explain,
    outputs,
    sections,
    used,
)
from orchestrator.types import Facts, Reading
from tests.projections.conftest import KNOWN, parsed
from tests.projections.written import from_output, from_score, keyword, mapping, partition, score

ROOT = Path(__file__).parent.parent.parent


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
