"""References between parts of a valid config: names that must exist, be unique, or not collide.

Pure: values in, findings out (`problems.Check.add` gives them lines). Conditions of decisions
are checked in `leaves`, their order in `order`; references inside `routing.projections` are the
projections' own.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from orchestrator.config.decisions import PLUGINS
from orchestrator.config.document import Path
from orchestrator.config.problems import Finding, nearest, unknown
from orchestrator.config.schema import Config, ModelCard, ModelRef, Profile, profiles


def references(
    config: Config,
    *,
    encoders: Collection[str] = (),
    internal_listener: bool = False,
    checks_tokens: bool = False,
) -> Iterator[Finding]:
    """Everything that can be checked without knowing the extensions.

    `encoders`: the values of `embedding_config.model_type` that this installation runs.
    `internal_listener`: see `load.internal_listener`. `checks_tokens`: the management plane
    enforces `management_api.auth`.
    """
    yield from _cards(config)
    yield from _providers(config)
    yield from _recipes(config)
    yield from _entrypoints(config)
    yield from _management(config, internal_listener, checks_tokens)
    yield from _encoder(config, encoders)
    for profile in profiles(config):
        yield from _decisions(config, profile)


def duplicates(names: Iterable[str], what: str, path: Path, key: str = "name") -> Iterator[Finding]:
    """A finding for each name that was there before. The n-th stands at `path[n].key`.

    Also for the rows of an extension: rules of one family, partitions, mappings.
    """
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield Finding((*path, index, key), f"{what} {name!r} is declared twice")
        seen.add(name)


def model_names(config: Config) -> set[str]:
    """What a decision may call a model: the cards, or the providers where there is no card."""
    cards = {card.name for card in config.routing.modelCards}
    return cards or {model.name for model in config.providers.models}


def _loras(card: ModelCard) -> set[str]:
    return {lora.name for lora in card.loras}


def _cards(config: Config) -> Iterator[Finding]:
    cards = config.routing.modelCards
    path: Path = ("routing", "modelCards")
    yield from duplicates((card.name for card in cards), "model", path)
    served = {model.name for model in config.providers.models}
    for index, card in enumerate(cards):
        yield from duplicates(
            (lora.name for lora in card.loras), "adapter", (*path, index, "loras")
        )
        if served and card.name not in served:
            yield Finding(
                (*path, index, "name"),
                f"the model {card.name!r} has no entry in providers.models: it cannot be called",
                nearest(card.name, served),
                "warning",
            )


def _providers(config: Config) -> Iterator[Finding]:
    models = config.providers.models
    defaults = config.providers.defaults
    cards = {card.name for card in config.routing.modelCards}
    yield from duplicates((model.name for model in models), "model", ("providers", "models"))
    for index, model in enumerate(models):
        path: Path = ("providers", "models", index)
        if cards and model.name not in cards:
            yield unknown("model card", model.name, cards, (*path, "name"))
        family = model.reasoning_family
        if family is not None and family not in defaults.reasoning_families:
            known = defaults.reasoning_families
            yield unknown("reasoning family", family, known, (*path, "reasoning_family"))
    names = model_names(config).union(*map(_loras, config.routing.modelCards))
    if defaults.default_model is not None and names and defaults.default_model not in names:
        where: Path = ("providers", "defaults", "default_model")
        yield unknown("model", defaults.default_model, names, where)


def _recipes(config: Config) -> Iterator[Finding]:
    yield from duplicates((recipe.name for recipe in config.recipes), "recipe", ("recipes",))
    main = config.routing
    if not (main.decisions or main.signals or any(main.projections.model_dump().values())):
        return
    for index, recipe in enumerate(config.recipes):
        if recipe.name == "default":
            yield Finding(
                ("recipes", index, "name"),
                "the recipe 'default' is the top-level routing block, which is not empty",
                "rename the recipe",
            )


def _entrypoints(config: Config) -> Iterator[Finding]:
    recipes = {"default", *(recipe.name for recipe in config.recipes)}
    taken = dict.fromkeys(config.global_.router.reserved_names(), "a name of automatic routing")
    taken |= dict.fromkeys(
        config.global_.integrations.looper.model_names(), "a name of a multi-call algorithm"
    )
    taken |= dict.fromkeys((model.name for model in config.providers.models), "a model")
    for card in config.routing.modelCards:
        taken |= {card.name: "a model"} | dict.fromkeys(_loras(card), "an adapter")
    for index, entrypoint in enumerate(config.entrypoints):
        path: Path = ("entrypoints", index)
        if entrypoint.recipe not in recipes:
            yield unknown("recipe", entrypoint.recipe, recipes, (*path, "recipe"))
        for at, name in enumerate(entrypoint.model_names):
            if name in taken:
                yield Finding((*path, "model_names", at), f"{name!r} is already {taken[name]}")
            taken.setdefault(name, "the name of an entrypoint")


def _management(config: Config, internal: bool, checks_tokens: bool) -> Iterator[Finding]:
    """The management plane leaves the machine only behind tokens that are checked, or where the
    operator says that only an internal network reaches it.
    """
    service = config.global_.services.management_api
    local = service.bind_address == "localhost" or (
        ipaddress.ip_address(service.bind_address).is_loopback
    )
    if local or internal or (checks_tokens and service.remote_exposure):
        return
    why = "" if checks_tokens else ": this version does not check tokens"
    expose = "set remote_exposure with bearer tokens" if checks_tokens else "bind 127.0.0.1"
    yield Finding(
        ("global", "services", "management_api", "bind_address"),
        f"the management API on {service.bind_address} would be open to the network{why}",
        f"{expose}, or set VLLM_SR_MANAGEMENT_INTERNAL_LISTENER=true where only an internal"
        " network reaches it",
    )


def _encoder(config: Config, encoders: Collection[str]) -> Iterator[Finding]:
    chosen = config.global_.model_catalog.embeddings.semantic.embedding_config
    if "model_type" in chosen.model_fields_set and chosen.model_type not in encoders:
        yield Finding(
            ("global", "model_catalog", "embeddings", "semantic", "embedding_config", "model_type"),
            f"this installation does not run the encoder {chosen.model_type!r}; thresholds that"
            " were set for it mean something else here",
            "compare scores with `tsr explain` and set the thresholds anew",
            "warning",
        )


def _decisions(config: Config, profile: Profile) -> Iterator[Finding]:
    decisions = profile.routing.decisions
    path: Path = (*profile.path, "decisions")
    yield from duplicates((decision.name for decision in decisions), "decision", path)
    models = model_names(config)
    cards = {card.name: card for card in config.routing.modelCards}
    for index, decision in enumerate(decisions):
        here = (*path, index)
        yield from _model_refs(decision.modelRefs, (*here, "modelRefs"), models, cards)
        for loop, iteration in enumerate(decision.candidateIterations):
            within = (*here, "candidateIterations", loop, "models")
            for found in _model_refs(iteration.models, within, models, cards):
                # The reference router does not ask cards about adapters of loops.
                adapter = found.path[-1] == "lora_name"
                yield replace(found, severity="warning") if adapter else found
        kinds = [plugin.type for plugin in decision.plugins]
        yield from duplicates(kinds, "plugin", (*path, index, "plugins"), "type")
        for at, kind in enumerate(kinds):
            if kind not in PLUGINS:
                yield unknown("plugin", kind, PLUGINS, (*path, index, "plugins", at, "type"))


def _model_refs(
    refs: Iterable[ModelRef], path: Path, models: Collection[str], cards: Mapping[str, ModelCard]
) -> Iterator[Finding]:
    for index, ref in enumerate(refs):
        at = (*path, index)
        if models and ref.model not in models:
            yield unknown("model", ref.model, models, (*at, "model"))
        elif ref.lora_name is not None and ref.model in cards:
            loras = _loras(cards[ref.model])
            if ref.lora_name not in loras:
                yield unknown("adapter", ref.lora_name, loras, (*at, "lora_name"))
