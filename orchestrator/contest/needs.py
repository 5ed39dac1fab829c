"""What a selector wants to know of a request, and what is known then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from orchestrator.standing import Percentiles, Record
from orchestrator.types import EMPTY

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Question:
    """To a language model, about the text of a request."""

    model: str  # of the policy
    instructions: str
    seconds: float  # that the answer may take


@dataclass(frozen=True, slots=True)
class Needs:
    """What a selector wants to know of a request."""

    session: bool = False
    embedding: bool = False
    topic: bool = False
    texts: tuple[str, ...] = ()  # the cosine of the request's text with each
    standing: Percentiles | None = None
    question: Question | None = None

    @property
    def models(self) -> bool:
        """A model has to be asked."""
        return self.embedding or self.topic or bool(self.texts)


NOTHING = Needs()


@dataclass(frozen=True, slots=True)
class Values:
    """What is known of a request; nothing of what the selector does not need."""

    session: str = ""
    embedding: Vector | None = None  # of the text, L2-normalised
    topic: str = ""  # its most probable subject of MMLU
    # by text; NaN of a text in a script that the model does not read
    cosines: Mapping[str, float] = field(default_factory=lambda: EMPTY)
    standing: Mapping[str, Record] = field(default_factory=lambda: EMPTY)  # by candidate's name
    answer: str = ""  # to the question
    unread: str = ""  # the reason code for which embedding and cosines, or the answer, are missing
