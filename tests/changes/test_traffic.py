import io

import pytest

from orchestrator.changes.traffic import Recorded, read
from orchestrator.errors import ConfigError, RequestError

NOTHING = io.BytesIO()
PROBES = """\
schema_version: v1
name: two
decisions:
  - id: a
    expected_decision: a
    model: auto
    variants: [{id: one, query: hello}, {id: two, query: x, repeat: 3}]
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(b"{oops", Recorded("-", None, "not JSON"), id="not JSON"),
        pytest.param(b"[1]", Recorded("-", None, "not a JSON object"), id="a list"),
        pytest.param(b'{"body": 3}', Recorded("-", None, "not a JSON object"), id="no body"),
        pytest.param(b'{"text": "hi"}', Recorded("-", {"text": "hi"}), id="text"),
        pytest.param(
            b'{"custom_id": "r-1", "body": {"messages": []}}',
            Recorded("r-1", {"messages": []}),
            id="a line of a batch file",
        ),
        pytest.param(
            b'{"request": {"text": "hi"}, "response": {}}',
            Recorded("-", {"text": "hi"}),
            id="a request beside its answer",
        ),
    ],
)
def test_lines(line, expected):
    (found,) = read(["-"], io.BytesIO(line))

    assert found.body == expected.body
    assert found.problem == expected.problem
    assert found.id == ("r-1" if expected.id == "r-1" else "standard input:1")
    assert found.place == "standard input:1"


def test_empty_lines_are_skipped_and_counted(tmp_path):
    path = tmp_path / "requests.jsonl"
    path.write_bytes(b'{"text": "a"}\n\n  \n{"text": "b"}')

    assert [one.id for one in read([str(path)], NOTHING)] == [f"{path}:1", f"{path}:4"]


def test_probes_and_lines_together(tmp_path):
    probes = tmp_path / "probes.yaml"
    probes.write_text(PROBES)

    found = read([str(probes), "-"], io.BytesIO(b'{"text": "c"}'))

    assert [one.place for one in found[1:]] == [f"{probes}: a:two", "standard input:1"]
    assert [(one.id, one.body) for one in found] == [
        ("a:one", {"text": "hello", "model": "auto"}),
        ("a:two", {"text": "x\nx\nx", "model": "auto"}),
        ("standard input:1", {"text": "c"}),
    ]


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(RequestError, match="cannot read"):
        read([str(tmp_path / "none.jsonl")], NOTHING)


def test_a_bad_probe_file_is_an_error(tmp_path):
    path = tmp_path / "probes.yml"
    path.write_text("schema_version: v9\n")

    with pytest.raises(ConfigError):
        read([str(path)], NOTHING)
