"""An answer of /api/v1/eval for a person at a terminal: the model, the signals, the trees."""

import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.tree import Tree

from orchestrator.evaluation.unknowns import NOT_RUN

MARKS = {
    "match": "[green]✓[/green]",
    "no_match": "[dim]✗[/dim]",
    "unknown": "[yellow]?[/yellow]",
    NOT_RUN: "[yellow]-[/yellow]",
}
LEGEND = "✓ matches  ✗ does not  ? unknown  - not run by this version"


def show(console: Console, answer: dict[str, Any]) -> None:
    decision = answer.get("routing_decision") or "(no decision: the default model)"
    model = escape(answering_model(answer))
    reason = escape(f"{answer['selection_method']}: {answer['selection_reason']}")
    console.print(f"[bold]{escape(decision)}[/bold] -> [bold]{model}[/bold]", highlight=False)
    console.print(f"[dim]{reason}[/dim]", highlight=False)
    scores = [one for one in answer.get("selection_scores") or () if one["score"] is not None]
    if scores:
        told = ", ".join(f"{one['model']} {one['score']:.4g}" for one in scores)
        console.print(f"[dim]scores   {escape(told)}[/dim]", highlight=False)
    for key, value in (answer.get("directives") or {}).items():
        console.print(f"{key}  [dim]{escape(_said(value))}[/dim]", highlight=False)
    matched = answer["decision_result"]["matched_signals"]
    found = ", ".join(f"{key}: {', '.join(names)}" for key, names in matched.items() if names)
    console.print(f"signals  {escape(found) or '(none matched)'}", highlight=False)
    for name, value in sorted(answer["signal_values"].items()):
        console.print(f"  [dim]{escape(name)} = {value:.4g}[/dim]", highlight=False)
    unknown = answer.get("signals_unknown") or {}
    idle = frozenset(name for name, reason in unknown.items() if reason == NOT_RUN)
    for entry in answer["eval_trace"]:
        tree = Tree(f"{MARKS[entry['state']]} [bold]{escape(entry['decision_name'])}[/bold]")
        _grow(tree, entry["root_trace"], idle)
        console.print(tree)
    if idle:
        console.print(f"[dim]{LEGEND}[/dim]", highlight=False)


def answering_model(answer: dict[str, Any]) -> str:
    """The model that a chat request would get. `selected_model` is empty where an algorithm that
    this version does not run would choose it.
    """
    recommended = answer.get("recommended_models") or ["(no model)"]
    return str(answer.get("answering_model") or answer["selected_model"] or recommended[0])


def _said(value: Any) -> str:  # noqa: ANN401 - JSON
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _grow(tree: Tree, node: dict[str, Any], idle: frozenset[str]) -> None:
    branch = tree.add(_line(node, idle))
    for child in node.get("children") or ():
        _grow(branch, child, idle)


def _line(node: dict[str, Any], idle: frozenset[str]) -> str:
    state = node["state"]
    if not node.get("signal_type"):
        return f"{MARKS[state]} {escape(node['node_type'])}"
    label = f"{node['signal_type']}:{node['signal_name']}"
    if state == "no_match" and _is_idle(label, idle):
        return f"{MARKS[NOT_RUN]} {escape(label)} [yellow](not run)[/yellow]"
    line = f"{MARKS[state]} {escape(label)}"
    if state == "unknown" and node.get("reason"):
        return f"{line} [yellow]({escape(node['reason'])})[/yellow]"
    return f"{line} [dim]{node['confidence']:.3f}[/dim]" if state == "match" else line


def _is_idle(label: str, idle: frozenset[str]) -> bool:
    """Also where the leaf names a level of the rule (`complexity:task:hard`)."""
    return label in idle or ":".join(label.split(":")[:2]) in idle
