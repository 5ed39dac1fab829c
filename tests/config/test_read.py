import textwrap

import pytest

from orchestrator.config.read import MOST_BYTES, MOST_DEPTH, MOST_NODES, read
from orchestrator.errors import ConfigError


def data(text, environ=None):
    document, problems = read(textwrap.dedent(text), "f.yaml", environ or {})
    return document.data, [str(problem) for problem in problems]


def refusal(text, most_nodes=MOST_NODES):
    with pytest.raises(ConfigError) as caught:
        read(text, "f.yaml", {}, most_nodes)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("no", "no", id="no is a word"),
        pytest.param("on", "on", id="on is a word"),
        pytest.param("012", "012", id="leading zero is text"),
        pytest.param("1:30:00", "1:30:00", id="sexagesimal is text"),
        pytest.param("2025-03-01", "2025-03-01", id="date is text"),
        pytest.param("1_000", "1_000", id="underscores are text"),
        pytest.param('"5"', "5", id="quoted number is text"),
        pytest.param("9" * 5000, "9" * 5000, id="endless number is text"),
        pytest.param("true", True, id="true"),
        pytest.param("-5", -5, id="integer"),
        pytest.param("0.50", 0.5, id="number"),
        pytest.param(".inf", float("inf"), id="infinity"),
        pytest.param("~", None, id="null"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_scalars(text, expected):
    assert data(f"routing: {text}") == ({"routing": expected}, [])


def test_merged_keys_yield_to_own_keys():
    text = """\
    global:
      a: &a {x: 1, y: 1}
      b: {<<: *a, y: 2}
      c: {<<: [*a, {z: 3}]}
    """
    found, problems = data(text)

    assert problems == []
    assert found["global"]["b"] == {"x": 1, "y": 2}
    assert found["global"]["c"] == {"x": 1, "y": 1, "z": 3}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            "routing:\n  a: 1\n  b: 2\n  a: 3\n",
            "f.yaml:4: routing.a: key 'a' is given twice, first on line 2",
            id="key twice",
        ),
        pytest.param(
            "routing:\n  ? [a, b]\n  : 1\n",
            "f.yaml:2: routing: a key must be text, found a list or mapping",
            id="list as key",
        ),
        pytest.param(
            "routing:\n  a: !!python/object:os.system x\n",
            "f.yaml:2: routing.a: the tag 'tag:yaml.org,2002:python/object:os.system'"
            " is not supported",
            id="foreign tag",
        ),
        pytest.param(
            "routing:\n  <<: 5\n",
            "f.yaml:2: routing: << needs a mapping or a list of mappings",
            id="merge of a number",
        ),
        pytest.param(
            "global:\n  host: $HOST_NAME\n",
            "f.yaml:2: global.host: environment variable HOST_NAME is not set (set it, give a"
            " default as ${HOST_NAME:-default}, or write $$ for a dollar sign)",
            id="unset variable",
        ),
    ],
)
def test_problems_that_do_not_stop_reading(text, problem):
    assert data(text)[1] == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            "",
            "f.yaml:1: (document): the document is empty; it needs `routing` or `global`",
            id="empty",
        ),
        pytest.param(
            "# only a comment\n",
            "f.yaml:1: (document): the document is empty; it needs `routing` or `global`",
            id="comment",
        ),
        pytest.param(
            "- a\n",
            "f.yaml:1: (document): the document is not a mapping of keys to values;"
            " it needs `routing` or `global`",
            id="list",
        ),
        pytest.param(
            "model_config: {}\nvllm_endpoints: []\n",
            "f.yaml:1: (document): neither `routing` nor `global` is here (found: model_config,"
            " vllm_endpoints); a file of an older format must first be migrated to version v0.3",
            id="older format",
        ),
        pytest.param(
            "version: v0.3\nruoting: {}\n",
            "f.yaml:2: ruoting: neither `routing` nor `global` is here, but 'ruoting'"
            " (did you mean 'routing'?)",
            id="misspelt",
        ),
        pytest.param(
            "routing:\n  a: [1, 2\n  b: 3\n",
            "f.yaml:3: (document): not valid YAML: while parsing a flow sequence;"
            " did not find expected ',' or ']'",
            id="not YAML",
        ),
        pytest.param(
            "routing:\n\ta: 1\n",
            "f.yaml:2: (document): not valid YAML: while scanning for the next token;"
            " found character that cannot start any token",
            id="tab",
        ),
        pytest.param(
            "routing: *nowhere\n",
            "f.yaml:1: (document): not valid YAML: found undefined alias",
            id="unknown alias",
        ),
        pytest.param(
            "routing: {}\n---\nglobal: {}\n",
            "f.yaml:2: (document): not valid YAML: expected a single document in the stream;"
            " but found another document",
            id="two documents",
        ),
    ],
)
def test_unreadable(text, problem):
    assert refusal(text) == [problem]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("routing: " + "[" * 100_000, id="brackets never closed"),
        pytest.param("routing: " + "[" * 500 + "]" * 500, id="brackets"),
        pytest.param("routing: &a [*a]\n", id="list in itself"),
        pytest.param("routing: &a\n  <<: *a\n", id="mapping merged into itself"),
    ],
)
def test_depth_is_bounded(text):
    assert len(refusal(text)) == 1


def test_depth_within_the_bound():
    depth = MOST_DEPTH - 1

    assert data("routing: " + "[" * depth + "]" * depth)[1] == []


def bomb(opening, levels=20):
    lines = ["routing:", "  a0: &a0 {}"]
    for level in range(levels):
        lines.append(f"  a{level + 1}: &a{level + 1} {opening.format(level)}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    "opening",
    [
        pytest.param("[*a{0}, *a{0}, *a{0}, *a{0}]", id="aliases"),
        pytest.param("{{<<: [*a{0}, *a{0}, *a{0}, *a{0}]}}", id="merges"),
    ],
)
def test_expansion_of_aliases_is_bounded(opening):
    assert "more than 5,000 values (aliases expanded)" in refusal(bomb(opening), 5000)[0]


def test_size_is_bounded():
    assert "larger than 16 MiB" in refusal("#" * (MOST_BYTES + 1))[0]


def test_lone_surrogate():
    assert "not valid YAML" in refusal("routing: \ud800")[0]


def test_variables_by_place():
    text = """\
    global: {host: "$HOST", price: "$$5"}
    routing: {pattern: '^\\$HOST$', prompt: "${HOST}", template: "${top_k}"}
    recipes: [{routing: {pattern: '$HOST'}}]
    """
    found, problems = data(text, {"HOST": "example"})

    assert problems == []
    assert found == {
        "global": {"host": "example", "price": "$5"},
        "routing": {"pattern": "^\\$HOST$", "prompt": "example", "template": "${top_k}"},
        "recipes": [{"routing": {"pattern": "$HOST"}}],
    }
