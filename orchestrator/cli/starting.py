"""A line on stderr before the seconds that an embedded Triton takes to start."""

from collections.abc import Sequence

from rich.console import Console

from orchestrator.app.model_plane import loaded
from orchestrator.app.policies import Compiled, needed_models
from orchestrator.config.services import Triton


def say_starting(compiled: Compiled, triton_urls: Sequence[str]) -> None:
    """Nothing where the policy asks no model, or another Triton."""
    say_models(compiled.config.global_.services.triton, needed_models(compiled), triton_urls)


def say_models(settings: Triton, asked: Sequence[str], triton_urls: Sequence[str]) -> None:
    models = loaded(settings, asked)
    if models and not triton_urls and not settings.urls:
        said = f"starting Triton with {', '.join(models)} (--triton-url asks a running one) ..."
        Console(stderr=True).print(said, style="dim", highlight=False, soft_wrap=True)
