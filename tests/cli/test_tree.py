"""What a person reads of a selection."""

from rich.console import Console

from orchestrator.cli import tree

ANSWER = {
    "routing_decision": "d",
    "selected_model": "coder",
    "answering_model": "coder",
    "selection_method": "router_dc",
    "selection_reason": "closest description",
    "decision_result": {"matched_signals": {}},
    "signal_values": {},
    "eval_trace": [],
}


def shown(capsys, **changes):
    tree.show(Console(width=120), ANSWER | changes)
    return capsys.readouterr().out.splitlines()


def test_scores_of_those_that_were_compared(capsys):
    scores = [{"model": "poet", "score": None}, {"model": "coder[/b]", "score": 0.87654}]

    assert shown(capsys, selection_scores=scores)[:3] == [
        "d -> coder",
        "router_dc: closest description",
        "scores   coder[/b] 0.8765",
    ]


def test_nothing_was_compared(capsys):
    assert not any("scores" in line for line in shown(capsys, selection_scores=[]))
    assert not any("scores" in line for line in shown(capsys))
