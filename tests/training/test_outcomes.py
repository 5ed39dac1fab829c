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
    ("line", "at"),
    [
        pytest.param("{", "", id="no JSON"),
        pytest.param(GOOD.replace("0.5", "1.5"), "quality", id="quality above 1"),
        pytest.param(GOOD.replace("10", "-1"), "latency", id="latency below 0"),
        pytest.param(GOOD.replace("small", ""), "model", id="no model"),
        pytest.param(GOOD.replace("quality", "score"), "quality", id="another key"),
    ],
)
def test_every_problem_has_its_line(tmp_path, line, at):
    path = tmp_path / "a.jsonl"
    path.write_text(f"{GOOD}\n{line}\n{line}\n")

    with pytest.raises(ConfigError) as refused:
        read([path])

    assert {(one.line, one.file) for one in refused.value.problems} == {
        (2, str(path)),
        (3, str(path)),
    }
    assert at in {one.path for one in refused.value.problems}


def test_files_that_are_missing_or_empty(tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")

    with pytest.raises(ConfigError, match="cannot be read"):
        read([tmp_path / "none.jsonl"])
    with pytest.raises(ConfigError, match="not one outcome"):
        read([tmp_path / "empty.jsonl"])


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
