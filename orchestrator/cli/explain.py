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
from rich.markup import escape
from rich.tree import Tree

from orchestrator.app.policies import compile_file
from orchestrator.app.running import running
from orchestrator.cli.addresses import addresses
from orchestrator.errors import RequestError
from orchestrator.server.evaluate import evaluate

NAME = "explain"
MARKS = {"match": "[green]✓[/green]", "no_match": "[dim]✗[/dim]", "unknown": "[yellow]?[/yellow]"}


async def _ask(config: Path, body: dict[str, Any], triton_urls: tuple[str, ...]) -> dict[str, Any]:
    async with running(compile_file(config), triton_urls) as router:
        return await evaluate(router.pipeline, body, trace=True)


def _grow(tree: Tree, node: dict[str, Any]) -> None:
    label = f"{node['signal_type']}:{node['signal_name']}" if node.get("signal_type") else None
    line = f"{MARKS[node['state']]} {escape(label or node['node_type'])}"
    if node["state"] == "unknown" and node.get("reason"):
        line += f" [yellow]({escape(node['reason'])})[/yellow]"
    elif node["state"] == "match" and label:
        line += f" [dim]{node['confidence']:.3f}[/dim]"
    branch = tree.add(line)
    for child in node.get("children") or ():
        _grow(branch, child)


def _render(console: Console, answer: dict[str, Any]) -> None:
    decision = answer.get("routing_decision") or "(no decision: the default model)"
    chosen = escape(answer["selected_model"])
    reason = escape(f"{answer['selection_method']}: {answer['selection_reason']}")
    console.print(f"[bold]{escape(decision)}[/bold] -> [bold]{chosen}[/bold]", highlight=False)
    console.print(f"[dim]{reason}[/dim]", highlight=False)
    matched = answer["decision_result"]["matched_signals"]
    found = ", ".join(f"{key}: {', '.join(names)}" for key, names in matched.items() if names)
    console.print(f"signals  {escape(found) or '(none matched)'}", highlight=False)
    for name, value in sorted(answer["signal_values"].items()):
        console.print(f"  [dim]{escape(name)} = {value:.4g}[/dim]", highlight=False)
    for entry in answer["eval_trace"]:
        tree = Tree(f"{MARKS[entry['state']]} [bold]{escape(entry['decision_name'])}[/bold]")
        _grow(tree, entry["root_trace"])
        console.print(tree)


def run(
    text: Annotated[str, typer.Argument(help="The user's message.")],
    config: Annotated[Path, typer.Option(help="The policy file.")],
    model: Annotated[str, typer.Option(help="The model name asked for.")] = "",
    system: Annotated[str | None, typer.Option(help="A system message before it.")] = None,
    image: Annotated[Path | None, typer.Option(help="An image file sent with the text.")] = None,
    triton_url: Annotated[
        list[str] | None,
        typer.Option(help="A running Triton. Default: an embedded one.", callback=addresses),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole answer.")] = False,
) -> None:
    body = {"model": model, **_request(text, system, image)}
    answer = asyncio.run(_ask(config, body, tuple(triton_url or ())))
    if as_json:
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        _render(Console(), answer)


def _request(text: str, system: str | None, image: Path | None) -> dict[str, Any]:
    """The part of the body of /api/v1/eval that says what is asked."""
    if system is None and image is None:
        return {"text": text}
    content: Any = text
    if image is not None:
        picture = {"type": "image_url", "image_url": {"url": _data_uri(image)}}
        content = [{"type": "text", "text": text}, picture]
    before = [] if system is None else [{"role": "system", "content": system}]
    return {"messages": [*before, {"role": "user", "content": content}]}


def _data_uri(path: Path) -> str:
    kind = mimetypes.guess_type(path.name)[0] or ""
    try:
        payload = base64.b64encode(path.read_bytes()).decode()
    except OSError as error:
        raise RequestError(f"cannot read {path}: {error.strerror}", "image") from error
    return f"data:{kind};base64,{payload}"
