import pytest

from orchestrator.errors import ConfigError
from orchestrator.probes.load import load
from tests.probes.files import IMAGE, PARTS, a_file, a_probe


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
