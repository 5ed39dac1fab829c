"""What a client may write in `model` (spec/decisions.md 3.1, spec/http.md 7.1)."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.config.schema import Config
from orchestrator.pipeline import Names
from orchestrator.types import ModelEntry

DEFAULT_RECIPE = "default"
US = "vllm-semantic-router"
THEM = "upstream-endpoint"


def _auto(config: Config) -> tuple[str, ...]:
    """The automatic names that no model and no entrypoint has."""
    taken = {*_backends(config)}.union(*(point.model_names for point in config.entrypoints))
    return tuple(name for name in config.global_.router.auto_names() if name not in taken)


def _backends(config: Config) -> Iterator[str]:
    for card in config.routing.modelCards:
        yield card.name
        yield from (lora.name for lora in card.loras)
    yield from (model.name for model in config.providers.models)


def names_of(config: Config) -> Names:
    backends = tuple(dict.fromkeys(_backends(config)))
    auto = _auto(config)
    described = {recipe.name: recipe.description for recipe in config.recipes}
    entries = [
        ModelEntry(
            id=name,
            resolution="virtual",
            owned_by=US,
            description="Intelligent Router for Mixture-of-Models",
            recipe=DEFAULT_RECIPE,
            default_route=position == 0,
        )
        for position, name in enumerate(auto)
    ]
    routed = dict.fromkeys(auto, DEFAULT_RECIPE)
    for entrypoint in config.entrypoints:
        for name in entrypoint.model_names:
            routed[name] = entrypoint.recipe
            entries.append(
                ModelEntry(
                    id=name,
                    resolution="virtual",
                    owned_by=US,
                    description=described.get(entrypoint.recipe),
                    recipe=entrypoint.recipe,
                )
            )
    if config.global_.router.include_config_models_in_list:
        entries.extend(
            ModelEntry(id=name, resolution="passthrough", owned_by=THEM, selectable=False)
            for name in backends
        )
    return Names(
        recipes=routed,
        models=frozenset(backends),
        listing=tuple(entries),
        default=auto[0] if auto else next(iter(routed), ""),
    )
