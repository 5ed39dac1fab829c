"""Policies replaced while a real router serves real clients."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from orchestrator.evaluation import Evaluation
from orchestrator.pipeline import Pipeline
from tests.app.reloads import BAD, alive, crowd, policy, soon, watched

SWAPS = 20
CLIENTS = 16


async def test_twenty_swaps_under_load_lose_nothing_and_mix_nothing(tmp_path):
    kinds = (Pipeline, Evaluation, ThreadPoolExecutor)
    async with watched(tmp_path, watch=False) as router:
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
