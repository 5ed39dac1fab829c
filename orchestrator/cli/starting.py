"""A line on stderr before the seconds that an embedded Triton takes to start."""

from collections.abc import Sequence

from rich.console import Console

from orchestrator.app.policies import Compiled, needed_models


def say_starting(compiled: Compiled, triton_urls: Sequence[str]) -> None:
    """Nothing where the policy asks no model, or another Triton."""
    models = needed_models(compiled)
    if models and not triton_urls and not compiled.config.global_.services.triton.urls:
        said = f"starting Triton with {', '.join(models)} (--triton-url asks a running one) ..."
        Console(stderr=True).print(said, style="dim", highlight=False, soft_wrap=True)
