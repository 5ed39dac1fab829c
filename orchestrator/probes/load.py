"""A probe file from disk: models, then the references inside the file, all problems at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from orchestrator.config.document import Document
from orchestrator.config.problems import Check, summary
from orchestrator.errors import ConfigError, Problem
from orchestrator.probes.schema import DecisionProbes, GeneratedText, ProbeFile, Signals, Variant

Place = tuple[str | int, ...]

TEXT_PARTS = frozenset({"", "text", "input_text", "output_text"})
IMAGE_PARTS = frozenset({"image_url", "input_image"})
TEXT = "tag:yaml.org,2002:str"
IMAGE_FIXTURE = "image_fixture"


@dataclass(frozen=True, slots=True)
class Probe:
    """One request and all that is expected of its answer."""

    id: str  # decision:variant
    variant: Variant
    decision: DecisionProbes
    expected_signals: Signals
    forbidden_signals: Signals


def load(path: Path) -> tuple[ProbeFile, tuple[Probe, ...]]:
    """Raises ConfigError with every problem of the file, each with its line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"cannot read {path}: not UTF-8 text") from None
    return parse(text, str(path))


def parse(text: str, name: str) -> tuple[ProbeFile, tuple[Probe, ...]]:
    """The same from text; `name` stands for the file in messages."""
    document, problems = _read(text, name)
    check = Check(document, problems)
    file = check.validate(ProbeFile, document.data, ())
    if file is not None:
        for place, message in _contradictions(file):
            check.error(place, message)
    check.finish()
    assert file is not None  # `finish` raised otherwise
    return file, tuple(_probes(file))


def _read(text: str, name: str) -> tuple[Document, list[Problem]]:
    """Plain data with lines. Anchors, aliases and tags could hide or multiply data: refused."""
    try:
        problems = [
            Problem("(document)", "anchors, aliases and tags are not allowed", line, name)
            for line in _indirections(text)
        ]
        if problems:
            raise ConfigError(summary(name, len(problems)), tuple(problems))
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
        data = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problem = Problem("(document)", f"not valid YAML: {error.problem}", line, name)
        raise ConfigError(summary(name, 1), (problem,)) from None
    if root is None or not isinstance(data, dict):
        problem = Problem("(document)", "not a mapping of keys to values", 1, name)
        raise ConfigError(summary(name, 1), (problem,))
    return Document(name, data, root), [
        Problem("(document)", message, line, name) for message, line in _keys(root)
    ]


def _indirections(text: str) -> Iterator[int]:
    for token in yaml.scan(text, Loader=yaml.CSafeLoader):
        if isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken):
            yield token.start_mark.line + 1


def _keys(node: yaml.Node) -> Iterator[tuple[str, int]]:
    """What is wrong with the keys, and in which line. A request is JSON, whose keys are text."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                yield f"key {key.value!r} is given twice", line
            if isinstance(key, yaml.ScalarNode) and key.tag != TEXT:
                yield f"key {key.value!r} is no text to YAML: put it in quotes", line
            seen.add(str(key.value))
            yield from _keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _keys(item)


def _probes(file: ProbeFile) -> Iterator[Probe]:
    for decision in file.decisions:
        for variant in decision.variants:
            expected, forbidden = variant.expected_signals, variant.forbidden_signals
            yield Probe(
                id=f"{decision.id}:{variant.id}",
                variant=variant,
                decision=decision,
                expected_signals=decision.expected_signals if expected is None else expected,
                forbidden_signals=decision.forbidden_signals if forbidden is None else forbidden,
            )


def _contradictions(file: ProbeFile) -> Iterator[tuple[Place, str]]:
    ids = Counter(decision.id for decision in file.decisions)
    images = file.fixtures.images if file.fixtures else {}
    for d, decision in enumerate(file.decisions):
        if ids[decision.id] > 1:
            yield ("decisions", d, "id"), f"id {decision.id!r} is given to more than one decision"
        variants = Counter(variant.id for variant in decision.variants)
        for v, variant in enumerate(decision.variants):
            place: Place = ("decisions", d, "variants", v)
            if variants[variant.id] > 1:
                yield (*place, "id"), f"id {variant.id!r} is given to more than one variant"
            for where, message in _bad_parts(variant, frozenset(images)):
                yield (*place, *where), message
            if variant.generated_text:
                yield from (
                    ((*place, "generated_text"), message)
                    for message in _bad_target(variant, variant.generated_text)
                )


def _bad_parts(variant: Variant, images: frozenset[str]) -> Iterator[tuple[Place, str]]:
    for m, message in enumerate(variant.messages):
        content = message.get("content")
        if not isinstance(content, str | list | None):
            yield ("messages", m, "content"), "content must be text, a list of parts or null"
            continue
        for p, part in enumerate(content if isinstance(content, list) else ()):
            problem = _bad_part(part, images)
            if problem:
                yield ("messages", m, "content", p), problem


def _bad_part(part: object, images: frozenset[str]) -> str | None:
    if not isinstance(part, dict):
        return "a content part must be a mapping"
    kind = str(part.get("type") or "").strip().lower()
    if kind in IMAGE_PARTS:
        return "an image must be a declared fixture: {type: image_fixture, fixture: NAME}"
    if kind != IMAGE_FIXTURE:
        return None
    if set(part) != {"type", "fixture"} or part["type"] != IMAGE_FIXTURE:
        return "an image_fixture part has exactly the keys type and fixture"
    if part["fixture"] not in images:
        return f"no fixture is named {part['fixture']!r}"
    return None


def _bad_target(variant: Variant, generated: GeneratedText) -> Iterator[str]:
    if generated.message_index >= len(variant.messages):
        yield f"message_index must be below {len(variant.messages)}"
        return
    content = variant.messages[generated.message_index].get("content")
    if not isinstance(content, list):
        yield "the message's content must be a list of parts"
    elif generated.content_index > len(content):
        yield f"content_index must be at most {len(content)}"
    elif generated.target_text_bytes <= (present := text_bytes(content)):
        yield f"target_text_bytes must exceed the {present} bytes that the message has already"


def text_bytes(content: list[Any]) -> int:
    """UTF-8 bytes of the text parts of one message's content."""
    texts = (
        part.get("text")
        for part in content
        if isinstance(part, dict) and (part.get("type") or "") in TEXT_PARTS
    )
    return sum(len(text.encode()) for text in texts if isinstance(text, str))
