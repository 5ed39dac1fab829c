"""No model server at all: whatever asks one is unknown."""

from collections.abc import Collection, Mapping, Sequence

from orchestrator.errors import InferenceUnavailable
from orchestrator.inference import Classification, Embeddings, Inference, Seen

WHY = "no model server is asked"


class Offline:
    """Every question raises InferenceUnavailable."""

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise InferenceUnavailable(WHY)

    async def classify(
        self, model: str, texts: Sequence[str], tasks: Collection[str]
    ) -> list[Classification]:
        raise InferenceUnavailable(WHY)

    async def see(self, model: str, pictures: Sequence[bytes]) -> Seen:
        raise InferenceUnavailable(WHY)

    def labels(self, model: str) -> Mapping[str, tuple[str, ...]]:
        raise InferenceUnavailable(WHY)

    def languages(self, model: str) -> Mapping[str, tuple[str, ...]]:
        return {}

    def unhurried(self, seconds: float) -> Inference:
        return self
