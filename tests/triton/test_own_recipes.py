"""configs/recipes with the published models in a real Triton: every probe of every recipe."""

import pytest
import pytest_asyncio

from orchestrator.inference.gathering import Gathering
from orchestrator.inference.picture_goldens import load_floor
from orchestrator.inference.questions import IMAGE_SIGNALS, TEXT_SIGNALS
from orchestrator.inference.repository import default_repository
from orchestrator.inference.tasks import load_tasks
from orchestrator.inference.triton import TritonInference
from orchestrator.probes.coverage import cover
from tests.recipes import OURS, results_in

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def inference(triton):
    repository = default_repository()
    client = TritonInference(
        [triton],
        timeout_s=60.0,
        tasks={TEXT_SIGNALS: load_tasks(repository, TEXT_SIGNALS)},
        floors={IMAGE_SIGNALS: load_floor(repository, IMAGE_SIGNALS)},
    )
    yield Gathering(client)
    await client.close()


@pytest.mark.parametrize("folder", OURS, ids=lambda path: path.name)
async def test_every_probe_passes_and_every_decision_wins(inference, folder):
    results = await results_in(folder, inference)

    assert [
        (one.probe.id, one.error or [str(finding) for finding in one.comparison.findings])
        for one in results
        if one.status != "pass"
    ] == []
    assert [
        one.decision for one in cover(one.answer for one in results).decisions if not one.won
    ] == []
