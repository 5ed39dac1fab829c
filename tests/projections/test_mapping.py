import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orchestrator.projections import Known
from orchestrator.projections.mapping import Mapping, MappingRule
from orchestrator.types import Facts, Reading

BANDS = [
    {"name": "low", "lt": 0.3},
    {"name": "middle", "gte": 0.3, "lte": 0.6},
    {"name": "high", "gt": 0.6},
]
OVERLAPPING = [{"name": "some", "gte": 0.2}, {"name": "much", "gte": 0.6}]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def mapping(outputs, **fields):
    return Mapping(MappingRule(name="m", source="s", outputs=outputs, **fields), Known())


def applied(outputs, score=None, bounds=None, **fields):
    values = {"s": score} if bounds is None else {"low:s": bounds[0], "high:s": bounds[1]}
    unknown = {} if bounds is None else {"score:s": "timeout"}
    facts = Facts({"projection": Reading(values=values, unknown=unknown)})
    found = mapping(outputs, **fields).apply(facts).readings["projection"]
    why = {name: reason for name, reason in found.unknown.items() if name != "score:s"}
    return found.matches, why


@pytest.mark.parametrize(
    ("score", "output"),
    [
        pytest.param(0.29, "low", id="below"),
        pytest.param(0.3, "middle", id="lt leaves its bound out, gte takes it"),
        pytest.param(0.6, "middle", id="lte takes its bound"),
        pytest.param(0.61, "high", id="above"),
        pytest.param(-5.0, "low", id="far below"),
    ],
)
def test_threshold_bands(score, output):
    matches, unknown = applied(BANDS, score)

    assert (list(matches), unknown) == ([output], {})


def test_no_band_holds():
    assert applied([{"name": "high", "gt": 0.6}], 0.1) == ({}, {})


def test_score_that_was_never_computed_gives_nothing():
    assert mapping(BANDS).apply(Facts()) == Facts()


@pytest.mark.parametrize(
    ("method", "score", "names"),
    [
        pytest.param("threshold_bands", 0.7, ["some"], id="bands: the first that holds"),
        pytest.param("", 0.7, ["some"], id="bands are the default"),
        pytest.param("multi_emit", 0.1, [], id="multi_emit: none"),
        pytest.param("multi_emit", 0.3, ["some"], id="multi_emit: one"),
        pytest.param("multi_emit", 0.7, ["some", "much"], id="multi_emit: all that hold"),
    ],
)
def test_method(method, score, names):
    assert list(applied(OVERLAPPING, score, method=method)[0]) == names


@pytest.mark.parametrize(
    ("fields", "slope"),
    [
        pytest.param({}, 12, id="default"),
        pytest.param({"calibration": {"method": "sigmoid_distance", "slope": 10}}, 10, id="given"),
        pytest.param({"calibration": {"slope": 0}}, 12, id="0 means the default"),
    ],
)
def test_confidence_is_a_sigmoid_of_the_nearest_bound(fields, slope):
    assert applied(BANDS, 0.35, **fields)[0] == {"middle": pytest.approx(sigmoid(slope * 0.05))}
    assert applied(BANDS, 0.3, **fields)[0] == {"middle": 0.5}


@pytest.mark.parametrize(
    ("bounds", "matches", "unknown"),
    [
        pytest.param((0.0, 0.7), [], ["low", "middle", "high"], id="over all bands"),
        pytest.param((0.2, 0.3), [], ["low", "middle"], id="touches a bound that is taken"),
        pytest.param((0.6, 0.7), [], ["middle", "high"], id="leaves a bound that is taken"),
        pytest.param((-math.inf, math.inf), [], ["low", "middle", "high"], id="anything"),
        pytest.param((0.3, 0.6), ["middle"], [], id="inside one band"),
        pytest.param((-math.inf, 0.2), ["low"], [], id="half infinite"),
        pytest.param((8.0, math.inf), ["high"], [], id="beyond every bound"),
    ],
)
def test_bounds_instead_of_a_score(bounds, matches, unknown):
    found, why = applied(BANDS, bounds=bounds)

    assert (list(found), why) == (matches, dict.fromkeys(unknown, "timeout"))


def test_bounds_with_overlapping_outputs():
    found, why = applied(OVERLAPPING, bounds=(0.4, 0.7), method="multi_emit")

    assert (list(found), why) == (["some"], {"much": "timeout"})


def test_bounds_around_an_open_band():
    assert applied([{"name": "inside", "gt": 0.3, "lt": 0.6}], bounds=(0.3, 0.6)) == (
        {},
        {"inside": "timeout"},
    )


@pytest.mark.parametrize("bounds", [(0.35, 0.5), (0.4, 0.55)], ids=["low end", "high end"])
def test_confidence_over_bounds_is_the_lowest(bounds):
    found, _ = applied(BANDS, bounds=bounds)

    assert found == {"middle": pytest.approx(sigmoid(12 * 0.05))}


@pytest.mark.parametrize(
    ("bounds", "distance"),
    [
        pytest.param((0.35, 0.5), 0.15, id="half-way between the bounds"),
        pytest.param((0.31, 0.35), 0.05, id="high end"),
        pytest.param((0.55, 0.59), 0.05, id="low end"),
    ],
)
def test_the_highest_confidence_over_bounds_is_remarked(bounds, distance):
    values = dict(zip(("low:s", "high:s"), bounds, strict=True))
    facts = Facts({"projection": Reading(values=values, unknown={"score:s": "timeout"})})

    found = mapping(BANDS).apply(facts).readings["projection"]

    assert found.values["most:middle"] == pytest.approx(sigmoid(12 * distance))


numbers = st.integers(-20, 20).map(lambda n: n / 8)


@given(
    cuts=st.lists(numbers, min_size=1, max_size=5, unique=True),
    ends=st.tuples(numbers, numbers),
    share=st.floats(0, 1),
    kind=st.sampled_from(["gt", "gte", "lt", "lte"]),
    method=st.sampled_from(["threshold_bands", "multi_emit"]),
)
def test_what_bounds_decide_no_score_inside_contradicts(cuts, ends, share, kind, method):
    assume(method != "multi_emit" or len(cuts) > 1)
    low, high = sorted(ends)
    outputs = [{"name": f"o{i}", kind: cut} for i, cut in enumerate(cuts)]
    score = low + share * (high - low)

    decided, why = applied(outputs, bounds=(low, high), method=method)
    actual, _ = applied(outputs, score, method=method)

    assert set(decided) <= set(actual) <= set(decided) | set(why)


def test_explain():
    facts = Facts({"projection": Reading(values={"s": 0.5})})
    bands = mapping(BANDS)

    assert bands.explain(bands.apply(facts)) == {
        "mapping_name": "m",
        "source_score": "s",
        "score_value": 0.5,
        "selected_output": "middle",
        "confidence": pytest.approx(sigmoid(12 * 0.1)),
        "boundary_distance": pytest.approx(0.1),
        "outputs": [
            {"name": "low", "matched": False, "boundary_distance": pytest.approx(0.2)},
            {"name": "middle", "matched": True, "boundary_distance": pytest.approx(0.1)},
            {"name": "high", "matched": False, "boundary_distance": pytest.approx(0.1)},
        ],
    }


def test_explain_unknown():
    values = {"low:s": 0.5, "high:s": 0.7}
    facts = Facts({"projection": Reading(values=values, unknown={"score:s": "timeout"})})
    bands = mapping(BANDS)

    trace = bands.explain(bands.apply(facts))

    assert (trace["score_value"], "selected_output" in trace) == (None, False)
    assert [step.get("unknown") for step in trace["outputs"]] == [None, "timeout", "timeout"]
