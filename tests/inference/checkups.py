"""A Checkup of one model, which a fake server answers."""

import contextlib

import numpy as np

from orchestrator.inference.checkup import Checkup
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.goldens import Goldens
from tests.inference.fake_models import vector
from tests.inference.fake_triton import serving

TEXTS = (b"one", b"two", b"", b"four", b"five")
GOLDENS = Goldens(TEXTS, np.stack([vector(text) for text in TEXTS]), (1,) * 5, (False,) * 5, 0.999)


@contextlib.asynccontextmanager
async def watching(fake, goldens=GOLDENS, **options):
    async with serving(fake) as url:
        endpoint = Endpoint(url)
        yield Checkup(endpoint, {"m": goldens}, **options)
        await endpoint.close()
