"""What the analysis excludes never happens to requests that real signals read."""

import asyncio

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.analysis.judge import analyse
from orchestrator.app.assembly import build_policies
from orchestrator.app.policies import compile_policies
from orchestrator.app.proofs import provable
from orchestrator.config.load import examine
from orchestrator.evaluation import ignore
from orchestrator.inference.fake import FakeInference
from orchestrator.types import Identity, Request, Shape

COUNTS = {"blind": {"lt": 1}, "one": {"gte": 1, "lt": 2}, "many": {"gt": 1}}
SIGNALS = {
    "keywords": [
        {"name": "code", "operator": "OR", "keywords": ["python", "rust"]},
        {"name": "calm", "operator": "NOR", "keywords": ["now"]},
    ],
    "language": [{"name": name} for name in ("en", "de", "nb", "no")],
    "context": [
        {"name": "short", "max_tokens": 9},
        {"name": "medium", "min_tokens": 10, "max_tokens": 99},
        {"name": "long", "min_tokens": 50},
    ],
    "metadata": [
        {"name": "gold", "key": "plan", "predicate": {"equals": "gold"}},
        {"name": "paid", "key": "plan", "predicate": {"in": ["basic", "gold"]}},
        {"name": "planned", "key": "plan", "predicate": {"exists": True}},
        {"name": "free", "key": "plan", "predicate": {"exists": False}},
    ],
    "conversation": [
        {
            "name": name,
            "feature": {"type": "count", "source": {"type": "image_content"}},
            "predicate": bounds,
        }
        for name, bounds in (
            ("blind", {"lt": 1}),
            ("one", {"gte": 1, "lt": 2}),
            ("many", {"gt": 1}),
        )
    ],
    "structure": [
        {
            "name": name,
            "feature": {"type": "count", "source": {"type": "regex", "pattern": r"\?"}},
            "predicate": bounds,
        }
        for name, bounds in (("told", {"lte": 0}), ("asked", {"gte": 1}), ("often", {"gte": 2}))
    ],
    "events": [{"name": "alert", "severities": ["critical"]}],
    "role_bindings": [
        {"name": "bob", "role": "admin", "subjects": [{"kind": "User", "name": "bob"}]},
        {"name": "staff", "role": "user", "subjects": [{"kind": "Group", "name": "staff"}]},
    ],
}
TYPES = {
    "keywords": "keyword",
    "events": "event",
    "role_bindings": "authz",
}
PROJECTIONS = {
    "scores": [
        {
            "name": "weight",
            "inputs": [
                {"type": "keyword", "name": "code", "weight": 0.5},
                {"type": "context", "name": "long", "weight": 0.7, "miss": -1.0},
                {"type": "structure", "name": "often", "weight": -0.3},
            ],
        }
    ],
    "mappings": [
        {
            "name": "bands",
            "source": "weight",
            "outputs": [
                {"name": "light", "lt": 0.0},
                {"name": "middle", "gte": 0.0, "lt": 1.2},
                {"name": "heavy", "gte": 1.2},
                {"name": "beyond", "gte": 1.3},
            ],
        }
    ],
}
NAMES = [
    *(
        (TYPES.get(section, section), row["name"])
        for section, rows in SIGNALS.items()
        for row in rows
    ),
    *(("projection", name) for name in ("light", "middle", "heavy", "beyond")),
    ("authz", "admin"),
]
LEAVES = st.sampled_from(NAMES).map(lambda pair: {"type": pair[0], "name": pair[1]})
PREDICATES = st.sampled_from(
    [
        {"type": "context", "name": "short", "predicate": {"gte": 20}},
        {"type": "structure", "name": "asked", "predicate": {"lt": 2}},
        {"type": "conversation", "name": "one", "predicate": {"gt": 0}},
        {"type": "event", "name": "alert", "predicate": {"gte": 0.5}},
        {"type": "keyword", "name": "code", "predicate": {"gte": 0.5}},
    ]
)
ONE = LEAVES | PREDICATES
TREES = st.recursive(
    ONE | ONE.map(lambda leaf: {"operator": "NOT", "conditions": [leaf]}),
    lambda inner: st.builds(
        lambda op, nodes: {"operator": op, "conditions": nodes},
        st.sampled_from(["AND", "AND", "OR"]),
        st.lists(inner, min_size=2, max_size=3),
    ),
    max_leaves=6,
)
WORDS = ["python", "now", "?", "critical", "the house is green", "das ist ein Haus", "x" * 80]


@st.composite
def requests(draw):
    text = " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=6)))
    size = draw(st.sampled_from([0, 30, 45, 80, 500])) * 4
    return Request(
        "auto",
        text,
        text,
        metadata=draw(st.sampled_from([{}, {"plan": "gold"}, {"plan": "basic"}, {"plan": "x"}])),
        shape=Shape(images=draw(st.integers(0, 3)), context_bytes=size),
        identity=Identity(
            draw(st.sampled_from(["bob", "eve"])), draw(st.sampled_from([(), ("staff",)]))
        ),
    )


def document(trees):
    decisions = [
        {"name": f"d{at}", "priority": 100 - at, "rules": tree, "modelRefs": [{"model": "m"}]}
        for at, tree in enumerate(trees)
    ]
    return {
        "version": "v0.3",
        "providers": {"models": [{"name": "m", "backend_refs": [{"endpoint": "127.0.0.1:1"}]}]},
        "routing": {
            "modelCards": [{"name": "m"}],
            "signals": SIGNALS,
            "projections": PROJECTIONS,
            "decisions": decisions,
        },
    }


def read(text):
    return compile_policies(examine(text, "policy.yaml", {}))


async def outcomes(compiled, asked):
    """For each request, what matches and what wins."""
    policy = build_policies(compiled, FakeInference(), ignore)["default"]
    for request in asked:
        facts = await policy.evaluation.facts(request)
        matched = {
            one["decision_name"] for one in policy.engine.trace(facts) if one["state"] == "match"
        }
        verdict = policy.engine.decide(facts)
        yield matched, verdict and verdict.decision


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(TREES, min_size=2, max_size=5),
    st.lists(requests(), min_size=10, max_size=20),
)
def test_no_request_does_what_a_verdict_excludes(trees, asked):
    compiled = read(yaml.safe_dump(document(trees)))
    report = analyse(provable(compiled)[0])
    of = {verdict.decision: verdict for verdict in report.verdicts}
    ways = {f"d{at}" for at in range(len(trees))} & {
        name for name, verdict in of.items() if verdict.kind == "unreachable"
    }

    async def check():
        async for matched, winner in outcomes(compiled, asked):
            assert not matched & ways
            assert winner is None or of[winner].kind == "reachable"
            assert report.default != "never" or winner is not None
            assert report.default != "always" or winner is None
            for name, verdict in of.items():
                assert not verdict.always or name in matched

    asyncio.run(check())
