import asyncio
import base64
import json

import pytest
import yaml

from tests.app.planes import planes
from tests.processes import free_ports

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def timeless(answer):
    """An answer without what differs from run to run."""
    return {key: value for key, value in answer.items() if key != "metrics"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Why does my python script fail?", id="matches"),
        pytest.param("Tell me a joke", id="matches nothing"),
        pytest.param("word " * 5000, id="long"),
        pytest.param("¿Qué? 用python写 👩‍👩‍👧 \u2028 [bold]", id="of all scripts"),
    ],
)
def test_it_says_what_the_router_says(tsr, policy, text):
    told = tsr("explain", text, "--config", policy, "--json")
    assert told.code == 0

    async def ask():
        async with planes(policy.read_text()) as router:
            return await router.eval(text)

    assert timeless(json.loads(told.out)) == timeless(asyncio.run(ask()))


def test_the_tree_names_the_decision_the_signals_and_the_model(tsr, policy):
    told = tsr("explain", "python", "--config", policy)

    assert told.code == 0
    assert told.out.startswith("programming[/red] -> small\n")
    assert "keywords: code[/x]" in told.out
    assert "✓ keyword:code[/x]" in told.out
    assert "✗ context:long" in told.out


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
        told = tsr("explain", "what is this?", "--config", policy, "--json", *flags)
        return json.loads(told.out)["routing_decision"]

    assert decision() == ""
    assert decision("--image", picture) == "seen"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("",), "text cannot be empty", id="no text"),
        pytest.param(("hi", "--model", "nobody"), "model 'nobody' does not exist", id="model"),
        pytest.param(("hi", "--model", "small"), "nothing decides about it", id="backend model"),
        pytest.param(("hi", "--image", "nothing.png"), "cannot read nothing.png", id="no image"),
        pytest.param(("hi", "--image", "."), "cannot read .: Is a directory", id="folder"),
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


def test_a_triton_that_is_away_leaves_its_signals_unknown(tsr, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    embeddings: [{name: support, threshold: 0.5, candidates: [help]}]
  decisions:
    - {name: one, rules: {type: embedding, name: support}, modelRefs: [{model: small}]}
"""
    )
    away = f"127.0.0.1:{free_ports(1)[0]}"

    told = tsr("explain", "help", "--config", policy, "--triton-url", away)

    assert told.code == 0
    assert "(no decision: the default model) -> small" in told.out
    assert "? embedding:support (inference_unavailable)" in told.out
