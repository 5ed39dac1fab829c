"""What is measured, read from YAML: requests of which kinds, how many, and who answers them.

Every field is explained in perf/README.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

SCENARIOS = Path(__file__).parent / "scenarios"
POLICIES = Path(__file__).parent / "policies"
PICTURES = "image_signals"  # reads a picture; the other models read a text
SHORTEST = 3  # tokens of a text


class WrongScenario(Exception):
    """A scenario that cannot be read; the message says where and why."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Request(Strict):
    """One kind of requests."""

    share: int = Field(1, ge=1)  # of this kind, against the others of its mix
    tokens: int = Field(0, ge=0, le=512)  # of the text, by the default encoder's tokenizer
    picture: str | None = Field(None, pattern=r"^(jpeg|png|webp) \d+x\d+$")
    tools: int = Field(0, ge=0)  # definitions that a chat request brings
    stream: bool = False

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if 0 < self.tokens < SHORTEST or (not self.tokens and self.picture is None):
            wanted = f"a text of {SHORTEST} tokens or more, a picture, or both"
            raise ValueError(f"a request has {wanted}")
        return self


class Base(Strict):
    name: str
    inputs: tuple[str, ...] = ()  # of the scenario's; none: all
    floor: bool = False  # what the others of the same input are compared with

    def answers(self, request: Request) -> bool:
        return True


class Model(Base):
    """An arm that asks one model, which reads texts or pictures."""

    model: Literal["text_embedding", "text_signals", "image_signals"]

    def answers(self, request: Request) -> bool:
        return bool(request.picture if self.model == PICTURES else request.tokens)


class InProcess(Model):
    """The served code of a model, without a server: two threads, batches of what waits."""

    kind: Literal["process"]
    model: Literal["text_embedding", "image_signals"]


class Triton(Model):
    """A model of the repository, over gRPC."""

    kind: Literal["triton"]
    batching: bool = True  # False: without its dynamic_batching
    copies: int = Field(1, ge=1)  # of the model, each asked for every request, at once
    driver: Literal["tritonclient", "perf_analyzer"] = "tritonclient"

    @model_validator(mode="after")
    def _one_model_at_a_time(self) -> Self:
        if self.driver == "perf_analyzer" and self.copies > 1:
            raise ValueError("perf_analyzer asks one model: copies need the driver tritonclient")
        return self


class Router(Base):
    """A policy of perf/policies: over HTTP with a canned backend, or as Triton's model."""

    kind: Literal["http_router", "semantic_router"]
    policy: str

    @property
    def path(self) -> Path:
        return POLICIES / f"{self.policy}.yaml"

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        if not self.path.is_file():
            raise ValueError(f"no policy is called {self.policy}; there are: {_names(POLICIES)}")
        return self


class Proxy(Base):
    """What else forwards chat requests: the least that aiohttp can do, or LiteLLM's proxy."""

    kind: Literal["bare_proxy", "litellm"]


Arm = Annotated[InProcess | Triton | Router | Proxy, Field(discriminator="kind")]


class Scenario(Strict):
    about: str
    rounds: int = Field(5, ge=1)
    seconds: float = Field(1.5, gt=0)  # a cell takes, and until every place has answered twice
    at_once: tuple[Annotated[int, Field(ge=1)], ...] = ()  # closed loop: so many under way
    rates: tuple[Annotated[float, Field(gt=0)], ...] = ()  # open loop: requests a second
    inputs: dict[str, tuple[Request, ...]]
    arms: tuple[Arm, ...]
    shown: tuple[str, ...] = ()  # inputs that the README has a table of; none: all

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.at_once and not self.rates:
            raise ValueError("at_once or rates says how hard to ask")
        for arm in self.arms:
            if unknown := set(arm.inputs) - set(self.inputs):
                raise ValueError(f"{arm.name}: no input is called {', '.join(sorted(unknown))}")
            for name, mix in self.inputs.items():
                if arm in self.arms_of(name) and not all(map(arm.answers, mix)):
                    raise ValueError(f"{arm.name} cannot read all requests of {name}")
        if len({arm.name for arm in self.arms}) < len(self.arms):
            raise ValueError("two arms have one name")
        if unknown := set(self.shown) - set(self.inputs):
            raise ValueError(f"shown: no input is called {', '.join(sorted(unknown))}")
        for name in self.inputs:
            if sum(arm.floor for arm in self.arms_of(name)) > 1:
                raise ValueError(f"{name}: two arms are its floor")
        return self

    def arms_of(self, name: str) -> tuple[Arm, ...]:
        """Those that an input is put to."""
        return tuple(arm for arm in self.arms if not arm.inputs or name in arm.inputs)

    def floor_of(self, name: str) -> str | None:
        return next((arm.name for arm in self.arms_of(name) if arm.floor), None)


def read(name: str, **changed: object) -> Scenario:
    """By its name in perf/scenarios, or the path of a file; `changed`: fields in place of its own.
    Raises WrongScenario.
    """
    path = Path(name) if name.endswith(".yaml") else SCENARIOS / f"{name}.yaml"
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        why = f"no scenario is called {name}; there are: {_names(SCENARIOS)}, or a .yaml file"
        raise WrongScenario(why) from None
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        raise WrongScenario(f"{path}: {error}") from error
    if not isinstance(found, dict):
        raise WrongScenario(f"{path} holds no fields")
    try:
        return Scenario.model_validate(found | changed)
    except ValidationError as error:
        raise WrongScenario("\n".join([f"{path}:", *map(_told, error.errors())])) from None


def _told(problem: ErrorDetails) -> str:
    where = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in problem["loc"])
    return f"  {where.lstrip('.') or 'the whole'}: {problem['msg'].removeprefix('Value error, ')}"


def _names(folder: Path) -> str:
    return ", ".join(sorted(path.stem for path in folder.glob("*.yaml")))
