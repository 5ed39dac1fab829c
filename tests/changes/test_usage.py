import pytest

from orchestrator.changes.usage import usage_of
from tests.changes.policies import compiled, edited

COMPLEX = """\
    complexity:
      - name: task
        threshold: 0.1
        hard: {candidates: [prove it]}
        easy: {candidates: [hello]}
        composer: {operator: AND, conditions: [{type: keyword, name: urgent}]}
"""


@pytest.mark.parametrize(
    ("family", "name", "expected"),
    [
        pytest.param("embedding", "support", (), id="nobody"),
        pytest.param("context", "code", (), id="a name of another family"),
        pytest.param("keyword", "code", ("programming",), id="a leaf"),
        pytest.param("keyword", "urgent", ("hasty",), id="beneath a projection"),
    ],
)
def test_rules(family, name, expected):
    (blueprint,) = compiled().blueprints

    assert usage_of(blueprint).of_rule(family, name) == expected


def test_a_level_leads_to_its_rule_and_that_to_its_composer():
    rules = (
        "rules: {type: projection, name: fast}",
        "rules: {type: complexity, name: 'task:hard'}",
    )
    (blueprint,) = edited(rules, ("    context:\n", f"{COMPLEX}    context:\n")).blueprints
    usage = usage_of(blueprint)

    assert usage.of_rule("complexity", "task") == ("hasty",)
    assert usage.of_rule("keyword", "urgent") == ("hasty",)
    assert usage.of_family("complexity") == ("hasty",)


def test_rows_and_models():
    (blueprint,) = compiled().blueprints
    usage = usage_of(blueprint)
    score, mapping = blueprint.rows["scores"][0], blueprint.rows["mappings"][0]

    assert usage.of_row("scores", score, blueprint) == ("hasty",)
    assert usage.of_row("mappings", mapping, blueprint) == ("hasty",)
    assert usage.of_model("big") == ("programming",)
    assert usage.of_model("nobody") == ()


def test_a_partition_touches_whoever_uses_a_member():
    partition = (
        "  projections:\n",
        "  projections:\n    partitions:\n      - {name: one, semantics: exclusive,"
        " members: [support, refund], default: support}\n",
    )
    refund = (
        "candidates: [I cannot log in]}\n",
        "candidates: [I cannot log in]}\n"
        "      - {name: refund, threshold: 0.5, candidates: [money back]}\n",
    )
    rules = ("rules: {type: projection, name: fast}", "rules: {type: embedding, name: refund}")
    (blueprint,) = edited(partition, refund, rules).blueprints
    row = blueprint.rows["partitions"][0]

    assert usage_of(blueprint).of_row("partitions", row, blueprint) == ("hasty",)
    assert usage_of(blueprint).facts["hasty"] >= {("embedding", "support"), ("embedding", "refund")}


def test_rules_that_compete_touch_whoever_uses_one():
    refund = (
        "candidates: [I cannot log in]}\n",
        "candidates: [I cannot log in]}\n"
        "      - {name: refund, threshold: 0.5, candidates: [money back]}\n",
    )
    rules = ("rules: {type: projection, name: fast}", "rules: {type: embedding, name: refund}")
    (blueprint,) = edited(refund, rules).blueprints

    assert usage_of(blueprint).of_rule("embedding", "support") == ("hasty",)
