import json

import pytest

PROVED = """\
version: v0.3
providers:
  defaults: {default_model: small}
  models: [{name: small, backend_refs: [{endpoint: "127.0.0.1:1"}]}]
routing:
  modelCards: [{name: small}]
  signals:
    keywords:
      - {name: code, operator: OR, keywords: [python]}
      - {name: urgent, operator: OR, keywords: [now]}
    language: [{name: en}, {name: de}]
    context:
      - {name: short, max_tokens: 1K}
      - {name: long, min_tokens: 2K}
  projections:
    scores:
      - name: hardness
        inputs: [{type: keyword, name: code, weight: 0.7}, {type: context, name: long, weight: 0.5}]
    mappings:
      - name: levels
        source: hardness
        outputs: [{name: hardest, gte: 2.0}, {name: hard, gte: 1.0}]
  decisions:
    - name: both languages
      priority: 60
      rules:
        operator: AND
        conditions: [{type: language, name: en}, {type: language, name: de}]
      modelRefs: [{model: small}]
    - name: top
      priority: 50
      rules: {type: projection, name: hardest}
      modelRefs: [{model: small}]
    - {name: code, priority: 40, rules: {type: keyword, name: code}, modelRefs: [{model: small}]}
    - name: urgent code
      priority: 30
      rules:
        operator: AND
        conditions: [{type: keyword, name: urgent}, {type: keyword, name: code}]
      modelRefs: [{model: small}]
    - name: calm
      priority: 20
      rules: {operator: NOT, conditions: [{type: context, name: long}]}
      modelRefs: [{model: small}]
"""


@pytest.fixture
def proved(tmp_path):
    path = tmp_path / "proved.yaml"
    path.write_text(PROVED)
    return path


def test_what_can_never_happen_is_a_warning_with_its_line_and_its_reason(tsr, proved):
    told = tsr("check", proved)

    found = [line for line in told.out.splitlines() if "' never " in line]
    assert [line.removeprefix(f"{proved}:").split(":")[0] for line in found] == ["24", "30", "35"]
    assert "language:en and language:de never come true together" in found[0]
    assert "a text has one language" in found[0]
    assert "'top' never matches: projection:hardest never holds" in found[1]
    assert "score hardness is [0, 1.2]" in found[1]
    assert "'urgent code' never wins: wherever it matches, code matches" in found[2]
    assert told.code == 0


def test_strict_fails_on_warnings(tsr, proved, policy, monkeypatch):
    monkeypatch.setenv("TSR_TEST_UNSET_KEY", "secret")

    assert tsr("check", proved, "--strict").code == 1
    assert tsr("check", policy, "--strict").code == 0


def test_json_names_the_rule(tsr, proved):
    rules = {one["rule"] for one in json.loads(tsr("check", proved, "--format", "json").out)}

    assert {"unreachable-decision", "shadowed-decision"} <= rules


def test_verdicts_as_json(tsr, proved):
    told = json.loads(tsr("check", proved, "--format", "json", "--verdicts").out)

    (recipe,) = told["recipes"]
    kinds = {one["decision"]: one["kind"] for one in recipe["decisions"]}
    assert kinds == {
        "both languages": "unreachable",
        "top": "unreachable",
        "code": "reachable",
        "urgent code": "shadowed",
        "calm": "reachable",
    }
    assert recipe["default_model"] == "sometimes"
    by = {one["decision"]: one for one in recipe["decisions"]}
    assert by["urgent code"]["by"] == ["code"]
    assert sorted(by["both languages"]["conflict"]) == ["language:de", "language:en"]
    assert by["calm"]["fails"] == ["context:long", "keyword:code"]
    assert by["code"]["path"] == "routing.decisions[2]"


def test_verdicts_as_text(tsr, proved):
    said = tsr("check", proved, "--verdicts").out

    assert "default: the default model is used sometimes" in said
    assert "code goes before it" in said


def test_explain_shows_ways_what_goes_before_and_the_models(tsr, proved):
    told = tsr("check", proved, "--explain", "calm")

    assert told.code == 0
    said = " ".join(told.out.split())
    assert "calm of default: reachable" in said
    assert "context:long" in said
    assert "before it code" in said
    assert "models small (static)" in said
    assert "warning" not in said


def test_verdicts_and_explain_show_both(tsr, proved):
    told = tsr("check", proved, "--verdicts", "--explain", "calm", "--explain", "code")

    said = told.out
    order = (
        "never wins",  # a problem
        "the default model is used sometimes",
        "calm of default: reachable",
        "code of default: reachable",
        ": ok, 0 errors",
    )
    assert sorted(order, key=said.index) == list(order)


@pytest.mark.parametrize("format", ["json", "sarif"])
@pytest.mark.parametrize(
    ("options", "keys"),
    [
        pytest.param((), [], id="neither"),
        pytest.param(("--verdicts",), ["recipes"], id="verdicts"),
        pytest.param(("--explain", "calm"), ["explained"], id="explain"),
        pytest.param(("--explain", "calm", "--verdicts"), ["explained", "recipes"], id="both"),
    ],
)
def test_what_programs_get_of_both(tsr, proved, format, options, keys):
    data = json.loads(tsr("check", proved, "--format", format, *options).out)

    if format == "sarif":
        (run,) = data["runs"]
        problems, more = run["results"], run.get("properties", {})
    else:
        problems = data["problems"] if keys else data
        more = {key: data[key] for key in data if key != "problems"} if keys else {}
    assert problems
    assert sorted(more) == keys


def test_explain_as_json(tsr, proved):
    told = json.loads(tsr("check", proved, "--format", "json", "--explain", "urgent code").out)

    (one,) = told["explained"]
    assert sorted(one["ways"][0]["holds"]) == ["keyword:code", "keyword:urgent"]
    assert one["before"] == ["code"]
    assert one["verdict"]["kind"] == "shadowed"


def test_explain_of_a_name_that_no_decision_has(tsr, proved):
    told = tsr("check", proved, "--explain", "urgent cod")

    assert told.code == 2
    assert "did you mean 'urgent code'?" in told.err


def test_sarif_has_what_the_standard_requires(tsr, proved, tmp_path):
    told = json.loads(tsr("check", proved, "--format", "sarif").out)

    assert told["version"] == "2.1.0"
    (run,) = told["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "tsr"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for result in run["results"]:
        assert result["message"]["text"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] == str(proved)
        assert place["region"]["startLine"] >= 1
    assert "unreachable-decision" in {result["ruleId"] for result in run["results"]}

    (missing,) = json.loads(tsr("check", tmp_path / "none", "--format", "sarif").out)["runs"]
    assert [result["ruleId"] for result in missing["results"]] == ["policy-error"]
