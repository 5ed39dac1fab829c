"""configs/reference.yaml: current, complete, and a policy that says nothing but the defaults."""

import re
from pathlib import Path

import pytest
import yaml

from orchestrator.app.policies import compile_file, discover_extensions
from orchestrator.config.load import examine, load
from orchestrator.config.schema import Config
from orchestrator.config.unused import NOT_USED
from orchestrator.projections import PROJECTIONS
from orchestrator.reference.policy import lines, reference
from orchestrator.selection import LOOPERS, SELECTORS
from orchestrator.signals import SIGNALS

FILE = Path(__file__).parent.parent.parent / "configs/reference.yaml"
TEXT = FILE.read_text()

discover_extensions()


def uncommented() -> str:
    """Every key of the file, also those that are commented out."""
    return re.sub(r"^( *)#(?=[^ #\n])", r"\1", TEXT, flags=re.MULTILINE)


def line_of(key: str) -> str:
    """The key's line, and the text above it."""
    found = re.search(rf"((?:^ *# .*\n)*)^ *#?(?:- )?{key}:.*$", TEXT, flags=re.MULTILINE)
    assert found, key
    return " ".join(found[0].replace("#", "").split())


def test_the_file_is_current():
    assert reference() == TEXT, "write it anew: tsr reference > configs/reference.yaml"


def test_the_file_has_no_errors():
    warned = {problem.path for problem in compile_file(FILE).warnings}

    # What an operator sets is told of, also where it is the default.
    config = "global.model_catalog.embeddings.semantic.embedding_config"
    assert warned == {f"{config}.model_type", f"{config}.target_dimension"}


def test_the_file_says_the_defaults():
    said, default = (config.model_dump() for config in (load(FILE).config, Config()))
    assert said["global_"]["router"]["model_selection"].pop("ml") == {"models_path": None}
    assert default["global_"]["router"]["model_selection"].pop("ml") == {}

    assert said == default


def test_what_is_commented_out_is_known_as_well():
    found = examine(uncommented(), "reference")

    assert [problem for problem in found.problems if "unknown key" in problem.message] == []


def test_a_key_that_is_not_known_would_be_found():
    text = uncommented().replace("clear_route_cache", "clear_route_cash")

    assert any("unknown key" in problem.message for problem in examine(text, "r").problems)


@pytest.mark.parametrize("name", SIGNALS.names())
def test_rows_of_signals_have_the_keys_of_their_rule(name):
    document = yaml.safe_load(uncommented())
    [row] = document["routing"]["signals"][SIGNALS[name].section]

    fields = SIGNALS[name].Rule.model_fields
    assert list(row) == [field.alias or key for key, field in fields.items()]


@pytest.mark.parametrize("name", PROJECTIONS.names())
def test_rows_of_projections_have_the_keys_of_their_rule(name):
    document = yaml.safe_load(uncommented())
    [row] = document["routing"]["projections"][PROJECTIONS[name].section]

    assert list(row) == list(PROJECTIONS[name].Rule.model_fields)


@pytest.mark.parametrize("name", SELECTORS.names())
def test_blocks_of_algorithms_have_the_keys_of_their_settings(name):
    [decision] = yaml.safe_load(uncommented())["routing"]["decisions"]
    settings = SELECTORS[name].Settings

    block = decision["algorithm"].get(name)

    assert block is None if settings is None else list(block) == list(settings.model_fields)


def test_every_key_has_a_meaning():
    extensions = {SIGNALS[name].section for name in SIGNALS.names()} | set(SELECTORS.names())

    silent = {line.name for line in lines() if not line.note}

    assert silent - extensions == {"any_name"}


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("signal_deadline", id="run"),
        pytest.param("default_model", id="without a default"),
        pytest.param("max_inflight", id="of an algorithm"),
    ],
)
def test_what_runs_has_no_mark(key):
    assert NOT_USED not in line_of(key)


@pytest.mark.parametrize(
    ("key", "mark"),
    [
        pytest.param("clear_route_cache", f"({NOT_USED})", id="never run"),
        pytest.param("max_escalations", f"({NOT_USED})", id="of an algorithm"),
        pytest.param("response_api", f"({NOT_USED})", id="on by default"),
        pytest.param("skip_processing", f"(if enabled: {NOT_USED})", id="off by default"),
        pytest.param("config_source", f"(some other values: {NOT_USED})", id="but for one value"),
    ],
)
def test_what_does_not_run_is_marked(key, mark):
    assert mark in line_of(key)


def test_algorithms_that_are_not_run_are_marked():
    [line] = [line for line in lines() if line.name == "type" and "static" in line.kind]

    assert line.kind.endswith(f"; {', '.join(sorted(LOOPERS))} ({NOT_USED})")
