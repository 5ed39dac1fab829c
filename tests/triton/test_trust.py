"""The golden check through the real tritonserver: right models pass, wrong ones are named."""

import asyncio
import json

import numpy as np
import pytest

from orchestrator.errors import ModelUntrusted
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from tests.triton import toy

pytestmark = pytest.mark.triton


async def test_wrong_models_are_refused_beside_a_right_one(tmp_path):
    repository = toy.write(tmp_path / "models")
    toy.write(repository, "inverted", sign=-1)
    toy.write(repository, "stale")
    goldens = repository / "stale" / "goldens.json"
    document = json.loads(goldens.read_text())
    document["embeddings"][1].reverse()
    goldens.write_text(json.dumps(document))
    toy.write(repository, "bare")
    (repository / "bare" / "goldens.json").unlink()
    models = ["toy", "inverted", "stale", "bare"]
    server = EmbeddedTriton(repository, state_dir=tmp_path / "state", exit_timeout_s=1)
    await server.start()
    inference = TritonInference([server.url])
    trusted = TrustedInference(inference, repository, models)
    try:
        await trusted.check()
        for model, reason in (
            ("inverted", r"^inverted: its answers differ.*lowest cosine -1\.0000"),
            ("stale", "^stale: its answers differ"),
            ("bare", "^bare: .*no golden answers"),
        ):
            with pytest.raises(ModelUntrusted, match=reason):
                await trusted.embed(model, ["x"])
        np.testing.assert_array_equal(await trusted.embed("toy", ["x"]), [toy.vector(b"x")])
    finally:
        await inference.close()
        await server.stop()

    assert [one.trusted for one in trusted.trusts()] == [True, False, False, False]


async def test_the_published_embedder_is_trusted(triton):
    inference = TritonInference([triton])
    trusted = TrustedInference(inference, default_repository(), ["text_embedding"])
    try:
        [trust] = await trusted.check()
        vectors, _ = await asyncio.gather(
            trusted.embed("text_embedding", ["a cat", "a kitten", "tax law"]), trusted.check()
        )
    finally:
        await inference.close()

    assert trust.reason == ""
    assert trust.trusted
    assert trust.parity is not None
    assert trust.parity.min_cosine >= 0.999
    assert (trust.version, trust.device) == ("1", "cpu")
    assert vectors.shape == (3, 384)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > cosines[0, 2]
