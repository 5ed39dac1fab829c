"""What the documents say is true: their examples load, their tables are complete."""

import re
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from orchestrator.app.policies import compile_policies
from orchestrator.cli import application
from orchestrator.config.load import examine
from orchestrator.server.openapi import document
from orchestrator.signals import SIGNALS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_policy_in_the_readme_compiles_without_a_warning() -> None:
    [policy] = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)

    assert compile_policies(examine(policy, "README.md")).warnings == ()


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda p: p.name)
def test_every_config_is_in_the_index(path: Path) -> None:
    assert f"`{path.name}`" in (ROOT / "configs/README.md").read_text()


def test_every_signal_is_in_the_readme() -> None:
    compile_policies(examine("routing: {}"))  # registers them

    assert [name for name in SIGNALS.names() if not re.search(rf"\b{name}\b", README)] == []


def test_every_endpoint_is_in_the_readme() -> None:
    described = document("0")["paths"]
    missing = [path for path in described if path not in README and "{" not in path]

    assert missing == []


def test_every_verb_is_in_the_changelog() -> None:
    verbs = get_command(application).commands  # type: ignore[attr-defined]

    assert [verb for verb in verbs if verb not in (ROOT / "CHANGELOG.md").read_text()] == []


def test_every_dependency_has_its_line_in_the_readme() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["engines"]]
    names = [re.split(r"[<>=\[]", line)[0] for line in needed]
    tables = README[README.index("## Dependencies") :].lower()

    assert [name for name in names if name.lower() not in tables] == []


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert targets is not None

    documented = re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE)

    assert sorted(documented) == sorted(targets.group(1).split())
