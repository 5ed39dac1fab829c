import io
import json
import sys

import pytest

from tests.changes.policies import POLICY
from tests.processes import free_ports

REQUESTS = """\
{"messages": [{"role": "user", "content": "Why does my python script crash?"}], "max_tokens": 400}
{"text": "Answer now, please."}
{"text": "rust lifetimes explained to somebody who has only ever written JavaScript, with examples"}
{"custom_id": "named", "body": {"model": "small", "messages": [{"role": "user", "content": "Hi"}]}}
"""
BROKEN = REQUESTS + '{"text": "", "custom_id": "empty"}\n{oops\n'
EDITS = (
    ("keywords: [python, golang]", "keywords: [golang, rust]"),
    ("name: hasty", "name: quickly"),
    ("completion_per_1m: 2}", "completion_per_1m: 4}"),
)


@pytest.fixture
def files(tmp_path):
    """The policy, the same one edited, requests."""

    def write(*edits):
        old, new, requests = (tmp_path / name for name in ("old.yaml", "new.yaml", "asked.jsonl"))
        text = POLICY
        for before, after in edits:
            assert before in text
            text = text.replace(before, after)
        old.write_text(POLICY)
        new.write_text(text)
        requests.write_text(REQUESTS)
        return old, new, requests

    return write


def test_two_policies(tsr, files):
    old, new, _ = files(*EDITS)

    told = tsr("diff", old, new)

    assert told.code == 0, told.err
    assert told.out.splitlines() == [
        "policy: 3 changes",
        "  changed  signal keyword:code  touches programming",
        "      keywords: + rust - python",
        "  renamed  decision quickly (was hasty, same content)",
        "  changed  model small  touches hasty, quickly",
        "      pricing.completion_per_1m: 2.0 -> 4.0",
    ]
    assert told.err == ""


def test_two_policies_over_traffic(tsr, files):
    old, new, requests = files(*EDITS)

    told = tsr("diff", old, new, "--traffic", requests, "--offline")

    lines = told.out.splitlines()
    assert told.code == 0, told.err
    assert "traffic: 4 requests, 4 compared, 2 changed (50.0 %)" in lines
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert ["programming", "(no decision)", "1"] in rows
    assert ["(no decision)", "programming", "1"] in rows
    assert ["the same", "", "2"] in rows  # of another name is the same
    assert ["big", "small", "1"] in rows
    assert ["on (high)", "as sent", "1"] in rows
    assert any(line.startswith("cost: ") and "USD" in line for line in lines)
    assert "python script" not in told.out


@pytest.mark.parametrize("options", [(), ("--format", "json"), ("--exit-code",)])
def test_lines_that_are_no_request_are_named_and_the_others_go_on(tsr, files, options):
    old, new, requests = files(*EDITS)
    requests.write_text(BROKEN)

    told = tsr("diff", old, new, "--traffic", requests, "--offline", *options)

    assert told.code == 2
    places = f"{requests}:5 (text cannot be empty), {requests}:6 (not JSON)"
    assert told.lines == [f"error: 2 of 6 requests cannot be read: {places}"]
    if "json" in options:
        found = json.loads(told.out)["traffic"]
        assert [found[key] for key in ("requests", "compared", "changed")] == [6, 4, 2]
        assert [one["place"] for one in found["unread"]] == [f"{requests}:{n}" for n in (5, 6)]
    else:
        assert "traffic: 6 requests, 4 compared, 2 changed (50.0 %)" in told.out
        assert f"1 request not compared, not JSON: {requests}:6" in told.out
        assert f"1 request not compared, text cannot be empty: {requests}:5" in told.out


def test_a_request_that_both_policies_refuse_can_be_read(tsr, files):
    old, new, requests = files()
    requests.write_text('{"text": "a", "model": "gpt-9"}\n')

    told = tsr("diff", old, new, "--traffic", requests, "--offline", "--exit-code")

    assert (told.code, told.err) == (0, "")
    assert "not compared, neither policy routes it: model_not_found" in told.out


def test_the_cost_is_tokens_times_prices(tsr, files):
    old, new, requests = files(*EDITS)
    requests.write_text(REQUESTS.splitlines()[0])

    told = tsr("diff", old, new, "--traffic", requests, "--offline", "--format", "json")

    (moved,) = json.loads(told.out)["traffic"]["changes"]
    prompt = moved["prompt_tokens"]
    money = json.loads(told.out)["traffic"]["cost"]["currencies"]["USD"]
    assert moved["completion_tokens"] == 400
    assert money["old"] == pytest.approx((prompt * 10 + 400 * 20) / 1e6)
    assert money["new"] == pytest.approx((prompt * 1 + 400 * 4) / 1e6)


def test_prompts_only_where_asked_and_only_their_beginning(tsr, files):
    old, new, requests = files(*EDITS)

    told = tsr("diff", old, new, "--traffic", requests, "--offline", "--show-prompts")

    assert "'Why does my python script crash?'" in told.out
    assert "'rust lifetimes explained to somebody who has only ever wr...'" in told.out
    assert "JavaScript" not in told.out


def test_standard_input_and_the_assumed_length(tsr, files, monkeypatch):
    old, new, _ = files(*EDITS)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "now"}')))

    told = tsr("diff", old, new, "--traffic", "-", "--offline", "--completion-tokens", 77)

    assert "traffic: 1 request, 1 compared, 0 changed (0.0 %)" in told.out
    assert "(1 without: 77 tokens assumed)" in told.out


def test_a_probe_file_is_traffic(tsr, files, tmp_path):
    old, new, _ = files(*EDITS)
    probes = tmp_path / "probes.yaml"
    probes.write_text(
        "schema_version: v1\nname: p\ndecisions:\n  - id: a\n    expected_decision: programming\n"
        "    variants: [{id: x, query: python}]\n"
    )

    told = tsr("diff", old, new, "--traffic", probes, "--offline")

    assert "  a:x: programming -> (no decision); big -> small" in told.out


@pytest.mark.parametrize(
    ("edits", "options", "code"),
    [
        pytest.param((), ("--exit-code",), 0, id="nothing changes"),
        pytest.param(EDITS, (), 0, id="changes without --exit-code"),
        pytest.param(EDITS, ("--exit-code",), 1, id="changes"),
        pytest.param(
            (), ("--exit-code", "--traffic", "{requests}", "--offline"), 0, id="no effect"
        ),
        pytest.param((), ("--traffic", "{requests}.none"), 2, id="traffic that cannot be read"),
        pytest.param((("version: v0.3", "version: v9"),), (), 2, id="a policy that cannot be used"),
        pytest.param((), ("--format", "xml"), 2, id="a format that is none"),
        pytest.param((), ("--triton-url", "nonsense"), 2, id="an address that is none"),
    ],
)
def test_exit_status(tsr, files, edits, options, code):
    old, new, requests = files(*edits)

    told = tsr("diff", old, new, *(option.format(requests=requests) for option in options))

    assert told.code == code, told.out + told.err
    assert "Traceback" not in told.err


def test_a_policy_that_is_not_there_is_one_line(tsr, files):
    old, new, _ = files()

    told = tsr("diff", old, f"{new}.none")

    assert told.code == 2
    assert told.lines == [f"error: cannot read {new}.none: No such file or directory"]


NEEDS_A_MODEL = ("rules: {type: projection, name: fast}", "rules: {type: embedding, name: support}")


def test_what_needs_a_model_is_counted_apart_offline(tsr, files):
    old, new, requests = files(NEEDS_A_MODEL)

    told = tsr("diff", old, new, "--traffic", requests, "--offline")

    assert (
        "2 requests not compared, as signals are unknown: whatever these say, 0 stay the same and"
        " 0 change; 1 change if they do not match; embedding:support (inference_unavailable) 2"
    ) in told.out
    assert told.err == ""


def test_a_triton_that_is_away_costs_the_signals_that_need_it(tsr, files):
    old, new, requests = files(NEEDS_A_MODEL)
    nobody = f"127.0.0.1:{free_ports(1)[0]}"

    told = tsr("diff", old, new, "--traffic", requests, "--triton-url", nobody)

    assert told.code == 0
    assert "2 requests not compared" in told.out
    assert "traffic: 4 requests, 2 compared" in told.out
