"""Show how one request is routed: its signals, the decision tree, the model.

Example: [bold]tsr explain "Why does my python script crash?" --config configs/router.yaml[/bold]
"""

import asyncio
import base64
import json
import mimetypes
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.tree import Tree

from orchestrator.app.policies import compile_file
from orchestrator.app.running import running
from orchestrator.errors import RequestError
from orchestrator.server.evaluate import evaluate

NAME = "explain"
MARKS = {"match": "[green]✓[/green]", "no_match": "[dim]✗[/dim]", "unknown": "[yellow]?[/yellow]"}


async def _ask(config: Path, body: dict[str, Any], triton_urls: tuple[str, ...]) -> dict[str, Any]:
    async with running(compile_file(config), triton_urls) as router:
        return await evaluate(router.pipeline, body, trace=True)


def _grow(tree: Tree, node: dict[str, Any]) -> None:
    label = f"{node['signal_type']}:{node['signal_name']}" if node.get("signal_type") else None
    line = f"{MARKS[node['state']]} {label or node['node_type']}"
    if node["state"] == "unknown" and node.get("reason"):
        line += f" [yellow]({node['reason']})[/yellow]"
    elif node["state"] == "match" and label:
        line += f" [dim]{node['confidence']:.3f}[/dim]"
    branch = tree.add(line)
    for child in node.get("children") or ():
        _grow(branch, child)


def _render(console: Console, answer: dict[str, Any]) -> None:
    decision = answer.get("routing_decision") or "(no decision: the default model)"
    console.print(f"[bold]{decision}[/bold] -> [bold]{answer['selected_model']}[/bold]")
    console.print(f"[dim]{answer['selection_method']}: {answer['selection_reason']}[/dim]")
    matched = answer["decision_result"]["matched_signals"]
    found = ", ".join(f"{key}: {', '.join(names)}" for key, names in matched.items() if names)
    console.print(f"signals  {found or '(none matched)'}", highlight=False)
    for name, value in sorted(answer["signal_values"].items()):
        console.print(f"  [dim]{name} = {value:.4g}[/dim]", highlight=False)
    for entry in answer["eval_trace"]:
        tree = Tree(f"{MARKS[entry['state']]} [bold]{entry['decision_name']}[/bold]")
        _grow(tree, entry["root_trace"])
        console.print(tree)


def run(
    text: Annotated[str, typer.Argument(help="The user's message.")],
    config: Annotated[Path, typer.Option(help="The policy file.")],
    model: Annotated[str, typer.Option(help="The model name asked for.")] = "",
    system: Annotated[str | None, typer.Option(help="A system message before it.")] = None,
    image: Annotated[Path | None, typer.Option(help="An image file sent with the text.")] = None,
    triton_url: Annotated[
        list[str] | None, typer.Option(help="A running Triton. Default: an embedded one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole answer.")] = False,
) -> None:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if image is not None:
        parts.append({"type": "image_url", "image_url": {"url": _data_uri(image)}})
    messages: list[dict[str, Any]] = [{"role": "user", "content": parts}]
    if system:
        messages.insert(0, {"role": "system", "content": system})
    body = {"model": model, "messages": messages}
    answer = asyncio.run(_ask(config, body, tuple(triton_url or ())))
    if as_json:
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        _render(Console(), answer)


def _data_uri(path: Path) -> str:
    kind = mimetypes.guess_type(path.name)[0] or ""
    try:
        payload = base64.b64encode(path.read_bytes()).decode()
    except OSError as error:
        raise RequestError(f"cannot read {path}: {error.strerror}", "image") from error
    return f"data:{kind};base64,{payload}"
