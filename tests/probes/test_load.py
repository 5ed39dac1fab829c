import copy

import pytest
import yaml

from orchestrator.errors import ConfigError
from orchestrator.probes.load import load, parse
from tests.probes.files import DOCUMENT, PIXEL, PIXEL_SHA256, a_file, a_probe, edited

VARIANT = "decisions.0.variants.0."
IMAGE = {
    "description": "a pixel",
    "media_type": "image/png",
    "sha256": PIXEL_SHA256,
    "data_base64": PIXEL,
}
PARTS = [{"role": "user", "content": [{"type": "text", "text": "abc"}]}]


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


def test_a_missing_file_is_one_readable_line(tmp_path):
    with pytest.raises(ConfigError, match="cannot read .*absent.yaml"):
        load(tmp_path / "absent.yaml")


def test_defaults():
    file, (probe,) = a_file()

    assert probe.id == "law:sue"
    assert probe.decision.expected_recipe == "default"
    assert probe.decision.signal_match == "contains"
    assert (file.evaluation.concurrency, file.evaluation.request_timeout_seconds) == (4, 60.0)
    assert file.acceptance.min_probe_pass_rate == 100.0


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param({}, {"words": ("urgent",)}, id="from the decision"),
        pytest.param(
            {"variants__0__expected_signals": {"size": ["long"]}},
            {"size": ("long",)},
            id="the variant's own replace them",
        ),
        pytest.param(
            {"variants__0__expected_signals": {}}, {}, id="an empty mapping asserts nothing"
        ),
    ],
)
def test_expected_signals(edits, expected):
    assert a_probe(**edits).expected_signals == expected


def test_a_file_with_every_field_loads():
    whole = {
        "schema_version": "v1",
        "name": "everything",
        "description": "all of it",
        "routing_assets": {"yaml": "config.yaml", "dsl": "recipe.dsl"},
        "router_eval_endpoint": "/api/v1/eval",
        "evaluation": {"request_timeout_seconds": 5, "concurrency": 2},
        "acceptance": {"min_probe_pass_rate": 50, "min_decision_pass_rate": 40.5},
        "coverage": {
            "min_signal_assertion_percent": 1.5,
            "min_projection_assertion_percent": 0,
            "min_algorithm_assertion_percent": 100,
            "min_plugin_assertion_percent": 100,
            "required_request_shapes": ["text", "messages", "tools"],
            "min_tag_counts": {"language": 1, "multi_turn": 0},
            "min_tag_pass_rate": {"language": 100, "stress": 90},
        },
        "fixtures": {"images": {"pixel-1": IMAGE}},
        "decisions": [
            {
                "id": "law",
                "model": "legal-route",
                "expected_recipe": "legal",
                "expected_decision": "lawyer",
                "expected_algorithm": "static",
                "expected_alias": "big",
                "expected_plugins": ["tools"],
                "forbidden_plugins": ["memory"],
                "plugin_match": "exact",
                "expected_signals": {"words": ["urgent"]},
                "forbidden_signals": {"words": ["polite"]},
                "signal_match": "exact",
                "robustness": {"min_pass_rate": 90},
                "objective": "lawsuits",
                "notes": "none",
                "variants": [
                    {
                        "id": "text",
                        "query": "Sue!",
                        "repeat": 2,
                        "padding": {"text": "lorem", "repeat": 3, "placement": "around"},
                        "tools": [{"type": "function", "function": {"name": "f"}}],
                        "tool_choice": "auto",
                        "tags": ["language:en", "stress"],
                        "notes": "long",
                        "display_prompt": "Sue",
                        "playground": {"enabled": False, "reason": "too long"},
                    },
                    {
                        "id": "messages",
                        "messages": [
                            {
                                "role": "user",
                                "content": [{"type": "image_fixture", "fixture": "pixel-1"}],
                            },
                            {"role": "assistant", "content": None, "tool_calls": []},
                            *PARTS,
                        ],
                        "generated_text": {
                            "message_index": 2,
                            "content_index": 1,
                            "target_text_bytes": 10,
                            "character": "z",
                        },
                        "expected_signals": {"size": ["long"]},
                        "forbidden_signals": {"size": ["short"]},
                    },
                ],
            }
        ],
    }

    _, probes = a_file(whole)

    assert [probe.id for probe in probes] == ["law:text", "law:messages"]
