"""structure -- the shape of the prompt: questions, lists, ordered steps (spec/signals.md 2.10).

Reads the whole evaluation text; `text_bytes` reads the current user text. Every rule stores its
value, matched or not. Counting of a pattern is bounded; where it stopped early the reading says
`truncated`, and a density is that of the part that was counted. A blank
text has no shape: no rule matches, not even "at most one".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, StringConstraints, model_validator

from orchestrator.claims import COUNT, UNIT, Claim, Interval, Number, Reads
from orchestrator.config.decisions import Predicate
from orchestrator.config.fields import Strict
from orchestrator.matching.bounds import certainty, satisfies
from orchestrator.matching.literals import Literals
from orchestrator.matching.patterns import Pattern, dialect, encode
from orchestrator.matching.words import fold, normal, units
from orchestrator.signals import SIGNALS, Heuristic, Rule, Surroundings
from orchestrator.types import Reading, Request

Marker = Annotated[str, StringConstraints(min_length=1)]
Keyword = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Counted(NamedTuple):
    occurrences: int
    text: str  # they were counted in
    cut: bool = False  # there is more text


Count = Callable[[Request], Counted]


class Source(Strict):
    """What is counted. A keyword that is listed twice counts twice."""

    type: Literal["regex", "keyword_set", "sequence", "text_bytes"]
    """What is counted."""
    pattern: str | None = None
    """For regex."""
    keywords: tuple[Keyword, ...] = ()
    """For keyword_set; one that is listed twice counts twice."""
    sequences: tuple[Annotated[tuple[Marker, ...], Field(min_length=2)], ...] = ()
    """For sequence: markers, in order."""
    case_sensitive: bool = False
    """Tells capitals apart."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.type == "regex":
            if not self.pattern:
                raise ValueError("source type regex needs a pattern")
            Pattern(dialect(self.pattern, case_sensitive=self.case_sensitive))
        if self.type == "keyword_set" and not self.keywords:
            raise ValueError("source type keyword_set needs keywords")
        if self.type == "sequence" and not self.sequences:
            raise ValueError("source type sequence needs sequences")
        return self


class Feature(Strict):
    type: Literal["exists", "count", "density", "sequence"]
    """Whether there is one, how many, how many for each word, or whether in order."""
    source: Source
    """Of what."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.type == "sequence") is not (self.source.type == "sequence"):
            raise ValueError("feature type sequence and source type sequence need each other")
        if self.source.type == "text_bytes" and self.type != "count":
            raise ValueError("source type text_bytes needs feature type count")
        return self


class StructureRule(Rule):
    """One row of routing.signals.structure. Without predicate: the value is above 0."""

    feature: Feature
    """What is measured."""
    predicate: Predicate | None = None
    """Bounds on the value; none: it is above 0."""

    @model_validator(mode="after")
    def _no_predicate_on_exists(self) -> Self:
        if self.feature.type == "exists" and self.predicate is not None:
            raise ValueError("feature type exists takes no predicate; use count")
        return self

    @property
    def number(self) -> Number:
        kind = self.feature.type
        whole = kind != "density"
        within = UNIT if kind in ("exists", "sequence") else COUNT
        key = self.feature.model_dump_json()
        return Number(key, within, whole, always=True, label=f"the {kind} of {self.name}")

    def value(self, occurrences: int, text: str, lengths: Mapping[str, int]) -> float:
        match self.feature.type:
            case "count":
                return float(occurrences)
            case "density":
                return occurrences / words if occurrences and (words := lengths[text]) else 0.0
            case "exists" | "sequence":
                return float(occurrences > 0)

    def confidence(self, value: float) -> float | None:
        """None: the rule does not match."""
        if self.predicate is None:
            return 1.0 if value > 0 else None
        return certainty(value, self.predicate) if satisfies(value, self.predicate) else None


class Lengths(dict[str, int]):
    """Of texts, in words; rules that read one text share its length."""

    def __missing__(self, text: str) -> int:
        length = self[text] = units(text)
        return length


@SIGNALS.register("structure")
class Structure(Heuristic[StructureRule]):
    Rule = StructureRule
    section = "structure"
    results = "structure"

    @classmethod
    def claims(cls, rules: Sequence[StructureRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        for rule in rules:
            bounds = rule.predicate.model_dump() if rule.predicate else {"gt": 0.0}
            yield Reads(rule.name, rule.number, Interval.of(**bounds))

    @classmethod
    def numbers(
        cls, rules: Sequence[StructureRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: rule.number for rule in rules}

    def __init__(self, rules: Sequence[StructureRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._counts = [
            (rule, COUNTS[rule.feature.source.type](rule.feature)) for rule in self.rules
        ]

    def evaluate(self, request: Request) -> Reading:
        lengths = Lengths()
        counted = [(rule, count(request)) for rule, count in self._counts]
        values = {
            rule.name: rule.value(own.occurrences, own.text, lengths) for rule, own in counted
        }
        cut = any(own.cut for _, own in counted)
        if not request.text.strip():
            return Reading(values=values, truncated=cut)
        scores = [(rule.name, rule.confidence(values[rule.name])) for rule in self.rules]
        return Reading(
            {name: score for name, score in scores if score is not None}, values, truncated=cut
        )


def _regex(feature: Feature) -> Count:
    source = feature.source
    pattern = Pattern(dialect(source.pattern or "", case_sensitive=source.case_sensitive))

    def exists(request: Request) -> Counted:
        return Counted(int(pattern.search(encode(request.text))), request.text)

    def count(request: Request) -> Counted:
        data = encode(request.text)
        found, read = pattern.count(data)
        if read == len(data):
            return Counted(found, request.text)
        return Counted(found, data[:read].decode("utf-8", "ignore"), cut=True)

    return exists if feature.type == "exists" else count


def _keyword_set(feature: Feature) -> Count:
    source = feature.source
    literals = Literals(source.keywords, case_sensitive=source.case_sensitive)
    return lambda request: Counted(literals.count(request.text), request.text)


def _sequence(feature: Feature) -> Count:
    source = feature.source
    prepare = normal if source.case_sensitive else fold
    sequences = [[prepare(marker) for marker in markers] for markers in source.sequences]

    def count(request: Request) -> Counted:
        text = prepare(request.text)
        return Counted(int(any(_in_order(markers, text) for markers in sequences)), text)

    return count


def _text_bytes(_: Feature) -> Count:
    return lambda request: Counted(len(encode(request.user_text)), request.user_text)


COUNTS: dict[str, Callable[[Feature], Count]] = {
    "regex": _regex,
    "keyword_set": _keyword_set,
    "sequence": _sequence,
    "text_bytes": _text_bytes,
}


def _in_order(markers: Sequence[str], text: str) -> bool:
    position = 0
    for marker in markers:
        position = text.find(marker, position)
        if position < 0:
            return False
        position += len(marker)
    return True
