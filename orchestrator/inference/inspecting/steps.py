"""Ensembles: whether their steps exist, and say and take the same tensors."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from tritonclient.grpc import model_config_pb2 as pb

from orchestrator.inference.inspecting.models import Model
from orchestrator.inference.inspecting.problem import Problem, rendered


@dataclass(frozen=True, slots=True)
class Tensor:
    """`maker` is a step, or the ensemble itself for what it is given."""

    name: str
    kind: str
    dims: tuple[int, ...]
    maker: str

    @classmethod
    def of(cls, stated: pb.ModelInput | pb.ModelOutput, maker: str) -> Tensor:
        known = stated.data_type in pb.DataType.values()
        name = pb.DataType.Name(stated.data_type) if known else str(stated.data_type)
        kind = name.removeprefix("TYPE_")
        return cls(stated.name, kind, tuple(stated.dims), maker)

    def fits(self, other: Tensor) -> bool:
        """Same type, and no dimension that both fix is another; -1 is free."""
        return (
            self.kind == other.kind
            and len(self.dims) == len(other.dims)
            and all(a == b or -1 in (a, b) for a, b in zip(self.dims, other.dims, strict=True))
        )

    def __str__(self) -> str:
        return f"{self.name} {self.kind} {list(self.dims)}"


def problems(repository: Path, models: Mapping[str, Model]) -> Iterator[Problem]:
    for model in models.values():
        if model.config.ensemble_scheduling.step:
            yield from _Ensemble(repository, model, models).problems()


class _Ensemble:
    def __init__(self, repository: Path, model: Model, models: Mapping[str, Model]) -> None:
        self._repository = repository
        self._model = model
        self._models = models
        self._steps = [
            (step, models[step.model_name])
            for step in model.config.ensemble_scheduling.step
            if step.model_name in models
        ]

    def problems(self) -> Iterator[Problem]:
        if self._model.name in self._within():
            yield self._problem("a step of itself: Triton loads none of them", "steps that end")
            return
        yield from self._unknown()
        made = {one.name: Tensor.of(one, self._model.name) for one in self._model.config.input}
        for step, behind in self._steps:
            yield from self._maps(step, behind)
            outputs = {one.name: Tensor.of(one, behind.name) for one in behind.config.output}
            made |= {name: outputs[key] for key, name in step.output_map.items() if key in outputs}
        for step, behind in self._steps:
            inputs = {one.name: Tensor.of(one, behind.name) for one in behind.config.input}
            for key, name in sorted(step.input_map.items()):
                if key in inputs:
                    yield from self._taken(inputs[key], name, made, behind.name)
        for one in self._model.config.output:
            yield from self._taken(Tensor.of(one, self._model.name), one.name, made, None)

    def _within(self) -> frozenset[str]:
        """All that it is made of."""
        found: set[str] = set()
        left = [self._model]
        while left:
            behind = {step.model_name for step in left.pop().config.ensemble_scheduling.step}
            left += [self._models[name] for name in behind - found if name in self._models]
            found |= behind
        return frozenset(found)

    def _unknown(self) -> Iterator[Problem]:
        for step in self._model.config.ensemble_scheduling.step:
            name = step.model_name
            if name not in self._models and not os.path.isdir(self._repository / name):
                yield self._problem(
                    f'its step "{name}" is no model of this repository',
                    _nearest(name, self._models),
                    name,
                )

    def _maps(self, step: pb.ModelEnsembling.Step, behind: Model) -> Iterator[Problem]:
        """Whether a step is given what it takes, and asked for what it makes."""
        for what, given, stated in (
            ("input", step.input_map, behind.config.input),
            ("output", step.output_map, behind.config.output),
        ):
            known = [one.name for one in stated]
            for key in sorted(set(given) - set(known)):
                yield self._problem(
                    f'its step "{behind.name}" has no {what} {key}',
                    _nearest(key, known),
                    behind.name,
                    key,
                )
        optional = {one.name for one in behind.config.input if one.optional}
        for one in behind.config.input:
            if one.name not in step.input_map and one.name not in optional:
                yield self._problem(
                    f'its step "{behind.name}" is not given {one.name}',
                    f'input_map {{ key: "{one.name}" value: … }}',
                    behind.name,
                )
        own, most = self._model.config.max_batch_size, behind.config.max_batch_size
        if own > most:
            yield self._problem(
                f'max_batch_size is {own}, its step "{behind.name}" takes {most}',
                f"at most {most}",
                behind.name,
            )

    def _taken(
        self, taken: Tensor, name: str, made: Mapping[str, Tensor], step: str | None
    ) -> Iterator[Problem]:
        """Whether what a step takes, or the ensemble answers, is made, and is the same tensor."""
        whose = f'its step "{step}" takes' if step else "it answers"
        source = made.get(name)
        if source is None:
            yield self._problem(
                f'{whose} {taken.name} from "{name}", which nothing makes',
                _nearest(name, made),
                *([step] if step else []),
                name,
            )
        elif not source.fits(taken):
            own = source.maker == self._model.name
            giver = "it is given" if own else f'its step "{source.maker}" makes'
            yield self._problem(
                f"{whose} {taken}, {giver} {source}",
                "one type and the same dimensions in both configs",
                *([step] if step else []),
                name,
            )

    def _problem(self, wrong: str, right: str, *words: str) -> Problem:
        return Problem(
            file=str(self._model.path.relative_to(self._repository)),
            line=self._model.line("ensemble_scheduling", *words) or self._model.line(*words),
            wrong=wrong,
            right=right,
            command=rendered(self._repository, self._model.name),
        )


def _nearest(name: str, known: Iterable[str]) -> str:
    """What was meant, where something is near; else all that there are."""
    near = get_close_matches(name, list(known), 1)
    return f'"{near[0]}"' if near else f"one of {_listed(known)}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
