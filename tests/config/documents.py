"""Small documents that tests start from."""

import textwrap

from orchestrator.config.load import Loaded, parse
from orchestrator.errors import ConfigError, Problem

MINIMAL = """\
version: v0.3
providers:
  defaults:
    default_model: small
  models:
    - name: small
      backend_refs:
        - endpoint: 127.0.0.1:8000
routing:
  modelCards:
    - name: small
"""


def loaded(text: str, environ: dict[str, str] | None = None) -> Loaded:
    return parse(textwrap.dedent(text), "router.yaml", environ or {})


def problems(text: str, environ: dict[str, str] | None = None) -> tuple[Problem, ...]:
    """What `parse` raises for a document that must not load."""
    try:
        loaded(text, environ)
    except ConfigError as error:
        return error.problems
    raise AssertionError("the document loads")


def places(found: list[Problem] | tuple[Problem, ...]) -> list[tuple[str, int | None]]:
    return [(problem.path, problem.line) for problem in found]
