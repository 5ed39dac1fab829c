"""A repository, in one of its forms or in all: what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from orchestrator.inference.inspecting import (
    configs,
    files,
    labels,
    models,
    receipts,
    shared,
    steps,
)
from orchestrator.inference.inspecting.models import ENGINES, Model
from orchestrator.inference.inspecting.problem import Problem, rendered
from orchestrator.inference.plans import Place
from orchestrator.inference.repository import CPU, check_repository, closed, only_of_other_forms

GOLDENS = "*/goldens.json"
GPU = "gpu"  # what config.pbtxt says: the form without a name


@dataclass(frozen=True, slots=True)
class Wanted:
    """`form`: GPU, or a name of `configs/`; None: all that there are, whether or not engines are
    built. `expects`: labels by task, of the model `asked`."""

    form: str | None = None
    place: Place = Place()
    expects: Mapping[str, frozenset[str]] | None = None
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """`problems` in the order of the files; `unbuilt`: engines that only a GPU needs."""

    forms: tuple[str, ...]
    models: int
    problems: tuple[Problem, ...]
    unbuilt: tuple[str, ...]


def inspect(repository: Path, wanted: Wanted) -> Report:
    """Raises ServerStartError where there is no repository at all."""
    if refused := closed(repository):
        return Report((), 0, tuple(_closed(repository, folder) for folder in refused), ())
    check_repository(repository, None)
    known = models.forms(repository)
    forms = (GPU, *known) if wanted.form is None else (wanted.form,)
    found: dict[Problem, None] = {}
    unbuilt: tuple[str, ...] = ()
    if wanted.form not in (None, GPU, *known):
        found[_no_form(repository, str(wanted.form), known)] = None
        forms = ()
    for form in forms:
        problems, absent = _form(repository, None if form == GPU else form, wanted)
        found |= dict.fromkeys(problems)
        if form == GPU:
            unbuilt = absent
    found |= dict.fromkeys(receipts.problems(repository, wanted.place))
    ordered = sorted(found, key=lambda one: (one.file, one.line or 0))
    return Report(forms, len(models.folders(repository)), tuple(ordered), unbuilt)


def _form(
    repository: Path, form: str | None, wanted: Wanted
) -> tuple[list[Problem], tuple[str, ...]]:
    read, problems = models.read(repository, form)
    idle = only_of_other_forms(repository, form)
    absent = tuple(files.engines_absent(repository, read))
    # Where all forms are looked at, what is only built where it is served may be absent.
    spared = absent if wanted.form is None else ()
    if wanted.form is None:
        spared += tuple(name for name in read if read[name].kind.startswith("onnxruntime"))
    problems += configs.problems(repository, read)
    problems += steps.problems(repository, read)
    problems += shared.problems(repository, read)
    problems += files.problems(repository, read, idle, frozenset(spared))
    problems += labels.problems(repository, read, wanted.expects or {}, wanted.asked)
    if form == CPU:
        problems += _needs_a_gpu(repository, read)
    return problems, absent


def _needs_a_gpu(repository: Path, read: Mapping[str, Model]) -> list[Problem]:
    """Of the models that a router asks, and those that these are made of."""
    used = {*models.steps_used(read), *(path.parent.name for path in repository.glob(GOLDENS))}
    return [
        Problem(
            file=f"{name}/configs/{CPU}.pbtxt",
            wrong="missing: without it this form loads an engine",
            right="the config of the model for CPUs",
            command=rendered(repository, name),
        )
        for name, model in read.items()
        if model.kind in ENGINES and name in used
    ]


def _closed(repository: Path, folder: Path) -> Problem:
    return Problem(
        file=str(folder.relative_to(repository)),
        wrong="may not be read by this user, so nothing else was looked at",
        right="what the server's user may read and enter",
        command=f"chmod -R a+rX {quote(str(repository))}",
    )


def _no_form(repository: Path, form: str, known: list[str]) -> Problem:
    other = known[0] if known else GPU
    return Problem(
        file=f"*/configs/{form}.pbtxt",
        wrong="no model has it, so Triton would take every config.pbtxt",
        right=f"one of {', '.join([GPU, *known])}",
        command=f"tsr repository check {quote(str(repository))} --form {other}",
    )
