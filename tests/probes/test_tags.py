import pytest

from orchestrator.probes.tags import classes_of
from tests.probes.files import PARTS, a_probe


@pytest.mark.parametrize(
    ("tags", "absent", "present"),
    [
        pytest.param([], {"language", "multi_turn", "tools"}, set(), id="no tag"),
        pytest.param(["modern"], {"de", "language"}, {"modern"}, id="a word that is no language"),
        pytest.param(["negative"], {"fallback"}, {"negative"}, id="a negative is no fallback"),
        pytest.param(
            ["language:ko"], {"negative"}, {"language", "ko"}, id="a language of any kind"
        ),
        pytest.param(["DE"], set(), {"language"}, id="a bare language"),
        pytest.param(["fallback"], set(), {"fallback", "negative"}, id="a fallback is a negative"),
        pytest.param(["class:negative"], set(), {"negative"}, id="a class"),
        pytest.param(["legal:collision"], set(), {"collision"}, id="a suffix"),
        pytest.param(["multi-turn"], set(), {"multi_turn"}, id="a hyphen"),
        pytest.param(["multiturn"], set(), {"multi_turn"}, id="one word"),
    ],
)
def test_classes(tags, absent, present):
    found = classes_of(a_probe(variants__0__tags=tags).variant)

    assert present <= found
    assert not absent & found


def test_the_request_itself_tells_its_classes():
    variant = {"id": "a", "messages": PARTS, "tools": [{"type": "function"}]}

    assert classes_of(a_probe(variants__0=variant).variant) == {"multi_turn", "tools"}
