"""Two policy files, as they are understood: everything that came, went or changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.app.names import names_of
from orchestrator.app.policies import Blueprint, Compiled
from orchestrator.changes.change import Change
from orchestrator.changes.renames import Renames, pairs
from orchestrator.changes.routings import DECISION, MODEL, Both, routing_changes
from orchestrator.changes.tables import compare
from orchestrator.changes.usage import Usage, usage_of
from orchestrator.changes.values import FieldChange, differences, plain
from orchestrator.config.schema import Config
from orchestrator.signals import SIGNALS

DEFAULTS = "providers.defaults"


@dataclass(frozen=True, slots=True)
class Structure:
    """`models` and `decisions` are what is only called otherwise: old name -> new name; of
    decisions, with the names of their recipes.
    """

    changes: tuple[Change, ...]
    models: Mapping[str, str]
    recipes: Mapping[str, str]
    decisions: Mapping[tuple[str, str], tuple[str, str]]

    def untouched(self, recipe: str, names: Collection[str]) -> bool:
        """Whether decisions of these names, as they are called now, hold when they held before,
        and come in the same order. A setting of all recipes leaves nothing certain.
        """
        return not any(
            (change.what == "setting" and change.name != DEFAULTS)
            or (change.recipe == recipe and not {change.name, *change.touches}.isdisjoint(names))
            for change in self.changes
            if change.kind != "renamed" or change.note
        )


def structure(old: Compiled, new: Compiled) -> Structure:
    models = compare(
        MODEL,
        _models(old.config),
        _models(new.config),
        before=_users(old, Usage.of_model),
        after=_users(new, Usage.of_model),
        twins=(_sent(old.config), _sent(new.config)),
    )
    renames: Renames = {(MODEL, was): name for was, name in models.renames.items()}
    before = {one.profile.name: one for one in old.blueprints}
    after = {one.profile.name: one for one in new.blueprints}
    recipes = pairs(_routings(before), _routings(after))
    inside: list[Change] = []
    decisions: dict[tuple[str, str], tuple[str, str]] = {}
    for was, blueprint in before.items():
        name = recipes.get(was, was)
        if name in after:
            found, called = routing_changes(Both(name, blueprint, after[name], renames))
            inside += found
            for decision in blueprint.profile.routing.decisions:
                later = called.get((DECISION, decision.name), decision.name)
                decisions[was, decision.name] = (name, later)
    changes = (
        *_recipes(old, new, recipes),
        *_entrypoints(old.config, new.config, recipes),
        *inside,
        *models.changes,
        *_settings(old, new, models.renames),
    )
    return Structure(changes, models.renames, recipes, decisions)


def _models(config: Config) -> dict[str, Any]:
    """Each model as one: how it is reached and paid for, what its card says."""
    providers = {model.name: plain(model) for model in config.providers.models}
    cards = {card.name: plain(card) for card in config.routing.modelCards}
    return {
        name: {
            **{key: value for key, value in providers.get(name, {}).items() if key != "name"},
            **{f"card.{key}": v for key, v in cards.get(name, {}).items() if key != "name"},
        }
        for name in dict.fromkeys((*providers, *cards))
    }


def _sent(config: Config) -> dict[str, Any]:
    """The same with the name that backends see, which is the model's own unless it says another:
    a model is only called otherwise where they see no difference.
    """
    sent = {one.name: one.provider_model_id or one.name for one in config.providers.models}
    return {name: (sent.get(name, name), content) for name, content in _models(config).items()}


def _routings(blueprints: Mapping[str, Blueprint]) -> dict[str, Any]:
    return {name: plain(one.profile.routing) for name, one in blueprints.items()}


def _recipes(old: Compiled, new: Compiled, renames: Mapping[str, str]) -> Iterator[Change]:
    described = [{recipe.name: recipe for recipe in one.config.recipes} for one in (old, new)]
    before, after = ([b.profile.name for b in one.blueprints] for one in (old, new))
    for name in before:
        if name not in after and name not in renames:
            yield Change("removed", "recipe", name)
    for name in after:
        was = next((one for one, later in renames.items() if later == name), name)
        if name not in before and was == name:
            yield Change("added", "recipe", name)
        elif was != name:
            yield Change("renamed", "recipe", name, was=was)
        texts = [
            own[n].description if n in own else None
            for own, n in zip(described, (was, name), strict=True)
        ]
        if was in before and texts[0] != texts[1]:
            fields = (FieldChange("description", *texts),)
            yield Change("changed", "recipe", name, fields=fields)


def _entrypoints(old: Config, new: Config, recipes: Mapping[str, str]) -> Iterator[Change]:
    """By the names that clients write: which recipe each selects."""
    before = {n: {"recipe": recipes.get(r, r)} for n, r in names_of(old).recipes.items()}
    after = {name: {"recipe": recipe} for name, recipe in names_of(new).recipes.items()}
    gone = [name for name in before if name not in after]
    for name in gone:
        yield Change("removed", "entrypoint", name)
    for name, target in after.items():
        if name not in before:
            fields = (FieldChange("recipe", None, target["recipe"]),)
            yield Change("added", "entrypoint", name, fields=fields)
        elif found := tuple(differences(before[name], target)):
            yield Change("changed", "entrypoint", name, fields=found)
    if names_of(old).default != names_of(new).default:
        fields = (FieldChange("default name", names_of(old).default, names_of(new).default),)
        yield Change("changed", "entrypoint", names_of(new).default, fields=fields)


def _settings(old: Compiled, new: Compiled, models: Mapping[str, str]) -> Iterator[Change]:
    before, after = (_shared(one.config) for one in (old, new))
    defaults = before[DEFAULTS]
    defaults["default_model"] = models.get(defaults["default_model"], defaults["default_model"])
    for place, value in after.items():
        fields = tuple(differences(before[place], value))
        if fields:
            paths = [f"{place}.{field.path}" for field in fields]
            touches = _touched(new, paths) if place == "global" else ()
            yield Change("changed", "setting", place, fields=fields, touches=touches)


def _shared(config: Config) -> dict[str, Any]:
    return {
        "version": plain(config.version),
        "listeners": plain(config.listeners),
        DEFAULTS: plain(config.providers.defaults),
        "global": plain(config.global_),
    }


def _touched(compiled: Compiled, paths: list[str]) -> tuple[str, ...]:
    """Decisions that use a family which one of the settings at `paths` tunes."""
    families = [
        family
        for family in SIGNALS.names()
        if (tuning := SIGNALS[family].settings)
        and any(_overlap(path, ".".join(("global", *tuning))) for path in paths)
    ]
    found = [name for family in families for name in _users(compiled, Usage.of_family)(family)]
    return tuple(dict.fromkeys(found))


def _overlap(path: str, place: str) -> bool:
    return f"{path}.".startswith(f"{place}.") or f"{place}.".startswith(f"{path}.")


def _users(
    compiled: Compiled, of: Callable[[Usage, str], tuple[str, ...]]
) -> Callable[[str], tuple[str, ...]]:
    usages = {one.profile.name: usage_of(one) for one in compiled.blueprints}
    several = len(usages) > 1

    def users(name: str) -> tuple[str, ...]:
        return tuple(
            f"{recipe}/{decision}" if several else decision
            for recipe, usage in usages.items()
            for decision in of(usage, name)
        )

    return users
