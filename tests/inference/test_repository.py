import json
import subprocess

import pytest

from orchestrator.errors import ServerStartError
from orchestrator.inference.repository import (
    check_repository,
    default_repository,
    is_shell_safe,
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
