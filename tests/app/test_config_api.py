"""/config/... of a real router."""

import asyncio
import json

import pytest

from orchestrator.config.versions import FOLDER
from tests.app.reloads import BAD, in_force, policy, watched

ROUTER = "/config/router"
RECIPE = {"description": "fast ones", "routing": {"decisions": []}}


async def test_a_policy_is_put_in_force_written_and_kept_with_its_comments(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        router.file.chmod(0o640)
        old, new = router.file.read_text(), policy(1, router.port)
        status, said, headers = await router.put(new, await router.etag())

        assert (status, said["status"], said["problems"]) == (200, "applied", [])
        assert headers["ETag"] == await router.etag() == f'"{said["hash"]}"'
        assert await in_force(router) == "decision-1"
        assert router.file.read_text() == new
        assert router.file.stat().st_mode & 0o777 == 0o640
        kept = tmp_path / FOLDER / f"router.{said['replaced']}.yaml"
        assert kept.read_text() == old


async def test_without_if_match_it_is_428_and_with_an_old_one_412(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        etag, new = await router.etag(), policy(1, router.port)
        yaml = {"Content-Type": "application/yaml"}
        missing = await router.api("PUT", ROUTER, data=new, headers=yaml)
        weak = await router.put(new, f"W/{etag}")
        other = await router.put(new, '"0"')
        codes = [(one[0], one[1]["error"]["code"]) for one in (missing, weak, other)]

        assert codes == [(428, "PRECONDITION_REQUIRED")] + [(412, "PRECONDITION_FAILED")] * 2
        assert {one[2]["ETag"] for one in (missing, weak, other)} == {etag}
        assert await in_force(router) == "decision-0"
        assert await router.metric('tsr_config_reload_total{outcome="refused"}') == 0


async def test_a_web_page_changes_nothing_without_a_token(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        headers = {"If-Match": "*", "Origin": "http://127.0.0.1:8080"}
        _, document, _ = await router.api("GET", ROUTER)
        for method, path, body in (
            ("PUT", ROUTER, document),
            ("POST", f"{ROUTER}/validate", document),
            ("POST", f"{ROUTER}/recipes/validate", {"name": "fast", **RECIPE}),
        ):
            status, said, _ = await router.api(method, path, json=body, headers=headers)
            assert (status, said["error"]["code"]) == (403, "FORBIDDEN")


async def test_without_tokens_nobody_sees_secrets(tmp_path):
    text = policy(0, 1).replace("127.0.0.1:1", '127.0.0.1:1", api_key: "sk-plain')
    async with watched(tmp_path, text=text, watch=False) as router:
        _, document, _ = await router.api("GET", ROUTER)

        assert document["providers"]["models"][0]["backend_refs"][0]["api_key"] == "********"


async def test_of_changes_at_one_time_one_wins(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        etag = await router.etag()
        tried = [router.put(policy(number, router.port), etag) for number in range(1, 6)]
        answers = await asyncio.gather(*tried)

        assert sorted(status for status, _, _ in answers) == [200, 412, 412, 412, 412]
        (won,) = (n for n, (status, _, _) in enumerate(answers, 1) if status == 200)
        assert await in_force(router) == f"decision-{won}"
        assert router.file.read_text() == policy(won, router.port)


async def test_a_bad_policy_is_refused_with_every_error_and_nothing_changes(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        before = router.file.read_text()
        status, said, _ = await router.put(BAD)

        problems = {one["path"]: one["line"] for one in said["error"]["problems"]}
        assert (status, said["error"]["code"]) == (400, "CONFIG_INVALID")
        assert problems == {"routing.wich": 3, "global.routr": 4}
        assert router.file.read_text() == before
        assert not (tmp_path / FOLDER).exists()
        assert await in_force(router) == "decision-0"
        last = (await router.config())["last_reload"]
        assert (last["outcome"], last["total_problems"]) == ("refused", 2)
        assert await router.metric("tsr_config_file_in_force") == 1  # of the file, which is good


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        pytest.param("text/plain", "routing: {}", 415, id="a type that any web page can send"),
        pytest.param("application/json", "[]", 400, id="no object"),
        pytest.param("application/json", "{}", 400, id="no policy"),
        pytest.param("application/yaml", b"\xff", 400, id="no text"),
        pytest.param("application/yaml", "a: [", 400, id="no YAML"),
        pytest.param("application/json", json.dumps({"yaml": "a: ["}), 400, id="no YAML inside"),
    ],
)
async def test_bodies_that_are_no_document(tmp_path, kind, body, status):
    async with watched(tmp_path, watch=False) as router:
        headers = {"If-Match": "*", "Content-Type": kind}
        for method, path in (("PUT", ROUTER), ("POST", f"{ROUTER}/validate")):
            found, said, _ = await router.api(method, path, data=body, headers=headers)
            if path == ROUTER:
                assert (found, "error" in said) == (status, True)
            else:
                assert found == status or said["valid"] is False


async def test_json_is_taken_and_the_loss_of_comments_said(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        headers = {"If-Match": "*"}
        _, document, _ = await router.api("GET", ROUTER)
        document["providers"]["defaults"] = {}
        status, said, _ = await router.api("PUT", ROUTER, json=document, headers=headers)
        assert (status, "comments" in said["note"]) == (200, True)
        assert "#" not in router.file.read_text()

        wrapped = {"yaml": policy(2, router.port)}
        status, said, _ = await router.api("PUT", ROUTER, json=wrapped, headers=headers)
        assert (status, "note" in said) == (200, False)
        assert router.file.read_text() == policy(2, router.port)


async def test_the_same_again_changes_nothing(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        status, said, _ = await router.put(policy(0, router.port))

        assert (status, said["status"], said["replaced"]) == (200, "unchanged", None)
        assert (await router.config())["generation"] == 1
        assert not (tmp_path / FOLDER).exists()


PATCH = {"global": {"router": {"signal_deadline": "2s"}}}


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/yaml", "application/json-patch+json", "text/json"]
)
async def test_a_patch_of_another_type_is_415(tmp_path, kind):
    async with watched(tmp_path, watch=False) as router:
        headers = {"If-Match": "*", "Content-Type": kind}
        status, said, _ = await router.api("PATCH", ROUTER, data=json.dumps(PATCH), headers=headers)

        assert status == 415
        assert "send application/merge-patch+json or application/json" in said["error"]["message"]


@pytest.mark.parametrize(
    "kind",
    [
        "application/merge-patch+json",
        "application/merge-patch+json; charset=utf-8",
        "application/json",
    ],
)
async def test_a_patch_changes_what_it_names(tmp_path, kind):
    async with watched(tmp_path, watch=False) as router:
        patch = PATCH
        headers = {"If-Match": await router.etag(), "Content-Type": kind}
        status, said, _ = await router.api("PATCH", ROUTER, data=json.dumps(patch), headers=headers)
        _, document, _ = await router.api("GET", ROUTER)

        assert (status, said["status"]) == (200, "applied")
        assert document["global"] == patch["global"]
        assert await in_force(router) == "decision-0"


async def test_a_rollback_brings_back_what_was_and_can_be_undone(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        first = router.file.read_text()
        _, said, _ = await router.put(policy(1, router.port))
        body, path = {"version": said["replaced"]}, f"{ROUTER}/rollback"
        assert (await router.api("POST", path, json=body))[0] == 428
        old = {"If-Match": '"0"'}
        assert (await router.api("POST", path, json=body, headers=old))[0] == 412
        assert await in_force(router) == "decision-1"
        seen = {"If-Match": await router.etag()}
        status, said, _ = await router.api("POST", path, json=body, headers=seen)

        assert (status, said["status"], await in_force(router)) == (200, "applied", "decision-0")
        assert router.file.read_text() == first
        _, listed, _ = await router.api("GET", f"{ROUTER}/versions")
        assert [one["version"] for one in listed["versions"]] == [said["replaced"], body["version"]]
        unknown = {"version": "../router"}
        status, said, _ = await router.api("POST", path, json=unknown, headers={"If-Match": "*"})
        assert (status, said["error"]["code"]) == (404, "VERSION_NOT_FOUND")


async def test_validating_changes_nothing(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        for text, valid in ((policy(1, router.port), True), (BAD, False)):
            headers = {"Content-Type": "application/yaml"}
            url = f"{ROUTER}/validate"
            status, said, _ = await router.api("POST", url, data=text, headers=headers)
            assert (status, said["valid"], bool(said["problems"])) == (200, valid, not valid)
        assert await in_force(router) == "decision-0"
        assert "last_reload" not in await router.config()


async def test_a_body_that_is_too_deep_is_refused_and_the_router_goes_on(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        body = '{"routing": ' + "[" * 900 + "]" * 900 + "}"
        headers = {"If-Match": "*", "Content-Type": "application/json"}
        for method, path in (("PUT", ROUTER), ("PATCH", ROUTER), ("POST", f"{ROUTER}/validate")):
            status, said, _ = await router.api(method, path, data=body, headers=headers)
            assert (status, "nested deeper" in said["error"]["message"]) == (400, True)


PROTECTED = """
version: v0.3
providers:
  defaults: {default_model: m}
  models: [{name: m, backend_refs: [{endpoint: "127.0.0.1:1", api_key: sk-plain}]}] # sk-comment
routing: {modelCards: [{name: m}]}
global:
  services:
    management_api:
      auth:
        mode: bearer
        tokens: [{env: TSR_VIEWER, role: viewer}, {env: TSR_ADMIN, role: admin}]
"""


async def test_roles_secrets_and_tokens_that_change_with_the_policy(tmp_path, monkeypatch):
    monkeypatch.setenv("TSR_VIEWER", "v")
    monkeypatch.setenv("TSR_ADMIN", "a")
    async with watched(tmp_path, text=PROTECTED, watch=False) as router:
        viewer, admin = ({"Authorization": f"Bearer {token}"} for token in "va")
        assert (await router.api("GET", ROUTER))[0] == 401
        for accept in ("application/json", "application/yaml"):
            url = f"{router.planes.management_url}{ROUTER}"
            for who, hidden in ((viewer, True), (admin, False)):
                headers = who | {"Accept": accept}
                async with router.planes.http.get(url, headers=headers) as answer:
                    assert ("sk-" not in await answer.text()) is hidden
        _, shown, _ = await router.api("GET", ROUTER, headers=viewer)
        matching = {"If-Match": "*"}
        assert (await router.api("PUT", ROUTER, json=shown, headers=viewer | matching))[0] == 403
        for url in (f"{ROUTER}/validate", f"{ROUTER}/recipes/validate"):
            body = {"name": "${TSR_ADMIN}", "routing": {}}  # problems would quote the variable
            assert (await router.api("POST", url, json=body, headers=viewer))[0] == 403
            assert (await router.api("POST", url, json=body, headers=admin))[0] == 200
        status, said, _ = await router.api("PUT", ROUTER, json=shown, headers=admin | matching)
        assert (status, len(said["error"]["problems"])) == (400, 1)  # the mask is no key

        text = PROTECTED.replace("{env: TSR_VIEWER, role: viewer}, ", "")
        yaml = {"Content-Type": "application/yaml"} | matching
        assert (await router.api("PUT", ROUTER, data=text, headers=admin | yaml))[0] == 200
        assert (await router.api("GET", ROUTER, headers=viewer))[0] == 401

        unset = PROTECTED.replace("TSR_VIEWER", "TSR_UNSET")
        status, said, _ = await router.api("PUT", ROUTER, data=unset, headers=admin | yaml)
        assert (status, "TSR_UNSET is not set" in said["error"]["message"]) == (400, True)
