"""What is explained, where it comes from, and what is no message."""

import asyncio
import base64
import io
import json

import pytest
import yaml

from orchestrator.cli.explain import _data_uri
from tests.app.planes import planes
from tests.matching.encoded import gif, png, webp

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def test_a_system_message(tsr, policy):
    told = tsr("explain", "hello", "--config", policy, "--system", "Be brief.", "--json")

    assert json.loads(told.out)["routing_decision"] == "briefed"


def test_an_image(tsr, tmp_path):
    picture, policy = tmp_path / "pixel.png", tmp_path / "policy.yaml"
    picture.write_bytes(PIXEL)
    seen = {"type": "exists", "source": {"type": "image_content"}}
    policy.write_text(
        yaml.safe_dump(
            {
                "version": "v0.3",
                "routing": {
                    "modelCards": [{"name": "small"}],
                    "signals": {"conversation": [{"name": "picture", "feature": seen}]},
                    "decisions": [
                        {
                            "name": "seen",
                            "rules": {"type": "conversation", "name": "picture"},
                            "modelRefs": [{"model": "small"}],
                        }
                    ],
                },
                "providers": {"defaults": {"default_model": "small"}},
            }
        )
    )

    def decision(*flags):
        told = tsr("explain", "--config", policy, "--json", *flags)
        return json.loads(told.out)["routing_decision"]

    assert decision("what is this?") == ""
    assert decision("what is this?", "--image", picture) == "seen"
    assert decision("--image", picture) == "seen"


@pytest.mark.parametrize(
    ("name", "data", "declared"),
    [
        pytest.param("a.png", png(), "image/png", id="as it is called"),
        pytest.param("a", gif(), "image/gif", id="without a type in its name"),
        pytest.param("a.png", webp(), "image/webp", id="called something else"),
        pytest.param("a.svg", b"<svg/>", "image/svg+xml", id="of a kind that is not read"),
        pytest.param("a", b"?", "application/octet-stream", id="of no kind"),
    ],
)
def test_an_image_is_declared_as_what_it_is(tmp_path, name, data, declared):
    (tmp_path / name).write_bytes(data)

    assert _data_uri(tmp_path / name).startswith(f"data:{declared};base64,")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("",), "text cannot be empty", id="no text"),
        pytest.param(("hi", "--model", "nobody"), "model 'nobody' does not exist", id="model"),
        pytest.param(("hi", "--model", "small"), "nothing decides about it", id="backend model"),
        pytest.param(("hi", "--image", "nothing.png"), "cannot read nothing.png", id="no image"),
        pytest.param(("hi", "--image", "."), "cannot read .: Is a directory", id="folder"),
        pytest.param(("--file", "none.txt"), "cannot read none.txt: No such file", id="no file"),
    ],
)
def test_what_cannot_be_explained_is_one_line(tsr, policy, arguments, said):
    told = tsr("explain", *arguments, "--config", policy)

    assert told.code == 1
    assert len(told.lines) == 1
    assert said in told.err
    assert told.out == ""


def test_a_byte_that_is_not_text_is_no_traceback(tsr, policy):
    told = tsr("explain", "caf\udce9 python", "--config", policy, "--json")

    assert told.code == 0
    assert json.loads(told.out)["routing_decision"] == "programming[/red]"


def test_the_message_from_standard_input_and_from_a_file(tsr, policy, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("¿python?".encode())))
    message = tmp_path / "message.txt"
    message.write_text("¿python?")

    told = [
        tsr("explain", *where, "--config", policy, "--json")
        for where in (("-",), ("--file", message))
    ]

    assert [json.loads(one.out)["original_text"] for one in told] == ["¿python?"] * 2


GROUPS = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    role_bindings:
      - {name: staff, role: staff, subjects: [{kind: Group, name: employees}]}
  decisions:
    - {name: inside, rules: {type: authz, name: staff}, modelRefs: [{model: small}]}
"""
EMPLOYEE = ("--header", "X-Authz-User-Id: ann", "--header", "x-authz-user-groups:employees")


def test_identity_headers(tsr, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(GROUPS)

    told = tsr("explain", "hi", "--config", policy, "--json", *EMPLOYEE)

    assert json.loads(told.out)["routing_decision"] == "inside"


async def test_a_running_router_is_asked(tsr, tmp_path):
    async with planes(GROUPS) as router:
        call = ("explain", "hi", "--json", "--url")
        told = await asyncio.to_thread(tsr, *call, router.management_url, *EMPLOYEE)
        wrong = await asyncio.to_thread(tsr, *call, router.url)

    assert json.loads(told.out)["routing_decision"] == "inside"
    assert wrong.code == 1
    assert len(wrong.lines) == 1
    assert "management plane" in wrong.err


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("hi",), id="neither a policy nor a router"),
        pytest.param(("hi", "--config", "{policy}", "--url", "http://x"), id="both"),
        pytest.param(("--config", "{policy}"), id="no message"),
        pytest.param(("hi", "--file", "{policy}", "--config", "{policy}"), id="two messages"),
        pytest.param(("hi", "--config", "{policy}", "--header", "nonsense"), id="header"),
        pytest.param(("hi", "--config", "{policy}", "--header", ":x"), id="header without a name"),
    ],
)
def test_a_wrong_call_is_told_with_exit_2(tsr, policy, arguments):
    assert tsr("explain", *(part.format(policy=policy) for part in arguments)).code == 2
