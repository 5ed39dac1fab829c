from dataclasses import replace

import pytest

from orchestrator.changes.change import Change
from orchestrator.changes.costs import Costs
from orchestrator.changes.effects import decision, effects, reasoning, split
from orchestrator.changes.routing import Outcome, Pair, Routed, Unread
from orchestrator.changes.structure import Structure
from orchestrator.types import Candidate

STRUCTURE = Structure(
    changes=(),
    models={"big": "large"},
    recipes={"fast": "swift"},
    decisions={("default", "code"): ("default", "coding"), ("fast", "a"): ("swift", "a")},
)


def out(name, model="small", recipe="default", **candidate):
    rivals = candidate.pop("rivals", ())
    unknown = tuple(f"topic:{rival} (why)" for rival in rivals)
    return Outcome(recipe, name, Candidate(model, **candidate), unknown=unknown, rivals=rivals)


ERROR = Outcome(error="no_route")


def found(*pairs, unread=()):
    made = tuple(Pair(f"r{n}", "", old, new) for n, (old, new) in enumerate(pairs))
    return effects(Routed(made, tuple(unread)), STRUCTURE, Costs())


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        pytest.param(out("law"), out("law"), False, id="the same"),
        pytest.param(out("code"), out("coding"), False, id="a decision of another name"),
        pytest.param(out("law", "big"), out("law", "large"), False, id="a model of another name"),
        pytest.param(out("a", recipe="fast"), out("a", recipe="swift"), False, id="a recipe"),
        pytest.param(out("code"), out("code"), True, id="another of the same name"),
        pytest.param(out("law"), out("medicine"), True, id="another decision"),
        pytest.param(out("law"), out("law", "big"), True, id="another model"),
        pytest.param(out("law"), out("law", use_reasoning=True), True, id="reasoning"),
        pytest.param(
            out("law", use_reasoning=True, reasoning_effort="low"),
            out("law", use_reasoning=True, reasoning_effort="high"),
            True,
            id="its effort",
        ),
        pytest.param(ERROR, out("law"), True, id="an error before"),
        pytest.param(ERROR, ERROR, False, id="the same error"),
    ],
)
def test_changed(old, new, changed):
    assert len(found((old, new)).changed) == changed


@pytest.mark.parametrize(
    ("old", "new", "surely", "unmatched"),
    [
        pytest.param(out("law", rivals=("x",)), out("law", rivals=("z",)), 0, 0, id="both open"),
        pytest.param(out("law"), out("medicine", rivals=("law",)), 0, 1, id="it may stay"),
        pytest.param(
            out("law"), out("medicine", rivals=("x",)), 1, 1, id="whatever it is, not law"
        ),
        pytest.param(out("code", rivals=("x",)), out("coding"), 0, 0, id="by its other name"),
    ],
)
def test_open(old, new, surely, unmatched):
    told = found((old, new))

    assert (len(told.open), told.open_surely, told.open_changed) == (1, surely, unmatched)
    assert told.compared == ()
    assert told.decisions == {}


TOUCHED = Change("changed", "signal", "topic:x", "default", touches=("x",))


@pytest.mark.parametrize(
    ("old", "new", "changes", "same"),
    [
        pytest.param(out("law", rivals=("x",)), out("law"), (), 0, id="another choice"),
        pytest.param(
            out("law", rivals=("x",)), out("law", "big", rivals=("x",)), (), 0, id="another model"
        ),
        pytest.param(
            out("law", rivals=("x",)), out("law", rivals=("x",)), (TOUCHED,), 0, id="touched"
        ),
        pytest.param(
            out("law", rivals=("x",)),
            out("law", rivals=("x",)),
            (Change("changed", "decision", "law", "default"),),
            0,
            id="the decision itself",
        ),
        pytest.param(
            out("law", rivals=("x",)),
            out("law", rivals=("x",)),
            (Change("changed", "setting", "global"),),
            0,
            id="a setting of all",
        ),
        pytest.param(
            out("code", rivals=("x",)),
            out("coding", rivals=("x",)),
            (Change("renamed", "decision", "coding", "default", note="same priority as x"),),
            0,
            id="a name that decides a tie",
        ),
        pytest.param(
            out("law", rivals=("y",)), out("law", rivals=("y",)), (TOUCHED,), 1, id="not touched"
        ),
        pytest.param(
            out("law", rivals=("code",)), out("law", rivals=("coding",)), (), 1, id="renamed"
        ),
        pytest.param(
            out("law", rivals=("x",)),
            out("law", rivals=("x",)),
            (Change("changed", "decision", "x", "swift"),),
            1,
            id="another recipe",
        ),
    ],
)
def test_what_hangs_on_the_unknown_may_surely_stay(old, new, changes, same):
    pairs = (Pair("r", "", old, new),)

    assert effects(Routed(pairs), replace(STRUCTURE, changes=changes), Costs()).open_same == same


def test_matrices_count_what_is_compared():
    told = found(
        (out("law"), out("law")),
        (out("code", "big"), out("coding", "large")),
        (out("law"), out("")),
        (out("law"), out("")),
        (out("", recipe=""), out("", recipe="")),
        (out("law"), out("x", rivals=("y", "z"))),
        (out("law"), out("x", rivals=("y",))),
        unread=[Unread("line 7", "not JSON")],
    )

    assert told.requests == 8
    assert told.decisions == {
        ("law", "(no decision)"): 2,
        ("law", "law"): 1,
        ("coding", "coding"): 1,
        ("(model named)", "(model named)"): 1,
    }
    assert told.models == {("small", "small"): 4, ("large", "large"): 1}
    assert told.reasoning == {("off", "as sent"): 2, ("off", "off"): 2, ("as sent", "as sent"): 1}
    assert told.unknown == {"topic:y (why)": 2, "topic:z (why)": 1}


def test_the_cost_is_of_what_can_be_compared():
    certain = Pair("a", "", out("law"), out("law"))
    unsure = Pair("b", "", out("law"), out("x", rivals=("y",)))

    assert split(Routed((certain, unsure))) == ((certain,), (unsure,))


@pytest.mark.parametrize(
    ("outcome", "name", "thinks"),
    [
        pytest.param(ERROR, "(error no_route)", "as sent", id="an error"),
        pytest.param(out("", recipe=""), "(model named)", "as sent", id="a model by name"),
        pytest.param(out(""), "(no decision)", "as sent", id="the default model"),
        pytest.param(out("a", recipe="fast"), "fast/a", "off", id="of a recipe"),
        pytest.param(out("a", use_reasoning=True), "a", "on", id="reasoning"),
        pytest.param(
            out("a", use_reasoning=True, reasoning_effort="low"), "a", "on (low)", id="effort"
        ),
    ],
)
def test_labels(outcome, name, thinks):
    assert (decision(outcome), reasoning(outcome)) == (name, thinks)
