"""Probe files that are refused, each problem with its place."""

import copy

import pytest
import yaml

from orchestrator.errors import ConfigError
from orchestrator.probes.load import parse
from tests.probes.files import DOCUMENT, IMAGE, PARTS, a_file, edited

VARIANT = "decisions.0.variants.0."


def with_messages(messages, **more):
    return {VARIANT + "query": None, VARIANT + "messages": messages} | {
        VARIANT + key: value for key, value in more.items()
    }


@pytest.mark.parametrize(
    ("edits", "path", "message"),
    [
        pytest.param({"schema_version": "v2"}, "schema_version", "'v1'", id="version"),
        pytest.param({"schema_version": None}, "(document)", "'schema_version'", id="no version"),
        pytest.param({"decisons": []}, "decisons", "unknown key 'decisons'", id="top-level key"),
        pytest.param({"decisions": []}, "decisions", "at least one", id="no decision"),
        pytest.param(
            {"decisions.0.expectd_plugins": []},
            "decisions[0].expectd_plugins",
            "unknown key",
            id="decision key",
        ),
        pytest.param(
            {VARIANT + "repeats": 2},
            "decisions[0].variants[0].repeats",
            "unknown key",
            id="variant key",
        ),
        pytest.param(
            {VARIANT + "padding": {"text": "x", "times": 2}},
            "decisions[0].variants[0].padding.times",
            "unknown key",
            id="padding key",
        ),
        pytest.param(
            {VARIANT + "query": None}, "decisions[0].variants[0]", "exactly one", id="no request"
        ),
        pytest.param(
            {VARIANT + "messages": PARTS},
            "decisions[0].variants[0]",
            "exactly one",
            id="two requests",
        ),
        pytest.param(
            {VARIANT + "query": "  "}, "decisions[0].variants[0].query", "not empty", id="blank"
        ),
        pytest.param(
            {VARIANT + "repeat": 10_001}, "decisions[0].variants[0].repeat", "10000", id="repeat"
        ),
        pytest.param(
            {"decisions.0.expected_signals": {"words": []}},
            "decisions[0].expected_signals.words",
            "at least one",
            id="an assertion of nothing",
        ),
        pytest.param(
            {VARIANT + "tags": ["a", "a"]},
            "decisions[0].variants[0].tags",
            "duplicates",
            id="a tag twice",
        ),
        pytest.param(
            {"decisions.0.signal_match": "some"},
            "decisions[0].signal_match",
            "'contains' or 'exact'",
            id="match mode",
        ),
        pytest.param(
            {"decisions.0.variants": [{"id": "a", "query": "x"}, {"id": "a", "query": "y"}]},
            "decisions[0].variants[0].id",
            "more than one variant",
            id="variant id twice",
        ),
        pytest.param(
            {"decisions": [*DOCUMENT["decisions"], *copy.deepcopy(DOCUMENT["decisions"])]},
            "decisions[1].id",
            "more than one decision",
            id="decision id twice",
        ),
        pytest.param(
            {VARIANT + "playground": {"enabled": False}},
            "decisions[0].variants[0].playground",
            "reason",
            id="playground off without a reason",
        ),
        pytest.param(
            {VARIANT + "generated_text": {"message_index": 0, "content_index": 0}},
            "decisions[0].variants[0].generated_text",
            "'target_text_bytes' is missing",
            id="generated text without a size",
        ),
        pytest.param(
            with_messages(
                PARTS,
                generated_text={"message_index": 1, "content_index": 0, "target_text_bytes": 9},
            ),
            "decisions[0].variants[0].generated_text",
            "message_index must be below 1",
            id="generated text in a message that is not there",
        ),
        pytest.param(
            with_messages(
                PARTS,
                generated_text={"message_index": 0, "content_index": 0, "target_text_bytes": 3},
            ),
            "decisions[0].variants[0].generated_text",
            "must exceed the 3 bytes",
            id="generated text without room",
        ),
        pytest.param(
            with_messages(
                [{"role": "user", "content": [{"type": "image_fixture", "fixture": "cat"}]}]
            ),
            "decisions[0].variants[0].messages[0].content[0]",
            "no fixture is named 'cat'",
            id="undeclared picture",
        ),
        pytest.param(
            with_messages(
                [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "h"}}]}]
            ),
            "decisions[0].variants[0].messages[0].content[0]",
            "declared fixture",
            id="picture by URL",
        ),
        pytest.param(
            {"fixtures": {"images": {"cat": IMAGE | {"sha256": "sha256:" + "0" * 64}}}},
            "fixtures.images.cat",
            "sha256 does not fit",
            id="a picture that was changed",
        ),
        pytest.param(
            {"fixtures": {"images": {"cat": IMAGE | {"data_base64": "%%%"}}}},
            "fixtures.images.cat",
            "not base64",
            id="a picture that is none",
        ),
    ],
)
def test_refused(edits, path, message):
    with pytest.raises(ConfigError) as raised:
        a_file(edited(DOCUMENT, edits))

    found = {problem.path: problem for problem in raised.value.problems}
    assert path in found, str(raised.value)
    assert message in found[path].message
    assert found[path].line


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param("", 1, "not a mapping", id="empty"),
        pytest.param("- a\n- b", 1, "not a mapping", id="a list"),
        pytest.param("a: b: c", 1, "not valid YAML", id="not YAML"),
        pytest.param("name: &x a\n", 1, "anchors", id="anchor"),
        pytest.param("a: 1\nb: *x\n", 2, "anchors", id="alias"),
        pytest.param("a: !!binary aGk=\n", 1, "anchors, aliases and tags", id="tag"),
        pytest.param("name: a\nname: b\n", 2, "'name' is given twice", id="a key twice"),
        pytest.param(
            "name: a\ntools:\n- on: x\n", 3, "'on' is no text to YAML", id="a key that is true"
        ),
        pytest.param("1: a\n", 1, "'1' is no text to YAML", id="a key that is a number"),
    ],
)
def test_documents_that_are_refused_whole(text, line, message):
    with pytest.raises(ConfigError) as raised:
        parse(text, "probes.yaml")

    assert any(
        message in problem.message and problem.line == line for problem in raised.value.problems
    ), str(raised.value)


def test_every_problem_is_reported_with_its_line():
    text = yaml.safe_dump(
        edited(DOCUMENT, {"nme": "x", "decisions.0.modle": "y", VARIANT + "repeat": 0}),
        sort_keys=False,
    )
    lines = text.splitlines()

    with pytest.raises(ConfigError) as raised:
        parse(text, "probes.yaml")

    assert {problem.path: lines[problem.line - 1].strip() for problem in raised.value.problems} == {
        "nme": "nme: x",
        "decisions[0].modle": "modle: y",
        "decisions[0].variants[0].repeat": "repeat: 0",
    }
