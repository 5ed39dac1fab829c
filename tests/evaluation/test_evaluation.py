"""Which families are read, and what projections and composers make of what they say."""

import pytest

from orchestrator import projections
from orchestrator.config.decisions import Node
from orchestrator.decision.composition import compose
from orchestrator.errors import Forbidden, ModelUntrusted
from orchestrator.evaluation import Evaluation
from orchestrator.projections import Known, build
from orchestrator.projections.mapping import MappingRule
from orchestrator.projections.partition import PartitionRule
from orchestrator.projections.score import ScoreRule
from orchestrator.registry import discover
from orchestrator.types import Facts, Reading
from tests.evaluation.families import (
    REQUEST,
    SECRET,
    SURROUNDINGS,
    Idle,
    Model,
    TopOne,
    Words,
    fails,
    later,
    rules,
    says,
)

discover(projections)


async def test_only_families_that_are_needed_are_read():
    used, unused = Words(says(a=None), "a"), Words(says(b=None), "b")
    evaluation = Evaluation({"used": used, "unused": unused})

    facts = await evaluation.facts(REQUEST, frozenset({"used", "no such family"}))

    assert dict(facts.readings) == {"used": Reading({"a": None})}
    assert (used.calls, unused.calls) == (1, 0)
    assert set(facts.seconds) == {"used"}


async def test_every_family_is_read_on_demand():
    evaluation = Evaluation({"a": Words(says()), "b": Model(later(says(x=0.5)), "x")})

    facts = await evaluation.facts(REQUEST)

    assert dict(facts.readings) == {"a": Reading(), "b": Reading({"x": 0.5})}


@pytest.fixture
def banded() -> tuple[projections.Projection, ...]:
    """`loud` when a word, or an inferred rule, holds."""
    inputs = [
        {"type": "words", "name": "a", "weight": 1},
        {"type": "model", "name": "b", "weight": 1},
    ]
    return build(
        {
            "scores": [ScoreRule(name="s", inputs=inputs)],
            "mappings": [MappingRule(name="m", source="s", outputs=[{"name": "loud", "gte": 1}])],
        },
        Known({"words": {"a"}, "model": {"b"}}),
    )


async def test_projections_bring_the_families_beneath_them(banded):
    evaluation = Evaluation(
        {
            "words": Words(says(), "a"),
            "model": Model(later(says(b=0.4)), "b"),
            "other": Words(says()),
        },
        banded,
    )

    facts = await evaluation.facts(REQUEST, frozenset({"projection"}))

    assert evaluation.needs(frozenset({"projection"})) == {"words", "model"}
    assert set(facts.readings) == {"words", "model", "projection"}
    assert set(facts.readings["projection"].matches) == {"loud"}


async def test_projections_that_nobody_uses_are_not_computed(banded):
    evaluation = Evaluation({"words": Words(says(a=None), "a")}, banded)

    assert set((await evaluation.facts(REQUEST, frozenset({"words"}))).readings) == {"words"}


async def test_a_failed_signal_reaches_the_mapping_as_unknown(banded):
    evaluation = Evaluation(
        {"words": Words(says(), "a"), "model": Model(later(fails(ModelUntrusted())), "b")}, banded
    )

    facts = await evaluation.facts(REQUEST)

    assert facts.readings["projection"].unknown["loud"] == "model_untrusted"


async def test_partitions_come_before_settling():
    partition = PartitionRule(name="p", semantics="exclusive", members=["b", "c"], default="b")
    signal = TopOne(later(says(a=0.5, b=0.9, c=0.95)), "a", "b", "c")
    built = build(
        {"partitions": [partition]}, Known({"model": {"a", "b", "c"}}, frozenset({"model"}))
    )

    facts = await Evaluation({"model": signal}, built).facts(REQUEST)

    assert dict(facts.readings["model"].matches) == {"c": 0.95}
    assert facts.readings["model"].values["contender:p:b"] == 0.9


@pytest.fixture
def tied():
    """The rule `r` of `model` holds only where the rule `a` of `words` does."""
    tree = Node.model_validate({"type": "words", "name": "a"})
    return compose({"model": {"r": tree}}, {"model": {"r": "r"}}, {})


@pytest.mark.parametrize(
    ("words", "matches", "unknown"),
    [
        pytest.param(says(), {}, {}, id="does not hold"),
        pytest.param(fails(ValueError(SECRET)), {}, {"r": "error"}, id="is unknown"),
        pytest.param(says(a=None), {"r": 0.5}, {}, id="holds"),
    ],
)
async def test_a_composer_brings_its_families_and_filters_the_rule(tied, words, matches, unknown):
    signals = {
        "model": Model(later(says(r=0.5)), "r"),
        "words": Words(words, "a"),
        "z": Words(says()),
    }
    evaluation = Evaluation(signals, composition=tied)

    facts = await evaluation.facts(REQUEST, frozenset({"model"}))

    assert set(facts.readings) == {"model", "words"}
    assert (facts.readings["model"].matches, facts.readings["model"].unknown) == (matches, unknown)


async def test_composers_come_after_partitions_and_before_settling(tied):
    partition = PartitionRule(name="p", semantics="exclusive", members=["a", "b"], default="a")
    built = build({"partitions": [partition]}, Known({"words": {"a", "b"}}, frozenset({"words"})))
    signals = {
        "model": TopOne(later(says(r=0.9, s=0.2)), "r", "s"),
        "words": Words(says(a=0.1, b=0.2), "a", "b"),
    }

    facts = await Evaluation(signals, built, composition=tied).facts(REQUEST)

    assert dict(facts.readings["words"].matches) == {"b": 0.2}
    assert dict(facts.readings["model"].matches) == {"s": 0.2}


async def test_a_family_beneath_a_composer_may_refuse_where_the_rule_is_used(tied):
    refused = Words(fails(Forbidden("no")), "a")
    signals = {"model": Model(later(says(r=0.5)), "r"), "words": refused}

    assert (await Evaluation(signals, used=[], composition=tied).facts(REQUEST)).readings
    with pytest.raises(Forbidden):
        await Evaluation(signals, used=["model"], composition=tied).facts(REQUEST)


async def test_a_family_beneath_a_projection_that_is_used_may_refuse(banded):
    signals = {"words": Words(fails(Forbidden("no")), "a"), "model": Model(later(says()), "b")}

    with pytest.raises(Forbidden):
        await Evaluation(signals, banded, used={"projection"}).facts(REQUEST)


async def test_family_that_does_not_run_gives_no_reading():
    facts = await Evaluation({"idle": Idle(rules("a"), SURROUNDINGS)}).facts(REQUEST)

    assert facts == Facts()


async def test_family_that_does_not_run_may_be_unknown():
    signals = {"idle": Idle(rules("a", "b"), SURROUNDINGS)}

    facts = await Evaluation(signals, not_run="unknown").facts(REQUEST)

    assert facts.readings == {"idle": Reading(unknown={"a": "not_run", "b": "not_run"})}
    assert facts.seconds == {}


class Partly(Words):
    def not_run(self) -> tuple[str, ...]:
        return ("image",)


@pytest.mark.parametrize(
    ("not_run", "unknown"), [("no_match", {}), ("unknown", {"image": "not_run"})]
)
async def test_single_rules_that_do_not_run(not_run, unknown):
    signals = {"part": Partly(says(text=None), "text", "image")}

    facts = await Evaluation(signals, not_run=not_run).facts(REQUEST)

    assert facts.readings["part"] == Reading({"text": None}, unknown=unknown)


async def test_observer_hears_of_every_family_with_its_final_reading():
    heard: dict[str, tuple[float, Reading]] = {}
    evaluation = Evaluation(
        {
            "top": TopOne(later(says(a=0.5, b=0.9)), "a", "b"),
            "bad": Words(fails(ValueError()), "c"),
            "idle": Idle(rules("d"), SURROUNDINGS),
        },
        observe=lambda family, seconds, reading: heard.update({family: (seconds, reading)}),
    )

    facts = await evaluation.facts(REQUEST)

    assert {family: reading for family, (_, reading) in heard.items()} == {
        "top": Reading({"b": 0.9}),
        "bad": Reading(unknown={"c": "error"}),
    }
    assert {family: seconds for family, (seconds, _) in heard.items()} == facts.seconds
    assert all(seconds > 0 for seconds in facts.seconds.values())
