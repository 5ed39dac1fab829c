"""Other proxies for chat requests: the least that aiohttp can do, and LiteLLM's."""

from __future__ import annotations

import json
import secrets
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from perf.arms import Ready, Unavailable, routers
from perf.arms.children import free_port, listening
from perf.scenario import Proxy

LITELLM = {"LITELLM_MODE": "PRODUCTION", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


async def start(arm: Proxy, upstream: int, litellm: Path | None, stack: AsyncExitStack) -> Ready:
    """`litellm` is the virtual environment it is installed in. Raises Unavailable."""
    port = free_port()
    if arm.kind == "bare_proxy":
        command = [sys.executable, "-m", "perf.bare_proxy", str(port), str(upstream)]
        pid = await stack.enter_async_context(listening(command, port))
        return await routers.over_http(port, pid, stack)
    if litellm is None:
        raise Unavailable("--litellm names no virtual environment that has it")
    if not (litellm / "bin/litellm").is_file():
        raise Unavailable(f"{litellm} has no bin/litellm")
    key = f"sk-{secrets.token_hex(32)}"  # it refuses a weak one
    config = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "config.yaml"
    config.write_text(json.dumps(_config(upstream, key)), encoding="utf-8")
    command = [str(litellm / "bin/litellm"), "--config", str(config), "--port", str(port)]
    running = listening([*command, "--host", "127.0.0.1"], port, LITELLM)
    pid = await stack.enter_async_context(running)
    return await routers.over_http(port, pid, stack, key)


def _config(upstream: int, key: str) -> dict[str, object]:
    """YAML is a superset of JSON."""
    model = {
        "model": "openai/perf",
        "api_base": f"http://127.0.0.1:{upstream}/v1",
        "api_key": "sk-perf",
    }
    return {
        "model_list": [{"model_name": "auto", "litellm_params": model}],
        "general_settings": {"disable_spend_logs": True, "master_key": key},
    }
