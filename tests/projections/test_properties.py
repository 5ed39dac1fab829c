"""Projections come out as the direct interpreter says; where something is unknown, what they decide
holds whatever it turns out to be."""

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from orchestrator.projections import build
from orchestrator.types import Facts, Reading
from tests.projections.conftest import KNOWN, parsed
from tests.projections.interpreter import project, world

FAMILIES = {name: tuple(sorted(KNOWN.names[name])) for name in ("embedding", "keyword")}
SIZES = st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0))
NUMBERS = st.sampled_from((-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0))  # sums of them are exact


@st.composite
def facts(draw, unknown):
    states = ["nothing", "match", "score", *(["unknown"] if unknown else [])]
    readings = {}
    for family, names in FAMILIES.items():
        if draw(st.integers(0, 7)) == 0:
            continue
        matches, values, why = {}, {}, {}
        for name in names:
            state = draw(st.sampled_from(states))
            if state == "unknown":
                why[name] = "timeout"
                continue
            if state != "nothing":
                matches[name] = draw(SIZES) if state == "score" else None
            if draw(st.booleans()):
                values[name] = draw(NUMBERS)
        readings[family] = Reading(matches, values, why)
    return Facts(readings)


@st.composite
def partitions(draw):
    names = draw(st.permutations(FAMILIES["embedding"]))[: draw(st.integers(1, 3))]
    row = {"name": "group", "members": names, "default": draw(st.sampled_from(names))}
    if draw(st.booleans()):
        return [row | {"semantics": "exclusive"}]
    return [
        row | {"semantics": "softmax_exclusive", "temperature": draw(st.sampled_from((0.5, 1)))}
    ]


@st.composite
def of_signals(draw):
    family = draw(st.sampled_from(sorted(FAMILIES)))
    row = {"type": family, "name": draw(st.sampled_from(FAMILIES[family])), "weight": draw(NUMBERS)}
    source = draw(st.sampled_from(("", "binary", "confidence", "raw")))
    return row | {"value_source": source, "match": draw(NUMBERS), "miss": draw(NUMBERS)}


@st.composite
def mappings(draw, number):
    outputs = []
    for band in range(draw(st.integers(2, 3))):
        low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
        bounds = draw(
            st.sampled_from(({"gte": low}, {"lt": high}, {"gt": low, "lte": high}, {"lte": low}))
        )
        outputs.append({"name": f"out{number}{band}", **bounds})
    row = {"name": f"map{number}", "source": f"score{number}", "outputs": outputs}
    method = draw(st.sampled_from(("", "threshold_bands", "multi_emit")))
    return row | {"method": method, "calibration": {"slope": draw(st.sampled_from((0, 1.0, 4.0)))}}


@st.composite
def rows(draw):
    """A chain of scores and mappings, each over signals and what came before, in any order."""
    scores, maps = [], []
    for number in range(draw(st.integers(1, 3))):
        inputs = draw(st.lists(of_signals(), min_size=1, max_size=3))
        if scores and draw(st.booleans()):
            source = {"type": "projection", "weight": draw(NUMBERS)}
            earlier = draw(st.sampled_from(scores))["name"]
            inputs.append(source | {"name": earlier, "value_source": "score"})
        if maps and draw(st.booleans()):
            output = draw(st.sampled_from(maps))["outputs"][0]["name"]
            source = {"type": "projection", "weight": draw(NUMBERS)}
            inputs.append(source | {"name": output, "value_source": "confidence"})
        scores.append({"name": f"score{number}", "inputs": inputs})
        maps.append(draw(mappings(number)))
    return {
        "partitions": draw(partitions()),
        "scores": draw(st.permutations(scores)),
        "mappings": draw(st.permutations(maps)),
    }


def applied(given_facts, written):
    for projection in build(parsed(**written), KNOWN):
        given_facts = projection.apply(given_facts)
    return given_facts.readings


@settings(max_examples=80, deadline=None)
@given(known=facts(unknown=False), written=rows())
def test_what_is_known_comes_out_as_the_interpreter_says(known, written):
    matches, totals, outputs = project(known, **written)

    found = applied(known, written)

    event(f"{len(outputs)} outputs")
    own = found["projection"]
    assert own.matches == pytest.approx(outputs)
    assert {name: own.values[name] for name in totals} == pytest.approx(totals)
    assert not own.unknown
    for family, names in matches.items():
        assert found[family].matches.keys() == names.keys()
        scored = {name: score for name, score in names.items() if score is not None}
        given_scores = found[family].matches
        assert {name: given_scores[name] for name in scored} == pytest.approx(scored)


@st.composite
def worlds(draw, doubtful):
    """The same facts, if each rule that is unknown had come out somehow."""
    open_ = [(f, name) for f, reading in doubtful.readings.items() for name in reading.unknown]
    outcomes = st.tuples(st.booleans(), st.none() | SIZES, NUMBERS)
    return world(doubtful, {one: draw(outcomes, label=str(one)) for one in open_})


@settings(max_examples=80, deadline=None)
@given(doubtful=facts(unknown=True), written=rows(), data=st.data())
def test_what_is_decided_holds_whatever_the_unknown_turns_out_to_be(doubtful, written, data):
    written["partitions"] = []  # of which the next test says what holds
    _, totals, outputs = project(data.draw(worlds(doubtful)), **written)

    own = applied(doubtful, written)["projection"]

    event(f"{min(len(own.unknown), 3)} unknown")
    assert own.matches.keys() <= outputs.keys()
    assert outputs.keys() <= own.matches.keys() | own.unknown.keys()
    for name, score in own.matches.items():
        assert score <= outputs[name] + 1e-9
    for name, total in totals.items():
        low = own.values.get(name, own.values.get(f"low:{name}"))
        high = own.values.get(name, own.values.get(f"high:{name}"))
        assert low - 1e-9 <= total <= high + 1e-9


@settings(max_examples=80, deadline=None)
@given(doubtful=facts(unknown=True), group=partitions(), data=st.data())
def test_a_member_that_a_partition_drops_would_have_lost_anyway(doubtful, group, data):
    members = set(group[0]["members"])
    before = doubtful.readings.get("embedding", Reading())
    actual, _, _ = project(data.draw(worlds(doubtful)), group, [], [])

    after = applied(doubtful, {"partitions": group}).get("embedding", Reading())

    matched = members & after.matches.keys()
    if len(members) > 1:
        assert len(matched) <= 1
    left = matched | (members & after.unknown.keys())
    dropped = (members & (before.matches.keys() | before.unknown.keys())) - left
    event(f"{len(dropped)} dropped")
    assert not dropped & actual.get("embedding", {}).keys()
