"""jailbreak -- the text attacks the model's instructions (spec/signals.md 2.14).

Read are the current text and, with `include_history`, each earlier text and the system prompt by
itself; each in pieces, all of it up to a limit (`matching/pieces.py`). The piece that says the most
counts. Once a piece reaches the classifier's threshold of every rule, the rest of that text is not
asked of it, and its score is "at least". A piece in disguise is read once more, as a reader would
read it (`matching/disguise.py`), and the higher score counts. What each method weighs, and from
which score on a rule matches:

- `classifier` (default): the probability of `positive_labels`; `threshold`, or that of
  model_catalog.modules.prompt_guard. A threshold of 0 matches every text.
- `contrastive`: the highest cosine with a jailbreak pattern, less the highest with a benign one
  where there are any; `threshold`, or 0.10 where that is absent or 0.
- `patterns`: 1 where a jailbreak pattern stands in the text word for word, save within a benign
  one (`matching/phrases.py`), or else 0; any hit.
- `hybrid`: whichever of the three is the most telling. Each is brought to one scale, where 0.5 is
  its own threshold and 1 its highest score; `threshold` is the classifier's, contrastive has 0.10,
  or 0.5 without benign patterns: a bare cosine of 0.10 is common among texts of any two subjects.

Confidence is the score, between 0 and 1. Values: `rule` is the score, of `hybrid` on that common
scale; `rule:classifier`, `rule:contrastive` and `rule:patterns` are what `hybrid` weighed.
`rule:plain` is 1 where the rule would not match the text as it is written.

Where a method cannot be asked, its rules are unknown; with `on_error: block` of prompt_guard they
match, with confidence 1 and the value `rule:error` = 1. `hybrid` still matches by what is left. The
same holds of a rule that finds nothing where a part of what it reads is beyond the limit
(`text_cut`, `history_not_read`), or in a script that the model does not read (`unreadable_text`; a
sentence is enough, a word is not). `patterns` are looked for in all of it as it is written, and out
of disguise in a text, or in all earlier ones, of up to 1 Mi characters; what is longer is cut to
them as well.
With prompt_guard off, rules of the classifier are not run, and `hybrid` goes without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from orchestrator.claims import COSINES, UNIT, Claim, Interval, Number, Reads
from orchestrator.config.modules import PromptGuard
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config
from orchestrator.errors import ConfigError, Problem
from orchestrator.inference import Inference
from orchestrator.inference.contrast import Sides
from orchestrator.inference.evidence import Evidence, illegible, scores_of
from orchestrator.inference.examples import MODEL
from orchestrator.inference.inquiry import Asker, Inquiry, Risk
from orchestrator.inference.questions import TEXT_SIGNALS, contents, cuts, unread
from orchestrator.inference.reading_time import of_pieces
from orchestrator.matching.bounds import HALF, scaled
from orchestrator.signals import SIGNALS, Inferred, Rule, RuleName, Surroundings
from orchestrator.types import Reading, Request

TASK = "jailbreak"
LABELS = ("benign", "jailbreak")
POSITIVE = ("jailbreak",)

CONTRASTIVE = 0.10  # its threshold, in cosines
BARE = 0.5  # in `hybrid`, without benign patterns

Method = Literal["", "classifier", "contrastive", "hybrid", "patterns"]  # empty: the first
Part = Literal["classifier", "contrastive", "patterns"]
PARTS: dict[Method, tuple[Part, ...]] = {
    "": ("classifier",),
    "classifier": ("classifier",),
    "contrastive": ("contrastive",),
    "patterns": ("patterns",),
    "hybrid": ("classifier", "contrastive", "patterns"),
}


class JailbreakRule(Rule):
    """One row of routing.signals.jailbreak."""

    method: Method = ""
    """How; not given: classifier."""
    threshold: float | None = Field(default=None, ge=0, le=1)
    """Not given: the method's own."""
    include_history: bool = False
    """Reads earlier turns and the system prompt too."""
    jailbreak_patterns: tuple[RuleName, ...] = ()
    """Texts of attacks."""
    benign_patterns: tuple[RuleName, ...] = ()
    """Harmless texts that are like them."""

    @model_validator(mode="after")
    def has_what_its_method_reads(self) -> Self:
        if self.method in ("contrastive", "hybrid", "patterns") and not self.jailbreak_patterns:
            raise ValueError(f"method {self.method} needs jailbreak_patterns")
        return self


@SIGNALS.register("jailbreak")
class Jailbreak(Inferred[JailbreakRule]):
    Rule = JailbreakRule
    section = "jailbreak"
    results = "jailbreak"
    models = (TEXT_SIGNALS, MODEL)
    tasks = {TASK: LABELS}
    settings = ("model_catalog", "modules", "prompt_guard")
    guards = True
    composable = False

    def __init__(self, rules: Sequence[JailbreakRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._settings = PromptGuard.model_validate(surroundings.settings.get("jailbreak", {}))
        self._parts = {rule.name: _parts(rule, self._settings) for rule in self.rules}
        self._run = tuple(rule for rule in self.rules if self._parts[rule.name])
        self._inquiry = self._asking(surroundings.inference)

    @classmethod
    def idle(cls, rules: Sequence[JailbreakRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        guard = PromptGuard.model_validate(settings)
        return tuple(rule.name for rule in rules if not _parts(rule, guard))

    @classmethod
    def asks(cls, rules: Sequence[JailbreakRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        guard = PromptGuard.model_validate(settings)
        parts = {part for rule in rules for part in _parts(rule, guard)}
        needed: dict[Part, str] = {"classifier": TEXT_SIGNALS, "contrastive": MODEL}
        return tuple(model for part, model in needed.items() if part in parts)

    @classmethod
    def limits(cls, rules: Sequence[JailbreakRule]) -> dict[str, float]:
        found: dict[str, float] = {}
        fixed: dict[Method, float] = {"hybrid": HALF, "patterns": 1.0}
        for rule in rules:
            bare = CONTRASTIVE if rule.method == "contrastive" else rule.threshold
            at = fixed.get(rule.method, rule.threshold or bare)
            if at is not None:
                found[rule.name] = at
        return found

    @classmethod
    def check(
        cls, rules: Sequence[JailbreakRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        off = not config.global_.model_catalog.modules.prompt_guard.enabled
        for index, rule in enumerate(rules):
            if off and "classifier" in PARTS[rule.method]:
                less = "run without its classifier" if rule.method == "hybrid" else "not run"
                said = f"{rule.name!r} is {less}: model_catalog.modules.prompt_guard is off"
                yield Finding((index,), said, "set enabled: true there", "warning")
            if rule.method == "contrastive" and not (rule.benign_patterns or rule.threshold):
                said = (
                    f"{rule.name!r} matches at a cosine of {CONTRASTIVE} with any of its patterns,"
                )
                said += " which texts of other subjects reach"
                hint = "add benign_patterns, or a threshold such as 0.5"
                yield Finding((index,), said, hint, "warning")

    @classmethod
    def claims(cls, rules: Sequence[JailbreakRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        """Rules of the classifier that read the same texts compare one score."""
        guard = PromptGuard.model_validate(settings)
        for rule in rules:
            if PARTS[rule.method] == ("classifier",):
                read = "all texts" if rule.include_history else "the text"
                score = Number(f"the risk of {read}", UNIT)
                least = guard.threshold if rule.threshold is None else rule.threshold
                yield Reads(rule.name, score, Interval.of(gte=least), exact=True)

    @classmethod
    def numbers(
        cls, rules: Sequence[JailbreakRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        wide = {rule.name: rule.method == "contrastive" for rule in rules}
        return {name: Number(name, COSINES if wide[name] else UNIT) for name in wide}

    @classmethod
    def lets_pass(
        cls, rules: Sequence[JailbreakRule], settings: Mapping[str, Any]
    ) -> tuple[str, ...]:
        blocks = PromptGuard.model_validate(settings).on_error == "block"
        return () if blocks else super().lets_pass(rules, settings)

    def not_run(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules if rule not in self._run)

    async def prepare(self) -> None:
        await self._inquiry.start()

    def more(self, request: Request) -> float:
        return of_pieces(self._texts(request))

    async def evaluate(self, request: Request) -> Reading:
        texts = self._texts(request)
        written = cuts(texts)
        if not any(cut.pieces for cut in written):
            return Reading()
        return self._read(*await self._inquiry.evidence(texts, written))

    async def fallback(self, request: Request, reason: str) -> Reading:
        texts = self._texts(request)
        if not any(text.strip() for text in texts):
            return Reading()
        late = Evidence(reason, reason)
        return self._read(*await self._inquiry.with_hits(texts, cuts(texts), late, Evidence()))

    def _texts(self, request: Request) -> tuple[str, ...]:
        return contents(request, history=any(rule.include_history for rule in self._run))

    def _asking(self, inference: Inference) -> Inquiry:
        def askers(part: Part) -> tuple[Asker, ...]:
            return tuple(_asker(rule) for rule in self.rules if part in self._parts[rule.name])

        by_model = [rule for rule in self.rules if "classifier" in self._parts[rule.name]]
        enough = max((self._threshold(rule, "classifier") for rule in by_model), default=0.0)
        risk = Risk(TASK, _positive(self._settings), enough, askers("classifier"))
        subject = "jailbreak patterns"
        return Inquiry(inference, subject, risk, askers("contrastive"), askers("patterns"))

    def _read(self, written: Evidence, plain: Evidence) -> Reading:
        matches: dict[str, float | None] = {}
        values: dict[str, float] = {}
        unknown: dict[str, str] = {}
        blocked = ""
        lost = illegible(written, plain)
        for rule in self._run:
            asked = self._parts[rule.name], rule.name, rule.include_history
            seen, _ = scores_of((written,), *asked)
            scores, why = scores_of((written, plain), *asked)
            reached, score = self._reached(rule, scores), self._score(rule, scores)
            why = why or self._unread(rule, written.cut, lost, plain.unsearched)
            if rule.method == "hybrid":
                values |= {f"{rule.name}:{part}": one for part, one in scores.items()}
            if score is not None and (reached or not why):
                values[rule.name] = score
            if reached:
                matches[rule.name] = min(1.0, max(0.0, score or 0.0))
                if not self._reached(rule, seen):
                    values[f"{rule.name}:plain"] = 1.0
            elif why and self._settings.on_error == "block":
                matches[rule.name] = values[f"{rule.name}:error"] = 1.0
                blocked = why
            elif why:
                unknown[rule.name] = why
        return Reading(matches, values, unknown, any((*written.cut, *plain.cut)), blocked)

    def _unread(
        self,
        rule: JailbreakRule,
        cut: Sequence[bool],
        lost: Sequence[bool],
        unsearched: Sequence[bool],
    ) -> str | None:
        """Words are looked for in more than the models read."""
        if self._parts[rule.name] == PARTS["patterns"]:
            return unread(unsearched, history=rule.include_history)
        return unread(cut, lost, history=rule.include_history)

    def _reached(self, rule: JailbreakRule, scores: Mapping[Part, float]) -> bool:
        return any(score >= self._threshold(rule, part) for part, score in scores.items())

    def _score(self, rule: JailbreakRule, scores: Mapping[Part, float]) -> float | None:
        if rule.method != "hybrid":
            return max(scores.values(), default=None)
        return max((scaled(s, self._threshold(rule, p)) for p, s in scores.items()), default=None)

    def _threshold(self, rule: JailbreakRule, part: Part) -> float:
        if part == "patterns":
            return 1.0
        if part == "classifier":
            return self._settings.threshold if rule.threshold is None else rule.threshold
        if rule.method == "hybrid":
            return CONTRASTIVE if rule.benign_patterns else BARE
        return rule.threshold or CONTRASTIVE


def _parts(rule: JailbreakRule, settings: PromptGuard) -> tuple[Part, ...]:
    """What the rule weighs; nothing where it is not run."""
    return tuple(p for p in PARTS[rule.method] if settings.enabled or p != "classifier")


def _asker(rule: JailbreakRule) -> Asker:
    sides = Sides(rule.jailbreak_patterns, rule.benign_patterns)
    return Asker(rule.name, rule.include_history, sides)


def _positive(settings: PromptGuard) -> tuple[str, ...]:
    """The labels that are a risk. Raises ConfigError where none of them is the model's: every
    text would be safe."""
    named = {label.lower() for label in settings.positive_labels or POSITIVE}
    known = tuple(label for label in LABELS if label in named)
    if not known:
        path = ".".join(("global", *Jailbreak.settings, "positive_labels"))
        problem = Problem(path, f"none of them is a label of {TEXT_SIGNALS}: {', '.join(LABELS)}")
        raise ConfigError("the prompt_guard settings cannot be used", (problem,))
    return known
