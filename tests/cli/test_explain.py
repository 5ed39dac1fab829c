import asyncio
import base64
import io
import json

import pytest
import yaml

from orchestrator.app.policies import compile_file
from orchestrator.cli.explain import _data_uri
from orchestrator.cli.starting import say_starting
from orchestrator.cli.tree import answering_model
from tests.app.planes import planes
from tests.matching.encoded import gif, png, webp
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


LATER = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}, {name: large}]
  signals:
    domains: [{name: law}]
    keywords: [{name: code, operator: OR, keywords: [python]}]
  decisions:
    - name: legal
      priority: 20
      rules:
        operator: AND
        conditions: [{type: keyword, name: code}, {type: domain, name: law}]
      modelRefs: [{model: small}]
    - name: code
      priority: 10
      rules: {type: keyword, name: code}
      algorithm: {type: confidence}
      modelRefs: [{model: large}, {model: small}]
global:
  model_catalog: {modules: {classifier: {domain: {enabled: false}}}}
"""


@pytest.fixture
def later(tmp_path):
    """A policy with a family that is switched off, and an algorithm that is not run."""
    path = tmp_path / "later.yaml"
    path.write_text(LATER)
    return path


def test_a_family_that_is_not_run_is_no_plain_miss(tsr, later):
    told = tsr("explain", "python", "--config", later)

    assert "- domain:law (not run)" in told.out
    assert "✓ keyword:code" in told.out
    assert told.out.endswith("- not run by this version\n")


def test_where_it_is_unknown_the_tree_says_why(tsr, later):
    later.write_text(LATER + "  router: {not_run_signals: unknown}\n")

    told = tsr("explain", "python", "--config", later)

    assert "? domain:law (not_run)" in told.out


def test_an_algorithm_that_is_not_run_still_has_a_model_that_answers(tsr, later):
    told = tsr("explain", "python", "--config", later)

    assert told.out.startswith("code -> large\nconfidence: ")


def test_the_model_that_answers_is_taken_from_the_answer():
    empty = {"selected_model": "", "recommended_models": []}

    assert answering_model(empty) == "(no model)"
    assert answering_model(empty | {"recommended_models": ["a", "b"]}) == "a"
    assert answering_model(empty | {"selected_model": "c", "recommended_models": ["a"]}) == "c"
    assert answering_model(empty | {"answering_model": "d", "selected_model": "c"}) == "d"


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


KEYWORD = "{keywords: [{name: one, operator: OR, keywords: [python]}]}"
EMBEDDING = "{embeddings: [{name: one, threshold: 0.5, candidates: [help]}]}"


@pytest.mark.parametrize(
    ("signals", "urls", "said"),
    [
        pytest.param(("keyword", KEYWORD), (), "", id="no model is needed"),
        pytest.param(("embedding", EMBEDDING), ("triton:1",), "", id="another Triton"),
        pytest.param(
            ("embedding", EMBEDDING), (), "starting Triton with text_embedding", id="embedded"
        ),
    ],
)
def test_a_start_that_takes_seconds_is_announced_on_stderr(tmp_path, capsys, signals, urls, said):
    family, rules = signals
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        f"""
version: v0.3
providers: {{defaults: {{default_model: small}}}}
routing:
  modelCards: [{{name: small}}]
  signals: {rules}
  decisions:
    - {{name: one, rules: {{type: {family}, name: one}}, modelRefs: [{{model: small}}]}}
"""
    )

    say_starting(compile_file(policy), urls)

    out, err = capsys.readouterr()
    assert (out, bool(err)) == ("", bool(said))
    assert said in err
