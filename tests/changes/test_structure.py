import pytest

from orchestrator.changes.structure import structure
from tests.changes.policies import between, edited, told

REORDERED = """\
    - name: hasty
      priority: 100
      rules: {type: projection, name: fast}
      modelRefs: [{model: small}]
"""


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param([], id="the same file"),
        pytest.param([("version: v0.3", "# a comment\nversion: v0.3")], id="a comment"),
        pytest.param(
            [("{name: code, operator: OR, keywords", "{operator: OR, name: code, keywords")],
            id="the order of keys",
        ),
        pytest.param([("min_tokens: 1K", "min_tokens: 1000")], id="another way to write a number"),
        pytest.param(
            [("[{model: small}]", "[{model: small, use_reasoning: false}]")], id="a default"
        ),
        pytest.param(
            [("      priority: 100\n", "      priority: 100\n      algorithm: {type: static}\n")],
            id="the default algorithm",
        ),
        pytest.param(
            [(REORDERED, ""), ("  decisions:\n", f"  decisions:\n{REORDERED}")],
            id="the place of a decision in the file",
        ),
        pytest.param(
            [
                ("          - {type: keyword, name: code}\n", ""),
                (
                    "name: long}]}\n",
                    "name: long}]}\n          - {type: keyword, name: code}\n",
                ),
            ],
            id="the order of the conditions of AND",
        ),
        pytest.param(
            [
                (
                    "rules: {type: projection, name: fast}",
                    "rules: {operator: OR, conditions: [{type: projection, name: fast}]}",
                )
            ],
            id="an OR of one",
        ),
    ],
)
def test_what_is_no_change(edits):
    assert told(between(*edits)) == []


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param(
            [("priority: 200", "priority: 50")],
            ["changed decision programming priority: 200 -> 50"],
            id="a priority",
        ),
        pytest.param(
            [("priority: 200", "priority: 100")],
            [
                "changed decision programming priority: 200 -> 100"
                " [same priority as hasty: confidence, then the name, decides]"
            ],
            id="a tie that was none",
        ),
        pytest.param(
            [("operator: AND", "operator: OR")],
            [
                "changed decision programming rules: keyword:code AND NOT context:long"
                " -> keyword:code OR NOT context:long"
            ],
            id="a tree",
        ),
        pytest.param(
            [("[{model: small}]", "[{model: small}, {model: big}]")],
            [
                'changed decision hasty modelRefs[big]: nothing -> {"model": "big",'
                ' "weight": 1.0, "use_reasoning": false}'
            ],
            id="one more model",
        ),
        pytest.param(
            [("reasoning_effort: high", "reasoning_effort: low")],
            ["changed decision programming modelRefs[big].reasoning_effort: high -> low"],
            id="reasoning",
        ),
        pytest.param(
            [
                (
                    "      priority: 100\n",
                    "      priority: 100\n      plugins:"
                    " [{type: system_prompt, configuration: {system_prompt: Hi}}]\n",
                )
            ],
            [
                'changed decision hasty plugins[system_prompt]: nothing -> {"type":'
                ' "system_prompt", "configuration": {"system_prompt": "Hi"}}'
            ],
            id="a plugin",
        ),
        pytest.param(
            [("keywords: [python, golang]", "keywords: [golang, rust]")],
            ["changed signal keyword:code keywords: + rust - python -> programming"],
            id="a rule, and whom it touches",
        ),
        pytest.param(
            [("min_tokens: 1K", "min_tokens: 2K")],
            ["changed signal context:long min_tokens: 1000 -> 2000 -> programming"],
            id="a number",
        ),
        pytest.param(
            [("keywords: [now]", "keywords: [now, asap]")],
            ["changed signal keyword:urgent keywords: + asap -> hasty"],
            id="a rule beneath a projection",
        ),
        pytest.param(
            [("gte: 0.5", "gte: 0.25")],
            ["changed projection mappings:bands outputs[fast].gte: 0.5 -> 0.25 -> hasty"],
            id="a projection",
        ),
        pytest.param(
            [("threshold: 0.5", "threshold: 0.4")],
            ["changed signal embedding:support threshold: 0.5 -> 0.4"],
            id="a rule that no decision uses",
        ),
        pytest.param(
            [("completion_per_1m: 20", "completion_per_1m: 15")],
            ["changed model big pricing.completion_per_1m: 20.0 -> 15.0 -> programming"],
            id="a price",
        ),
        pytest.param(
            [("sk-first", "sk-second")],
            [
                "changed model big backend_refs[0].api_key: (secret) -> (another secret)"
                " -> programming"
            ],
            id="a key, which is not shown",
        ),
        pytest.param(
            [("default_model: small", "default_model: big")],
            ["changed setting providers.defaults default_model: small -> big"],
            id="the default model",
        ),
        pytest.param(
            [("routing:\n", "global: {router: {strategy: confidence}}\nrouting:\n")],
            ["changed setting global router.strategy: priority -> confidence"],
            id="a setting",
        ),
        pytest.param(
            [("  signals:\n", "  strategy: confidence\n  signals:\n")],
            ["changed setting strategy strategy: nothing -> confidence -> programming, hasty"],
            id="the strategy of a recipe",
        ),
    ],
)
def test_what_changes(edits, expected):
    assert told(between(*edits)) == expected


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param(
            [("name: code", "name: coding")],
            ["renamed signal keyword:coding (was keyword:code) -> programming"],
            id="a rule, although a tree names it",
        ),
        pytest.param(
            [("name: urgent", "name: at_once")],
            ["renamed signal keyword:at_once (was keyword:urgent) -> hasty"],
            id="a rule, although a score names it",
        ),
        pytest.param(
            [("hurry", "haste")],
            ["renamed projection scores:haste (was scores:hurry) -> hasty"],
            id="a score, although a mapping names it",
        ),
        pytest.param(
            [("name: hasty", "name: quickly")],
            ["renamed decision quickly (was hasty)"],
            id="a decision",
        ),
        pytest.param(
            [("name: big", "name: large"), ("model: big", "model: large")],
            ["renamed model large (was big) -> programming"],
            id="a model that backends know by its id",
        ),
        pytest.param(
            [
                (
                    "name: code, operator: OR, keywords: [python",
                    "name: coding, operator: OR, keywords: [c",
                ),
                ("{type: keyword, name: code}", "{type: keyword, name: coding}"),
            ],
            [
                "removed signal keyword:code -> programming",
                "added signal keyword:coding -> programming",
                "changed decision programming rules: keyword:code AND NOT context:long"
                " -> keyword:coding AND NOT context:long",
            ],
            id="no rename: the content changes too",
        ),
        pytest.param(
            [("small", "tiny")],
            [
                'changed decision hasty modelRefs[small]: {"model": "small", "weight": 1.0,'
                ' "use_reasoning": false} -> nothing; modelRefs[tiny]: nothing -> {"model":'
                ' "tiny", "weight": 1.0, "use_reasoning": false}',
                "removed model small -> hasty",
                "added model tiny -> hasty",
                "changed setting providers.defaults default_model: small -> tiny",
            ],
            id="no rename: backends would see another model",
        ),
    ],
)
def test_renames(edits, expected):
    assert told(between(*edits)) == expected


def test_a_setting_that_tunes_a_family_touches_whoever_uses_it():
    uses = ("rules: {type: projection, name: fast}", "rules: {type: embedding, name: support}")
    tuned = "global: {model_catalog: {embeddings: {semantic: {embedding_config: {top_k: 2}}}}}\n"

    found = structure(edited(uses), edited(uses, ("routing:\n", f"{tuned}routing:\n")))

    assert [(change.name, change.touches) for change in found.changes] == [("global", ("hasty",))]


def test_the_renames_that_requests_are_judged_by():
    found = between(
        ("name: hasty", "name: quickly"),
        ("name: big", "name: large"),
        ("model: big", "model: large"),
    )

    assert found.decisions["default", "hasty"] == ("default", "quickly")
    assert found.decisions["default", "programming"] == ("default", "programming")
    assert found.models == {"big": "large"}
