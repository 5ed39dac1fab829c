"""Selectors made as a policy makes them."""

from orchestrator import selection
from orchestrator.registry import discover
from orchestrator.selection import SELECTORS, Contender, Surroundings
from orchestrator.types import Candidate

discover(selection)


def contender(name, **facts):
    return Contender(Candidate(name), **facts)


def selector(method, contenders, block=None, defaults=None, folders=()):
    kind = SELECTORS[method]
    settings = kind.Settings.model_validate(block or {}) if kind.Settings else None
    return kind(method, contenders, settings, Surroundings(defaults or {}, folders))
