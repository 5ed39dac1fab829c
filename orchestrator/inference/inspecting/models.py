"""The models of a repository in one form, as far as their configs can be read."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2 as pb

from orchestrator.inference.inspecting.problem import Problem, rendered
from orchestrator.inference.repository import config_of, model_folder

# Platform or backend -> what Triton loads from the folder of a version.
FILES = {
    "python": "model.py",
    "tensorrt_plan": "model.plan",
    "tensorrt": "model.plan",
    "onnxruntime_onnx": "model.onnx",
    "onnxruntime": "model.onnx",
}
VERSION = re.compile("0|[1-9][0-9]{0,17}")
ENGINES = ("tensorrt_plan", "tensorrt")


@dataclass(frozen=True, slots=True)
class Model:
    """`text`: the config as it stands in `path`, for the lines of what is wrong."""

    name: str
    path: Path
    config: pb.ModelConfig
    text: str

    @property
    def kind(self) -> str:
        return str(self.config.platform or self.config.backend)

    @property
    def file(self) -> str | None:
        """What Triton loads of a version; None of an ensemble, and of a back end not known here."""
        return str(self.config.default_model_filename) or FILES.get(self.kind)

    def chosen(self, versions: Sequence[Path]) -> Sequence[Path]:
        """Those that Triton serves, by the config's version_policy; `versions` ascend."""
        policy = self.config.version_policy
        if policy.WhichOneof("policy_choice") == "all":
            return versions
        if policy.WhichOneof("policy_choice") == "specific":
            return [one for one in versions if int(one.name) in policy.specific.versions]
        return versions[-(policy.latest.num_versions or 1) :]

    def loads(self, version: Path) -> bool:
        """Whether there is what it loads of a version."""
        return not self.file or os.path.isfile(version / self.file)

    def line(self, *words: str) -> int | None:
        """Where the last of `words` stands, each sought from where the one before was found."""
        at = 0
        for word in words:
            found = self.text.find(f'"{word}"', at)
            if found < 0:
                return None
            at = found
        return self.text.count("\n", 0, at) + 1


def folders(repository: Path) -> list[Path]:
    """Those that Triton would look into, and those that hold anything: a model may be broken."""
    return [
        folder
        for folder in sorted(repository.iterdir())
        if folder.is_dir() and (model_folder(folder) or os.path.isdir(folder / "configs"))
    ]


def versions(folder: Path) -> list[Path]:
    """Folders that Triton takes for versions of a model: numbers, without a zero before them."""
    found = [one for one in folder.iterdir() if one.is_dir() and VERSION.fullmatch(one.name)]
    return sorted(found, key=lambda one: int(one.name))


def forms(repository: Path) -> list[str]:
    """The names that --model-config-name may have."""
    return sorted({path.stem for path in repository.glob("*/configs/*.pbtxt")})


def read(repository: Path, form: str | None) -> tuple[dict[str, Model], list[Problem]]:
    """By name; and why others cannot be read."""
    found: dict[str, Model] = {}
    problems: list[Problem] = []
    for folder in folders(repository):
        path = config_of(folder, form)
        told = _parsed(repository, path)
        if isinstance(told, Problem):
            problems.append(told)
            continue
        config, text = told
        found[folder.name] = Model(folder.name, path, config, text)
        if config.name and config.name != folder.name:
            problems.append(
                Problem(
                    file=str(path.relative_to(repository)),
                    line=found[folder.name].line(config.name),
                    wrong=f'name is "{config.name}"',
                    right=f'"{folder.name}", as its folder is called',
                    command=rendered(repository, folder.name),
                )
            )
    return found, problems


def _parsed(repository: Path, path: Path) -> tuple[pb.ModelConfig, str] | Problem:
    file, model = str(path.relative_to(repository)), path.relative_to(repository).parts[0]
    config = pb.ModelConfig()
    try:
        text = path.read_text(encoding="utf-8")
        text_format.Parse(text, config)
    except FileNotFoundError:
        return Problem(file, "missing", "a config of the model", rendered(repository, model))
    except (OSError, UnicodeDecodeError) as error:
        return Problem(file, f"cannot be read ({error})", "text", rendered(repository, model))
    except text_format.ParseError as error:
        return Problem(
            file=file,
            line=error.GetLine(),
            wrong=f"does not parse: {str(error).partition(' : ')[2] or error}",
            right="a ModelConfig in protobuf's text format",
            command=rendered(repository, model),
        )
    return config, text


def parameters(model: Model) -> Mapping[str, str]:
    return {name: value.string_value for name, value in model.config.parameters.items()}


def steps_used(models: Mapping[str, Model]) -> Iterator[str]:
    """Names of the models that ensembles are made of."""
    for model in models.values():
        for step in model.config.ensemble_scheduling.step:
            yield step.model_name
