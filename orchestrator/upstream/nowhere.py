"""An upstream that sends nothing, for pipelines that only route."""

from contextlib import AbstractAsyncContextManager

from orchestrator.errors import UpstreamUnavailable
from orchestrator.types import Candidate, Request
from orchestrator.upstream import Answer, Resolution, Upstream


class Nowhere(Upstream):
    def open(
        self, candidate: Candidate, request: Request, resolution: Resolution
    ) -> AbstractAsyncContextManager[Answer]:
        raise UpstreamUnavailable("this pipeline routes and does not forward")
