import json

import pytest

from orchestrator.errors import InferenceError
from orchestrator.inference.tasks import Task, check_tasks, load_tasks, unexpected

TASKS = {"domain": Task(("art", "law")), "pii": Task(("AGE",), spans=True)}


def write(folder, content):
    (folder / "m").mkdir()
    (folder / "m" / "labels.json").write_text(content)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty file"),
        pytest.param("[]", id="a list"),
        pytest.param('{"domain": {"labels": ["a"]}}', id="no kind"),
        pytest.param('{"domain": {"kind": "image", "labels": ["a"]}}', id="another kind"),
        pytest.param('{"domain": {"kind": "sequence", "labels": []}}', id="no labels"),
        pytest.param('{"domain": {"kind": "sequence", "labels": ["a", "a"]}}', id="a label twice"),
        pytest.param(
            '{"domain": {"kind": "sequence", "labels": ["a"], "positive": ["b"]}}',
            id="positive is no label",
        ),
    ],
)
def test_unusable_labels_are_named(tmp_path, content):
    write(tmp_path, content)

    with pytest.raises(InferenceError, match=r"m: .*labels\.json cannot be read"):
        load_tasks(tmp_path, "m")


def test_a_model_without_labels_has_no_tasks(tmp_path):
    assert load_tasks(tmp_path, "m") == {}


def test_labels_keep_their_order(tmp_path):
    guard = {
        "kind": "sequence",
        "labels": ["fine", "danger"],
        "temperature": 1.3,
        "over_windows": "max",
        "positive": ["danger"],
    }
    topic = {"kind": "sequence", "labels": ["b", "a"], "languages": ["en", "es"]}
    token = {"kind": "token", "labels": ["B", "A"]}
    write(tmp_path, json.dumps({"topic": topic, "guard": guard, "pii": token}))

    assert load_tasks(tmp_path, "m") == {
        "topic": Task(("b", "a"), languages=("en", "es")),
        "guard": Task(("fine", "danger"), positive=("danger",)),
        "pii": Task(("B", "A"), spans=True),
    }


def test_an_unknown_task_is_told_with_those_there_are():
    check_tasks("m", ["pii", "domain"], TASKS)
    with pytest.raises(InferenceError, match="m: no task 'mood'; the tasks are: domain, pii"):
        check_tasks("m", ["pii", "mood"], TASKS)


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        pytest.param({"mood": {"sad"}}, ["task mood is missing"], id="no such task"),
        pytest.param(
            {"domain": {"art", "tax", "law"}},
            ["task domain has other labels than expected (missing: 'tax')"],
            id="a label lacks",
        ),
        pytest.param({"domain": {"art"}}, ["(extra: 'law')"], id="a label too many"),
        pytest.param(
            {"domain": {"art", "a b"}, "pii": {"PHONE"}},
            ["missing: 'a b'; extra: 'law'", "task pii", "missing: 'PHONE'; extra: 'AGE'"],
            id="two tasks",
        ),
        pytest.param({"domain": {"law", "art"}, "pii": {"AGE"}}, [], id="all as expected"),
        pytest.param({}, [], id="nothing expected"),
    ],
)
def test_what_is_not_as_expected(expected, said):
    told = unexpected(TASKS, {task: frozenset(labels) for task, labels in expected.items()})

    assert bool(told) is bool(said)
    assert [part for part in said if part not in told] == []
