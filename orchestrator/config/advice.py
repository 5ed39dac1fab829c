"""Warnings about a policy that is valid, where it will not do what it seems to say.

Pure: values in, findings out. What depends on signal families is `app.findings`' own.
"""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.config.document import Path
from orchestrator.config.order import always
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config, Profile, profiles

DEFAULT_MODEL: Path = ("providers", "defaults", "default_model")


def advice(config: Config) -> Iterator[Finding]:
    yield from _same_backend_names(config)
    without_family = {
        model.name for model in config.providers.models if model.reasoning_family is None
    }
    default = config.providers.defaults.default_model
    for profile in profiles(config):
        if default is None:
            yield from _unanswered(profile)
        for index, decision in enumerate(profile.routing.decisions):
            path: Path = (*profile.path, "decisions", index)
            if not decision.candidates:
                answer = f"the default model {default!r} answers" if default else "is an error"
                said = f"{decision.name!r} has no modelRefs: what it matches {answer}"
                yield Finding(path, said, "name a model", "warning")
            for at, ref in enumerate(decision.modelRefs):
                if ref.use_reasoning and ref.model in without_family:
                    yield Finding(
                        (*path, "modelRefs", at, "use_reasoning"),
                        f"has no effect: the model {ref.model!r} has no reasoning_family",
                        "give it one in providers.models",
                        "warning",
                    )


def _same_backend_names(config: Config) -> Iterator[Finding]:
    for at, model in enumerate(config.providers.models):
        seen: set[str] = set()
        for position, ref in enumerate(model.backend_refs):
            path: Path = ("providers", "models", at, "backend_refs", position, "name")
            if ref.name in seen:
                said = f"two backends of {model.name!r} are called {ref.name!r}: logs mix them up"
                yield Finding(path, said, "give each its own name", "warning")
            seen |= {ref.name} if ref.name else set()


def _unanswered(profile: Profile) -> Iterator[Finding]:
    decisions = profile.routing.decisions
    if decisions and not any(always(decision) for decision in decisions):
        yield Finding(
            (*profile.path, "decisions"),
            f"a request that no decision of the recipe {profile.name!r} matches is answered with"
            " an error",
            f"set {'.'.join(map(str, DEFAULT_MODEL))}, or add a decision without rules",
            "warning",
        )
