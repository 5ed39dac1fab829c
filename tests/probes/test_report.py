import io
import xml.etree.ElementTree as ElementTree

from rich.console import Console

from orchestrator.probes.comparison import compare
from orchestrator.probes.differences import SignalState
from orchestrator.probes.junit import junit
from orchestrator.probes.report import show
from orchestrator.probes.runner import Result
from orchestrator.probes.summary import summarise
from tests.probes.files import ANSWER, DOCUMENT, a_file, edited

LOST = edited(ANSWER, {"routing_decision": "long [red]", "decision_result.plugins": []})
VARIANTS = [
    {"id": "good", "query": "a"},
    {"id": "bad", "query": "Sue\n  them [bold]now[/bold]"},
    {"id": "waiting", "messages": [{"role": "user", "content": "a"}]},
    {"id": "dead", "query": "a", "display_prompt": "Shown instead"},
]


def results():
    file, probes = a_file(edited(DOCUMENT, {"decisions.0.variants": VARIANTS}))
    good, bad, waiting, dead = probes
    return file, (
        Result(good, "pass", 0.5, ANSWER, compare(good, ANSWER)),
        Result(bad, "fail", 0.25, LOST, compare(bad, LOST), scores=("embedding:law = 0.432",)),
        Result(waiting, "needs learned signals", 0.125, LOST, compare(waiting, LOST), ("topic",)),
        Result(dead, "fail", 0.125, error="no answer\x00 within 1 s"),
    )


def test_the_terminal_report_shows_what_differs_and_counts():
    file, ended = results()
    stream = io.StringIO()

    show(Console(file=stream, width=100), "small", ended, summarise(file, ended))

    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    assert "law:good" not in stream.getvalue()
    assert lines[:4] == [
        "law:bad  fail",
        "  Sue them [bold]now[/bold]",
        "  decision: - lawyer  + long [red]",
        "  plugins: - system_prompt  + nothing",
    ]
    assert "law:waiting  needs learned signals: topic" in lines
    assert "  1 messages" in lines
    assert "  Shown instead" in lines
    counts = [line.split() for line in lines if line.startswith(("│ law", "│ all"))]
    assert [[cell for cell in row if cell != "│"] for row in counts] == [
        ["law", "1", "2", "1", "4"],
        ["all", "1", "2", "1", "4"],
    ]
    assert "not accepted: probes: 25.0 % passed, 100 % demanded" in lines
    assert any(line.startswith("1 probe could not be judged") for line in lines)
    assert "accepted" not in lines
    assert "  embedding:law = 0.432" in lines


def test_the_terminal_report_of_what_passed():
    file, ended = results()
    passed = (ended[0],)
    stream = io.StringIO()

    show(Console(file=stream, width=100), "small", passed, summarise(file, passed))

    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    assert lines[-1] == "accepted"
    assert "not accepted" not in stream.getvalue()
    assert "could not be judged" not in stream.getvalue()


def test_junit():
    _, ended = results()

    root = ElementTree.fromstring(junit("small", ended))

    assert root.attrib == {
        "name": "small",
        "tests": "4",
        "failures": "2",
        "skipped": "1",
        "time": "1.000",
    }
    (suite,) = root
    assert suite.attrib == root.attrib | {"name": "law"}
    good, bad, waiting, dead = suite
    assert (good.get("name"), len(good)) == ("good", 0)
    assert bad.find("failure").get("message") == "decision, plugins"
    assert "decision: expected lawyer, found long [red]" in bad.find("failure").text
    assert waiting.find("skipped").get("message") == "needs learned signals: topic"
    assert dead.find("failure").get("message") == "no answer\ufffd within 1 s"


def test_signals_that_differ_are_told_in_both_reports():
    file, probes = a_file(edited(DOCUMENT, {"decisions.0.variants": VARIANTS[:1]}))
    matched = {"topics": ["cooking"]}
    answer = edited(ANSWER, {"decision_result.matched_signals": matched})
    signals = (
        SignalState("missing", "words:urgent", "not matched", None, 0.25, 0.5),
        SignalState("forbidden", "topics:cooking", "matched", 0.9),
    )
    result = Result(probes[0], "fail", 0.5, answer, compare(probes[0], answer), signals=signals)
    stream = io.StringIO()

    show(Console(file=stream, width=100), "small", (result,), summarise(file, (result,)))
    failure = ElementTree.fromstring(junit("small", (result,))).find(".//failure")

    assert [line.rstrip() for line in stream.getvalue().splitlines()][2:4] == [
        "  signals: missing    words:urgent    not matched, value 0.25, threshold 0.5",
        "  signals: forbidden  topics:cooking  matched, confidence 0.900",
    ]
    assert failure.text.splitlines()[1:] == [str(signal) for signal in signals]
