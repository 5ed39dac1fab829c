import json

import pytest

from perf.compare import main
from tests.perf.results import result, row, written


@pytest.fixture
def compared(tmp_path, capsys):
    """Puts two results to the command: exit status, and what it printed as JSON."""

    def run(old, new, *options):
        files = [written(tmp_path / "old.json", old), written(tmp_path / "new.json", new)]
        status = main([*map(str, files), "--json", *options])
        return status, json.loads(capsys.readouterr().out)

    return run


def one(**changed):
    return result([row(**changed)])


@pytest.mark.parametrize(
    ("old", "new", "options", "verdict", "status"),
    [
        pytest.param(one(), one(), [], "same", 0, id="equal"),
        pytest.param(one(rate=100), one(rate=95), [], "same", 0, id="apart but within tolerance"),
        pytest.param(
            one(rate=100, spread=0.2), one(rate=80, spread=0.2), [], "same", 0, id="within noise"
        ),
        pytest.param(one(), one() | {"rounds": 3}, [], "same", 0, id="other rounds"),
        pytest.param(
            one() | {"rounds": 1}, one(rate=50), [], "not judged", 0, id="one round shows no noise"
        ),
        pytest.param(
            one(),
            one(rate=50) | {"machine": "another"},
            [],
            "same",
            0,
            id="another machine, equal ratios",
        ),
        pytest.param(one(), one(ratio=0.4), [], "same", 0, id="the floor became faster"),
        pytest.param(one(failures=2), one(failures=3), [], "same", 0, id="failed before too"),
        pytest.param(one(), one(rate=80), [], "slower", 1, id="fewer requests a second"),
        pytest.param(one(), one(rate=95), ["--tolerance", "0.01"], "slower", 1, id="tolerance"),
        pytest.param(
            one(),
            one(**{"CPU ms": 7.0, "CPU ms, least and most": [6.9, 7.1]}),
            [],
            "slower",
            1,
            id="more CPU alone",
        ),
        pytest.param(
            one(),
            one(ratio=0.4) | {"machine": "another"},
            [],
            "slower",
            1,
            id="another machine, worse ratios",
        ),
        pytest.param(one(), one(rate=130), [], "faster", 0, id="more requests a second"),
        pytest.param(one(), one(failures=1), [], "fails", 1, id="failures begin"),
        pytest.param(
            one(),
            one(failures=9, **{"p50 ms": None, "p95 ms": None}),
            [],
            "fails",
            1,
            id="every request fails",
        ),
        pytest.param(
            one(),
            one(failures=9, **{"to the floor": {"requests/s": None, "p50": None, "CPU": 1.2}}),
            [],
            "fails",
            1,
            id="a round without a ratio to the floor",
        ),
        pytest.param(one(failures=3), one(failures=5), [], "same", 0, id="some fail as before"),
        pytest.param(one(failures=3), one(failures=30), [], "fails", 1, id="many more fail"),
    ],
)
def test_a_row_is_judged(compared, old, new, options, verdict, status):
    found, told = compared(old, new, *options)

    assert (told["rows"][0]["verdict"], found) == (verdict, status)


@pytest.mark.parametrize("missing", ["p50 ms", "p95 ms", "CPU ms"])
def test_a_figure_without_its_range_is_not_judged(compared, missing):
    old, new = one(), one(**{missing: 90.0})
    del old["rows"][0][f"{missing}, least and most"]

    _, told = compared(old, new)

    assert told["rows"][0]["figures"][missing]["verdict"] == "not judged"
    assert told["rows"][0]["verdict"] == "same"


def test_each_figure_has_a_verdict_of_its_own(compared):
    better = {"CPU ms": 3.0, "CPU ms, least and most": [2.9, 3.1]}

    _, told = compared(one(), one(rate=50, ratio=0.25, **better))

    figures = {name: each["verdict"] for name, each in told["rows"][0]["figures"].items()}
    assert figures == {
        "requests/s": "slower",
        "p50 ms": "slower",
        "p95 ms": "slower",
        "CPU ms": "faster",
    }
    ratios = {name: each["verdict"] for name, each in told["rows"][0]["ratios"].items()}
    assert ratios == {"requests/s": "slower", "p50": "slower", "CPU": "same"}


def test_rows_of_one_result_alone_are_named(compared):
    old = result([row(), row(arm="went")])
    new = result([row(), row(load="64 at once")])

    status, told = compared(old, new)

    assert status == 0
    assert told["only_old"] == ["short, 1 at once, went"]
    assert told["only_new"] == ["short, 64 at once, served"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        pytest.param({}, None, id="nothing changed"),
        pytest.param({"date": "2026-12-01", "commit": "def"}, None, id="date and commit"),
        pytest.param({"machine": "A processor, 16 cores"}, "16 cores", id="machine"),
        pytest.param({"rounds": 9}, "other rounds: 5, then 9", id="rounds"),
        pytest.param({"rounds": 3}, "fewer than 5 rounds", id="few rounds"),
        pytest.param({"rounds": 1}, "nothing is judged", id="one round"),
        pytest.param({"load average before": 1.5}, "not idle before the new", id="load"),
        pytest.param({"asked by": {"served": "perf_analyzer"}}, "by perf_analyzer", id="asked by"),
    ],
)
def test_what_makes_it_doubtful_is_said(compared, changed, words):
    _, told = compared(result(), result(**changed))

    assert bool(told["doubts"]) is (words is not None)
    assert words is None or any(words in doubt for doubt in told["doubts"])


def test_the_table_has_old_and_new_and_doubts(tmp_path, capsys):
    old = written(tmp_path / "old.json", result([row(rate=100)]))
    new = written(tmp_path / "new.json", result([row(rate=80, failures=2)], rounds=2))

    assert main([str(old), str(new)]) == 1

    told = capsys.readouterr().out
    assert told.startswith("DOUBTFUL: ")
    assert "| 100 -> 80 (0.80) slower |" in told
    assert "failures: short, 1 at once, served: 0 -> 2" in told
    assert "1 rows, 1 slower or failing" in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(None, "{}", "No such file", id="no file"),
        pytest.param("not JSON", "{}", "Invalid JSON", id="no JSON"),
        pytest.param("[]", "{}", "no result", id="a list"),
        pytest.param('{"about": "x"}', "{}", "Field required", id="another object"),
        pytest.param(json.dumps(result([])), "{}", "rows: ", id="no rows"),
        pytest.param(
            json.dumps(result([row(failures="many")])), "{}", "rows.0.failures: ", id="no number"
        ),
        pytest.param(
            json.dumps(result()),
            json.dumps(result(about="Another.")),
            "two scenarios: What is tried. Another.",
            id="another scenario",
        ),
        pytest.param(
            json.dumps(result()),
            json.dumps(result([row(name="long")])),
            "no row is in both",
            id="no row of both",
        ),
    ],
)
def test_files_that_cannot_be_compared_are_one_line(tmp_path, capsys, old, new, words):
    files = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, text in zip(files, (old, new), strict=True):
        if text is not None:
            path.write_text(text)

    assert main([*map(str, files)]) == 2

    told = capsys.readouterr().err
    assert words in told
    assert len(told.splitlines()) == 1
