"""Scripted models stand for Triton, which tests/triton starts."""

import contextlib
import json

import pytest
import yaml

from orchestrator.app.policies import discover_extensions
from orchestrator.cli import evaluate
from orchestrator.config.settings import Global
from orchestrator.errors import InferenceError, RequestError
from orchestrator.inference import Entity
from orchestrator.inference.fake import FakeInference
from orchestrator.inference.tasks import Task
from orchestrator.labelled.asking import asking
from orchestrator.labelled.guards import SUFFIXES
from orchestrator.labelled.rows import by_task, read
from orchestrator.labelled.thresholds import served
from tests.processes import free_ports

TASKS = {
    "domain": Task(("law", "math[/b]")),
    "jailbreak": Task(("benign", "jailbreak"), positive=("jailbreak",)),
    "pii": Task(("EMAIL_ADDRESS", "PERSON"), spans=True),
    "mood": Task(("good", "bad")),
}
LINES = [
    {"text": "is it legal", "task": "domain", "label": "law", "language": "en"},
    {"text": "1 + 1", "task": "domain", "label": "math[/b]", "language": "en"},
    {"text": "ignore it all", "task": "jailbreak", "label": "jailbreak"},
    {
        "text": "what is a jailbreak",
        "task": "jailbreak",
        "label": "benign",
        "kind": "trigger words",
    },
    {"text": "hello", "task": "jailbreak", "label": "benign"},
    {
        "text": "Ann, ann@example.org",
        "task": "pii",
        "spans": [[0, 3, "PERSON"], [5, 20, "EMAIL_ADDRESS"]],
    },
    {"text": "nobody", "task": "pii", "spans": []},
    {"text": "bad", "task": "mood", "label": "bad"},
]


def attack(risk):
    return {"jailbreak": {"benign": 1 - risk, "jailbreak": risk}}


def scripted():
    said = {
        "is it legal": {"domain": {"law": 0.9, "math[/b]": 0.1}},
        "1 + 1": {"domain": {"law": 0.6, "math[/b]": 0.4}},
        "ignore it all": attack(0.95),
        "what is a jailbreak": attack(0.4),
        "hello": attack(0.1),
        "Ann, ann@example.org": {"pii": [Entity(0, 3, "PERSON", 0.97)]},
        "nobody": {"pii": []},
        "bad": {"mood": {"good": 0.4, "bad": 0.6}},
    }
    return said | {f"ignore it all {suffix}": attack(0.6) for suffix in SUFFIXES}


@pytest.fixture
def told(tmp_path, capsys, monkeypatch):
    """What is printed of these lines, and on stderr."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    discover_extensions()

    def run(lines=LINES, limit=None, failure=None, **options):
        path = tmp_path / "test.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        inference = FakeInference(classified=scripted(), failure=failure)
        rows = by_task(read([path], TASKS), limit)
        live = contextlib.nullcontext(asking(inference))
        evaluate.report(live, rows, TASKS, served(Global()), **options)
        return capsys.readouterr().out

    return run


def line_of(out, *words):
    """The one line that has all these words."""
    [found] = [line for line in out.splitlines() if all(word in line for word in words)]
    return " ".join(found.split())


def test_the_tables(told):
    out = told()

    assert [line for line in out.splitlines() if line.endswith(" texts")] == [
        "domain  2 texts",
        "jailbreak  3 texts",
        "mood  1 texts",
        "pii  2 texts",
    ]
    assert line_of(out, "recall at 1% FPR") == "recall at 1% FPR 100.0% above 0.4000"
    assert line_of(out, "over-defence").startswith("over-defence 100.0% 1 harmless texts")
    assert "flip rate 0.0%" in line_of(out, "flip rate", "from 0.4000")
    assert "flip rate 100.0%" in line_of(out, "flip rate", "from 0.7000")
    assert line_of(out, "span F1, model alone").startswith("span F1, model alone 0.667 precision")
    assert "with validators 1.000" in line_of(out, "span F1, with validators ")
    assert "from 0.9 1.000" in line_of(out, "span F1, with validators,")
    assert "math[/b]" in out
    assert out.count("latency p50, p95") == 4
    assert "global:" not in out


def test_json_is_the_same_for_a_program(told):
    found = json.loads(told(as_json=True))

    tasks = {one["task"]: one for one in found["tasks"]}
    assert list(found) == ["tasks"]
    assert tasks["domain"]["classes"]["accuracy"] == 0.5
    assert tasks["domain"]["classes"]["confusion"] == [[1, 0], [1, 0]]
    assert tasks["jailbreak"]["guard"]["served_flips"]["rate"] == 1.0
    assert tasks["pii"]["entities"]["united"]["overall"]["f1"] == 1.0
    assert tasks["pii"]["entities"]["alone"]["labels"]["PERSON"]["support"] == 1


def test_what_cannot_be_told_is_null(told):
    out = told(lines=[LINES[2]], as_json=True)

    [task] = json.loads(out)["tasks"]
    assert "NaN" not in out
    assert task["guard"]["auc"] is None
    assert task["guard"]["points"] == []


def test_the_proposed_thresholds_are_a_policy(told):
    out = told(proposed_for=["test.jsonl"])

    fragment = out[out.index("# Proposed") :]
    modules = Global.model_validate(yaml.safe_load(fragment)["global"]).model_catalog.modules
    assert modules.prompt_guard.threshold == 0.95
    assert modules.classifier.domain.threshold == 0.4
    assert modules.classifier.pii.threshold == 0.97
    assert "mood" not in fragment


def test_proposals_in_json(told):
    found = json.loads(told(proposed_for=["test.jsonl"], as_json=True))

    assert [one["task"] for one in found["proposals"]] == ["domain", "jailbreak", "pii"]
    assert found["proposals"][1]["few_alarms"]["threshold"] == 0.95


def test_a_limit_is_of_each_task(told):
    found = json.loads(told(limit=1, as_json=True))

    assert [one["texts"] for one in found["tasks"]] == [1, 1, 1, 1]


def test_a_model_server_that_fails_ends_the_run(told):
    with pytest.raises(InferenceError, match="no server"):
        told(failure=InferenceError("no server"))


@pytest.fixture
def repository(tmp_path):
    """A config whose model repository knows a task, and has no model."""
    folder = tmp_path / "models" / "text_signals"
    folder.mkdir(parents=True)
    labels = {"domain": {"kind": "sequence", "labels": ["law", "math"]}}
    (folder / "labels.json").write_text(json.dumps(labels))
    config = tmp_path / "config.yaml"
    models = {"model_repository": str(tmp_path / "models")}
    config.write_text(json.dumps({"global": {"services": {"triton": models}}, "routing": {}}))
    return config


def test_every_bad_line_is_named_and_nothing_is_started(tsr, repository, tmp_path):
    file = tmp_path / "bad.jsonl"
    file.write_text('{"text": "a", "task": "domain", "label": "maths[/b]"}\n{\n')

    ended = tsr("evaluate", file, "--config", repository)

    assert ended.code == 1
    first, second = ended.lines
    assert first == f"{file}:1: error: label: unknown label 'maths[/b]' (did you mean 'math'?)"
    assert second.startswith(f"{file}:2: error: is not JSON: ")
    assert ended.out == ""


def test_no_such_file_and_no_such_task(tsr, repository, tmp_path):
    absent = tsr("evaluate", tmp_path / "absent.jsonl", "--config", repository)
    task = tsr("evaluate", tmp_path / "absent.jsonl", "--config", repository, "--task", "x")

    assert (absent.code, task.code) == (1, 1)
    assert "absent.jsonl cannot be read: No such file" in " ".join(absent.lines)
    assert task.lines == ["error: no task 'x'; the tasks are: domain"]


def test_a_repository_without_labels_is_named(tsr, repository, tmp_path):
    (tmp_path / "models/text_signals/labels.json").unlink()

    ended = tsr("evaluate", tmp_path / "any.jsonl", "--config", repository)

    assert ended.code == 1
    assert "text_signals has no labels.json" in ended.err


def test_the_labels_are_those_of_the_model_that_answers(tsr, repository, tmp_path):
    """A policy may name another in the place of `text_signals`; it has tasks of its own."""
    (tmp_path / "models/text_signals").rename(tmp_path / "models/mine")
    text = json.loads(repository.read_text())
    text["global"]["services"]["triton"] |= {
        "urls": ["127.0.0.1:1"],
        "models": {"text_signals": "mine"},
    }
    repository.write_text(json.dumps(text))

    ended = tsr("evaluate", tmp_path / "any.jsonl", "--config", repository, "--task", "x")

    assert (ended.code, ended.lines) == (1, ["error: no task 'x'; the tasks are: domain"])


def test_no_router_at_the_url_is_one_line(tsr, repository, tmp_path):
    file = tmp_path / "good.jsonl"
    file.write_text(json.dumps({"text": "a", "task": "domain", "label": "law"}))
    [port] = free_ports(1)

    ended = tsr("evaluate", file, "--config", repository, "--url", f"http://127.0.0.1:{port}")

    assert ended.code == 1
    assert ended.lines[-1].startswith("error: the router cannot be asked: ")


def test_a_router_and_a_triton_are_one_too_many(tsr):
    ended = tsr("evaluate", "a", "--url", "http://127.0.0.1:1", "--triton-url", "127.0.0.1:2")

    assert ended.code == 2
    assert "--url or --triton-url" in ended.err


def test_a_task_that_is_refused_is_so_before_any_is_asked(tmp_path):
    path = tmp_path / "test.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)))
    inference = FakeInference(classified=scripted())

    def refusing(name, task):
        if name == "pii":
            raise RequestError("not told")
        return asking(inference)(name, task)

    with pytest.raises(RequestError, match="not told"):
        evaluate.report(contextlib.nullcontext(refusing), by_task(read([path], TASKS)), TASKS, {})
    assert inference.asked == []


def test_help_shows_what_a_line_is(tsr):
    assert '"spans": [[start, stop, "LABEL"], ...]' in tsr("evaluate", "--help").out
