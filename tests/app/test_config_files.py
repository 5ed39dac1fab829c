"""What /config/router writes, and what stands in its way."""

import os

import pytest

from orchestrator.config.versions import FOLDER
from tests.app.reloads import BAD, in_force, policy, watched

ROUTER = "/config/router"


async def test_what_needs_a_restart_is_named_and_the_rest_is_in_force(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        more = "global: {router: {max_body_bytes: 1000}, services: {management_api: {port: 9}}}\n"
        status, said, _ = await router.put(policy(1, router.port) + more)

        paths = [one["path"] for one in said["restart_required"]]
        assert (status, paths) == (200, ["global.router.max_body_bytes"])  # --management-port wins
        assert await in_force(router) == "decision-1"
        assert (await router.config())["restart_required"] == paths


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
async def test_a_folder_without_write_permission_keeps_the_old_policy(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        tmp_path.chmod(0o500)
        status, said, _ = await router.put(policy(1, router.port))
        tmp_path.chmod(0o700)

        assert (status, said["error"]["code"]) == (503, "NOT_RELOADED")
        assert await in_force(router) == "decision-0"


async def test_what_cannot_be_kept_is_not_replaced(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        (tmp_path / FOLDER.parent).write_text("in the way")
        before = router.file.read_text()
        status, said, _ = await router.put(policy(1, router.port))

        assert (status, said["error"]["code"]) == (503, "NOT_RELOADED")
        assert router.file.read_text() == before
        assert await in_force(router) == "decision-0"


async def test_an_edit_that_was_refused_is_kept_when_it_is_overwritten(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        router.file.write_text(BAD)
        router.hang_up()
        await router.until("refused", "SIGHUP")
        assert await router.metric("tsr_config_file_in_force") == 0
        await router.put(policy(1, router.port))

        assert await router.metric("tsr_config_file_in_force") == 1
        _, listed, _ = await router.api("GET", f"{ROUTER}/versions")
        texts = [
            (tmp_path / FOLDER / f"router.{one['version']}.yaml").read_text()
            for one in listed["versions"]
        ]
        assert texts == [policy(0, router.port), BAD]
