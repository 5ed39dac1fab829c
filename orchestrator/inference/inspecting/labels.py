"""`labels.json`: whether it can be read, fits the tensors, and has what the signals ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from orchestrator.errors import InferenceError
from orchestrator.inference.inspecting.models import Model
from orchestrator.inference.inspecting.problem import Problem, built, rendered, restored
from orchestrator.inference.tasks import Task, load_tasks, unexpected

PREFIXES = ("PROBS_", "SPANS_", "SPAN_SCORES_")


def problems(
    repository: Path,
    models: Mapping[str, Model],
    expects: Mapping[str, frozenset[str]],
    asked: str,
) -> Iterator[Problem]:
    """`expects`: task -> its labels, of the model `asked`, which the router's signals ask."""
    for name, model in models.items():
        file = f"{name}/labels.json"
        if not (repository / file).exists():
            continue
        try:
            tasks = load_tasks(repository, name)
        except InferenceError as error:
            yield Problem(
                file=file,
                wrong=f"cannot be read: {' '.join(str(error).split())}",
                right="tasks with kind, labels and positive, as model_repository/README.md says",
                command=restored(repository, file),
            )
            continue
        if name == asked and (wrong := unexpected(tasks, expects)):
            yield Problem(
                file=file,
                wrong=wrong,
                right="the labels that the router's signals ask for",
                command=built(repository, f"python -m build_engines all {name}"),
            )
        yield from _tensors(repository, model, tasks)


def _tensors(repository: Path, model: Model, tasks: Mapping[str, Task]) -> Iterator[Problem]:
    """Whether the outputs are those of the tasks; a step before the answers has none."""
    dims = {one.name: tuple(one.dims) for one in model.config.output}
    stated = {name for name in dims if name.startswith(PREFIXES)}
    if not stated:
        return
    wanted: dict[str, tuple[int, ...]] = {}
    for name, task in tasks.items():
        if task.spans:
            wanted |= {f"SPANS_{name}": (-1, 3), f"SPAN_SCORES_{name}": (-1,)}
        else:
            wanted[f"PROBS_{name}"] = (len(task.labels),)
    for output in sorted(stated | wanted.keys()):
        if dims.get(output) == wanted.get(output):
            continue
        if output not in dims:
            wrong = f"no output {output}, which labels.json has a task for"
        elif output not in wanted:
            wrong = f"output {output}, for which labels.json has no task"
        else:
            wrong = f"{output} has dims {list(dims[output])}"
        yield Problem(
            file=str(model.path.relative_to(repository)),
            line=model.line(output),
            wrong=wrong,
            right=f"dims {list(wanted[output])}" if output in wanted else "no such output",
            command=rendered(repository, model.name),
        )
