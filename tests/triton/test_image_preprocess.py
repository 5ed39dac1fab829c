"""The image preprocessor in a real tritonserver: batches, bad pictures, damaged files."""

import asyncio
import importlib
import itertools

import numpy as np
import pytest
import pytest_asyncio
from tritonclient.grpc import InferInput
from tritonclient.grpc.aio import InferenceServerClient
from tritonclient.utils import InferenceServerException

from orchestrator.inference.repository import default_repository
from orchestrator.inference.stubs import stubs
from tests.model_repository.pictures import encoded, mutants, painted

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

MODEL = "image_preprocess"
SIZES = [(1, 1), (16, 16), (224, 224), (225, 223), (640, 480), (31, 900), (1000, 800)]
MODES = {"PNG": ["RGB", "RGBA", "P", "L", "LA", "I;16"], "JPEG": ["RGB", "L"], "WEBP": ["RGBA"]}
FILES = [
    encoded(painted(*size, mode), form)
    for form, modes in MODES.items()
    for mode, size in itertools.product(modes, SIZES)
]
MUTANTS = 200


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(pictures):
    async with InferenceServerClient(pictures.url) as connected:
        yield connected


@pytest.fixture(scope="module")
def expected():
    """What the same code makes of FILES outside of Triton, with the settings of the model."""
    folder = default_repository() / MODEL
    rows = (folder / "config.pbtxt").read_text(encoding="utf-8").splitlines()
    parts = [row.split('"') for row in rows if row.startswith("parameters")]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder / "1"))
        module = importlib.import_module("pixels")
    settings = module.Settings.read({part[1]: part[3] for part in parts})
    return [module.Preprocessor(settings).pixels(data) for data in FILES]


async def infer(client, *files):
    tensor = InferInput("IMAGE", [len(files), 1], "BYTES")
    tensor.set_data_from_numpy(np.array(files, object).reshape(-1, 1))
    answer = await client.infer(MODEL, [tensor], client_timeout=60)
    return answer.as_numpy("PIXELS")


async def counts(client):
    statistics = await client.get_inference_statistics(MODEL, as_json=True)
    model = statistics["model_stats"][0]
    return int(model["inference_count"]), int(model["execution_count"])


async def test_pixels_are_those_of_the_code_alone(client, expected):
    for data, wanted in zip(FILES, expected, strict=True):
        found = await infer(client, data)
        assert (found.dtype, found.shape) == (np.float32, (1, 3, 224, 224))
        assert found[0].tobytes() == wanted.tobytes()


async def test_every_row_of_a_request_is_answered(client, expected):
    found = await infer(client, *FILES[:4])

    assert found.tobytes() == np.stack(expected[:4]).tobytes()


async def test_pictures_of_all_sizes_share_executions(client, expected):
    before = await counts(client)
    answers = await asyncio.gather(*(infer(client, data) for data in FILES * 2))
    async with asyncio.timeout(10):  # a request is counted a moment after its answer has left
        while (after := await counts(client))[0] < before[0] + len(answers):
            await asyncio.sleep(0.01)

    inferences, executions = after[0] - before[0], after[1] - before[1]
    print(f"{inferences} inferences in {executions} executions")
    assert inferences == len(answers)
    assert inferences / executions > 1
    for found, wanted in zip(answers, expected * 2, strict=True):
        assert found[0].tobytes() == wanted.tobytes()


async def test_a_bad_picture_fails_alone(client, expected):
    """All of these meet in a few batches."""
    bad = {
        b"": "IMAGE is empty",
        b"<svg/>": "IMAGE is SVG, which is not read; png, jpeg, webp and gif are read",
        FILES[2][:60]: "IMAGE is a png that cannot be decoded",
        FILES[0][:16] + b"\xff" * 8 + FILES[0][24:]: "IMAGE is 4294967295 x 4294967295, more than",
        b"x" * 20_000_001: "IMAGE is longer than 20000000 bytes",
    }
    mixed = [files for pair in zip(bad, FILES, strict=False) for files in pair]

    answers = await asyncio.gather(*(infer(client, data) for data in mixed), return_exceptions=True)

    for message, answer in zip(bad.values(), answers[::2], strict=True):
        assert isinstance(answer, InferenceServerException)
        assert answer.status() == "StatusCode.INVALID_ARGUMENT"
        assert message in str(answer)
    for answer, wanted in zip(answers[1::2], expected, strict=False):
        assert answer[0].tobytes() == wanted.tobytes()


async def test_a_bad_row_fails_its_request(client):
    with pytest.raises(InferenceServerException, match="IMAGE is empty"):
        await infer(client, FILES[0], b"")


async def test_damaged_files_leave_the_server_well(pictures, client, expected):
    before = {stub.pid for stub in stubs(pictures.shm_prefix)}
    outcomes = await asyncio.gather(
        *(infer(client, data) for data in mutants(MUTANTS, seed=5)), return_exceptions=True
    )

    failures = [one for one in outcomes if isinstance(one, Exception)]
    assert 20 < len(failures) < MUTANTS - 20
    assert {one.status() for one in failures} == {"StatusCode.INVALID_ARGUMENT"}
    assert all("IMAGE is " in str(one) for one in failures)
    # Not one process has been lost, and each still answers right.
    assert {stub.pid for stub in stubs(pictures.shm_prefix)} == before
    answers = await asyncio.gather(*(infer(client, data) for data in FILES))
    for found, wanted in zip(answers, expected, strict=True):
        assert found[0].tobytes() == wanted.tobytes()
