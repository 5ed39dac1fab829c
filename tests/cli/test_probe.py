import asyncio
import xml.etree.ElementTree as ElementTree

import pytest

from tests.app.planes import planes
from tests.processes import free_ports

PROBES = """\
schema_version: v1
name: two
description: What a keyword decides.
routing_assets: {yaml: policy.yaml}
router_eval_endpoint: /api/v1/eval
decisions:
  - id: programming
    expected_decision: "programming[/red]"
    expected_alias: small
    variants:
      - {id: by_word, query: "Why does python fail?", expected_signals: {keywords: ["code[/x]"]}}
      - {id: other, query: "QUERY"}
"""


@pytest.fixture
def probes(tmp_path):
    def write(query="a python script", name="probes.yaml"):
        path = tmp_path / name
        path.write_text(PROBES.replace("QUERY", query))
        return path

    return write


def test_probes_that_pass(tsr, probes, policy):
    told = tsr("probe", probes(), "--config", policy)

    assert told.code == 0, told.out
    assert "2" in told.out


def test_a_probe_that_fails_is_named_and_fails_the_run(tsr, probes, policy):
    told = tsr("probe", probes("tell me a joke"), "--config", policy)

    assert told.code == 1
    assert "programming:other" in told.out
    assert "programming:by_word" not in told.out


def test_one_failing_file_of_several_fails_the_run(tsr, probes, policy):
    files = [probes("tell me a joke", "one.yaml"), probes(name="two.yaml")]

    assert tsr("probe", *files, "--config", policy).code == 1


def test_junit(tsr, probes, policy, tmp_path):
    report = tmp_path / "junit.xml"

    told = tsr("probe", probes("tell me a joke"), "--config", policy, "--junit", report)

    assert told.code == 1
    suite = ElementTree.parse(report).getroot()
    assert len(list(suite.iter("testcase"))) == 2
    assert len(list(suite.iter("failure"))) == 1


def test_a_report_that_cannot_be_written_is_one_line(tsr, probes, policy, tmp_path):
    told = tsr("probe", probes(), "--config", policy, "--junit", tmp_path / "no" / "junit.xml")

    assert told.code == 1
    assert told.lines[-1].startswith("error: cannot write ")
    assert "Traceback" not in told.err


async def test_a_running_router_is_asked(tsr, probes, policy):
    async with planes(policy.read_text()) as router:
        url = router.management_url
        good = await asyncio.to_thread(tsr, "probe", probes(), "--url", url)
        bad = await asyncio.to_thread(tsr, "probe", probes("tell me a joke"), "--url", url)

    assert (good.code, bad.code) == (0, 1)
    assert "programming:other" in bad.out


async def test_a_router_that_wants_a_token(tsr, probes, policy, monkeypatch):
    monkeypatch.setenv("TSR_TEST_TOKEN", "tk-secret")
    auth = "{mode: bearer, tokens: [{env: TSR_TEST_TOKEN, role: viewer}]}"
    guarded = policy.read_text() + f"global: {{services: {{management_api: {{auth: {auth}}}}}}}"
    async with planes(guarded) as router:
        call = ("probe", probes(), "--url", router.management_url)
        without = await asyncio.to_thread(tsr, *call)
        told = await asyncio.to_thread(tsr, *call, "--token-env", "TSR_TEST_TOKEN")

    assert (without.code, told.code) == (1, 0)
    assert "UNAUTHORIZED" in without.out
    assert "tk-secret" not in without.out + without.err + told.out + told.err


async def test_the_wrong_plane_is_one_line(tsr, probes, policy):
    async with planes(policy.read_text()) as router:
        told = await asyncio.to_thread(tsr, "probe", probes(), "--url", router.url)

    assert told.code == 1
    assert len(told.lines) == 1
    assert "there is no http://" in told.err
    assert "management plane" in told.err
    assert told.out == ""


def test_a_decision_that_does_not_exist_is_named_with_the_nearest(tsr, probes, policy):
    path = probes()
    path.write_text(path.read_text().replace('"programming[/red]"', "programing"))

    told = tsr("probe", path, "--config", policy)

    assert told.code == 1
    assert "unknown decision 'programing', did you mean 'programming[/red]'?" in told.out


WAITING = """\
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    domains: [{name: law}]
    keywords: [{name: code, operator: OR, keywords: [python]}]
  decisions:
    - name: "programming[/red]"
      rules:
        operator: OPERATOR
        conditions: [{type: keyword, name: code}, {type: domain, name: law}]
      modelRefs: [{model: small}]
global: {model_catalog: {modules: {classifier: {domain: {enabled: false}}}}}
"""


@pytest.mark.parametrize(
    ("operator", "code"),
    [
        pytest.param("OR", 0, id="the signal that does not run decides"),
        pytest.param("AND", 1, id="another signal has decided"),
    ],
)
async def test_only_what_is_open_without_a_signal_is_excused(tsr, probes, policy, operator, code):
    policy.write_text(WAITING.replace("OPERATOR", operator))
    call = ("probe", waiting(probes, "a joke"), "--config", policy)

    here = await asyncio.to_thread(tsr, *call)
    async with planes(policy.read_text()) as router:
        there = await asyncio.to_thread(tsr, *call, "--url", router.management_url)
        blind = await asyncio.to_thread(tsr, *call[:2], "--url", router.management_url)

    assert (here.code, there.code, blind.code) == (code, code, 1)
    assert ("needs learned signals: domain" in here.out) == (code == 0)
    assert "not accepted: probes: 0.0 % passed, 100 % demanded" in here.out


def waiting(probes, query):
    """One probe, which asserts no signal."""
    path = probes(query)
    lines = [line for line in path.read_text().splitlines() if "by_word" not in line]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("where", "said"),
    [
        pytest.param(("--url", "{nobody}"), "cannot be asked", id="nobody listens"),
        pytest.param(("--url", "nonsense"), "is no http URL", id="not a URL"),
        pytest.param(("--url", "ftp://x/y"), "is no http URL", id="another protocol"),
        pytest.param(
            ("--url", "{nobody}", "--token-env", "TSR_TEST_UNSET"),
            "environment variable TSR_TEST_UNSET is not set",
            id="no token",
        ),
    ],
)
def test_a_router_that_cannot_be_asked_is_one_line(tsr, probes, where, said):
    nobody = f"http://127.0.0.1:{free_ports(1)[0]}"

    told = tsr("probe", probes(), *(part.format(nobody=nobody) for part in where))

    assert told.code == 1
    assert len(told.lines) == 1, told.err
    assert said in told.err
    assert told.out == ""


def test_the_probe_file_is_read_before_anything_starts(tsr, probes, policy):
    path = probes()
    path.write_text(path.read_text().replace("expected_alias", "expected_alais"))

    told = tsr("probe", path, "--config", policy)

    assert told.code == 1
    assert told.lines[0].startswith(f"{path}:9: error: decisions[0].expected_alais: unknown key")
