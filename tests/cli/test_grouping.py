import pytest

from orchestrator.cli.grouping import grouped
from orchestrator.config.unused import NOT_USED
from orchestrator.errors import Problem


def unused(path, line=None, kind=""):
    said = f"{kind!r} is " if kind else ""
    return Problem(path, said + NOT_USED, line, severity="warning")


def other(path, line=None, severity="warning"):
    return Problem(path, "it is wrong", line, severity=severity)


MODULE = "global.model_catalog.modules.prompt_guard"
PLUGIN = "routing.decisions[{}].plugins[{}].type"


@pytest.mark.parametrize(
    "problems",
    [
        pytest.param([], id="nothing"),
        pytest.param([other("global.a.b"), other("global.a.c")], id="what is wrong stays"),
        pytest.param([other("global.a.b", severity="error")] * 2, id="errors stay"),
        pytest.param([unused("global.a.b"), unused("global.c.b")], id="two blocks"),
        pytest.param(
            [unused(PLUGIN.format(0, 0), kind="rag"), unused(PLUGIN.format(1, 0), kind="tools")],
            id="two plugins",
        ),
        pytest.param(
            [unused("routing.decisions[0].emits"), unused("routing.decisions[0].output_contract")],
            id="two settings of a decision",
        ),
    ],
)
def test_what_stays_as_it_is(problems):
    assert grouped(problems) == problems


@pytest.mark.parametrize(
    ("problems", "expected"),
    [
        pytest.param(
            [unused(f"{MODULE}.use_cpu", 7), unused(f"{MODULE}.model_ref", 8, "guard")],
            (MODULE, f"2 settings are {NOT_USED}: use_cpu, model_ref"),
            id="a block",
        ),
        pytest.param(
            [unused(PLUGIN.format(n, 0), 10 + n, "rag") for n in (0, 3)],
            (
                "routing.decisions[*].plugins[*].type",
                f"'rag' is {NOT_USED}, 2 times (lines 10, 13)",
            ),
            id="a plugin of two decisions",
        ),
        pytest.param(
            [unused(f"routing.decisions[{n}].adaptations", n) for n in range(1, 8)],
            (
                "routing.decisions[*].adaptations",
                f"{NOT_USED}, 7 times (lines 1, 2, 3, 4, 5, ...)",
            ),
            id="many times",
        ),
        pytest.param(
            [
                unused("recipes[0].routing.decisions[0].emits"),
                unused("recipes[1].routing.decisions[2].emits"),
            ],
            ("recipes[*].routing.decisions[*].emits", f"{NOT_USED}, 2 times"),
            id="in two recipes, without lines",
        ),
        pytest.param(
            [
                unused("providers.models[0].pricing"),
                unused("providers.models[1].api_format", kind="anthropic"),
                unused("providers.models[1].pricing"),
            ],
            (
                "providers.models[*]",
                f"2 settings are {NOT_USED}: pricing (2 times), api_format",
            ),
            id="two settings of several models",
        ),
    ],
)
def test_a_group_is_one_line(problems, expected):
    [line] = grouped(problems)

    assert (line.path, line.message) == expected
    assert (line.line, line.severity) == (problems[0].line, "warning")


def test_a_group_stands_where_its_first_does():
    problems = [
        unused(f"{MODULE}.use_cpu", 1),
        other("global.router", 2),
        unused(f"{MODULE}.model_ref", 3),
    ]

    assert [line.line for line in grouped(problems)] == [1, 2]
