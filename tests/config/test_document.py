import textwrap

import pytest

from orchestrator.config.document import Mark, dotted, secret_path
from orchestrator.config.read import read

TEXT = """\
global:
  a: &a
    x: 1
  b:
    <<: *a
    y: |
      text
  c:
    long
routing:
  rows:
    - name: first
    - name: second
      size: 5
  empty:
"""


@pytest.fixture
def document():
    return read(textwrap.dedent(TEXT), "f.yaml", {})[0]


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        pytest.param((), Mark(1, 1), id="document"),
        pytest.param(("global", "a"), Mark(2, 3), id="mapping: its key"),
        pytest.param(("global", "a", "x"), Mark(3, 8), id="text: itself"),
        pytest.param(("global", "b", "x"), Mark(3, 8), id="merged: where it is written"),
        pytest.param(("global", "b", "y"), Mark(6, 8), id="block text"),
        pytest.param(("global", "c"), Mark(9, 5), id="text on the next line"),
        pytest.param(("routing", "rows", 1), Mark(13, 7), id="item"),
        pytest.param(("routing", "rows", 1, "size"), Mark(14, 13), id="key of an item"),
        pytest.param(("routing", "empty"), Mark(15, 3), id="nothing: its key"),
        pytest.param(("routing", "rows", 1, "gone"), Mark(13, 7), id="absent key: the item"),
        pytest.param(("routing", "rows", 9, "x"), Mark(11, 3), id="absent item: the list"),
        pytest.param(("routing", "rows", "x"), Mark(11, 3), id="key of a list"),
    ],
)
def test_marks(document, path, mark):
    assert document.mark(path) == mark


@pytest.mark.parametrize(
    ("path", "found"),
    [
        pytest.param(("routing", "gone"), None, id="absent"),
        pytest.param(("routing", "empty"), "nothing", id="null"),
        pytest.param(("routing", "rows"), "a list", id="list"),
        pytest.param(("global", "a"), "a mapping", id="mapping"),
        pytest.param(("routing", "rows", 0, "name"), "'first'", id="text"),
        pytest.param(("routing", "rows", 1, "size"), "5", id="number"),
    ],
)
def test_found(document, path, found):
    assert document.found(path) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("x" * 100, repr("x" * 57 + "..."), id="cut"),
        pytest.param("http://me:hunter2@host", "'http://***@host'", id="no password of a URL"),
        pytest.param("${HOST}", "'${HOST}'", id="the reference, not the variable's value"),
    ],
)
def test_found_text(text, found):
    document = read(f"global: {{a: '{text}'}}", "f.yaml", {"HOST": "hidden"})[0]

    assert document.found(("global", "a")) == found


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        pytest.param(("providers", "models", 0, "backend_refs", 0, "api_key_env"), False, id="env"),
        pytest.param(("global", "services", "x", "redis", "key_prefix"), False, id="key_prefix"),
        pytest.param(("global", "x", "max_tokens"), False, id="max_tokens"),
        pytest.param(("routing", "signals", "kb", 0, "token"), False, id="row of a signal"),
        pytest.param(
            ("global", "router", "learning", "identity", "headers", "session"),
            False,
            id="name of a header",
        ),
        pytest.param(("providers", "models", 0, "backend_refs", 0, "api_key"), True, id="api_key"),
        pytest.param(("global", "services", "x", "redis", "password"), True, id="password"),
        pytest.param(("global", "x", "auth_token"), True, id="auth_token"),
        pytest.param(("global", "x", "tokens", 0), True, id="list of tokens"),
        pytest.param(("providers", "x", "extra_headers", "X-Any"), True, id="header value"),
        pytest.param(
            ("routing", "decisions", 0, "plugins", 0, "configuration", "b", "api_key"),
            True,
            id="plugin",
        ),
        pytest.param(
            ("recipes", 0, "routing", "decisions", 0, "plugins", 0, "configuration", "secret"),
            True,
            id="plugin of a recipe",
        ),
    ],
)
def test_secret_paths(path, secret):
    assert secret_path(path) is secret


def test_dotted():
    assert dotted(("routing", "decisions", 3, "rules", "conditions", 0, "name")) == (
        "routing.decisions[3].rules.conditions[0].name"
    )
    assert dotted(()) == "(document)"
