"""Show how one request is routed: its signals, the decision tree, the model.

Example: [bold]tsr explain "Why does my python script crash?" --config configs/router.yaml[/bold]

With --image a picture is sent too, or alone: rules that look at pictures say what they score, or
why they are unknown.

With --url, a running router is asked at its management plane and no Triton is started here.
"""

import asyncio
import base64
import json
import mimetypes
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import aiohttp
import typer
from rich.console import Console

from orchestrator.app.options import identity_headers
from orchestrator.app.policies import compile_file
from orchestrator.app.running import running
from orchestrator.cli import tree
from orchestrator.cli.addresses import addresses
from orchestrator.cli.remote import reach
from orchestrator.cli.starting import say_starting
from orchestrator.config.load import resolve_secret
from orchestrator.errors import RequestError
from orchestrator.matching.picture_sizes import kind_of
from orchestrator.probes.runner import asking
from orchestrator.server.evaluate import evaluate

NAME = "explain"


def run(
    text: Annotated[str | None, typer.Argument(help="The user's message; - reads it.")] = None,
    config: Annotated[Path | None, typer.Option(help="The policy, run in this process.")] = None,
    url: Annotated[str | None, typer.Option(help="Management URL of a running router.")] = None,
    token_env: Annotated[
        str | None, typer.Option(help="Environment variable with that router's bearer token.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Read the message from a file.")] = None,
    model: Annotated[str, typer.Option(help="The model name asked for.")] = "",
    system: Annotated[str | None, typer.Option(help="A system message before it.")] = None,
    image: Annotated[Path | None, typer.Option(help="An image file, sent after the text.")] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(help="name:value, such as x-authz-user-groups:staff; repeat for several."),
    ] = None,
    triton_url: Annotated[
        list[str] | None,
        typer.Option(help="A running Triton. Default: an embedded one.", callback=addresses),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole answer.")] = False,
) -> None:
    if (config is None) == (url is None):
        raise typer.BadParameter("give --config, or the --url of a running router")
    if (text is None) == (file is None) and (text is not None or image is None):
        raise typer.BadParameter("give the message, - for standard input, or --file")
    headers = _headers(header or ())
    body = {"model": model, **_request(_message(text, file), system, image)}
    if url is not None:
        token = resolve_secret(token_env) if token_env else ""
        answer = asyncio.run(_there(url, token, body, headers))
    else:
        assert config is not None  # one of the two is given
        answer = asyncio.run(_here(config, body, headers, tuple(triton_url or ())))
    if as_json:
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        tree.show(Console(), answer)


async def _here(
    config: Path, body: dict[str, Any], headers: dict[str, str], triton_urls: tuple[str, ...]
) -> dict[str, Any]:
    compiled = compile_file(config)
    say_starting(compiled, triton_urls)
    identity = identity_headers(compiled.config)
    async with running(compiled, triton_urls) as router:
        return await evaluate(router.pipeline, body, True, headers, identity)


async def _there(
    url: str, token: str, body: dict[str, Any], headers: dict[str, str]
) -> dict[str, Any]:
    async with aiohttp.ClientSession() as session:
        await reach(session, url)
        return dict(await asking(session, url, token, headers)(body))


def _headers(given: Sequence[str]) -> dict[str, str]:
    """Names in lower case, as the pipeline takes them."""
    pairs = [line.partition(":") for line in given]
    for name, colon, _ in pairs:
        if not (name.strip() and colon):
            raise typer.BadParameter(f"{name!r} is not name:value", param_hint="--header")
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _message(text: str | None, file: Path | None) -> str:
    if file is None and text != "-":  # without either there is an image
        return text or ""
    try:
        raw = sys.stdin.buffer.read() if file is None else file.read_bytes()
        return raw.decode()
    except OSError as error:
        raise RequestError(f"cannot read {file}: {error.strerror}", "text") from error
    except UnicodeDecodeError:
        where = "standard input" if file is None else file
        raise RequestError(f"cannot read {where}: not UTF-8 text", "text") from None


def _request(text: str, system: str | None, image: Path | None) -> dict[str, Any]:
    """The part of the body of /api/v1/eval that says what is asked."""
    if system is None and image is None:
        return {"text": text}
    content: Any = text
    if image is not None:
        picture = {"type": "image_url", "image_url": {"url": _data_uri(image)}}
        content = [{"type": "text", "text": text}, picture] if text else [picture]
    before = [] if system is None else [{"role": "system", "content": system}]
    return {"messages": [*before, {"role": "user", "content": content}]}


def _data_uri(path: Path) -> str:
    """What a client sends that looks at the file; only for other kinds its name is asked."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RequestError(f"cannot read {path}: {error.strerror}", "image") from error
    kind = kind_of(data)
    named = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    payload = base64.b64encode(data).decode()
    return f"data:{f'image/{kind}' if kind else named};base64,{payload}"
