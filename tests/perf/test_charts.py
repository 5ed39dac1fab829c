import math
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perf.charts import chart, ticks
from perf.result import Result
from tests.perf.results import ARMS, LOADS, result, row

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*rows):
    return chart("tried: short", Result.model_validate(result(rows)).rows)


def found(svg, tag):
    return list(ElementTree.fromstring(svg).iter(f"{SVG}{tag}"))


def test_every_arm_and_load_is_in_it():
    svg = drawn(*(row(load=load, arm=arm) for load in LOADS for arm in ARMS))

    texts = {text.text for text in found(svg, "text")}
    assert {*ARMS, "1", "8", "requests at once", "p50, ms", "requests a second"} <= texts
    _, *points = [title.text for title in found(svg, "title")]
    assert sorted(points) == sorted(
        f"{arm}, {load}: {value}" for arm in ARMS for load in LOADS for value in (100, 10)
    )


def test_more_is_higher_in_both_halves():
    svg = drawn(row(arm="slow", rate=10), row(arm="fast", rate=90))

    slow, fast, slow_p50, fast_p50 = (
        float(line.get("points").split(",")[1]) for line in found(svg, "polyline")
    )
    assert fast < slow
    assert fast_p50 > slow_p50


@pytest.mark.parametrize(
    ("loads", "shown"),
    [
        pytest.param(["1 at once", "64 at once"], ["1", "64", "requests at once"], id="closed"),
        pytest.param(["5 a second", "9 a second"], ["5", "requests a second"], id="open"),
        pytest.param(
            ["8 at once", "20 a second"],
            ["8 at once", "20 a second", "requests a second or at once"],
            id="both",
        ),
    ],
)
def test_loads_stand_below_with_their_unit(loads, shown):
    texts = {text.text for text in found(drawn(*(row(load=load) for load in loads)), "text")}

    assert set(shown) <= texts


def test_no_line_goes_from_requests_at_once_to_requests_a_second():
    svg = drawn(*(row(load=load) for load in ("1 at once", "8 at once", "5 a second")))

    lines = [len(line.get("points").split()) for line in found(svg, "polyline")]
    assert lines == [2, 1] * 2


@pytest.mark.parametrize("value", [0.0, None])
def test_what_has_no_logarithm_has_no_point(value):
    svg = drawn(row(), row(arm="failing", **{"requests/s": 0.0, "p50 ms": value}))

    assert [title.text for title in found(svg, "title") if "failing" in title.text] == []
    assert "failing" in [text.text for text in found(svg, "text")]


def test_equal_rows_are_equal_bytes_without_scripts_and_small():
    rows = [row(load=f"{2**n} at once", arm=f"<arm> & {m}") for n in range(7) for m in range(9)]

    svg = drawn(*rows)

    assert svg == drawn(*rows)
    assert len(svg.encode()) < 40_000
    assert not [tag for tag in ("script", "image", "@import", "url(", "href") if tag in svg]


def test_it_is_drawn_for_light_and_dark():
    (style,) = found(drawn(row()), "style")

    assert "prefers-color-scheme:dark" in style.text
    assert found(drawn(row()), "rect")[0].get("class") == "back"


@example([math.nextafter(0.01, 0)])
@example([math.nextafter(1000.0, 2000)])
@given(st.lists(st.floats(1e-3, 1e6), min_size=1))
def test_ticks_are_around_all_values(values):
    steps = ticks(values)

    assert steps[0] <= min(values)
    assert steps[-1] >= max(values)
    assert len(steps) >= 2
    assert steps == sorted(set(steps))
