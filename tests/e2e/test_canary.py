"""No prompt and no key in a log, in an error or in the metrics, whatever goes wrong."""

import asyncio
import json

from tests.processes import free_ports, router
from tests.upstream.scripted import CHUNKED, answering, backend, chunk, dying, plain

PROMPT = "xylophone-canary"
CLIENT_KEY = "sk-client-canary"
CONFIG_KEY = "sk-config-canary"
VARIABLE_KEY = "sk-variable-canary"
TOKEN = "tk-management-canary"
HEADER = "header-canary"
SECRETS = (PROMPT, CLIENT_KEY, CONFIG_KEY, VARIABLE_KEY, TOKEN, HEADER)

POLICY = """
version: v0.3
providers:
  defaults: {{default_model: good}}
  models:
    - name: good
      backend_refs:
        - {{endpoint: "{good}", api_key: {config}, extra_headers: {{x-team: {header}}}}}
    - {{name: dying, backend_refs: [{{endpoint: "{dying}", api_key_env: TSR_TEST_KEY}}]}}
    - {{name: failing, backend_refs: [{{endpoint: "{failing}"}}]}}
    - {{name: breaking, backend_refs: [{{endpoint: "{breaking}"}}]}}
    - {{name: away, backend_refs: [{{endpoint: "127.0.0.1:{away}"}}]}}
routing:
  modelCards:
    [{{name: good}}, {{name: dying}}, {{name: failing}}, {{name: breaking}}, {{name: away}}]
  signals:
    keywords: [{{name: code, operator: OR, keywords: [python]}}]
    embeddings: [{{name: support, threshold: 0.5, candidates: [help]}}]
    role_bindings: [{{name: staff, role: staff, subjects: [{{kind: User, name: ann}}]}}]
  decisions:
    - {{name: one, rules: {{type: embedding, name: support}}, modelRefs: [{{model: good}}]}}
    - {{name: two, rules: {{type: keyword, name: code}}, modelRefs: [{{model: good}}]}}
    - {{name: three, rules: {{type: authz, name: staff}}, modelRefs: [{{model: good}}]}}
global:
  router: {{max_body_bytes: 100000}}
  services:
    management_api: {{auth: {{mode: bearer, tokens: [{{env: TSR_TEST_TOKEN, role: admin}}]}}}}
"""

VALID = {"model": "auto", "messages": [{"role": "user", "content": f"python {PROMPT}"}]}
USER = {"x-authz-user-id": "ann"}
BODIES = [
    VALID,
    VALID | {"stream": True},
    *(VALID | {"model": model} for model in ("good", "dying", "failing", "away", "nobody")),
    *(VALID | {"model": model, "stream": True} for model in ("breaking", "dying", "away")),
    VALID | {"messages": PROMPT},
    VALID | {"messages": [PROMPT]},
    VALID | {"messages": [{"role": PROMPT, "content": {PROMPT: PROMPT}}]},
    VALID | {"messages": [{"role": "user", "content": [{"type": "text", "text": [PROMPT]}]}]},
    VALID | {"max_tokens": PROMPT},
    VALID | {"stream": PROMPT},
    VALID | {"tools": PROMPT},
    VALID | {"metadata": {"m": [PROMPT]}},
    VALID | {"x": PROMPT * 10_000},
]
RAW = [
    json.dumps(VALID).encode()[:-3],
    b"\xff" + PROMPT.encode(),
    PROMPT.encode(),
]


async def told(answer):
    """The whole answer where it is an error, its events of errors where it is a stream."""
    body = (await answer.read()).decode(errors="replace")
    failed = answer.status >= 400 or '"error"' in body
    return body if failed else ""


async def ask_everything(running):
    url = f"{running.url}/v1/chat/completions"
    errors = []
    for identity in ({}, USER):
        headers = {"authorization": f"Bearer {CLIENT_KEY}", **identity}
        for body in BODIES:
            async with running.http.post(url, json=body, headers=headers) as answer:
                errors.append(await told(answer))
        for raw in RAW:
            async with running.http.post(url, data=raw, headers=headers) as answer:
                errors.append(await told(answer))
        encoded = headers | {"content-encoding": "gzip"}
        async with running.http.post(url, data=RAW[0], headers=encoded) as answer:
            errors.append(await told(answer))
    return errors


async def ask_the_management_plane(running):
    url = f"{running.management_url}/api/v1/eval"
    errors = []
    for token in (TOKEN, CLIENT_KEY):
        headers = {"authorization": f"Bearer {token}"} | USER
        for body in ({"text": PROMPT}, {"text": [PROMPT]}, {"messages": PROMPT}):
            async with running.http.post(url, json=body, headers=headers) as answer:
                errors.append(await told(answer))
        async with running.http.post(url, data=PROMPT.encode(), headers=headers) as answer:
            errors.append(await told(answer))
    async with running.http.get(
        f"{running.management_url}/metrics", headers={"authorization": f"Bearer {TOKEN}"}
    ) as answer:
        assert answer.status == 200
        return errors, await answer.text()


async def malformed(port):
    """HTTP that is none, with a key and a prompt in it."""
    for wire in (
        f"POST /v1/chat/completions HTTP/1.1\r\nauthorization Bearer {CLIENT_KEY}\r\n\r\n",
        f"POST /{PROMPT} HTTP/9.9\r\nhost: x\r\n\r\n",
        f"{CLIENT_KEY} {PROMPT}\r\n\r\n",
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
        f"{PROMPT}\r\n",
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n"
        f"authorization: Bearer {CLIENT_KEY}\r\n\r\n{PROMPT}",
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(wire.encode())
        writer.write_eof()
        await reader.read()
        writer.close()
        await writer.wait_closed()


async def test_nothing_secret_is_written(tmp_path):
    stream = chunk(b'data: {"choices": []}\n\n')
    async with (
        backend(answering(plain(b"{}"))) as good,
        backend(dying) as dead,
        backend(answering(plain(b'{"error": {"message": "no"}}', "500 Failed"))) as failing,
        backend(answering(CHUNKED + stream, close=True)) as breaking,
    ):
        policy = POLICY.format(
            good=good.endpoint,
            dying=dead.endpoint,
            failing=failing.endpoint,
            breaking=breaking.endpoint,
            away=free_ports(1)[0],
            config=CONFIG_KEY,
            header=HEADER,
        )
        environ = {"TSR_TEST_KEY": VARIABLE_KEY, "TSR_TEST_TOKEN": TOKEN}
        triton = f"127.0.0.1:{free_ports(1)[0]}"
        async with router(policy, tmp_path, "--triton-url", triton, environ=environ) as running:
            running.http.headers["authorization"] = f"Bearer {TOKEN}"
            await running.until_serving()
            await running.until_ready(503)
            del running.http.headers["authorization"]
            errors = await ask_everything(running)
            managed, metrics = await ask_the_management_plane(running)
            for port in (running.port, running.management_port):
                await malformed(port)
        forwarded = [exchange.raw for exchange in good.exchanges]
        keys = {exchange.headers["authorization"] for exchange in good.exchanges}

    log = running.log.read_text()
    assert keys == {f"Bearer {CONFIG_KEY}"}
    assert all(PROMPT.encode() in raw for raw in forwarded)
    assert len([error for error in errors if error]) > len(BODIES)
    assert len([error for error in managed if error]) == 7
    assert "DEBUG" in log
    for secret in SECRETS:
        assert secret not in log
        assert secret not in metrics
        assert not [error for error in (*errors, *managed) if secret in error]
