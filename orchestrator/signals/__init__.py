"""Facts about a request: one module per signal family.

This file is the contract. Every other file in the folder is one family, named after it. All
that the rest of the router needs to know of a family (YAML section, rule schema, key in
`matched_signals`, header) is read off its class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import StringConstraints

from orchestrator.claims import Claim, Number
from orchestrator.config.crowding import Most
from orchestrator.config.fields import Name, Strict
from orchestrator.config.images import Images
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config, Node
from orchestrator.inference import Inference
from orchestrator.inference.languages import Gate
from orchestrator.inference.pictures import LIMIT, Fetch, Pictures
from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.inference.reading_time import of_sample
from orchestrator.matching.languages import Detector
from orchestrator.registry import Registry
from orchestrator.types import Reading, Request

RuleName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Rule(Strict):
    """One configured rule of a signal; decisions refer to it by `name`."""

    name: Name
    """As decisions call it."""
    description: str | None = None
    """For people."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a signal may depend on besides its rules.

    `settings` are the parts of `global` that tune signals, keyed by family; a family's
    `Settings` model validates its part. `folders` are where a file that the policy names by a
    relative path is looked for. `images`, `fetch` and `image_limit`: see `Pictures`. One object
    serves all recipes of a policy file.
    """

    inference: Inference
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    images: Images = field(default_factory=Images)
    fetch: Fetch | None = None
    image_limit: float = LIMIT
    _made: dict[Callable[[], Any], Any] = field(default_factory=dict, init=False, repr=False)

    def shared(self, make: Callable[[], T]) -> T:
        """What `make` gives, made once for all signals: for what is large and never changes."""
        if make not in self._made:
            self._made[make] = make()
        made: T = self._made[make]
        return made

    def pictures(self) -> Pictures:
        """One for all signals, so that what several of them look at is looked at once."""
        return self.shared(self._pictures)

    def _pictures(self) -> Pictures:
        return Pictures(self.inference, self.images, self.fetch, self.image_limit)

    def gate(self, task: str, *, any_language: bool = False) -> Gate | None:
        """What tells the texts that a task of the text classifier does not read well; None where
        it reads all, or shall."""
        if any_language:
            return None
        languages = self.inference.languages(TEXT_SIGNALS).get(task)
        return None if languages is None else Gate(languages, self.shared(Detector))


R = TypeVar("R", bound=Rule)


class Signal(ABC, Generic[R]):
    """Turns a request into a Reading of its rules."""

    Rule: ClassVar[type[Rule]]
    section: ClassVar[str]  # key under routing.signals: "keywords"
    results: ClassVar[str]  # key in matched_signals
    header: ClassVar[str] = ""  # x-vsr-matched-<header>, where it is not `results`
    awaits: ClassVar[bool] = False  # True: `evaluate` is slow and needs the model server
    runs: ClassVar[bool] = True  # False: accepted and checked, but never evaluated
    models: ClassVar[tuple[str, ...]] = ()  # Triton models that `evaluate` may ask
    # Task of a text classifier -> the labels that the family relies on, and in which order the
    # classifier is trained on them.
    tasks: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    settings: ClassVar[tuple[str, ...]] = ()  # path under `global` of what tunes the family
    contends: ClassVar[bool] = False  # rules may share a partition (spec/projections.md 4.1)
    labelled: ClassVar[bool] = False  # leaves name a label and bound its score
    guards: ClassVar[bool] = False  # policies rely on it to keep requests out
    # The value of a rule is a probability, also where a match of it records no confidence.
    weighs: ClassVar[bool] = False
    composable: ClassVar[bool] = True  # a rule of another family may be made up of its leaves

    def __init__(self, rules: Sequence[R], surroundings: Surroundings) -> None:
        self.rules = tuple(rules)

    @classmethod
    def leaves(cls, rules: Sequence[R]) -> dict[str, str]:
        """Names that a decision may use -> the rule behind each (a role, `rule:hard`, ...)."""
        return {rule.name: rule.name for rule in rules}

    @classmethod
    def implied(cls, names: Sequence[str]) -> tuple[R, ...]:
        """Rules that stand for the names that decisions use, where the section is absent."""
        return ()

    @classmethod
    def idle(cls, rules: Sequence[R], settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Rules that are never evaluated, given the part of `global` that tunes the family."""
        return () if cls.runs else tuple(rule.name for rule in rules)

    @classmethod
    def asks(cls, rules: Sequence[R], settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Those of `models` that these rules need, given the same."""
        return cls.models if len(cls.idle(rules, settings)) < len(rules) else ()

    @classmethod
    def most(cls, settings: Mapping[str, Any]) -> Most | None:
        """How many of its rules match at a time, given the part of `global` that tunes the family;
        None: any number."""
        return None

    @classmethod
    def labels(cls, rules: Sequence[R]) -> dict[str, tuple[str, ...]]:
        """Rule -> the labels its leaves may name, for a family that is `labelled`."""
        return {}

    @classmethod
    def limits(cls, rules: Sequence[R]) -> dict[str, float]:
        """Rule -> what its value must reach for it to match, where one number says that."""
        found = {rule.name: getattr(rule, "threshold", None) for rule in rules}
        return {name: float(at) for name, at in found.items() if isinstance(at, int | float)}

    @classmethod
    def claims(cls, rules: Sequence[R], settings: Mapping[str, Any]) -> Iterator[Claim]:
        """What holds of every reading of these rules, before partitions; see claims.py."""
        yield from ()

    @classmethod
    def numbers(
        cls, rules: Sequence[R], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        """Name of a leaf -> the number that a predicate over it reads; None: there never is one.
        Of a name that is left out nothing is known."""
        return {}

    @classmethod
    def lets_pass(cls, rules: Sequence[R], settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Rules of a guard that match nothing where they cannot be judged."""
        return tuple(rule.name for rule in rules) if cls.guards else ()

    @classmethod
    def composers(cls, rules: Sequence[R]) -> dict[str, Node]:
        """Rule -> the tree over other families without which none of its leaves matches.

        A tree that is unknown makes unknown what it would have to let pass. It sees the other
        families after partitions and before they settle.
        """
        return {}

    @classmethod
    def check(
        cls, rules: Sequence[R], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        """What is wrong with valid rules beyond themselves; paths start at the rule's position.

        `names`: the leaves of each family, save families of which rules were refused.
        """
        yield from ()

    def not_run(self) -> tuple[str, ...]:
        """Rules that are accepted and checked but that this version never evaluates."""
        return () if self.runs else tuple(rule.name for rule in self.rules)

    async def prepare(self) -> None:
        """Do once, before traffic, what needs the model server (embed candidates).

        A failure of the model server is kept for `evaluate`, not raised.
        """

    def settle(self, reading: Reading) -> Reading:
        """Finish a reading after partitions have removed contenders (top_k)."""
        return reading


class Heuristic(Signal[R]):
    """Reads the request alone; no I/O, linear time in the text."""

    @abstractmethod
    def evaluate(self, request: Request) -> Reading: ...


class Inferred(Signal[R]):
    """Asks models. Raises InferenceError: every rule of the family is then unknown."""

    awaits = True
    weighs = True

    @abstractmethod
    async def evaluate(self, request: Request) -> Reading: ...

    def more(self, request: Request) -> float:
        """How many times as much as 8 KiB of prose `evaluate` reads beyond the first, by an
        estimate of tokens: of a sample of the text, unless the family reads more. The deadline of
        the family grows with it."""
        return of_sample(request.text)

    def wait(self, request: Request) -> float:
        """Seconds that `evaluate` may spend on what is no model's, such as fetching a picture. The
        deadline of the family grows by it."""
        return 0.0

    async def fallback(self, request: Request, reason: str) -> Reading:
        """What is known without the models, where `evaluate` failed or came too late.

        That every rule is unknown, unless the family knows better. It asks nobody: the deadline
        may have passed.
        """
        return Reading(unknown=dict.fromkeys((rule.name for rule in self.rules), reason))


SIGNALS: Registry[Signal[Any]] = Registry("signal")
