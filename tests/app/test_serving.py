import socket

import pytest

from orchestrator.app.options import Options
from orchestrator.app.serving import serve
from orchestrator.errors import RouterError
from tests.app.planes import PLAIN, compiled, planes
from tests.processes import free_ports


def answered_by_the_demo(port):
    return PLAIN.replace("127.0.0.1:1", f"127.0.0.1:{port}")


async def test_the_demo_upstream_answers_and_the_invitation_is_true(capsys):
    (port,) = free_ports(1)
    async with planes(answered_by_the_demo(port), demo_upstream=True) as router:
        async with router.chat("hi") as answer:
            assert (answer.status, "model small answered" in await answer.text()) == (200, True)

    said = capsys.readouterr().out
    assert "\nReady. The backend is a stand-in" in said
    assert "demo.probes" not in said  # whatever the policy
    assert "decision: code" not in said


async def test_where_the_demo_upstream_cannot_listen_the_flag_is_named():
    with socket.create_server(("127.0.0.1", 0)) as server:
        policy = compiled(answered_by_the_demo(port := server.getsockname()[1]))
        with pytest.raises(RouterError, match=f"127.0.0.1:{port}.*; --with-demo-upstream"):
            await serve(policy, Options(demo_upstream=True))


IDENTIFIED = """
version: v0.3
providers:
  defaults: {default_model: small}
routing:
  modelCards: [{name: small}]
  signals:
    role_bindings:
      - {name: staff, role: staff, subjects: [{kind: Group, name: ops}]}
  decisions:
    - {name: for_staff, rules: {type: authz, name: staff}, modelRefs: [{model: small}]}
global:
  services:
    authz: {fail_open: true, identity: {user_id_header: X-User, user_groups_header: X-Teams}}
"""


async def test_both_planes_read_the_identity_headers_of_the_file():
    told = {"x-user": "ann", "x-teams": "dev, ops"}
    async with planes(IDENTIFIED) as router:
        url, body = f"{router.management_url}/api/v1/eval", {"text": "hi"}
        async with router.http.post(url, json=body, headers=told) as answer:
            assert (await answer.json())["routing_decision"] == "for_staff"
        async with router.http.post(url, json=body) as answer:
            assert (await answer.json())["routing_decision"] == ""
        async with router.chat("hi", headers=told) as answer:  # no backend: the route is told
            assert answer.status == 503


GUARDED = """
version: v0.3
providers:
  defaults: {default_model: small}
routing:
  modelCards: [{name: small}]
  signals:
    jailbreak: [{name: attack}]
  decisions:
    - {name: refuse, rules: {type: jailbreak, name: attack}, modelRefs: [{model: small}]}
"""


@pytest.mark.parametrize(
    ("policy", "said", "again"),
    [
        pytest.param(IDENTIFIED, "text_signals is not loaded", False, id="no rule asks the model"),
        pytest.param(GUARDED, "text_signals does not answer", True, id="nobody serves it"),
    ],
)
async def test_the_classify_endpoints_know_what_the_policy_asks(policy, said, again):
    with socket.socket() as nobody:  # has the port, and does not listen
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        async with planes(policy, triton_urls=[f"127.0.0.1:{port}"]) as router:
            url = f"{router.management_url}/api/v1/classify/combined"
            async with router.http.post(url, json={"text": "hello"}) as answer:
                error = (await answer.json())["error"]
                assert (answer.status, error["code"]) == (503, "UNIFIED_CLASSIFIER_UNAVAILABLE")
                assert said in error["message"]
                assert ("Retry-After" in answer.headers) == again
