import io
import json

from rich.console import Console

from orchestrator.inference import Entity
from orchestrator.labelled.asking import Said
from orchestrator.labelled.entities import judge
from orchestrator.labelled.figures import Latency, Report, Slice
from orchestrator.labelled.tables import plain, show
from tests.labelled.rows import row


def shown(report):
    out = io.StringIO()
    show(Console(file=out, width=120), report)
    return out.getvalue()


def test_names_are_not_markup():
    report = Report("a[/b]", 3, 0, slices=(Slice("kind", "x[/red]", 20, {"F1": 0.5}),))

    out = shown(report)

    assert "a[/b]  3 texts" in out
    assert "kind: x[/red]" in out
    assert "0.500" in out


def test_texts_that_were_cut_are_told():
    assert "3 texts, 2 not read to the end" in shown(Report("a", 3, 2))
    assert "not read" not in shown(Report("a", 3, 0))


def test_what_there_is_nothing_of_is_a_dash():
    nan = float("nan")
    report = Report("a", 20, 0, slices=(Slice("kind", "x", 20, {"recall": nan, "FPR": 0.25}),))

    [line] = [line for line in shown(report).splitlines() if "kind: x" in line]
    assert line.split() == ["│", "kind:", "x", "│", "20", "│", "-", "│", "0.250", "│"]
    assert json.loads(json.dumps(plain([report], []), allow_nan=False))["tasks"][0]["slices"] == [
        {"by": "kind", "value": "x", "texts": 20, "figures": {"recall": None, "FPR": 0.25}}
    ]


def test_entities_of_a_router_have_no_model_alone():
    said = [Said(alone=None, united=(Entity(0, 3, "PERSON", 0.9),))]
    found = judge([row(spans=[(0, 3, "PERSON")])], said, 0.5)

    out = shown(Report("a", 1, 0, entities=found))

    assert "model alone" not in out
    assert "type, with validators" in out
    assert "calibration" not in out


def test_latency_has_its_lengths_beside_it():
    out = shown(Report("a", 1, 0, latency=Latency(1, 12.34, 56.78, 900, 1000)))

    assert "12.3 ms, 56.8 ms" in out
    assert "1 texts one by one, of 900 characters (median), 1000 at most" in out
