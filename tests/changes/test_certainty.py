"""What `tsr diff` calls certain of requests that hang on unknown signals, against every way in
which these could come out."""

import asyncio
from itertools import product

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.changes.costs import Costs
from orchestrator.changes.effects import Names, effects
from orchestrator.changes.routing import Routed, route
from orchestrator.changes.running import both
from orchestrator.changes.structure import structure
from orchestrator.changes.traffic import Recorded
from orchestrator.types import Facts, Reading
from tests.changes.policies import compiled

WORDS = {"k0": "apple", "k1": "pear"}
LEARNED = ("e0", "e1")

leaf = st.one_of(
    st.sampled_from(sorted(WORDS)).map(lambda name: {"type": "keyword", "name": name}),
    st.sampled_from(LEARNED).map(lambda name: {"type": "embedding", "name": name}),
)
tree = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=2).map(lambda c: {"operator": "AND", "conditions": c}),
        st.lists(inner, min_size=1, max_size=2).map(lambda c: {"operator": "OR", "conditions": c}),
        inner.map(lambda one: {"operator": "NOT", "conditions": [one]}),
    ),
    max_leaves=4,
)
decisions = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(1, 3), tree),
    min_size=1,
    max_size=3,
    unique_by=lambda one: one[0],
)
words = st.sampled_from(["", "apple", "pear", "apple pear"])


def policy(rows):
    return compiled(
        yaml.safe_dump(
            {
                "version": "v0.3",
                "providers": {"defaults": {"default_model": "m"}},
                "routing": {
                    "modelCards": [{"name": "m"}],
                    "signals": {
                        "keywords": [
                            {"name": name, "operator": "OR", "keywords": [word]}
                            for name, word in WORDS.items()
                        ],
                        "embeddings": [
                            {"name": name, "threshold": 0.5, "candidates": [name]}
                            for name in LEARNED
                        ],
                    },
                    "decisions": [
                        {
                            "name": name,
                            "priority": priority,
                            "rules": rules,
                            "modelRefs": [{"model": "m"}],
                        }
                        for name, priority, rules in rows
                    ],
                },
            }
        )
    )


def outcomes(side, text):
    """Who wins, for each way in which the learned rules may come out."""
    known = Reading({name: None for name, word in WORDS.items() if word in text})
    for hits in product((False, True), repeat=len(LEARNED)):
        found = {name: None for name, hit in zip(LEARNED, hits, strict=True) if hit}
        facts = Facts({"keyword": known, "embedding": Reading(found)})
        verdict = side.pipeline.policies["default"].engine.decide(facts)
        yield verdict.decision if verdict else ""


async def _ask(old, new, text):
    async with both(old, new, offline=True) as sides:
        routed = await route([Recorded("r", {"text": f"one {text}"})], *sides)
        return routed, *(list(outcomes(side, text)) for side in sides)


@st.composite
def pairs(draw):
    """A policy and the same one with a decision or two changed, or another one."""
    before = draw(decisions)
    if draw(st.integers(0, 3)) == 0:
        return before, draw(decisions)
    changed = draw(st.sets(st.sampled_from(range(len(before))), min_size=1, max_size=2))
    return before, [
        (name, draw(st.integers(1, 3)), draw(tree)) if number in changed else (name, *rest)
        for number, (name, *rest) in enumerate(before)
    ]


@given(pairs(), words)
@settings(max_examples=100)
def test_certain_is_certain(policies, text):
    before, after = policies
    old, new = policy(before), policy(after)
    found = structure(old, new)
    routed, earlier, later = asyncio.run(_ask(old, new, text))
    (pair,) = routed.pairs
    names = Names(found)
    now = [found.decisions.get(("default", one), ("default", one))[1] for one in earlier]
    changes = [one != other for one, other in zip(now, later, strict=True)]

    told = effects(Routed((pair,)), found, Costs())

    if told.compared:
        assert set(changes) == {names.changed(pair)}
    if told.open_same:
        assert not any(changes)
    if told.open_surely:
        assert all(changes)
