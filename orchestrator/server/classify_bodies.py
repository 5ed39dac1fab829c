"""Bodies of the classify and embedding endpoints (spec/http.md 7.2, classify shapes).

Fields that are null count as absent, as in the reference router. Unlike there, a field that is not
known is an error, so that no misspelt option passes for one that is in force; what the reference
takes and has no meaning here is `Unused`. A known field of the wrong kind is an error that names it
and quotes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from orchestrator.config.document import dotted
from orchestrator.config.problems import unknown
from orchestrator.errors import RequestError
from orchestrator.matching.pieces import MOST_READ
from orchestrator.server.chat_fields import KNOWN
from orchestrator.signals import pii

MOST_TEXTS = 100
MOST_IMAGES = 8
MOST_TOTAL = 262_144  # bytes of UTF-8 of all texts of a body
SHOWN = 64  # characters of what a client wrote


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
Few = Annotated[list[Text], Field(max_length=MOST_TEXTS), AfterValidator(_together)]
Texts = Annotated[Few, Field(min_length=1)]
Pictures = Annotated[list[str], Field(max_length=MOST_IMAGES)]  # data URIs
Share = Annotated[float, Field(ge=0, le=1)]
UNUSED = "without effect"  # the description of such a field
Unused = Annotated[Any, Field(description=UNUSED)]


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

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
    include_explanation: Unused = None


class Intent(Body):
    """The options alone: everything else is a chat body, see `of_intent`."""

    model_config = ConfigDict(extra="ignore")

    options: IntentOptions = IntentOptions()


class EvalOptions(Body):
    """Of /api/v1/eval. Thresholds are those of the policy's rules, so none can be given."""

    return_probabilities: bool = False
    evaluate_all_signals: bool = True
    trace: bool = False
    include_explanation: bool = False
    confidence_threshold: Unused = None


class Eval(Body):
    """The options alone: everything else is a chat body."""

    model_config = ConfigDict(extra="ignore")

    options: EvalOptions = EvalOptions()


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
    detection_types: Unused = None
    sensitivity: Unused = None


class Security(Body):
    text: Text
    options: SecurityOptions = SecurityOptions()


class VerdictOptions(Body):
    confidence_threshold: Unused = None


class OneText(Body):
    text: Text
    options: VerdictOptions = VerdictOptions()


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
    texts: Few = []  # none only where there are images
    images: Pictures = []
    sequence_length: Unused = None


class Similarity(Encoder):
    text1: Text
    text2: Text


class SimilarityBatch(Encoder):
    query: Text
    candidates: Texts
    top_k: Annotated[int, Field(ge=0)] = 0  # 0: all of them


T = TypeVar("T", bound=Body)


def parsed(kind: type[T], body: Mapping[str, Any]) -> T:
    """Raises RequestError that names the first field that is not known, or else that is wrong."""
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
        field = dotted(tuple(_shown(step) for step in first["loc"]))
        raise RequestError(f"{field}: {_said(kind, first)}", field) from None


def of_intent(body: Mapping[str, Any]) -> IntentOptions:
    """The options of a chat body. Raises as `parsed`, also for a field that no chat request has."""
    for field, value in body.items():
        if field not in KNOWN and value is not None:
            shown = str(_shown(field))
            raise RequestError(f"{shown}: {_strange(shown, KNOWN, 'none is like it')}", shown)
    return parsed(Intent, body).options


def _said(kind: type[Body], error: ErrorDetails) -> str:
    if error["type"] == "model_type":
        return "expected an object"
    if error["type"] != "extra_forbidden":
        return error["msg"]
    *above, key = error["loc"]
    return _strange(str(_shown(key)), _known(kind, above), "none has an effect here")


def _strange(key: str, known: Collection[str], otherwise: str) -> str:
    finding = unknown("key", key, known, ())
    return f"{finding.message} ({finding.hint or otherwise})"


def _known(kind: type[Body], above: Sequence[int | str]) -> list[str]:
    """The fields that have a meaning, at the place where `kind` holds another body."""
    fields = kind.model_fields
    for step in above:
        fields = type(fields[str(step)].default).model_fields
    return [name for name, field in fields.items() if field.description != UNUSED]


def _shown(step: int | str) -> int | str:
    return step[:SHOWN] if isinstance(step, str) else step
