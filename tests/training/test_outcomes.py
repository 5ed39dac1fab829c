import numpy as np
import pytest

from orchestrator.errors import ConfigError
from orchestrator.training.outcomes import Outcome, lessons, read

GOOD = '{"query": "hi", "model": "small", "quality": 0.5, "latency": 10}'


def test_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\ufeff" + GOOD + '\n\n{"query": "hi", "model": "large", "quality": 1}\n')

    small, large = read([path])

    assert (small, large.latency) == (Outcome("hi", "small", 0.5, 10.0), 0.0)
    assert small.score == pytest.approx(0.9 * 0.5 + 0.1 * 0.5)
    assert large.score == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("{", "not JSON", id="no JSON"),
        pytest.param("[]", "Input should be an object", id="no object"),
        pytest.param(GOOD.replace("0.5", "1.5"), "quality: Input", id="quality above 1"),
        pytest.param(GOOD.replace("10", "-1"), "latency: Input", id="latency below 0"),
        pytest.param(GOOD.replace("small", ""), "model: String", id="no model"),
        pytest.param(GOOD.replace("quality", "score"), "quality: Field", id="another key"),
        pytest.param('{"query": "", "model": "", "quality": 2}', "; model: String", id="several"),
    ],
)
def test_every_bad_line_is_named_and_all_are_counted(tmp_path, line, said):
    path = tmp_path / "a.jsonl"
    path.write_text(f"{GOOD}\n{line}\n\n{line}\n")

    with pytest.raises(ConfigError) as refused:
        read([path])

    *each, count = refused.value.problems
    assert [(one.line, one.file) for one in each] == [(2, str(path)), (4, str(path))]
    assert all(said in one.message for one in each)
    assert (count.message, count.file) == ("2 of 3 lines cannot be used", str(path))


def test_files_that_are_missing_or_empty(tmp_path):
    empty, missing = tmp_path / "empty.jsonl", tmp_path / "none.jsonl"
    empty.write_text("\n")

    with pytest.raises(ConfigError, match=r"none\.jsonl:\?: : cannot be read: No such file"):
        read([missing])
    with pytest.raises(ConfigError, match="not one outcome") as refused:
        read([empty])
    assert [one.file for one in refused.value.problems] == [str(empty)]


def test_lessons_by_query():
    outcomes = [
        Outcome("q", "b", 0.8, 0),
        Outcome("r", "b", 0.1, 0),
        Outcome("q", "a", 0.8, 0),
        Outcome("q", "b", 0.6, 0),
    ]
    first, second = lessons(outcomes, {"q": np.zeros(1), "r": np.ones(1)})

    assert (first.query, second.query) == ("q", "r")
    assert first.qualities() == pytest.approx({"a": 0.8, "b": 0.7})
    assert first.best == "a"
