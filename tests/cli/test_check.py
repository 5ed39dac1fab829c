import json

import pytest

WRONG = """\
version: v0.3
routing:
  modelCards: [{name: small}]
  signals:
    keywords:
      - {name: code, operator: XOR, keywords: ["[bold]python"]}
  decisions:
    - name: "one[/red]"
      rules: {type: keywrd, name: code}
      modelRefs: [{model: smal}]
global: {router: {strategi: priority, clear_route_cache: true}}
"""

PROBLEMS = [
    (6, "error", "routing.signals.keywords[0].operator"),
    (9, "error", "routing.decisions[0].rules.type"),
    (10, "error", "routing.decisions[0].modelRefs[0].model"),
    (11, "error", "global.router.strategi"),
]


KEY = "TSR_TEST_UNSET_KEY"  # of the policy's backend


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv(KEY, "secret")


@pytest.fixture
def wrong(tmp_path):
    path = tmp_path / "[wrong].yaml"
    path.write_text(WRONG)
    return path


def test_a_usable_file(tsr, policy):
    told = tsr("check", policy)

    assert told.code == 0
    assert told.out == f"{policy}: ok, 0 errors, 0 warnings\n"
    assert told.err == ""


def test_a_warning_does_not_fail(tsr, policy):
    policy.write_text(policy.read_text() + "global: {router: {clear_route_cache: true}}\n")

    told = tsr("check", policy)

    assert told.code == 0
    assert "warning: global.router.clear_route_cache" in told.out
    assert "ok, 0 errors, 1 warning\n" in told.out


UNUSED = """\
global:
  router: {clear_route_cache: true}
  model_catalog: {modules: {prompt_guard: {use_cpu: true, model_ref: guard}}}
"""


def test_settings_of_one_block_that_are_not_used_are_one_line(tsr, policy):
    policy.write_text(policy.read_text() + UNUSED)

    told = tsr("check", policy)

    *lines, verdict = told.out.splitlines()
    assert [line.split(": ", 2)[2] for line in lines] == [
        "global.router.clear_route_cache: accepted, not used by this version",
        "global.model_catalog.modules.prompt_guard: 2 settings are accepted, not used by this"
        " version: model_ref, use_cpu",
    ]
    assert verdict.endswith(": ok, 0 errors, 3 warnings on 2 lines (-v: each by itself)")


@pytest.mark.parametrize("option", ["-v", "--verbose"])
def test_or_each_has_its_line(tsr, policy, option):
    policy.write_text(policy.read_text() + UNUSED)

    told = tsr("check", policy, option)

    *lines, verdict = told.out.splitlines()
    assert len(lines) == 3
    assert verdict.endswith(": ok, 0 errors, 3 warnings")


def test_json_has_every_one(tsr, policy):
    policy.write_text(policy.read_text() + UNUSED)

    told = tsr("check", policy, "--format", "json")

    assert len(json.loads(told.out)) == 3


def test_a_key_that_is_not_set_is_a_warning(tsr, policy, monkeypatch):
    monkeypatch.delenv(KEY)

    told = tsr("check", policy)

    assert told.code == 0
    assert f"environment variable {KEY} is not set" in told.out


def test_every_problem_has_its_line_its_path_and_what_would_be_right(tsr, wrong):
    told = tsr("check", wrong)

    assert told.code == 1
    *lines, verdict = told.out.splitlines()
    starts = [f"{wrong}:{line}: {kind}: {path}: " for line, kind, path in PROBLEMS]
    assert [line[: len(start)] for line, start in zip(lines, starts, strict=True)] == starts
    assert "did you mean 'keyword'?" in lines[1]
    assert verdict == f"{wrong}: not usable, 4 errors, 0 warnings"


def test_json(tsr, wrong, policy, tmp_path):
    told = tsr("check", wrong, "--format", "json")
    found = json.loads(told.out)

    assert told.code == 1
    assert [(one["line"], one["severity"], one["path"]) for one in found] == PROBLEMS
    assert {one["file"] for one in found} == {str(wrong)}
    assert json.loads(tsr("check", policy, "--format", "json").out) == []
    (one,) = json.loads(tsr("check", tmp_path / "none", "--format", "json").out)
    assert one["severity"] == "error"
    assert "No such file" in one["message"]


def test_other_verbs_print_the_same_problems_on_stderr(tsr, wrong):
    said = tsr("check", wrong).out.splitlines()[:-1]

    for verb in (("serve",), ("explain", "hi")):
        told = tsr(*verb, "--config", wrong)
        assert told.code == 1
        assert told.lines == said
        assert told.out == ""
