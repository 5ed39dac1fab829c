import pytest

from perf import scenario
from perf.result import Result
from perf.tables import compact, figure, full, main, replaced
from tests.perf.results import result, row, written

MARKS = "before\n<!-- bench: {0} begin -->\nold\n<!-- bench: {0} end -->\nafter\n"
FLOOR = "bare aiohttp proxy"


def measured(**changed):
    """Of the scenario `endpoint`, which shows two inputs and has an arm that may be absent."""
    rows = [
        row(name, load, arm, **{"first byte p50 ms": 4.0}, batch=None)
        for name in ("JSON", "streams", "agents")
        for load in ("1 at once", "16 at once")
        for arm in (FLOOR, "heuristic policy")
    ]
    return result(rows, absent={"LiteLLM proxy": "nothing there"}, **changed)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "perf").mkdir()
    for name in ("README.md", "perf/README.md"):
        (tmp_path / name).write_text(MARKS.format("endpoint"))
    return tmp_path


def published(root, told, name="endpoint.json"):
    return main([str(written(root / name, told))], root)


def contents(root):
    files = (path for path in root.rglob("*") if path.suffix in (".md", ".svg"))
    return {path.relative_to(root).as_posix(): path.read_text() for path in files}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, ""),
        (float("nan"), "–"),
        (0.0, "0"),
        (0.57, "0.57"),
        (1.0, "1"),
        (9.996, "10"),
        (14.03, "14"),
        (99.96, "100"),
        (102.32, "102"),
        (1970.78, "1,971"),
    ],
)
def test_figures_have_three_digits(value, said):
    assert figure(value) == said


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("no marks", id="none"),
        pytest.param(MARKS.format("texts"), id="of another"),
        pytest.param("<!-- bench: text begin -->\nnever closed\n", id="no end"),
        pytest.param("<!-- bench: text end -->\n<!-- bench: text begin -->\n", id="turned"),
    ],
)
def test_a_text_without_marks_is_left(text):
    assert replaced(text, "text", "new") is None


def test_what_stands_between_the_marks_is_replaced_alone():
    text = MARKS.format("pictures") + MARKS.format("text")

    new = replaced(text, "text", "new")

    assert new == text.replace("old", "new").replace("new", "old", 1)
    assert replaced(new, "text", "new") == new
    assert replaced(new, "text", "old") == text


def test_a_compact_table_has_an_arm_a_row_and_a_figure_for_each_load():
    rows = Result.model_validate(
        result(
            [
                row(load="1 at once", arm="floor", rate=100, batch=None, **{"to the floor": {}}),
                row(load="8 at once", arm="floor", rate=1234.5, batch=None, **{"to the floor": {}}),
                row(load="1 at once", arm="served", rate=50),
            ]
        )
    ).rows

    assert compact(rows).splitlines() == [
        "|  | requests/s | × floor | p50, ms | p95, ms | CPU a request, ms | mean batch |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| floor | 100 / 1,234 |  | 10 / 0.81 | 20 / 1.62 | 5 / 5 |  |",
        "| served | 50 / – | 0.5 / – | 20 / – | 40 / – | 5 / – | 1.5 / – |",
    ]


def test_a_full_table_has_a_row_for_each_cell():
    rows = Result.model_validate(result()).rows

    head, _, *lines = full(rows).splitlines()

    assert len(lines) == len(rows)
    assert "| requests/s, least to most | failures |" in head
    assert lines[-1].startswith("| served | 8 at once | 100 | 0.5 | 10 | 20 | 5 | 1.5 | 2 | 1.2 |")


def test_both_readmes_and_a_chart_for_each_table(root):
    assert published(root, measured()) == 0

    found = contents(root)
    short, long = found.pop("README.md"), found.pop("perf/README.md")
    assert sorted(found) == ["docs/charts/endpoint-json.svg", "docs/charts/endpoint-streams.svg"]
    for chart in found:
        assert f"]({chart})" in short
    assert "agents" not in short
    assert "endpoint: agents" in long
    for text in (short, long):
        assert text.startswith("before\n<!-- bench: endpoint begin -->\n")
        assert text.endswith("\n<!-- bench: endpoint end -->\nafter\n")
        assert "A processor, 2 cores, 2026-11-30, commit abc1234, medians of 5 rounds" in text
    assert f"Floor: {FLOOR}." in short
    assert "Without LiteLLM proxy: nothing there." in short


def test_another_time_changes_nothing(root):
    published(root, measured())
    before = contents(root)

    assert published(root, measured()) == 0

    assert contents(root) == before


def test_failures_are_said(root):
    told = measured()
    told["rows"][1] |= {"failures": 7, "failed with": "status 503", "p50 ms": None}

    published(root, told)

    said = "7 requests of heuristic policy failed at 1 at once: status 503."
    assert contents(root)["README.md"].count(said) == 1


def test_one_readme_may_have_no_marks(root):
    (root / "README.md").write_text("nothing here\n")

    assert published(root, measured()) == 0

    found = contents(root)
    assert sorted(found) == ["README.md", "perf/README.md"]
    assert found["README.md"] == "nothing here\n"


@pytest.mark.parametrize(
    ("told", "name", "words"),
    [
        pytest.param({}, "endpoint", "no result of perf.bench", id="no result"),
        pytest.param(result(), "tried", "no tried.yaml", id="no such scenario"),
        pytest.param(result(), "smoke", "neither README", id="no marks"),
    ],
)
def test_what_cannot_be_published_is_one_line(root, capsys, told, name, words):
    before = contents(root)

    assert published(root, told, f"{name}.json") == 2

    said = capsys.readouterr().err
    assert words in said
    assert len(said.splitlines()) == 1
    assert contents(root) == before


@pytest.mark.parametrize("name", sorted(path.stem for path in scenario.SCENARIOS.glob("*.yaml")))
def test_scenarios_show_inputs_that_they_have(name):
    of = scenario.read(name)

    assert set(of.shown) <= set(of.inputs)


def test_an_input_that_is_not_there_cannot_be_shown():
    told = {"about": "x", "at_once": [1], "inputs": {"short": [{"tokens": 9}]}, "arms": []}

    with pytest.raises(ValueError, match="shown: no input is called long"):
        scenario.Scenario.model_validate(told | {"shown": ["long"]})


def test_a_quick_look_does_not_become_a_table(root, capsys):
    before = contents(root)
    assert published(root, measured(rounds=1)) == 2
    assert "of 1 rounds; tables are made of 3 or more" in capsys.readouterr().err
    assert contents(root) == before
