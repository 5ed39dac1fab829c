"""Through the router, against the same upstream, in one run: a bare aiohttp proxy, this router with
a heuristic policy and with an embedding policy, and (where installed) LiteLLM's proxy.

    python -m perf.endpoint [--litellm /path/to/venv] [--seconds 4] [--rounds 3] [--quick]

Rounds are interleaved, arm after arm, so that a noisy neighbour hits all alike; every figure is
a median over rounds. CPU is that of the proxy's own process, from /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import uvloop

from perf.load import chat_request, drive

HERE = Path(__file__).parent
KEY = f"sk-{secrets.token_hex(32)}"  # LiteLLM refuses a weak one; the other arms ignore it
TICK = os.sysconf("SC_CLK_TCK")
TEXTS = [
    "Please refactor this python function and add a unit test for the edge case.",
    "What is the capital of Portugal?",
    "I forgot my password and cannot log in to my account, can you help me?",
    "Summarise the following paragraph in two sentences for a newsletter, keep the names.",
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


@contextmanager
def process(command: list[str], port: int, env: dict[str, str] | None = None) -> Iterator[int]:
    """Run `command` until the block ends; yields its pid once `port` accepts."""
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            command, env={**os.environ, **(env or {})}, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            for _ in range(600):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                if child.poll() is not None:
                    log.seek(0)
                    raise SystemExit(f"{command} ended:\n{log.read().decode()[-3000:]}")
                time.sleep(0.1)
            yield child.pid
        finally:
            child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()


def router(policy: str, upstream: int, stack: ExitStack) -> tuple[int, int]:
    port, management = free_port(), free_port()
    env = {"PERF_PORT": str(port), "PERF_UPSTREAM": str(upstream)}
    path = str(HERE / "policies" / f"{policy}.yaml")
    command = [sys.executable, "-m", "orchestrator", "serve", "--config", path]
    pid = stack.enter_context(process([*command, "--management-port", str(management)], port, env))
    return port, pid


def bare(upstream: int, stack: ExitStack) -> tuple[int, int]:
    port = free_port()
    command = [sys.executable, "-m", "perf.bare_proxy", str(port), str(upstream)]
    return port, stack.enter_context(process(command, port))


def litellm(venv: Path, upstream: int, stack: ExitStack) -> tuple[int, int]:
    port = free_port()
    config = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "config.yaml"
    params = {
        "model": "openai/perf",
        "api_base": f"http://127.0.0.1:{upstream}/v1",
        "api_key": "sk-perf",
    }
    config.write_text(
        json.dumps(
            {
                "model_list": [{"model_name": "auto", "litellm_params": params}],
                "general_settings": {"disable_spend_logs": True, "master_key": KEY},
            }
        )
    )
    env = {"LITELLM_MODE": "PRODUCTION", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command = [str(venv / "bin/litellm"), "--config", str(config), "--port", str(port)]
    return port, stack.enter_context(process([*command, "--host", "127.0.0.1"], port, env))


def requests_of(port: int, stream: bool) -> list[bytes]:
    return [
        chat_request(
            port,
            {"model": "auto", "stream": stream, "messages": [{"role": "user", "content": text}]},
            KEY,
        )
        for text in TEXTS
    ]


def measure(port: int, pid: int, stream: bool, concurrency: int, seconds: float) -> dict[str, Any]:
    before = cpu_seconds(pid)
    sample = uvloop.run(drive(port, requests_of(port, stream), concurrency, seconds))
    used = cpu_seconds(pid) - before
    count = max(len(sample.total), 1)
    return {
        "rps": sample.rate(),
        "cpu_ms": used / count * 1000,
        "failures": sample.failures,
        "ttfb_p50_ms": sample.percentile(50, "first") * 1000,
        **{f"p{p}_ms": sample.percentile(p) * 1000 for p in (50, 95, 99)},
    }


def summary(rounds: list[dict[str, Any]]) -> dict[str, float]:
    return {key: round(median(one[key] for one in rounds), 4) for key in rounds[0]}


def report(results: dict[str, dict[str, dict[str, float]]]) -> None:
    for case, arms in results.items():
        print(f"\n{case}")
        base = arms["bare"]
        for arm, row in arms.items():
            print(
                f"  {arm:12} {row['rps']:8.0f} req/s ({row['rps'] / base['rps']:5.2f} x bare)"
                f"  cpu {row['cpu_ms']:7.3f} ms ({row['cpu_ms'] / base['cpu_ms']:5.2f} x)"
                f"  added p50 {row['p50_ms'] - base['p50_ms']:7.2f}"
                f"  p95 {row['p95_ms'] - base['p95_ms']:7.2f}"
                f"  p99 {row['p99_ms'] - base['p99_ms']:7.2f}"
                f"  ttfb p50 {row['ttfb_p50_ms'] - base['ttfb_p50_ms']:+6.2f} ms"
                f"  failures {row['failures']:.0f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--litellm", type=Path, help="a virtual environment with litellm[proxy]")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--concurrency", type=int, nargs="*", default=[1, 16, 64])
    parser.add_argument("--output", type=Path, default=HERE / "results/endpoint.json")
    options = parser.parse_args()
    cases = [(s, c) for s in (False, True) for c in options.concurrency]
    raw: dict[str, dict[str, list[dict[str, Any]]]] = {}
    with ExitStack() as stack:
        upstream = free_port()
        command = [sys.executable, "-m", "perf.upstream", str(upstream)]
        stack.enter_context(process(command, upstream))
        arms = {
            "bare": bare(upstream, stack),
            "heuristic": router("heuristic", upstream, stack),
            "embedding": router("embedding", upstream, stack),
        }
        if options.litellm:
            arms["litellm"] = litellm(options.litellm, upstream, stack)
        time.sleep(5)
        for port, pid in arms.values():
            measure(port, pid, False, 4, 1.0)
        for _ in range(options.rounds):
            for stream, concurrency in cases:
                case = f"{'SSE' if stream else 'JSON'} c={concurrency}"
                for arm, (port, pid) in arms.items():
                    row = measure(port, pid, stream, concurrency, options.seconds)
                    raw.setdefault(case, {}).setdefault(arm, []).append(row)
                    print(f"{case} {arm}: {row['rps']:.0f} req/s", file=sys.stderr)
    results = {c: {a: summary(rows) for a, rows in arms.items()} for c, arms in raw.items()}
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    report(results)
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text(
        json.dumps(
            {
                "date": time.strftime("%Y-%m-%d"),
                "commit": commit.stdout.strip(),
                "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
                "python": platform.python_version(),
                "rounds": options.rounds,
                "results": results,
            },
            indent=1,
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
