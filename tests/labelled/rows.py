"""Labelled rows, short to write."""

from orchestrator.inference.tasks import Task
from orchestrator.labelled.asking import Said
from orchestrator.labelled.rows import Row

GUARD = Task(("benign", "jailbreak"), positive=("jailbreak",))
TOPIC = Task(("art", "law", "math"))
PII = Task(("EMAIL_ADDRESS", "PERSON"), spans=True)


def row(text="a text", label="", task="topic", spans=(), **slices):
    return Row(text, task, label, tuple(spans), slices, "f:1")


def guarded(*risks):
    return [Said((1 - risk, risk)) for risk in risks]
