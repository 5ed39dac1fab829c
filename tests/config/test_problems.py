import pytest
from pydantic import BaseModel, ConfigDict, Field

from orchestrator.config.problems import Finding, nearest, unknown
from orchestrator.errors import ConfigError
from tests.config.documents import loaded, places

TEXT = """\
routing:
  signals:
    keywords:
      - name: urgent
        operator: OR
      - name: code
        thresold: high
"""
SECTION = ("routing", "signals", "keywords")


class Row(BaseModel):
    """As an extension may declare it, without the config's own base class."""

    model_config = ConfigDict(extra="forbid")

    name: str
    operator: str = "OR"
    threshold: float = Field(default=0, le=1)


@pytest.fixture
def check():
    return loaded(TEXT).check()


def test_rows_are_validated_at_their_place(check):
    rows = loaded(TEXT).config.routing.signals["keywords"]

    found = [check.validate(Row, row, (*SECTION, index)) for index, row in enumerate(rows)]

    assert found == [Row(name="urgent"), None]
    assert [str(problem) for problem in check.problems] == [
        "router.yaml:7: routing.signals.keywords[1].thresold: unknown key 'thresold'"
        " (did you mean 'threshold'?)"
    ]


def test_rows_that_are_not_in_the_file_get_the_nearest_line(check):
    assert check.validate(Row, {"name": 5, "threshold": 2}, (*SECTION, 0)) is None

    assert [str(problem) for problem in check.problems] == [
        "router.yaml:4: routing.signals.keywords[0].name: expected a text, found 'urgent'",
        "router.yaml:4: routing.signals.keywords[0].threshold: expected a number of at most 1",
    ]


def test_unknown_section(check):
    check.unknown("signal section", "keyword", ["keywords", "domains"], SECTION)

    assert [str(problem) for problem in check.problems] == [
        "router.yaml:3: routing.signals.keywords: unknown signal section 'keyword'"
        " (did you mean 'keywords'?)"
    ]


def test_finish_raises_errors_only(check):
    check.warn((*SECTION, 1), "odd")
    check.error((*SECTION, 0), "wrong", "write it right")

    with pytest.raises(ConfigError) as caught:
        check.finish()

    assert places(caught.value.problems) == [("routing.signals.keywords[0]", 4)]
    assert str(caught.value).splitlines() == [
        "router.yaml cannot be used: 1 error",
        "router.yaml:4: routing.signals.keywords[0]: wrong (write it right)",
    ]


def test_finish_gives_warnings(check):
    check.add([Finding((*SECTION, 1), "odd", severity="warning")])

    assert [str(problem) for problem in check.finish()] == [
        "router.yaml:6: warning: routing.signals.keywords[1]: odd"
    ]


def test_a_check_starts_with_the_warnings_of_loading():
    check = loaded("global: {stores: {semantic_cache: {}}}").check()

    assert places(check.problems) == [("global.stores.semantic_cache", 1)]


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        pytest.param("zzz", ["keywords"], None, id="nothing near"),
        pytest.param("x", [], None, id="nothing known"),
        pytest.param("keyword", ["keywords", "kb"], "did you mean 'keywords'?", id="near"),
        pytest.param("and", ["AND"], "did you mean 'AND'?", id="case"),
    ],
)
def test_nearest(name, known, hint):
    assert nearest(name, known) == hint


@pytest.mark.parametrize(
    ("known", "hint"),
    [
        pytest.param([], None, id="none"),
        pytest.param([str(n) for n in range(100)], None, id="too many to list"),
        pytest.param(["b", "a"], "known: a, b", id="few"),
    ],
)
def test_unknown_lists_few_names(known, hint):
    assert unknown("model", "zzz", known, ("x",)) == Finding(("x",), "unknown model 'zzz'", hint)
