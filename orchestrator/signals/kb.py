"""kb -- the text belongs to a label or group of a knowledge base (spec/signals.md 2.16).

Each label has a bank of its exemplars and scores as that bank does; a group scores as the best of
its labels. A label is matched from `label_thresholds`, or else the base's `threshold`, up; a group
when one of its labels is. A rule with `match: threshold` holds when its target is matched.

`match: best` holds when its target has the highest score of all labels (or groups), equal scores
by name. **No threshold is asked**, as the format has it: of rules that cover all labels of a base,
one holds for every text, even one that the base knows nothing of. A group whose labels are all in
another one never has the higher score of the two.

Values: `rule` is the score of its target; `<kb>:<metric>` are what projections read:
`best_score`, `best_matched_score` (0 where no label is matched), and the declared margins.
A base of the format's own list that is not installed leaves its rules to `not_run`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import TypeAdapter

from orchestrator.claims import AtMost, Claim, Interval, Number
from orchestrator.config.catalog import KnowledgeBase
from orchestrator.config.fields import Strict
from orchestrator.config.knowledge import manifest_path, read_manifest
from orchestrator.config.problems import Finding, unknown
from orchestrator.config.schema import Config
from orchestrator.errors import ConfigError
from orchestrator.inference.examples import MODEL, Banks, Examples, compare
from orchestrator.matching.knowledge import Knowledge, inconsistencies
from orchestrator.signals import SIGNALS, Inferred, Rule, RuleName, Surroundings
from orchestrator.types import Reading, Request

BASES = TypeAdapter(tuple[KnowledgeBase, ...])


class Target(Strict):
    kind: Literal["label", "group"]
    """What `value` is."""
    value: RuleName
    """The name of a label, or of a group."""


class KbRule(Rule):
    """One row of routing.signals.kb; `kb` is a knowledge base of global.model_catalog.kbs."""

    kb: RuleName
    """A name in global.model_catalog.kbs."""
    target: Target
    """What of it has to hold."""
    match: Literal["", "threshold", "best"] = ""
    """Above its threshold, or the best of all; empty: threshold."""


@dataclass(frozen=True, slots=True)
class _Open:
    """Opens a base, once for all recipes; None where it is not installed."""

    name: str
    base: KnowledgeBase = field(compare=False)
    surroundings: Surroundings = field(compare=False)

    def __call__(self) -> tuple[Knowledge, Banks] | None:
        path = manifest_path(self.base, self.surroundings.folders)
        if path is None:
            return None
        labels = read_manifest(path).labels
        scoring = self.base.prototype_scoring
        examples = [Examples(label.exemplars, scoring) for label in labels.values()]
        banks = Banks(self.surroundings.inference, f"knowledge base {self.name}", examples)
        return Knowledge(self.base, tuple(labels)), banks


@SIGNALS.register("kb")
class Kb(Inferred[KbRule]):
    Rule = KbRule
    section = "kb"
    results = "kb"
    models = (MODEL,)
    settings = ("model_catalog",)

    def __init__(self, rules: Sequence[KbRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._inference = surroundings.inference
        bases = BASES.validate_python(surroundings.settings.get("kb", {}).get("kbs", ()))
        used = {rule.kb for rule in rules}
        opened = {
            base.name: surroundings.shared(_Open(base.name, base, surroundings))
            for base in bases
            if base.name in used
        }
        self._bases = {name: one for name, one in opened.items() if one is not None}
        self._able = tuple(rule for rule in rules if self._answers(rule))

    @classmethod
    def check(
        cls, rules: Sequence[KbRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        """A base is there, is sound, and has what rules ask of it.

        The format's own bases are declared by nobody: that they are not installed is a warning.
        """
        catalog = config.global_.model_catalog
        bases = {base.name: base for base in catalog.kbs}
        declared = "kbs" in catalog.model_fields_set
        known: dict[str, Knowledge | None] = {}
        for index, rule in enumerate(rules):
            if rule.kb not in bases:
                yield unknown("knowledge base", rule.kb, bases, (index, "kb"))
                continue
            if rule.kb not in known:
                knowledge, found = _examined(bases[rule.kb], config, declared)
                known[rule.kb] = knowledge
                yield from (replace(one, path=(index, "kb")) for one in found)
            base = known[rule.kb]
            kind, value = rule.target.kind, rule.target.value
            if base is not None and value not in base.names(kind):
                what = f"{kind} of the knowledge base {rule.kb!r}:"
                finding = unknown(what, value, base.names(kind), (index, "target", "value"))
                yield finding if declared else _tolerated(finding)

    @classmethod
    def claims(cls, rules: Sequence[KbRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        """Of the labels of a base, or of its groups, one is the best."""
        best: dict[tuple[str, str], dict[str, list[str]]] = {}
        for rule in rules:
            if rule.match == "best":
                targets = best.setdefault((rule.kb, rule.target.kind), {})
                targets.setdefault(rule.target.value, []).append(rule.name)
        for (base, kind), targets in best.items():
            groups = tuple(tuple(names) for names in targets.values())
            yield AtMost(groups, f"one {kind} of {base} is the best")

    @classmethod
    def numbers(
        cls, rules: Sequence[KbRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: Number(rule.name, Interval(-1.0, 1.0)) for rule in rules}

    def not_run(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules if rule not in self._able)

    async def prepare(self) -> None:
        await asyncio.gather(*(banks.start() for _, banks in self._bases.values()))

    async def evaluate(self, request: Request) -> Reading:
        if not self._able or not request.text.strip():
            return Reading()
        several = [banks for _, banks in self._bases.values()]
        found = await compare(self._inference, request.text, several)
        standings = {
            name: knowledge.judge([one.score for one in scores])
            for (name, (knowledge, _)), scores in zip(
                self._bases.items(), found.scores, strict=True
            )
        }
        values = {
            f"{name}:{metric}": value
            for name, standing in standings.items()
            for metric, value in standing.metrics.items()
        }
        matches: dict[str, float | None] = {}
        for rule in self._able:
            kind, value = rule.target.kind, rule.target.value
            standing = standings[rule.kb]
            score = values[rule.name] = standing.scores[kind][value]
            best = rule.match == "best"
            if value == standing.best[kind] if best else value in standing.matched[kind]:
                matches[rule.name] = max(score, 0.0)
        return Reading(matches, values, truncated=found.truncated)

    def _answers(self, rule: KbRule) -> bool:
        opened = self._bases.get(rule.kb)
        return opened is not None and rule.target.value in opened[0].names(rule.target.kind)


def _examined(
    base: KnowledgeBase, config: Config, declared: bool
) -> tuple[Knowledge | None, list[Finding]]:
    path = manifest_path(base, config.folders)
    if path is None:
        where = f"{base.source.path.rstrip('/')}/{base.source.manifest}"
        said = f"the knowledge base {base.name!r} has no file {where}"
        hint = f"looked in {', '.join(map(str, config.folders))}" if config.folders else None
        finding = Finding((), said, hint)
        return None, [finding if declared else _tolerated(finding)]
    try:
        knowledge = Knowledge(base, tuple(read_manifest(path).labels))
    except ConfigError as error:
        return None, [Finding((), str(error))]
    if not declared:  # of the format's own list only what the manifest has counts
        return knowledge, []
    return knowledge, [Finding((), said, f"see {path}") for said in inconsistencies(knowledge)]


def _tolerated(finding: Finding) -> Finding:
    """Nobody has written what is wrong with a base of the format's own list."""
    said = f"{finding.message}; a rule that needs it is not run"
    return replace(finding, message=said, severity="warning")
