"""Bodies of the classify and embedding endpoints (spec/http.md 7.2, classify shapes).

Fields that are null count as absent, and fields that are not known are left alone, as in the
reference router; a known field of the wrong kind is an error that names it and quotes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from orchestrator.errors import RequestError
from orchestrator.matching.pieces import MOST_READ
from orchestrator.signals import pii

MOST_TEXTS = 100
MOST_TOTAL = 262_144  # bytes of UTF-8 of all texts of a body


def _wrong(message: str) -> PydanticCustomError:
    return PydanticCustomError("body", "{said}", {"said": message})


def _readable(text: str) -> str:
    size = len(text.encode("utf-8", "replace"))
    if not text.strip():
        raise _wrong("a text cannot be empty")
    if size > MOST_READ:
        raise _wrong(f"a text has at most {MOST_READ} bytes, this one has {size}")
    return text


def _together(texts: list[str]) -> list[str]:
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    if size > MOST_TOTAL:
        raise _wrong(f"all texts have at most {MOST_TOTAL} bytes, these have {size}")
    return texts


def _kind(word: str) -> str:
    known = word.strip().upper()
    if known not in pii.TYPES:
        raise _wrong(f"not a type of personal data; the types are: {', '.join(pii.TYPES)}")
    return known


Text = Annotated[str, AfterValidator(_readable)]
Texts = Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS), AfterValidator(_together)]
Share = Annotated[float, Field(ge=0, le=1)]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        if isinstance(given, Mapping):
            return {field: value for field, value in given.items() if value is not None}
        return given


class IntentOptions(Body):
    return_probabilities: bool = False
    confidence_threshold: Share | None = None  # None: the policy's
    evaluate_all_signals: bool = False
    trace: bool = False


class Intent(Body):
    """The options alone: everything else is a chat body."""

    options: IntentOptions = IntentOptions()


class PiiOptions(Body):
    entity_types: list[Annotated[str, AfterValidator(_kind)]] = []  # none: all
    confidence_threshold: Share | None = None  # None: the policy's
    return_positions: bool = False
    mask_entities: bool = False
    reveal_entity_text: bool = False


class Pii(Body):
    text: Text
    options: PiiOptions = PiiOptions()


class SecurityOptions(Body):
    include_reasoning: bool = False


class Security(Body):
    text: Text
    options: SecurityOptions = SecurityOptions()


class OneText(Body):
    text: Text


class MixedOptions(IntentOptions, PiiOptions, SecurityOptions):
    """Where several kinds are asked, `confidence_threshold` is not read: it would mean something
    else for each.
    """


class Combined(Body):
    text: Text
    options: MixedOptions = MixedOptions()


class Batch(Body):
    texts: Texts
    task_type: str = ""
    options: MixedOptions = MixedOptions()


class Encoder(Body):
    model: str = ""
    dimension: int = 0  # 0: what the model gives
    target_layer: int = 0
    quality_priority: Share = 0.0  # there is one model: nothing to weigh
    latency_priority: Share = 0.0


class Embed(Encoder):
    texts: Texts
    images: list[Any] = []


class Similarity(Encoder):
    text1: Text
    text2: Text


class SimilarityBatch(Encoder):
    query: Text
    candidates: Texts
    top_k: Annotated[int, Field(ge=0)] = 0  # 0: all of them


T = TypeVar("T", bound=Body)


def parsed(kind: type[T], body: Mapping[str, Any]) -> T:
    """Raises RequestError that names the first field that is wrong."""
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in first["loc"])
        field = field.lstrip(".")
        said = "expected an object" if first["type"] == "model_type" else first["msg"]
        raise RequestError(f"{field}: {said}", field) from None
