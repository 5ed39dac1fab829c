"""A real router, its file and SIGHUP."""

import asyncio

from orchestrator.app.following import followed
from tests.app.reloads import BAD, policy, watched


async def test_a_changed_file_comes_into_force_and_a_bad_one_does_not(tmp_path):
    async with watched(tmp_path) as router:
        router.file.write_text(policy(1, router.port))
        said = await router.until("applied", "the file changed")
        assert said["generation"] == 2
        router.file.write_text(BAD)
        said = await router.until("refused", "the file changed")
        places = {(one["path"], one["line"]) for one in said["last_reload"]["problems"]}
        assert places == {("routing.wich", 3), ("global.routr", 4)}
        answer = await router.planes.eval("hello")
        assert answer["routing_decision"] == "decision-1"

        router.file.write_text(policy(1, router.port))  # as it was
        await router.until("unchanged", "the file changed")
        assert await router.metric("tsr_config_file_in_force") == 1


async def test_a_file_that_is_gone_is_told_once_and_once_when_it_is_back(tmp_path, caplog):
    async with watched(tmp_path) as router:
        text = router.file.read_text()
        router.file.unlink()
        said = await router.until("failed", "the file changed")
        assert said["file"] == "gone"
        assert await router.metric("tsr_config_file_in_force") == 0
        assert (await router.planes.eval("hello"))["routing_decision"] == "decision-0"

        router.file.write_text(text)
        said = await router.until("unchanged", "the file changed")
        assert said["file"] == "in_force"
        assert await router.metric("tsr_config_file_in_force") == 1
    told = [one.getMessage() for one in caplog.records if "policy file" in one.getMessage()]
    assert ["gone" in told[0], "there again" in told[1], len(told)] == [True, True, 2]


async def test_warnings_after_a_reload_have_their_place(tmp_path, caplog):
    async with watched(tmp_path) as router:
        unused = "global: {router: {clear_route_cache: true, max_body_bytes: 9999}}\n"
        router.file.write_text(policy(1, router.port) + unused)
        await router.until("applied", "the file changed")

        line = len(router.file.read_text().splitlines())
        said = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
        for key in ("clear_route_cache", "max_body_bytes"):
            start = f"{router.file}:{line}: warning: global.router.{key}: "
            assert [one for one in said if one.startswith(start)]


async def test_sighup_builds_the_policy_anew_although_its_text_is_the_same(tmp_path):
    async with watched(tmp_path, watch=False) as router:
        router.hang_up()
        said = await router.until("applied", "SIGHUP")

        assert said["generation"] == 2


class Reloads:
    def __init__(self):
        self.asked = asyncio.Queue()

    async def reload(self, why, force=False):
        self.asked.put_nowait((why, force))
        return True


async def test_without_watching_only_sighup_is_heard(tmp_path):
    (tmp_path / "router.yaml").write_text("a")
    reloads, hangup = Reloads(), asyncio.Event()
    hangup.set()  # it came during the start
    async with followed(reloads, tmp_path / "router.yaml", False, hangup):
        assert await asyncio.wait_for(reloads.asked.get(), 10) == ("SIGHUP", True)
        hangup.set()
        assert await asyncio.wait_for(reloads.asked.get(), 10) == ("SIGHUP", True)

    assert reloads.asked.empty()


async def test_a_policy_of_no_file_follows_nothing():
    reloads, hangup = Reloads(), asyncio.Event()
    hangup.set()
    async with followed(reloads, None, True, hangup):
        await asyncio.sleep(0)

    assert reloads.asked.empty()
