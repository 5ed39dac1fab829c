import pytest

from orchestrator.probes.coverage import Share
from orchestrator.probes.demands import Inventory, assertions, shortfalls
from tests.probes.files import DOCUMENT, a_file, edited

INVENTORY = Inventory(
    signals=frozenset({"words:urgent", "topics:cooking", "tasks:proof", "projection:fast"}),
    algorithms=frozenset({("default", "lawyer", "static"), ("default", "long", "static")}),
    plugins=frozenset({("default", "lawyer", "system_prompt")}),
    rules={"tasks:proof:hard": "tasks:proof", "words:urgent": "words:urgent"},
)


def test_what_is_asserted():
    _, probes = a_file()

    assert assertions(probes, INVENTORY) == {
        "signal": Share(2, 4),
        "projection": Share(0, 1),
        "algorithm": Share(1, 2),
        "plugin": Share(1, 1),
    }


def test_a_level_asserts_its_rule_and_another_recipe_its_own_decisions():
    edits = {
        "decisions.0.expected_signals": {"tasks": ["proof:hard"], "words": ["nobody"]},
        "decisions.0.forbidden_signals": None,
        "decisions.0.expected_recipe": "fast",
    }
    _, probes = a_file(edited(DOCUMENT, edits))

    shares = assertions(probes, INVENTORY)

    assert shares["signal"] == Share(1, 4)
    assert shares["algorithm"] == Share(0, 2)


@pytest.mark.parametrize(
    ("minimums", "known", "expected"),
    [
        pytest.param({}, False, (), id="nothing is demanded"),
        pytest.param({"min_signal_assertion_percent": 50}, True, (), id="just enough"),
        pytest.param({"min_plugin_assertion_percent": 0}, False, (), id="zero needs no policy"),
        pytest.param(
            {"min_signal_assertion_percent": 50.1, "min_projection_assertion_percent": 1},
            True,
            (
                "signals asserted: 50.0 %, 50.1 % demanded",
                "projections asserted: 0.0 %, 1 % demanded",
            ),
            id="too few signals",
        ),
        pytest.param(
            {"min_algorithm_assertion_percent": 100},
            False,
            ("algorithms asserted: 100 % demanded, and only --config tells of how many",),
            id="without the policy nobody can tell",
        ),
        pytest.param(
            {"required_request_shapes": ["text", "messages", "tools"]},
            True,
            ("requests with messages: none, demanded", "requests with tools: none, demanded"),
            id="shapes",
        ),
        pytest.param(
            {"min_tag_counts": {"language": 1, "stress": 2}},
            True,
            ("tag stress: 0 probes, 2 demanded",),
            id="tags",
        ),
    ],
)
def test_shortfalls(minimums, known, expected):
    file, probes = a_file(edited(DOCUMENT, {"coverage": minimums}))

    assert shortfalls(file, probes, INVENTORY if known else None) == expected
