import sys
from dataclasses import dataclass

import pytest

from orchestrator.cli import main


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def lines(self):
        return self.err.splitlines()


@pytest.fixture
def tsr(monkeypatch, capsys):
    """Runs `tsr` with these arguments, in this process, from its entry point on."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["tsr", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return Ended(ended.value.code or 0, out, err)

    return run


@pytest.fixture
def policy(tmp_path):
    """A policy file that needs no model."""
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY)
    return path


POLICY = """\
version: v0.3
providers:
  defaults: {default_model: small}
  models:
    - {name: small, backend_refs: [{endpoint: "127.0.0.1:1", api_key_env: TSR_TEST_UNSET_KEY}]}
routing:
  modelCards: [{name: small}]
  signals:
    keywords:
      - {name: "code[/x]", operator: OR, keywords: [python]}
    context:
      - {name: long, min_tokens: 1K}
    conversation:
      - {name: with_system, feature: {type: exists, source: {type: message, role: system}}}
  decisions:
    - name: "programming[/red]"
      priority: 200
      rules: {type: keyword, name: "code[/x]"}
      modelRefs: [{model: small}]
    - name: briefed
      priority: 100
      rules:
        operator: OR
        conditions: [{type: conversation, name: with_system}, {type: context, name: long}]
      modelRefs: [{model: small}]
"""
