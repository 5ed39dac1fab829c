"""What each family claims of itself, seen by what becomes unreachable."""

import pytest

from tests.analysis.recipes import both, either, leaf, no, verdicts

KEYWORD = {"keywords": [{"name": "code", "operator": "OR", "keywords": ["python"]}]}
EMBEDDINGS = {
    "embeddings": [
        {"name": name, "threshold": 0.6, "candidates": [name]} for name in ("a", "b", "c")
    ]
}
LEVELS = {
    "complexity": [{"name": "task", "hard": {"candidates": ["x"]}, "easy": {"candidates": ["y"]}}],
}
COMPOSED = {
    **KEYWORD,
    "complexity": [{**LEVELS["complexity"][0], "composer": leaf("keyword:code")}],
}
DOMAINS = {"domains": [{"name": name} for name in ("math", "law", "physics")]}
GROUP = {
    "partitions": [
        {
            "name": "topic",
            "semantics": "exclusive",
            "members": ["math", "law", "physics"],
            "default": "law",
        }
    ]
}
CHECKS = {"fact_check": [{"name": "needs_fact_check"}, {"name": "no_fact_check_needed"}]}
MODALITY = {"modality": [{"name": name} for name in ("AR", "DIFFUSION", "BOTH")]}
DETECTOR = {"model_catalog": {"modules": {"modality_detector": {"enabled": True}}}}
TOP_2 = {
    "model_catalog": {"embeddings": {"semantic": {"embedding_config": {"top_k": 2}}}},
}
CONTEXT = {"context": [{"name": "short", "max_tokens": 99}, {"name": "long", "min_tokens": 100}]}
PREFERENCES = {
    "preferences": [{"name": name, "examples": [name]} for name in ("brief", "thorough")]
}
GUARDS = {
    "jailbreak": [{"name": "strict", "threshold": 0.9}, {"name": "loose", "threshold": 0.5}],
}
LANGUAGES = {"language": [{"name": name} for name in ("en", "nb", "no")]}
PLANS = {
    "metadata": [
        {"name": "gold", "key": "plan", "predicate": {"equals": "gold"}},
        {"name": "paid", "key": "plan", "predicate": {"in": ["basic", "gold"]}},
        {"name": "planned", "key": "plan", "predicate": {"exists": True}},
        {"name": "free", "key": "plan", "predicate": {"exists": False}},
    ]
}
BINDINGS = {
    "role_bindings": [
        {"name": "bob", "role": "admin", "subjects": [{"kind": "User", "name": "bob"}]},
        {"name": "eve", "role": "admin", "subjects": [{"kind": "User", "name": "eve"}]},
    ]
}
REASKS = {"reasks": [{"name": "once"}, {"name": "thrice", "lookback_turns": 3}]}
MOODS = {"user_feedbacks": [{"name": "satisfied"}, {"name": "wrong_answer"}]}
PERSONAL = {"pii": [{"name": "sure", "threshold": 0.9}, {"name": "maybe", "threshold": 0.5}]}
LABELS = {
    "classifiers": [
        {"name": "mood", "type": "local", "labels": ["good", "bad"], "model_path": "x/mood"}
    ]
}
GOOD = {"type": "classifier", "name": "mood", "label": "good"}
POSSIBLE = [
    pytest.param(LANGUAGES, both("language:nb", "language:no"), {}, id="two names of a language"),
    pytest.param(PLANS, both("metadata:planned", no("metadata:paid")), {}, id="another plan"),
    pytest.param(PLANS, both("metadata:paid", no("metadata:gold")), {}, id="the cheaper plan"),
    pytest.param(BINDINGS, both("authz:admin", no("authz:bob")), {}, id="by another binding"),
    pytest.param(REASKS, both("reask:thrice", no("reask:once")), {}, id="the furthest stays"),
    pytest.param(
        MOODS,
        no(either(*("user_feedback:" + n for n in ("satisfied", "wrong_answer")))),
        {},
        id="no feedback",
    ),
    pytest.param(PERSONAL, both("pii:maybe", no("pii:sure")), {}, id="perhaps personal"),
    pytest.param(LABELS, {**GOOD, "predicate": {"gte": 0.9}}, {}, id="a label"),
    pytest.param(EMBEDDINGS, both("embedding:a", no("embedding:b")), {}, id="one embedding of two"),
    pytest.param(EMBEDDINGS, both("embedding:a", "embedding:b"), {"top": TOP_2}, id="top_k 2"),
    pytest.param(DOMAINS, both("domain:math", "domain:law"), {}, id="domains without a partition"),
    pytest.param(LEVELS, no("complexity:task:medium"), {}, id="a level less"),
    pytest.param(MODALITY, no("modality:AR"), {"top": DETECTOR}, id="a picture"),
    pytest.param(CONTEXT, no("context:short"), {}, id="long"),
    pytest.param(GUARDS, both("jailbreak:loose", no("jailbreak:strict")), {}, id="a weak attack"),
    pytest.param(
        EMBEDDINGS,
        both("embedding:b", leaf("embedding:a", predicate={"gte": 0.5})),
        {},
        id="a score beside the best",
    ),
]
IMPOSSIBLE = [
    pytest.param(LANGUAGES, both("language:en", "language:no"), {}, id="two languages"),
    pytest.param(PLANS, both("metadata:gold", no("metadata:paid")), {}, id="gold, not paid"),
    pytest.param(PLANS, both("metadata:free", "metadata:planned"), {}, id="there and not there"),
    pytest.param(BINDINGS, both("authz:bob", no("authz:admin")), {}, id="a binding without role"),
    pytest.param(REASKS, both("reask:thrice", "reask:once"), {}, id="two depths"),
    pytest.param(
        MOODS, both("user_feedback:satisfied", "user_feedback:wrong_answer"), {}, id="two moods"
    ),
    pytest.param(PERSONAL, both("pii:sure", no("pii:maybe")), {}, id="sure, not perhaps"),
    pytest.param(LABELS, {**GOOD, "predicate": {"gt": 1.0}}, {}, id="a probability above 1"),
    pytest.param(KEYWORD, both("keyword:code", no("keyword:code")), {}, id="a rule and its NOT"),
    pytest.param(EMBEDDINGS, both("embedding:a", "embedding:b"), {}, id="top_k 1"),
    pytest.param(
        EMBEDDINGS,
        both("embedding:a", "embedding:b", "embedding:c"),
        {"top": TOP_2},
        id="three at top_k 2",
    ),
    pytest.param(LEVELS, both("complexity:task:hard", "complexity:task:easy"), {}, id="two levels"),
    pytest.param(COMPOSED, both("complexity:task:hard", no("keyword:code")), {}, id="a composer"),
    pytest.param(
        CHECKS,
        both("fact_check:needs_fact_check", "fact_check:no_fact_check_needed"),
        {},
        id="both",
    ),
    pytest.param(
        CHECKS,
        both(no("fact_check:needs_fact_check"), no("fact_check:no_fact_check_needed")),
        {},
        id="neither",
    ),
    pytest.param(
        MODALITY, both("modality:AR", "modality:BOTH"), {"top": DETECTOR}, id="two modalities"
    ),
    pytest.param(
        MODALITY,
        both(no("modality:AR"), no("modality:BOTH"), no("modality:DIFFUSION")),
        {"top": DETECTOR},
        id="no modality",
    ),
    pytest.param(CONTEXT, both("context:short", "context:long"), {}, id="two sizes"),
    pytest.param(CONTEXT, no(either("context:short", "context:long")), {}, id="no size"),
    pytest.param(
        PREFERENCES, both("preference:brief", "preference:thorough"), {}, id="two preferences"
    ),
    pytest.param(
        GUARDS, both("jailbreak:strict", no("jailbreak:loose")), {}, id="an attack, but only a bit"
    ),
    pytest.param(EMBEDDINGS, leaf("embedding:a", predicate={"gt": 1.5}), {}, id="a cosine above 1"),
    pytest.param(KEYWORD, leaf("keyword:code", predicate={"gte": 0.5}), {}, id="no number"),
]


@pytest.mark.parametrize(("signals", "rules", "more"), POSSIBLE)
def test_reachable(signals, rules, more):
    assert verdicts(signals, {"d": rules}, **more)["d"].kind == "reachable"


@pytest.mark.parametrize(("signals", "rules", "more"), IMPOSSIBLE)
def test_unreachable(signals, rules, more):
    verdict = verdicts(signals, {"d": rules}, **more)["d"]

    assert verdict.kind == "unreachable"
    assert verdict.conflict
    assert verdict.unless_unknown == ()


def test_a_partition_holds_while_none_of_its_members_is_unknown():
    rules = both("domain:math", "domain:law")

    verdict = verdicts(DOMAINS, {"d": rules}, projections=GROUP)["d"]

    assert verdict.kind == "unreachable"
    assert set(verdict.conflict) == {"domain:math", "domain:law"}
    assert verdict.because == ("the partition topic leaves one of its members",)
    assert verdict.unless_unknown == ("domain:physics",)
