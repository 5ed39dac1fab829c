"""The probe file as models: the reference router's schema v1, unknown keys are errors.

Looser than the reference in one point: `routing_assets`, which only its own release process
reads, and `coverage` may be absent. References inside the file are checked by `load`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Collection
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from orchestrator.config.fields import Name, Strict, Text

MAX_TEXT_BYTES = 10 * 1024 * 1024
MAX_IMAGE_BYTES = 4 * 1024 * 1024

FixtureName = Annotated[
    str, StringConstraints(max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
]
Repeat = Annotated[int, Field(ge=1, le=10_000, strict=True)]
Index = Annotated[int, Field(ge=0, strict=True)]
Percent = Annotated[float, Field(ge=0, le=100)]
Match = Literal["contains", "exact"]
C = TypeVar("C", bound=Collection[Any])


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("must not contain duplicates")
    return names


def _some(items: C) -> C:
    # Not Field(min_length=1): it also complains of items that are there but not valid.
    if not items:
        raise ValueError("must have at least one entry")
    return items


Names = Annotated[tuple[Name, ...], AfterValidator(_distinct)]
Signals = dict[Name, Annotated[Names, AfterValidator(_some)]]  # by key of matched_signals


class Image(Strict):
    """An inline picture; `sha256` guards it against silent edits."""

    description: Annotated[str, StringConstraints(min_length=1, max_length=512)]
    media_type: Literal["image/gif", "image/jpeg", "image/png", "image/webp"]
    sha256: Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
    data_base64: Annotated[str, AfterValidator(lambda text: "".join(text.split()))]

    @model_validator(mode="after")
    def _intact(self) -> Self:
        try:
            data = base64.b64decode(self.data_base64, validate=True)
        except binascii.Error as error:
            raise ValueError(f"data_base64 is not base64: {error}") from None
        if not 0 < len(data) <= MAX_IMAGE_BYTES:
            raise ValueError(f"the image must have 1 to {MAX_IMAGE_BYTES} bytes")
        actual = f"sha256:{hashlib.sha256(data).hexdigest()}"
        if actual != self.sha256:
            raise ValueError(f"sha256 does not fit the data, which has {actual}")
        return self


class Fixtures(Strict):
    images: Annotated[dict[FixtureName, Image], AfterValidator(_some)]


class Padding(Strict):
    """Filler around the query, so that a long input holds the trigger once."""

    text: Text
    repeat: Repeat = 1
    placement: Literal["before", "after", "around"] = "before"


class GeneratedText(Strict):
    """A run of one character, so long that the message's text reaches `target_text_bytes`."""

    message_index: Index
    content_index: Index
    target_text_bytes: Annotated[int, Field(ge=1, le=MAX_TEXT_BYTES, strict=True)]
    character: Annotated[str, StringConstraints(pattern=r"^[\x20-\x7e]$")] = "x"


class Playground(Strict):
    enabled: bool
    reason: Annotated[str | None, Field(max_length=512)] = None

    @model_validator(mode="after")
    def _off_with_reason(self) -> Self:
        if not self.enabled and not self.reason:
            raise ValueError("reason is required where enabled is false")
        return self


class Variant(Strict):
    """One request. Its assertions replace those of its decision."""

    id: Name
    query: Text | None = None
    messages: tuple[dict[str, Any], ...] = ()
    tools: tuple[dict[str, Any], ...] = ()
    tool_choice: str | dict[str, Any] | None = None
    repeat: Repeat = 1
    padding: Padding | None = None
    generated_text: GeneratedText | None = None
    expected_signals: Signals | None = None
    forbidden_signals: Signals | None = None
    tags: Names = ()
    notes: str | None = None
    display_prompt: Annotated[str | None, Field(max_length=2000)] = None
    playground: Playground | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.query is None) == (not self.messages):
            raise ValueError("needs exactly one of query and messages")
        if self.generated_text and not self.messages:
            raise ValueError("generated_text needs messages")
        if self.playground and not self.playground.enabled and not self.display_prompt:
            raise ValueError("display_prompt is required where the playground is off")
        return self


class Robustness(Strict):
    min_pass_rate: Percent | None = None


class DecisionProbes(Strict):
    """The requests that one decision must win, and what else must hold of each."""

    id: Name
    expected_decision: Name
    variants: Annotated[tuple[Variant, ...], AfterValidator(_some)]
    model: Name | None = None
    expected_recipe: Name = "default"
    expected_algorithm: Name | None = None
    expected_alias: Name | None = None
    expected_plugins: Names = ()
    forbidden_plugins: Names = ()
    plugin_match: Match = "contains"
    expected_signals: Signals = {}
    forbidden_signals: Signals = {}
    signal_match: Match = "contains"
    robustness: Robustness = Robustness()
    objective: str | None = None
    notes: str | None = None


class RoutingAssets(Strict):
    yaml: Name
    dsl: Name | None = None


class Evaluation(Strict):
    request_timeout_seconds: Annotated[float, Field(ge=1, le=1200)] = 60.0
    concurrency: Annotated[int, Field(ge=1, le=64)] = 4


class Acceptance(Strict):
    min_probe_pass_rate: Percent = 100.0
    min_decision_pass_rate: Percent = 100.0


class Coverage(Strict):
    """What the file demands of itself: see `summary` for `min_tag_pass_rate`, `demands` for the
    rest.
    """

    min_signal_assertion_percent: Percent = 0.0
    min_projection_assertion_percent: Percent = 0.0
    min_algorithm_assertion_percent: Percent = 0.0
    min_plugin_assertion_percent: Percent = 0.0
    required_request_shapes: tuple[Literal["text", "messages", "tools"], ...] = ()
    min_tag_counts: dict[Name, Annotated[int, Field(ge=0)]] = {}
    min_tag_pass_rate: dict[Name, Percent] = {}


class ProbeFile(Strict):
    schema_version: Literal["v1"]
    name: Name
    description: str | None = None
    routing_assets: RoutingAssets | None = None
    router_eval_endpoint: Name = "/api/v1/eval"
    evaluation: Evaluation = Evaluation()
    acceptance: Acceptance = Acceptance()
    coverage: Coverage = Coverage()
    fixtures: Fixtures | None = None
    decisions: Annotated[tuple[DecisionProbes, ...], AfterValidator(_some)]
