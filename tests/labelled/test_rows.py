import json

import pytest

from orchestrator.errors import ConfigError
from orchestrator.labelled.rows import Row, by_task, read, spread
from tests.labelled.rows import GUARD, PII, TOPIC, row

TASKS = {"topic": TOPIC, "jailbreak": GUARD, "pii": PII}
GOOD = {"text": "Is it legal?", "task": "topic", "label": "law"}
SPANS = {"text": "I am Ann", "task": "pii", "spans": [[5, 8, "PERSON"]]}


def write(tmp_path, *lines, name="test.jsonl"):
    path = tmp_path / name
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines))
    return path


BAD = [
    pytest.param("{", "is not JSON", id="not JSON"),
    pytest.param("[1]", "is no JSON object", id="a list"),
    pytest.param({"task": "topic", "label": "law"}, "text: is missing", id="no text"),
    pytest.param({**GOOD, "text": " \n"}, "text: is blank", id="a blank text"),
    pytest.param({**GOOD, "text": 7}, "text: Input should be a valid string", id="text: a number"),
    pytest.param(
        {**GOOD, "author": "me"},
        "author: is no key of a line (the keys are kind, ",
        id="another key",
    ),
    pytest.param(
        {**GOOD, "langauge": "en"},
        "langauge: is no key of a line (did you mean 'language'?)",
        id="a key misspelt",
    ),
    pytest.param(
        {**GOOD, "task": "topics"},
        "task: unknown task 'topics' (did you mean 'topic'?)",
        id="a task misspelt",
    ),
    pytest.param(
        {**GOOD, "task": "x"}, "(the tasks are: topic, jailbreak, pii)", id="no such task"
    ),
    pytest.param(
        {"text": "a", "task": "topic"},
        "label: is missing (the labels are: art, law, math)",
        id="no label",
    ),
    pytest.param(
        {**GOOD, "label": "Laws"},
        "label: unknown label 'Laws' (did you mean 'law'?)",
        id="a label misspelt",
    ),
    pytest.param({**GOOD, "spans": []}, "spans: topic takes one label", id="spans of a topic"),
    pytest.param({"text": "a", "task": "pii"}, "spans: is missing", id="no spans"),
    pytest.param(
        {**SPANS, "label": "PERSON"}, "label: pii is labelled by spans", id="a label beside spans"
    ),
    pytest.param(
        {**SPANS, "spans": [[5, 9, "PERSON"]]},
        "spans[0]: [5, 9] is no piece of the text (0 <= start < stop <= 8, in characters)",
        id="beyond the end",
    ),
    pytest.param({**SPANS, "spans": [[5, 5, "PERSON"]]}, "is no piece", id="an empty span"),
    pytest.param({**SPANS, "spans": [[-3, 8, "PERSON"]]}, "is no piece", id="a negative start"),
    pytest.param(
        {**SPANS, "spans": [[0, 1, "PERSON"], [5, 8, "PERSONS"]]},
        "spans[1]: unknown label 'PERSONS' (did you mean 'PERSON'?)",
        id="the label of a span",
    ),
    pytest.param({**SPANS, "spans": [[5, 8]]}, "spans.0.2: is missing", id="a span of two"),
    pytest.param({**SPANS, "spans": [["5", 8, "PERSON"]]}, "spans.0.0: ", id="a start in quotes"),
]


@pytest.mark.parametrize(("line", "said"), BAD)
def test_a_bad_line_is_named_with_what_would_be_right(tmp_path, line, said):
    path = write(tmp_path, GOOD, "", line)

    with pytest.raises(ConfigError) as refused:
        read([path], TASKS)

    [problem] = refused.value.problems
    assert str(problem).startswith(f"{path}:3: ")
    assert said in str(problem)


def test_every_problem_of_every_file_is_named(tmp_path):
    one = write(tmp_path, {**GOOD, "label": "x"}, {**SPANS, "spans": [[1, 0, "x"]]})
    other = write(tmp_path, "{", GOOD, name="other.jsonl")

    with pytest.raises(ConfigError) as refused:
        read([one, other, tmp_path / "absent.jsonl"], TASKS)

    found = [(problem.file, problem.line) for problem in refused.value.problems]
    assert found == [
        (str(one), 1),
        (str(one), 2),
        (str(one), 2),
        (str(other), 1),
        (str(tmp_path / "absent.jsonl"), None),
    ]


def test_what_a_line_says(tmp_path):
    path = write(tmp_path, {**GOOD, "language": "en", "kind": "short", "id": 3}, SPANS)

    first, second = read([path], TASKS)

    assert first == Row(
        "Is it legal?", "topic", "law", (), {"kind": "short", "language": "en"}, f"{path}:1"
    )
    assert (second.spans, second.label) == (((5, 8, "PERSON"),), "")


def test_one_task_of_a_file_is_checked_with_all_of_it(tmp_path):
    path = write(tmp_path, GOOD, SPANS)

    assert [row.task for row in read([path], TASKS, "pii")] == ["pii"]
    with pytest.raises(ConfigError, match="no labelled text of the task 'jailbreak' in .*test"):
        read([path], TASKS, "jailbreak")
    with pytest.raises(ConfigError, match="no task 'x'; the tasks are: topic, jailbreak, pii"):
        read([path], TASKS, "x")
    with pytest.raises(ConfigError, match="no labelled text in"):
        read([write(tmp_path, "", name="empty.jsonl")], TASKS)


def test_a_limit_is_spread_over_each_task():
    rows = [row(str(at), task=task) for task in ("b", "a") for at in range(10)]

    found = by_task(rows, 3)

    assert {task: [one.text for one in some] for task, some in found.items()} == {
        "a": ["0", "3", "6"],
        "b": ["0", "3", "6"],
    }
    assert list(found) == ["a", "b"]
    assert spread(rows, 100) == spread(rows, None) == rows
