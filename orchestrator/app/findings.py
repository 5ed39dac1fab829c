"""What the extensions, together, say of a policy file: errors and warnings, before it is built."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

from orchestrator import projections
from orchestrator.app.model_plane import repository_of
from orchestrator.choosing.catalogue import catalogue
from orchestrator.choosing.checking import check_decision, check_defaults
from orchestrator.choosing.polling import models_of
from orchestrator.config import leaves
from orchestrator.config.condition_types import types as condition_types_of
from orchestrator.config.document import Path
from orchestrator.config.load import backend_key, resolve_secret, reveal
from orchestrator.config.problems import Check, Finding, Severity, unknown
from orchestrator.config.schema import BackendRef, Config, Profile
from orchestrator.errors import ConfigError
from orchestrator.inference.examples import MODEL as ENCODER
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT, TEXT_SIGNALS
from orchestrator.inference.repository import dimensions, published
from orchestrator.projections import PROJECTION, Known, Row
from orchestrator.selection import Surroundings
from orchestrator.server.management import roles_of
from orchestrator.signals import SIGNALS, Rule
from orchestrator.upstream.endpoints import assumed_port, refusal

ASKED = (ENCODER, TEXT_SIGNALS, IMAGE_SIGNALS, IMAGE_TEXT)

Rules = Mapping[str, tuple[Rule, ...]]  # family -> its valid rules
Rows = Mapping[str, Sequence[Row | None]]  # section of projections -> its rows


def settings(config: Config) -> Iterator[Finding]:
    """Names in `global` that only the extensions know, and servers nobody can reach."""
    yield from _backends(config)
    for family in config.global_.router.signal_deadlines:
        if family not in SIGNALS:
            path: Path = ("global", "router", "signal_deadlines", family)
            yield unknown("signal family", family, SIGNALS.names(), path)
    auth = config.global_.services.management_api.auth
    for index, token in enumerate(auth.tokens):
        path = ("global", "services", "management_api", "auth", "tokens", index)
        if token.role not in (roles := roles_of(auth)):
            yield unknown("role", token.role, roles, (*path, "role"))
        try:
            resolve_secret(token.env)
        except ConfigError as error:
            yield Finding((*path, "env"), *_warned(error))


def _backends(config: Config) -> Iterator[Finding]:
    for at, model in enumerate(config.providers.models):
        for position, ref in enumerate(model.backend_refs):
            path: Path = ("providers", "models", at, "backend_refs", position)
            why = refusal(ref)
            if why is not None:
                yield Finding(path, why)
                continue
            port = assumed_port(ref)
            if port is not None:
                said = f"no port is given, so {port} is used; vLLM listens on 8000"
                hint = f"write {ref.endpoint}:{port} if that is meant"
                yield Finding((*path, "endpoint"), said, hint, "warning")
            yield from _unset(ref, path)


def _unset(ref: BackendRef, path: Path) -> Iterator[Finding]:
    """Secrets without a value. Only a warning: a file may be checked where nobody has them."""
    try:
        backend_key(ref)
    except ConfigError as error:
        yield Finding((*path, "api_key_env" if ref.api_key_env else "api_key"), *_warned(error))
    for name, value in ref.extra_headers.items():
        try:
            reveal(value)
        except ConfigError as error:
            yield Finding((*path, "extra_headers", name), *_warned(error))


def _warned(error: ConfigError) -> tuple[str, str, Severity]:
    return str(error), "set it where the router runs", "warning"


def without_image_rules(config: Config) -> Iterator[Finding]:
    """What tunes rules that the policy does not have."""
    at = ("model_catalog", "embeddings", "semantic", "embedding_config")
    tuning = config.global_.model_catalog.embeddings.semantic.embedding_config
    if "target_dimension" in tuning.model_fields_set:
        said = "not used: only rules that look at pictures read it, and the policy has none"
        yield Finding(("global", *at, "target_dimension"), said, None, "warning")


def algorithms(config: Config, profile: Profile, around: Surroundings, checks: Check) -> None:
    """What is wrong with the algorithms of a recipe's decisions."""
    entries = catalogue(config)
    for index, decision in enumerate(profile.routing.decisions):
        path = (*profile.path, "decisions", index)
        check_decision(decision, path, checks, entries, around)


def missing_models(config: Config, profile: Profile) -> Iterator[Finding]:
    """Algorithms whose models are not in the repository of the Triton that would be started."""
    settings = config.global_.services.triton
    if settings.urls:
        return
    repository = repository_of(settings)
    for index, decision in enumerate(profile.routing.decisions):
        lacking = [one for one in models_of(decision) if not published(repository, one)]
        if lacking:
            said = f"needs {', '.join(lacking)}, not in {repository}: the first candidate answers"
            path = (*profile.path, "decisions", index, "algorithm")
            yield Finding(path, said, "build it, or ask another Triton", "warning")


def replaced_models(config: Config) -> Iterator[Finding]:
    """Models that the settings of Triton name in the place of others, and how short they may be."""
    settings = config.global_.services.triton
    path: Path = ("global", "services", "triton")
    repository = repository_of(settings)
    for asked, model in settings.models.items():
        at = (*path, "models", asked)
        if asked not in ASKED:
            said = f"no rule asks a model {asked!r}"
            yield Finding(at, said, f"those that are asked: {', '.join(ASKED)}", "warning")
        elif not published(repository, model):
            said = f"no model {model!r} in {repository}; what asks {asked} is unknown"
            hint = f"python -m build_engines all {model} --repository {quote(str(repository))}"
            hint += "; docs/encoders.md says which need --revision"
            if settings.urls:
                said += " until its goldens are there, which the answers of Triton have to meet"
            yield Finding(at, said, hint, "warning" if settings.urls else "error")
    encoder = settings.models.get(ENCODER, ENCODER)
    lengths = dimensions(repository, encoder)
    if settings.dimension and lengths is not None and settings.dimension not in lengths:
        said = f"{encoder} does not give {settings.dimension} numbers"
        known = ", ".join(map(str, lengths))
        hint = f"it gives {known}" if lengths else "it was not trained to be cut: leave it out"
        yield Finding((*path, "dimension"), said, hint)


def selection_defaults(around: Surroundings, checks: Check) -> None:
    path = ("global", "router", "model_selection")
    check_defaults(around.defaults, path, checks)


def condition_types(routing: Mapping[str, Any], path: Path) -> Iterator[Finding]:
    """Conditions of a routing block, as it is written, whose type is no family."""
    sections = {SIGNALS[family].section: family for family in SIGNALS.names()}
    return condition_types_of(routing, path, (*SIGNALS.names(), PROJECTION), sections)


def conditions(
    profile: Profile,
    rules: Rules,
    known: Known,
    hidden: Mapping[str, tuple[str, ...]],
    outputs: Sequence[str],
) -> Iterator[Finding]:
    """Leaves that name nothing. `hidden`: names that may be those of rules that were refused."""
    table: dict[str, dict[str, object]] = {family: {} for family in SIGNALS.names()}
    for names_of in (known.names, hidden):
        for family, names in names_of.items():
            table[family] |= dict.fromkeys(names)
    table[PROJECTION] = dict.fromkeys(outputs)
    labels = {
        family: SIGNALS[family].labels(rules.get(family, ()))
        for family in SIGNALS.names()
        if SIGNALS[family].labelled
    }
    return leaves.leaves(profile, table, labels)


def own_checks(
    config: Config, profile: Profile, rules: Rules, known: Known, broken: frozenset[str]
) -> Iterator[Finding]:
    """What each family finds wrong with its rules beyond each by itself."""
    names = {family: known.names.get(family, ()) for family in SIGNALS.names()}
    whole = {family: own for family, own in names.items() if family not in broken}
    for family, own in rules.items():
        if family in whole:
            path = (*profile.path, "signals", SIGNALS[family].section)
            for found in SIGNALS[family].check(own, config, whole):
                yield Finding((*path, *found.path), found.message, found.hint, found.severity)


def dependence(
    config: Config,
    profile: Profile,
    rules: Rules,
    rows: Rows,
    known: Known,
    idle_of: Mapping[str, Collection[str]],
) -> Iterator[Finding]:
    """Decisions that depend on rules that are not run, `idle_of` each family: directly, or
    through projections and composers.
    """
    behind = {family: SIGNALS[family].leaves(own) for family, own in rules.items()}
    instead = {"no_match": "find nothing", "unknown": "are unknown"}
    for index, decision in enumerate(profile.routing.decisions):
        read = _facts_of(profile, index, rows, known)
        read |= _composed(rules, read)
        idle = sorted(
            {
                family
                for family, leaf in read
                if behind.get(family, {}).get(leaf, leaf) in idle_of.get(family, ())
            }
        )
        guards = [name for name in idle if SIGNALS[name].guards]
        if idle:
            ordered = ", ".join(guards + [name for name in idle if name not in guards])
            yield Finding(
                (*profile.path, "decisions", index),
                f"{decision.name!r} depends on rules of {ordered} that are not run: these"
                f" {instead[config.global_.router.not_run_signals]}",
                f"nothing is kept out by {', '.join(guards)}" if guards else None,
                "warning",
            )


def idle_rules(profile: Profile, rules: Rules, rows: Rows, known: Known) -> Iterator[Finding]:
    """Rules that no decision and no projection reads."""
    read = set(projections.used(rows, known))
    for index in range(len(profile.routing.decisions)):
        read |= _facts_of(profile, index, rows, known)
    read |= _composed(rules, read)
    for family, own in rules.items():
        kind = SIGNALS[family]
        behind = {rule for leaf, rule in kind.leaves(own).items() if (family, leaf) in read}
        for index, rule in enumerate(own):
            if rule.name not in behind and (family, rule.name) not in read:
                yield Finding(
                    (*profile.path, "signals", kind.section, index, "name"),
                    f"no decision and no projection uses the {family} rule {rule.name!r}",
                    None,
                    "warning",
                )


def _facts_of(profile: Profile, index: int, rows: Rows, known: Known) -> set[projections.Fact]:
    """What the rules of a decision read."""
    found: set[projections.Fact] = set()
    root = profile.routing.decisions[index].rules
    for _, leaf in leaves.nodes(root, ()) if root else ():
        if leaf.type == PROJECTION and leaf.name:
            found |= projections.behind(rows, known, leaf.name)
        elif leaf.type and leaf.name:
            found.add((leaf.type, leaf.name))
    return found


def _composed(rules: Rules, read: set[projections.Fact]) -> set[projections.Fact]:
    """What the composers of the rules behind `read` read."""
    found: set[projections.Fact] = set()
    for family, own in rules.items():
        behind = SIGNALS[family].leaves(own)
        used = {behind.get(name, name) for of, name in read if of == family}
        for rule, tree in SIGNALS[family].composers(own).items():
            if rule in used:
                named = ((leaf.type, leaf.name) for _, leaf in leaves.nodes(tree, ()))
                found |= {(kind, name) for kind, name in named if kind and name}
    return found
