"""Published configs of the format load as they are: nothing refused, nothing silently dropped."""

from pathlib import Path

import pytest
import yaml

from orchestrator.config.load import load, parse
from orchestrator.config.order import order
from orchestrator.config.unused import unused

SHARED = Path(__file__).parents[3] / "shared" / "conformance"
REFERENCE = SHARED / "reference-config.yaml"
RECIPES = sorted(SHARED.glob("recipes/*/config.yaml"))
FRAGMENTS = sorted(SHARED.glob("fragments/**/*.yaml"))

pytestmark = pytest.mark.skipif(
    not REFERENCE.is_file(), reason="the published configs (../shared/conformance) are not here"
)


def name_of(path):
    return path.relative_to(SHARED).as_posix()


@pytest.mark.parametrize("path", [REFERENCE, *RECIPES], ids=name_of)
def test_whole_configs_load(path):
    result = load(path, {})
    check = result.check()
    check.add(order(result.config))

    assert {problem.severity for problem in check.problems} <= {"warning"}
    assert all(problem.line for problem in unused(result.config, result.source))


def test_every_key_of_the_reference_is_in_the_config():
    """No block is dropped: dumping what was set gives back every key that was written."""
    result = load(REFERENCE, {})
    dumped = result.config.model_dump(by_alias=True, exclude_unset=True)

    assert missing(result.data, dumped) == []


def missing(data, dumped, path=""):
    if isinstance(data, dict):
        absent = [f"{path}.{key}" for key in data if key not in dumped]
        return absent + [
            key
            for name, value in data.items()
            if name in dumped
            for key in missing(value, dumped[name], f"{path}.{name}")
        ]
    if isinstance(data, list):
        return [
            key
            for index, (one, two) in enumerate(zip(data, dumped, strict=True))
            for key in missing(one, two, f"{path}[{index}]")
        ]
    return []


def wrapped(fragment):
    """A fragment as a document: an algorithm or plugins become those of a decision."""
    decision = {"name": "d"}
    if "algorithm" in fragment:
        decision["algorithm"] = fragment.pop("algorithm")
    plugins = fragment.pop("plugins", None) or [fragment.pop("plugin", None)]
    if plugins != [None]:
        decision["plugins"] = plugins
    return fragment or {"routing": {"decisions": [decision]}}


@pytest.mark.parametrize("path", FRAGMENTS, ids=name_of)
def test_fragments_load(path):
    text = yaml.safe_dump(wrapped(yaml.safe_load(path.read_text())))

    assert parse(text, path.name, {}).warnings == ()
