"""What the text classifier says of a text, judged as the signals judge it.

Each answer comes out of the signal itself, or of the function that it reads a text with, under the
policy's own settings: this API and the path of a request cannot differ. A module that the policy
has off is asked all the same, because here somebody asks for it by name, and each in any language.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.config.modules import Domain as DomainSettings
from orchestrator.config.modules import Pii as PiiSettings
from orchestrator.config.modules import PromptGuard
from orchestrator.config.schema import Config
from orchestrator.errors import InferenceError
from orchestrator.inference import Entity, Inference
from orchestrator.inference.questions import TEXT_SIGNALS, ask, cuts
from orchestrator.matching.personal import Personal
from orchestrator.signals import Signal, Surroundings, domain, fact_check, jailbreak, pii
from orchestrator.signals import user_feedback as feedback
from orchestrator.types import Reading, Request

KINDS: dict[str, type[Signal[Any]]] = {
    domain.TASK: domain.Domain,
    jailbreak.TASK: jailbreak.Jailbreak,
    pii.TASK: pii.Pii,
    fact_check.TASK: fact_check.FactCheck,
    feedback.TASK: feedback.UserFeedback,
}
# A failure is told, not taken for a jailbreak.
ASKED = {"enabled": True, "on_error": "allow", "any_language": True}
SUBJECTS = [domain.DomainRule(name=one, mmlu_categories=(one,)) for one in domain.SUBJECTS]
ATTACK = jailbreak.JailbreakRule(name="text")
VERDICTS = [fact_check.FactCheckRule(name="needs_fact_check")]
VERDICTS += [fact_check.FactCheckRule(name="no_fact_check_needed")]
FEEDBACK = [feedback.UserFeedbackRule.model_validate({"name": one}) for one in feedback.LABELS]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`name` is what is said, `confidence` its probability; `shares` are all of them by name.

    `sure`: a threshold was reached. `truncated`: of a part of the text.
    """

    name: str
    confidence: float
    shares: Mapping[str, float]
    sure: bool = True
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Privacy:
    """All personal data in `text`, whatever the score; see `pii.entities`.

    `unreadable`: some of it is in no script that the model reads, so that of names and the like
    there may be more; what has a form that can be checked was looked for in all of it.
    """

    text: str
    entities: tuple[Entity, ...]
    truncated: bool = False
    unreadable: bool = False


class Classification:
    """Methods raise InferenceError; texts are not blank."""

    def __init__(self, config: Config) -> None:
        tree = config.global_.model_dump()
        self._settings = {family: _asked(tree, kind) for family, kind in KINDS.items()}
        self._personal = Personal()
        self.fallback = DomainSettings.model_validate(self._settings[domain.TASK]).fallback_category
        self.private_from = PiiSettings.model_validate(self._settings[pii.TASK]).threshold
        self.attack_from = PromptGuard.model_validate(self._settings[jailbreak.TASK]).threshold

    async def intent(
        self, inference: Inference, request: Request, threshold: float | None = None
    ) -> Verdict:
        """The subject, or the fallback where none reaches `threshold` (None: the policy's)."""
        settings = self._settings
        if threshold is not None:
            settings = {**settings, domain.TASK: {**settings[domain.TASK], "threshold": threshold}}
        signal = domain.Domain(SUBJECTS, Surroundings(inference, settings))
        reading = await signal.evaluate(request)
        detected = [name for name in reading.values if name in reading.matches]
        best = max(detected or reading.values, key=lambda name: reading.values[name])
        return Verdict(
            best if detected else self.fallback,
            reading.values[best],
            reading.values,
            bool(detected),
            reading.truncated,
        )

    async def security(self, inference: Inference, text: str) -> Verdict:
        """`shares` holds the risk alone, under the name of an attack."""
        signal = jailbreak.Jailbreak([ATTACK], self._around(inference))
        reading = await signal.evaluate(Request("", text))
        if reading.unknown:
            code = reading.unknown[ATTACK.name]
            kinds = (kind for kind in InferenceError.__subclasses__() if kind.code == code)
            raise next(kinds, InferenceError)(f"{TEXT_SIGNALS}: {code}")
        safe, attack = jailbreak.LABELS
        risk, found = reading.values[ATTACK.name], ATTACK.name in reading.matches
        name, confidence = (attack, risk) if found else (safe, 1 - risk)
        return Verdict(name, confidence, {attack: risk}, found, reading.truncated)

    async def privacy(self, inference: Inference, text: str) -> Privacy:
        (answer,) = await ask(inference, cuts((text,)), (pii.TASK,))
        if len(text) > pii.LONG:
            found = await asyncio.to_thread(pii.entities, text, answer, self._personal)
        else:
            found = pii.entities(text, answer, self._personal)
        return Privacy(text, found, answer.truncated, bool(answer.illegible))

    async def facts(self, inference: Inference, text: str) -> Verdict:
        signal = fact_check.FactCheck(VERDICTS, self._around(inference))
        return _only(await signal.evaluate(Request("", text)))

    async def feedback(self, inference: Inference, text: str) -> Verdict:
        """The text is taken for one that follows an answer."""
        signal = feedback.UserFeedback(FEEDBACK, self._around(inference))
        request = Request("", text, user_text=text, has_assistant_reply=True)
        return _only(await signal.evaluate(request))

    def _around(self, inference: Inference) -> Surroundings:
        return Surroundings(inference, self._settings)


def _asked(tree: Mapping[str, Any], kind: type[Signal[Any]]) -> dict[str, Any]:
    """The policy's settings of a family, switched on."""
    block: Any = tree
    for key in kind.settings:
        block = block[key]
    return {**block, **{key: value for key, value in ASKED.items() if key in block}}


def _only(reading: Reading) -> Verdict:
    """Of a family of which exactly one rule matches."""
    (name,) = reading.matches
    return Verdict(name, reading.values[name], reading.values, truncated=reading.truncated)
