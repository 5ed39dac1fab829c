"""What kinds of request a probe stands for: the classes that a file's minimums count by."""

from __future__ import annotations

from orchestrator.probes.schema import Variant

LANGUAGES = frozenset({"de", "en", "es", "fr", "ja", "zh"})  # may stand alone as a tag


def classes_of(variant: Variant) -> frozenset[str]:
    """`language` and `de` of `language:de`, `negative` of `class:negative`, and so on.

    A fallback is a negative too (spec/conformance.md 11.1: the reference's classes). A request of
    messages is `multi_turn`, one with tools `tools`, tagged so or not.
    """
    found: set[str] = set()
    for tag in variant.tags:
        kind, _, value = tag.strip().lower().replace("-", "_").partition(":")
        found |= {kind, value} - {""}
    if found & LANGUAGES:
        found.add("language")
    if "fallback" in found:
        found.add("negative")
    if variant.messages or "multiturn" in found:
        found.add("multi_turn")
    if variant.tools:
        found.add("tools")
    return frozenset(found)
