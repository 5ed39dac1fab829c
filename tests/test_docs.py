"""What the documents say is true: their examples load, their tables are complete."""

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from typer.main import get_group

from build_engines import spec as specs
from orchestrator import app
from orchestrator.app.policies import compile_file, compile_policies
from orchestrator.cli import application
from orchestrator.config.load import examine
from orchestrator.config.services import Triton
from orchestrator.config.settings import Router
from orchestrator.probes.load import load
from orchestrator.selection import SELECTORS
from orchestrator.server import classify_bodies as bodies
from orchestrator.server.openapi import document
from orchestrator.signals import SIGNALS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PROBES = sorted((ROOT / "configs").glob("*.probes.yaml"))
POLICIES = sorted({*(ROOT / "configs").glob("*.yaml")} - {*PROBES})
REFERENCE = ROOT / "configs/reference.yaml"  # says every default, and is told of some


def test_the_policy_in_the_readme_compiles_without_a_warning() -> None:
    [policy] = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)

    assert compile_policies(examine(policy, "README.md")).warnings == ()


def test_every_selector_in_the_readme_is_one_and_its_settings_are_right() -> None:
    found = re.findall(r"^algorithm: (\{.*?\})(?: +#.*)?$", README, re.MULTILINE)
    rows = [yaml.safe_load(one) for one in found]
    policy = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)[0])
    both = [{"model": one["name"]} for one in policy["routing"]["modelCards"]]
    policy["routing"]["decisions"] = [
        {"name": row["type"], "algorithm": row, "modelRefs": both} for row in rows
    ]
    for card in policy["routing"]["modelCards"]:
        card |= {"quality_score": 0.8, "description": "a model"}
    for model in policy["providers"]["models"]:
        model["pricing"] = {"prompt_per_1m": 1}
    problems = compile_policies(examine(yaml.safe_dump(policy))).warnings

    assert sorted(row["type"] for row in rows) == sorted(SELECTORS.names())
    said = [one.message for one in problems if ".algorithm" in one.path]
    assert [one for one in said if "the first candidate answers" not in one] == []  # no artefact


BODIES = {
    "eval": bodies.Eval,
    "classify/intent": bodies.Intent,
    "classify/pii": bodies.Pii,
    "classify/security": bodies.Security,
    "classify/fact-check": bodies.OneText,
    "classify/user-feedback": bodies.OneText,
    "classify/combined": bodies.Combined,
    "classify/batch": bodies.Batch,
    "embeddings": bodies.Embed,
    "similarity": bodies.Similarity,
    "similarity/batch": bodies.SimilarityBatch,
}


def test_every_body_in_the_readme_is_one_of_its_endpoints() -> None:
    table = re.findall(r"^\| (`/api/v1/.*?) \| `(\{.*?\})`", README, re.MULTILINE)
    shown = {
        endpoint: json.loads(body)
        for endpoints, body in table
        for endpoint in re.findall(r"`/api/v1/(.*?)`", endpoints)
    }

    assert set(shown) == set(BODIES)
    for endpoint, body in shown.items():
        bodies.parsed(BODIES[endpoint], body)


@pytest.mark.parametrize("path", sorted({*POLICIES} - {REFERENCE}), ids=lambda p: p.name)
def test_every_config_compiles_and_asks_for_nothing_that_is_not_run(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("VLLM_API_KEY", "TSR_ADMIN_TOKEN", "TSR_METRICS_TOKEN"):
        monkeypatch.setenv(name, "of fleet.yaml")
    monkeypatch.setenv("MODEL_REPOSITORY", str(tmp_path))
    _built(tmp_path, "embeddinggemma_300m")  # of production.yaml

    assert compile_file(path).warnings == ()


def test_the_production_config_says_what_has_to_be_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MODEL_REPOSITORY", str(tmp_path))
    policy = ROOT / "configs/production.yaml"

    [warning] = compile_file(policy).warnings

    command = f"python -m build_engines all embeddinggemma_300m --repository {tmp_path}"
    assert warning.hint.startswith(command)
    assert command.partition(" --")[0] in policy.read_text()


def _built(repository: Path, model: str) -> None:
    """As much of it as `tsr check` looks at."""
    (repository / model).mkdir()
    (repository / model / "config.pbtxt").write_text(specs.read(specs.path_of(model)).config())
    (repository / model / "goldens.json").touch()


@pytest.mark.parametrize("path", PROBES, ids=lambda p: p.name)
def test_every_decision_of_a_probed_config_has_a_probe(path: Path) -> None:
    document, probes = load(path)
    assert document.routing_assets is not None
    config = compile_file(ROOT / document.routing_assets.yaml).config

    probed = {probe.decision.expected_decision for probe in probes}

    assert probed == {decision.name for decision in config.routing.decisions}


@pytest.mark.parametrize("path", sorted({*POLICIES, *PROBES}), ids=lambda p: p.name)
def test_every_config_is_in_the_index(path: Path) -> None:
    assert f"`{path.name}`" in (ROOT / "configs/README.md").read_text()


def test_every_module_of_the_composition_root_is_in_its_docstring() -> None:
    modules = {path.stem for path in (ROOT / "orchestrator/app").glob("*.py")} - {"__init__"}

    assert modules == {word for word in re.findall(r"`(\w+)`", app.__doc__ or "")}


def test_every_signal_is_in_the_readme() -> None:
    compile_policies(examine("routing: {}"))  # registers them

    assert [name for name in SIGNALS.names() if not re.search(rf"\b{name}\b", README)] == []


def test_every_endpoint_is_in_the_readme() -> None:
    described = document("0")["paths"]
    missing = [path for path in described if path not in README and "{" not in path]

    assert missing == []


def test_every_response_header_is_in_the_readme() -> None:
    source = (ROOT / "orchestrator/server/headers.py").read_text()
    names = set(re.findall(r'"(x-[a-z-]+[a-z])"', source))

    assert "x-vsr-selected-model" in names
    assert [name for name in sorted(names) if f"`{name}" not in README] == []


def test_every_key_that_is_ours_is_in_the_configs_readme() -> None:
    text = (ROOT / "configs/README.md").read_text()
    router = ("signal_deadline", "signal_deadlines", "not_run_signals", "max_body_bytes")
    keys = [f"router.{key}" for key in router if key in Router.model_fields]
    keys += [f"services.triton.{key}" for key in Triton.model_fields]

    assert len(keys) == len(router) + len(Triton.model_fields)
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_what_is_imported_is_declared() -> None:
    """Also where it would come as a dependency of another; a module not installed here counts by
    its own name.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    # pydantic brings its core, which alone has the type of an error, and the types of bounds.
    brought = {"pydantic_core", "annotated_types"}
    ours = {*sys.stdlib_module_names, "orchestrator", "build_engines", *brought}
    installed = packages_distributions()
    lines = project["dependencies"]
    for folder in ("orchestrator", "build_engines"):
        declared = {_plain(re.split(r"[<>=\[]", line)[0]) for line in lines}
        missing = {
            name
            for name in _imported(ROOT / folder) - ours
            if not declared & {_plain(one) for one in installed.get(name, [name])}
        }
        assert missing == set(), folder
        lines = [*lines, *project["optional-dependencies"]["engines"]]


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _imported(folder: Path) -> set[str]:
    """The top-level names of every module that the code in `folder` imports."""
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names


def test_the_version_is_the_newest_of_the_changelog() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert newest is not None
    assert newest[1] == project["version"]


def test_every_verb_is_in_the_changelog() -> None:
    verbs = get_group(application).commands

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
