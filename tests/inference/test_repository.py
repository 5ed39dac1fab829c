import json
import os
import shutil
import subprocess
import sys

import pytest

from orchestrator.errors import ServerStartError
from orchestrator.inference.repository import (
    behind_name,
    check_repository,
    config_of,
    default_repository,
    is_shell_safe,
    only_of_other_forms,
    published,
    shell_safe,
    stand_ins,
    wants_cache,
)


@pytest.fixture
def repository(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.pbtxt").write_text("")
    (tmp_path / "three" / "1").mkdir(parents=True)
    (tmp_path / "README.md").write_text("")
    (tmp_path / "notes").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "models", "message"),
    [
        pytest.param("absent", None, "absent does not exist", id="absent"),
        pytest.param("README.md", None, "README.md does not exist", id="a file"),
        pytest.param("notes", None, "notes holds no model", id="empty"),
        pytest.param(
            ".", ["one", "tow", "notes"], "no tow, notes; it has: one, three, two", id="misspelt"
        ),
    ],
)
def test_what_cannot_be_served_is_named(repository, folder, models, message):
    with pytest.raises(ServerStartError, match=message):
        check_repository(repository / folder, models)


@pytest.mark.parametrize("models", [None, [], ["one", "three"]], ids=["all", "none", "some"])
def test_what_can_be_served_passes(repository, models):
    check_repository(repository, models)


# What root may do is not refused: the command runs without that right.
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.fixture
def shut(repository):
    if os.geteuid() == 0 and (
        shutil.which("setpriv") is None or subprocess.run([*UNPRIVILEGED, "true"]).returncode
    ):
        pytest.skip("root, and nothing here to do without its rights")
    folder = repository / "two"
    folder.chmod(0)
    (repository / "lost+found").mkdir(mode=0)
    yield
    folder.chmod(0o755)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        pytest.param(["one"], "", id="another"),
        pytest.param(["one", "two"], "two may not be read by this user: chmod -R a", id="asked"),
    ],
)
@pytest.mark.usefixtures("shut")
def test_a_folder_that_may_not_be_read_is_named(repository, models, message):
    code = f"""
from pathlib import Path
from orchestrator.inference.inspecting.models import folders
from orchestrator.inference.repository import check_repository, wants_cache
folder = Path({str(repository)!r})
wants_cache(folder, "cpu"), folders(folder)
check_repository(folder, {models!r})
"""
    before = UNPRIVILEGED if os.geteuid() == 0 else []
    command = [*before, sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)

    assert message in done.stderr
    assert bool(done.returncode) is bool(message), done.stderr


def test_the_default_holds_models():
    check_repository(default_repository(), ["text_embedding"])


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param("", False, id="nothing"),
        pytest.param("response_cache { enable: false }", False, id="off"),
        pytest.param("# response_cache { enable: true }", False, id="comment"),
        pytest.param("response_cache { }\nx { enable: true }", False, id="another's"),
        pytest.param("response_cache { enable: true }", True, id="on"),
        pytest.param("response_cache: {\n  # why\n  enable :true\n}", True, id="in lines"),
    ],
)
def test_the_cache_is_on_when_a_model_asks(repository, config, expected):
    (repository / "two" / "config.pbtxt").write_text(config)

    assert wants_cache(repository) is expected


def test_a_named_config_asks_too(repository):
    (repository / "one" / "configs").mkdir()
    (repository / "one" / "configs" / "cpu.pbtxt").write_text("response_cache { enable: true }")

    assert not wants_cache(repository)
    assert wants_cache(repository, "cpu")


@pytest.mark.parametrize(
    "name",
    ["a b", "a;b", "$HOME", "it's", 'a"b', "a&b", "a(b", "*", "naïve", "tab\there", "new\nline"],
)
def test_a_path_that_a_shell_would_spoil_is_linked(tmp_path, name):
    target = tmp_path / name
    target.mkdir()
    (target / "file").write_text("here")
    links = tmp_path / "links"
    links.mkdir()
    path = shell_safe(target, links, "models")

    assert is_shell_safe(path)
    shown = subprocess.run(["bash", "-c", f"exec cat {path}/file"], capture_output=True, text=True)
    assert shown.stdout == "here"


def test_a_plain_path_is_itself(tmp_path):
    assert shell_safe(tmp_path, tmp_path, "models") == tmp_path


BASE = {"published": {"1/model.onnx": "aa", "goldens.json": "bb"}}
HEADS = {"published": {"1/model.onnx": "cc"}, "trunk": {"model": "two", "sha256": "aa"}}


@pytest.mark.parametrize(
    ("one", "two", "models", "expected"),
    [
        pytest.param(HEADS, BASE, ["one"], {}, id="the base is not asked"),
        pytest.param(HEADS, BASE, ["two"], {}, id="only the base is asked"),
        pytest.param(None, BASE, ["one", "two"], {}, id="no receipt"),
        pytest.param(HEADS, None, ["one", "two"], {}, id="the base has none"),
        pytest.param("{", BASE, ["one", "two"], {}, id="a receipt that is no JSON"),
        pytest.param(
            HEADS | {"trunk": {"model": "two", "sha256": "ab"}},
            BASE,
            ["one", "two"],
            {},
            id="another network",
        ),
        pytest.param(
            HEADS | {"trunk": {"model": "three", "sha256": "aa"}},
            BASE,
            ["one", "two"],
            {},
            id="another base",
        ),
        pytest.param(
            HEADS,
            {"published": {"goldens.json": "aa"}},
            ["one", "two"],
            {},
            id="no network published",
        ),
        pytest.param(HEADS, BASE, ["one", "two"], {"two": "one"}, id="the same network"),
    ],
)
def test_one_model_may_embed_for_another(repository, one, two, models, expected):
    for name, receipt in (("one", one), ("two", two)):
        if receipt is not None:
            text = receipt if isinstance(receipt, str) else json.dumps(receipt)
            (repository / name / "receipt.json").write_text(text)

    assert stand_ins(repository, models) == expected


STEP = """{
  model_name: "two" model_version: -1
  input_map { key: "TEXT" value: "TEXT" }
  output_map { key: "EMBEDDING" value: "EMBEDDING" }
}"""
ALIAS = f'platform: "ensemble" ensemble_scheduling {{ step [ {STEP} ] }}'


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(None, None, id="no config"),
        pytest.param("name: {", None, id="no protobuf"),
        pytest.param('backend: "python"', None, id="a model of its own"),
        pytest.param(ALIAS.replace(STEP, f"{STEP}, {STEP}"), None, id="two steps"),
        pytest.param(
            ALIAS.replace('value: "EMBEDDING"', 'value: "POOLED"'), None, id="another tensor"
        ),
        pytest.param(ALIAS, "two", id="a name"),
    ],
)
def test_what_a_model_gives_another_name(tmp_path, config, expected):
    if config is not None:
        (tmp_path / "config.pbtxt").write_text(config)

    assert behind_name(tmp_path) == expected


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        pytest.param(["name"], {}, id="alone"),
        pytest.param(["name", "three"], {}, id="without what it names"),
        pytest.param(["name", "two"], {"name": "two"}, id="with what it names"),
        pytest.param(["name", "one"], {"name": "one"}, id="with the one that stands in"),
        pytest.param(
            ["two", "name", "one"],
            {"two": "one", "name": "one"},
            id="with both",
        ),
    ],
)
def test_another_name_of_a_model_is_not_loaded_beside_it(repository, models, expected):
    for name, receipt in (("one", HEADS), ("two", BASE), ("name", HEADS)):
        (repository / name).mkdir(exist_ok=True)
        (repository / name / "receipt.json").write_text(json.dumps(receipt))
    (repository / "name" / "config.pbtxt").write_text(ALIAS)

    assert stand_ins(repository, models) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param([], False, id="nothing"),
        pytest.param(["config.pbtxt"], False, id="no goldens"),
        pytest.param(["goldens.json"], False, id="no config"),
        pytest.param(["config.pbtxt", "goldens.json"], True, id="both"),
    ],
)
def test_what_is_published_can_be_loaded_and_compared(tmp_path, files, expected):
    (tmp_path / "m").mkdir()
    for name in files:
        (tmp_path / "m" / name).write_text("")

    assert published(tmp_path, "m") is expected


STEPS = """
platform: "ensemble"
ensemble_scheduling { step [ { model_name: "first" }, { model_name: "second" } ] }
"""


@pytest.mark.parametrize(
    ("form", "idle"),
    [
        pytest.param(None, set(), id="config.pbtxt"),
        pytest.param("fast", set(), id="a form that it lacks"),
        pytest.param("cpu", {"first"}, id="another form, whose own step stays"),
    ],
)
def test_a_step_of_another_form_is_not_loaded(tmp_path, form, idle):
    for name in ("first", "second", "whole"):
        (tmp_path / name / "configs").mkdir(parents=True)
        (tmp_path / name / "config.pbtxt").write_text('backend: "python"')
    (tmp_path / "whole" / "config.pbtxt").write_text(STEPS)
    own = STEPS.replace('{ model_name: "first" }, ', "")
    (tmp_path / "whole" / "configs" / "cpu.pbtxt").write_text(own)

    assert only_of_other_forms(tmp_path, form) == idle


@pytest.mark.parametrize(
    ("form", "path"),
    [
        pytest.param(None, "config.pbtxt", id="no form"),
        pytest.param("fast", "config.pbtxt", id="a form that it lacks"),
        pytest.param("cpu", "configs/cpu.pbtxt", id="a form that it has"),
    ],
)
def test_which_config_triton_takes(tmp_path, form, path):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "cpu.pbtxt").touch()

    assert config_of(tmp_path, form) == tmp_path / path
