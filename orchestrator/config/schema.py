"""The v0.3 document as models (spec/config.md). Extension parameters stay opaque here:
rows of `routing.signals` and `routing.projections`, plugin configurations and algorithm blocks
are validated by the extension that owns them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr, field_validator

from orchestrator.config.decisions import Decision, ModelRef, Node, PluginRef, Predicate
from orchestrator.config.document import Path
from orchestrator.config.fields import NOT_RUN, Duration, Name, Opaque, Port, Strict
from orchestrator.config.providers import BackendRef, ProviderModel, Providers, ReasoningFamily
from orchestrator.config.settings import Global, Strategy

__all__ = [
    "BackendRef",
    "Config",
    "Decision",
    "Entrypoint",
    "Global",
    "Listener",
    "MainRouting",
    "ModelCard",
    "ModelRef",
    "Name",
    "Node",
    "PluginRef",
    "Predicate",
    "Profile",
    "Projections",
    "ProviderModel",
    "Providers",
    "ReasoningFamily",
    "Recipe",
    "Routing",
    "Strategy",
    "Strict",
    "profiles",
    "strategy",
]


class Listener(Strict):
    name: Name | None = None
    """For logs."""
    address: Name = "0.0.0.0"
    """To listen on."""
    port: Port
    """Of the OpenAI endpoints."""
    timeout: Annotated[Duration | None, NOT_RUN] = None
    """Of a request."""


class Lora(Strict):
    name: Name
    """As modelRefs call the adapter, in `lora_name`."""
    description: str | None = None
    """What it is good at; selectors read it in place of the model's."""


class ModelCard(Strict):
    """What a model is, for choosing it (spec/config.md 1.3)."""

    name: Name
    """As modelRefs and providers.models call the model."""
    param_size: str | None = None
    """Such as 8B; says it to people."""
    context_window_size: int | None = Field(default=None, ge=0)
    """In tokens; says it to people."""
    description: str | None = None
    """What it is good at; router_dc, hybrid and prompt read it."""
    capabilities: tuple[str, ...] = ()
    """Single words; router_dc and hybrid add them to the description."""
    loras: tuple[Lora, ...] = ()
    """Adapters that the model's servers have loaded."""
    quality_score: float | None = Field(default=None, ge=0)
    """From 0 to 1; more counts as 1."""
    modality: Literal["ar", "diffusion", "omni", "text", "both", "multimodal", ""] = ""
    """What it writes: text (ar), pictures (diffusion) or both (omni)."""
    tags: tuple[str, ...] = ()
    """For people."""


class Projections(Strict):
    partitions: tuple[Opaque, ...] = ()
    """Groups of rules of which one holds."""
    scores: tuple[Opaque, ...] = ()
    """Weighted sums."""
    mappings: tuple[Opaque, ...] = ()
    """Bands of scores, by name."""


class Routing(Strict):
    """One routing profile: what to look at, and what to do about it."""

    strategy: Strategy | None = None
    """How one of several decisions that hold is chosen; not given: as global.router."""
    signals: dict[str, tuple[Opaque, ...]] = {}
    """What is looked at in a request: a list of rules for each family."""
    projections: Projections = Projections()
    """New facts, made from what signals say."""
    decisions: tuple[Decision, ...] = ()
    """What to do, and when."""

    @field_validator("strategy", mode="before")
    @classmethod
    def _unset(cls, value: object) -> object:
        return None if value == "" else value

    @field_validator("signals", mode="before")
    @classmethod
    def _no_empty_sections(cls, value: object) -> object:
        if isinstance(value, dict):
            return {section: rows for section, rows in value.items() if rows is not None}
        return value


class MainRouting(Routing):
    """The recipe `default`, and the catalogue of models that all recipes share."""

    modelCards: tuple[ModelCard, ...] = ()
    """The models that decisions may name; all recipes share them."""


class Entrypoint(Strict):
    """Virtual model names that select a recipe."""

    model_names: tuple[Name, ...] = Field(min_length=1)
    """What clients ask for."""
    recipe: Name
    """That then decides."""


class Recipe(Strict):
    name: Name
    """`default` is the top-level routing block."""
    description: str | None = None
    """For people."""
    routing: Routing = Routing()
    """As the top-level block, without modelCards."""


class Config(Strict):
    version: Literal["v0.3"] = "v0.3"
    """Of the format."""
    listeners: tuple[Listener, ...] = ()
    """Where clients are heard."""
    providers: Providers = Providers()
    """Which servers carry which model."""
    routing: MainRouting = MainRouting()
    """The recipe `default`, and the models that all recipes share."""
    entrypoints: tuple[Entrypoint, ...] = ()
    """More names that clients may ask for, each of a recipe."""
    recipes: tuple[Recipe, ...] = ()
    """More routing blocks, by name."""
    global_: Global = Field(default=Global(), alias="global")
    """How the router runs."""
    _folders: tuple[FilePath, ...] = PrivateAttr(default=())

    @property
    def folders(self) -> tuple[FilePath, ...]:
        """Where a file that the policy names by a relative path is looked for, in order."""
        return self._folders

    def located(self, folders: tuple[FilePath, ...]) -> Self:
        """The same, read from a file: see `folders`."""
        copy = self.model_copy()
        copy._folders = folders
        return copy


@dataclass(frozen=True, slots=True)
class Profile:
    """A recipe by name, with the place of its routing block in the document."""

    name: str
    routing: Routing
    path: Path


def profiles(config: Config) -> Iterator[Profile]:
    """All recipes; first the top-level routing block, which is the recipe `default`.

    A document may instead name one of `recipes` "default"; the top level is then empty and
    left out.
    """
    if all(recipe.name != "default" for recipe in config.recipes):
        yield Profile("default", config.routing, ("routing",))
    for index, recipe in enumerate(config.recipes):
        yield Profile(recipe.name, recipe.routing, ("recipes", index, "routing"))


def strategy(config: Config, routing: Routing) -> Strategy:
    """The recipe's own strategy, or else the one of `global.router`."""
    return routing.strategy or config.global_.router.strategy
