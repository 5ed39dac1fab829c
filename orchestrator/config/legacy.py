"""Older spellings of the format (spec/config.md 1.1), on raw data, before the schema sees it.

Aliases are replaced with a warning. Keys that a migration must rewrite are errors that say what
to write instead; they are taken out, so that the schema does not report them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from orchestrator.config.document import Document, Path
from orchestrator.config.problems import Finding, place
from orchestrator.errors import Problem

_CACHE = "response_cache"
_CACHE_STORE = "semantic_cache"
_PLUGIN_ALIASES = {
    "semantic-cache": _CACHE,
    "semantic_cache": _CACHE,
    "response-cache": _CACHE,
}
_GONE_METHODS = {
    "session_aware",
    "lookup_tables",
    "elo",
    "rl_driven",
    "gmtrouter",
    "bandit",
    "personalization",
}
_DEFAULTS = "providers.defaults"
_BACKENDS = "providers.models[].backend_refs"
_CARDS = "routing.modelCards"

# where · keys there that are gone · what takes their place. "*" is any item of a list.
_GONE: tuple[tuple[Path, tuple[str, ...], str], ...] = (
    (("routing",), ("models",), f"write {_CARDS} and providers.models"),
    (("providers",), ("model_targets", "backends"), f"write {_BACKENDS}"),
    (("providers",), ("auth_profiles",), f"write the auth keys in {_BACKENDS}"),
    (
        ("providers",),
        ("default_model", "reasoning_families", "default_reasoning_effort"),
        f"write it under {_DEFAULTS}",
    ),
    (("providers", "models", "*"), ("access", "endpoints"), f"write {_BACKENDS}"),
    (("providers", "models", "*"), ("access_key",), f"write {_BACKENDS}[].api_key_env"),
    (
        ("providers", "models", "*"),
        (
            "param_size",
            "context_window_size",
            "description",
            "capabilities",
            "loras",
            "quality_score",
            "modality",
            "tags",
        ),
        f"write it in {_CARDS}[]",
    ),
    (("global",), ("modules",), "write it under global.model_catalog.modules"),
    (
        ("global", "model_catalog", "embeddings"),
        ("bert",),
        "write global.model_catalog.embeddings.semantic.bert_model_path",
    ),
    (("global", "model_catalog"), ("classifiers",), "write routing.signals.classifiers"),
    (
        ("global", "router", "model_selection"),
        tuple(sorted(_GONE_METHODS - {"lookup_tables"})) + ("model_switch_gate", "lookup_tables"),
        "remove it: global.router.learning does this now",
    ),
    (("recipes", "*", "routing"), ("modelCards",), f"all recipes share {_CARDS}: write it there"),
)
_GONE_IN_ROUTING: tuple[tuple[Path, tuple[str, ...], str], ...] = (
    (("decisions", "*"), ("modelSelectionAlgorithm",), "write algorithm"),
    (
        ("decisions", "*"),
        ("tool_scope", "allow_tools", "block_tools"),
        "write a plugin of type tools",
    ),
    (("signals",), ("category_kb", "taxonomy"), "write routing.signals.kb"),
)


def modernise(document: Document) -> list[Problem]:
    """Rewrite the document's data in place; what was rewritten or refused."""
    data = document.data
    findings: list[Finding] = []
    for where, keys, instead in _GONE:
        findings += _take_out(data, where, keys, instead)
    for path, routing in _routings(data):
        for where, keys, instead in _GONE_IN_ROUTING:
            findings += _take_out(data, (*path, *where), keys, instead)
        for at, decision in _mappings(routing, (*path, "decisions"), "decisions"):
            findings += _gone_algorithm(decision, at)
            findings += _rename_plugins(decision, at)
    findings += _gone_method(data)
    problems = [place(finding, document) for finding in findings]
    # Each is placed before the generator goes on to rename the key that has the line.
    return problems + [place(finding, document) for finding in _rename_cache_store(document)]


def _at(data: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:  # noqa: ANN401 - raw
    """The mappings that `path` leads to, each with its exact path."""
    places: list[tuple[Path, Any]] = [((), data)]
    for step in path:
        reached: list[tuple[Path, Any]] = []
        for at, here in places:
            if step == "*" and isinstance(here, list):
                reached += [((*at, index), item) for index, item in enumerate(here)]
            elif isinstance(step, int) and isinstance(here, list):
                reached.append(((*at, step), here[step]))
            elif isinstance(here, dict) and isinstance(step, str) and step in here:
                reached.append(((*at, step), here[step]))
        places = reached
    return ((at, here) for at, here in places if isinstance(here, dict))


def _routings(data: dict[str, Any]) -> list[tuple[Path, dict[str, Any]]]:
    return [*_at(data, ("routing",)), *_at(data, ("recipes", "*", "routing"))]


def _mappings(parent: dict[str, Any], path: Path, key: str) -> list[tuple[Path, dict[str, Any]]]:
    return [((*path, *at[1:]), item) for at, item in _at(parent, (key, "*"))]


def _take_out(
    data: dict[str, Any], where: Path, keys: tuple[str, ...], instead: str
) -> Iterator[Finding]:
    for at, mapping in _at(data, where):
        for key in keys:
            if key in mapping:
                del mapping[key]
                yield Finding((*at, key), f"the key {key!r} is no longer in the format", instead)


def _rename_cache_store(document: Document) -> Iterator[Finding]:
    for at, stores in _at(document.data, ("global", "stores")):
        if _CACHE_STORE not in stores:
            continue
        path = (*at, _CACHE_STORE)
        if _CACHE in stores:
            del stores[_CACHE_STORE]
            yield Finding(path, f"{_CACHE_STORE} and {_CACHE} are the same store; keep {_CACHE}")
            continue
        yield Finding(
            path, f"{_CACHE_STORE} is an older name", f"write {_CACHE}", severity="warning"
        )
        stores[_CACHE] = stores.pop(_CACHE_STORE)
        _rename_key(document.root, path, _CACHE)


def _rename_key(root: yaml.Node | None, path: Path, new: str) -> None:
    """Rename in the tree too, so that later problems below the key keep their lines."""
    node = root
    for step in path:
        if not isinstance(node, yaml.MappingNode):
            return
        key, value = next((pair for pair in node.value if pair[0].value == step), (None, None))
        if key is not None and step == path[-1]:
            key.value = new
        node = value


def _rename_plugins(decision: dict[str, Any], path: Path) -> Iterator[Finding]:
    for at, plugin in _mappings(decision, (*path, "plugins"), "plugins"):
        kind = plugin.get("type")
        if isinstance(kind, str) and kind in _PLUGIN_ALIASES:
            plugin["type"] = new = _PLUGIN_ALIASES[kind]
            yield Finding(
                (*at, "type"), f"{kind!r} is an older name", f"write {new}", severity="warning"
            )


def _gone_algorithm(decision: dict[str, Any], path: Path) -> Iterator[Finding]:
    algorithm = decision.get("algorithm")
    if not isinstance(algorithm, dict):
        return
    kind = algorithm.get("type")
    gone = [key for key in algorithm if key in _GONE_METHODS]
    if isinstance(kind, str) and kind in _GONE_METHODS:
        gone.append("type")
    for key in gone:
        name = kind if key == "type" else key
        yield Finding(
            (*path, "algorithm", key),
            f"the algorithm {name!r} is no longer in the format",
            "remove it, or choose another algorithm",
        )
    if gone:
        del decision["algorithm"]


def _gone_method(data: dict[str, Any]) -> Iterator[Finding]:
    for at, selection in _at(data, ("global", "router", "model_selection")):
        method = selection.get("method")
        if isinstance(method, str) and method in _GONE_METHODS:
            del selection["method"]
            yield Finding(
                (*at, "method"),
                f"the method {method!r} is no longer in the format",
                "remove it, or choose another algorithm",
            )
