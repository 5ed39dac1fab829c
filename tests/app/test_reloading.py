"""Policies replaced while a real router serves real clients."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest

from orchestrator.app.attempts import Attempts
from orchestrator.app.model_plane import ModelPlane
from orchestrator.app.policies import compile_file
from orchestrator.app.readers import Readers
from orchestrator.app.reloading import Reloader
from orchestrator.app.running import Running
from orchestrator.errors import ConfigError, NotReloaded, NotStarted, ServerStartError
from orchestrator.evaluation import Evaluation
from orchestrator.pipeline import Pipeline
from orchestrator.telemetry import Telemetry
from tests.app.reloads import BAD, alive, crowd, policy, soon, watched
from tests.processes import free_ports

SWAPS = 20
CLIENTS = 16


async def test_twenty_swaps_under_load_lose_nothing_and_mix_nothing(tmp_path):
    kinds = (Pipeline, Evaluation, ThreadPoolExecutor)
    async with watched(tmp_path, between=0.0, watch=False) as router:
        before = alive(*kinds)
        good = bad = 0
        async with crowd(router.planes, CLIENTS) as people:
            for number in range(1, SWAPS + 1):
                text = BAD if number % 4 == 0 else policy(number, router.port)
                seen = len(people.answers)
                if number % 2:
                    status, _, _ = await router.put(text)
                else:
                    router.file.write_text(text)
                    router.hang_up()
                    outcome = "refused" if text is BAD else "applied"
                    await router.until(outcome, "SIGHUP")
                    status = 400 if text is BAD else 200
                good, bad = good + (status == 200), bad + (status == 400)
                while len(people.answers) < seen + CLIENTS and not people.failures:
                    await asyncio.sleep(0.01)

        assert people.failures == []
        assert (good, bad) == (15, 5)
        mixed = [one for one in people.answers if one[0].split("-")[1] != one[1].split("-")[1]]
        assert mixed == []
        served = {decision for decision, _ in people.answers}
        assert served == {f"decision-{n}" for n in range(SWAPS + 1) if n % 4 or n == 0}
        assert await router.metric('tsr_config_reload_total{outcome="applied"}') == good
        assert await router.metric('tsr_config_reload_total{outcome="refused"}') == bad
        await soon(lambda: alive(*kinds) == before)
        assert alive(*kinds) == before


async def test_a_stream_outlives_the_policy_that_began_it(tmp_path):
    async with watched(tmp_path, between=0.2, watch=False) as router:
        (before,) = alive(Pipeline)
        body = {"model": "auto", "stream": True}
        body["messages"] = [{"role": "user", "content": "hello there"}]
        url = f"{router.planes.url}/v1/chat/completions"
        async with router.planes.http.post(url, json=body) as answer:
            first = await answer.content.readline()
            status, _, _ = await router.put(policy(1, router.port))
            (held,) = alive(Pipeline)
            async with router.planes.chat("hello there") as other:
                now = other.headers["x-vsr-selected-decision"]
            rest = await answer.text()

        assert (status, now) == (200, "decision-1")
        assert held == before + 1  # the old policy is kept for the stream
        assert b"model-0" in first
        assert "model-0" in rest
        assert rest.endswith("data: [DONE]\n\n")
        await soon(lambda: alive(Pipeline) == [before])
        assert alive(Pipeline) == [before]


def asking(number: int, port: int) -> str:
    """A policy that needs a model."""
    rule = f'    embeddings: [{{name: near-{number}, threshold: 0.5, candidates: ["hi"]}}]\n'
    return policy(number, port).replace("  signals:\n", f"  signals:\n{rule}")


async def test_a_policy_whose_models_are_away_does_not_replace_one_that_works(tmp_path):
    (nobody,) = free_ports(1)
    urls = (f"127.0.0.1:{nobody}",)
    async with watched(tmp_path, watch=False, triton_urls=urls) as router:
        status, said, _ = await router.put(asking(1, router.port))

        assert (status, said["error"]["code"]) == (503, "NOT_RELOADED")
        assert "text_embedding: " in said["error"]["message"]
        assert router.file.read_text() == policy(0, router.port)
        assert (await router.planes.eval("hello"))["routing_decision"] == "decision-0"
        said = await router.config()
        assert (said["generation"], said["last_reload"]["outcome"]) == (1, "failed")
        async with router.planes.http.get(f"{router.planes.management_url}/metrics") as answer:
            assert "text_embedding" not in await answer.text()


async def test_models_that_are_away_already_hold_up_no_policy(tmp_path):
    (nobody,) = free_ports(1)
    urls = (f"127.0.0.1:{nobody}",)
    text = asking(0, 1)
    async with watched(tmp_path, text=text, watch=False, triton_urls=urls) as router:
        status, _, _ = await router.put(asking(1, router.port))

        assert status == 200
        assert (await router.planes.eval("hello"))["routing_decision"] == "decision-1"


class Bug(Exception):
    pass


class Broken:
    """Surroundings in which policies cannot be built, but for the first."""

    def __init__(self) -> None:
        self.closed: list[str] = []
        self.fails: Exception | None = None

    @asynccontextmanager
    async def make(self, compiled, patient):
        try:
            if self.fails is not None:
                raise self.fails
            plane = ModelPlane(None, None)
            yield Running(compiled, None, None, plane, None, None)
        finally:
            self.closed.append(compiled.digest)

    def face(self, router):
        return router

    def install(self, face) -> None:
        pass

    def restarts(self, compiled, source):
        return ()

    def retired(self, old, in_force) -> None:
        pass


@pytest.mark.parametrize(
    ("failure", "dealt_with", "outcome"),
    [
        pytest.param(ConfigError("no"), True, "refused", id="the policy's fault"),
        pytest.param(ServerStartError("no"), False, "failed", id="not its fault"),
        pytest.param(Bug("prompt"), False, "failed", id="a bug of ours"),
    ],
)
async def test_whatever_goes_wrong_leaves_the_old_policy(tmp_path, failure, dealt_with, outcome):
    file, around, attempts = tmp_path / "router.yaml", Broken(), Attempts(Telemetry())
    file.write_text(policy(0, 1))
    reloader = Reloader(around, Readers(), attempts, file)
    await reloader.start(first := compile_file(file))
    around.fails = failure
    file.write_text(policy(1, 1))

    assert await reloader.reload("a test") is dealt_with

    assert reloader.router.compiled is first
    last = attempts.report()["last_reload"]
    assert (last["outcome"], "prompt" in last["message"]) == (outcome, False)
    await reloader.close()
    assert around.closed[-1] == first.digest


async def test_a_policy_of_no_file_cannot_be_replaced(tmp_path):
    (tmp_path / "router.yaml").write_text(policy(0, 1))
    reloader = Reloader(Broken(), Readers(), Attempts(Telemetry()), None)
    await reloader.start(compile_file(tmp_path / "router.yaml"))

    with pytest.raises(NotReloaded, match="not come from a file"):
        await reloader.change(lambda text: text, lambda digest: None, "a test")
    assert (reloader.versions(), reloader.version("x")) == ((), None)
    await reloader.close()


async def test_before_the_start_there_is_nothing_to_show(tmp_path):
    with pytest.raises(NotStarted):
        Reloader(Broken(), Readers(), Attempts(Telemetry()), None).held()
