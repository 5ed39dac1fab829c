"""Where the models are. Finds and checks; starts nothing."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import orjson
from google.protobuf import text_format
from pydantic import BaseModel, ValidationError
from tritonclient.grpc import model_config_pb2

import orchestrator
from orchestrator.errors import InferenceError, ServerStartError

ModelConfig: TypeAlias = Any  # protobuf makes its classes at run time

CONFIG = "config.pbtxt"
FILE_SYSTEM = "lost+found"  # at the root of a volume, and root's alone
CPU = "cpu"  # the form that needs no GPU: `configs/cpu.pbtxt`
_CACHED = re.compile(r"response_cache\s*:?\s*\{[^}]*enable\s*:\s*true", re.IGNORECASE)


def default_repository() -> Path:
    """The model repository inside an installed wheel, or beside the package in a checkout."""
    package = Path(orchestrator.__file__).parent
    packaged = package / "_model_repository"
    return packaged if packaged.is_dir() else package.parent / "model_repository"


def closed(repository: Path) -> list[Path]:
    """Folders that whoever asks may not list or enter."""
    refused: list[OSError] = []
    for folder, _, _ in os.walk(repository, onerror=refused.append):
        if not os.access(folder, os.X_OK):
            refused.append(PermissionError(errno.EACCES, "", folder))
    found = {Path(one.filename) for one in refused if isinstance(one, PermissionError)}
    return sorted(found - {repository / FILE_SYSTEM})


def check_repository(repository: Path, models: Sequence[str] | None) -> None:
    if not repository.is_dir():
        raise ServerStartError(f"the model repository {repository} does not exist")
    asked = [repository] if models is None else [repository / name for name in models]
    if folders := [one for folder in asked for one in closed(folder)]:
        raise ServerStartError(
            f"the folder {folders[0]} may not be read by this user: chmod -R a+rX {repository}"
        )
    found = sorted(folder.name for folder in repository.iterdir() if model_folder(folder))
    if not found:
        raise ServerStartError(f"the model repository {repository} holds no model")
    absent = [name for name in models or () if name not in found]
    if absent:
        raise ServerStartError(
            f"the model repository {repository} has no {', '.join(absent)}; "
            f"it has: {', '.join(found)}"
        )


class _Trunk(BaseModel):
    model: str
    sha256: str


class _Receipt(BaseModel):
    published: dict[str, str] = {}  # path in the model's folder -> SHA-256
    trunk: _Trunk | None = None


NETWORK = "1/model.onnx"


def stand_ins(repository: Path, models: Sequence[str]) -> dict[str, str]:
    """Of `models`, those that need not be loaded -> the one that gives the same embeddings.

    A receipt may say that its model is built on the very network that another one publishes, and a
    model may be no more than another name of one. Where nothing says so, every model is loaded.
    """
    behind = {model: behind_name(repository / model) for model in models}
    own = dict.fromkeys(behind[model] or model for model in models)
    found = _same_network(repository, [*own])
    for model, other in behind.items():
        if other and (other in found or other in models):
            found[model] = found.get(other, other)
    return {model: other for model, other in found.items() if model in models and other in models}


def behind_name(folder: Path) -> str | None:
    """The model that the one in `folder` gives another name: an ensemble of one step that passes
    every tensor on as it is. None where it is a model of its own.
    """
    steps = _steps(folder)
    if len(steps) != 1:
        return None
    (step,) = steps
    tensors = [*step.input_map.items(), *step.output_map.items()]
    return step.model_name if all(name == other for name, other in tensors) else None


def config_of(folder: Path, form: str | None) -> Path:
    """The file that Triton reads with `--model-config-name=form`, as Triton chooses it."""
    other = folder / "configs" / f"{form}.pbtxt"
    return other if form is not None and os.path.isfile(other) else folder / CONFIG


def only_of_other_forms(repository: Path, form: str | None) -> frozenset[str]:
    """Models that are steps in `config.pbtxt` of one that `form` serves in another way. To load
    them would be for nothing, and an engine among them runs on no CPU."""
    used: set[str] = set()
    replaced: set[str] = set()
    for folder in repository.iterdir():
        used |= {step.model_name for step in _steps(folder, form)}
        if config_of(folder, form) != folder / CONFIG:
            replaced |= {step.model_name for step in _steps(folder)}
    return frozenset(replaced - used)


def read_config(folder: Path, name: str = "") -> ModelConfig:
    """The config of the model in `folder`, as Triton reads it that is told `name` as the name of
    configs. Raises InferenceError.
    """
    path = config_of(folder, name or None)
    config = model_config_pb2.ModelConfig()
    try:
        text_format.Parse(path.read_text(encoding="utf-8"), config)
    except (OSError, UnicodeDecodeError, text_format.ParseError) as error:
        raise InferenceError(f"{folder.name}: {path} cannot be read: {error}") from error
    return config


def _steps(
    folder: Path, form: str | None = None
) -> Sequence[model_config_pb2.ModelEnsembling.Step]:
    """None where it is no ensemble, or cannot be read."""
    try:
        return tuple(read_config(folder, form or "").ensemble_scheduling.step)
    except InferenceError:
        return ()


def _same_network(repository: Path, models: Sequence[str]) -> dict[str, str]:
    receipts = {model: _receipt(repository / model / "receipt.json") for model in models}
    found: dict[str, str] = {}
    for model, receipt in receipts.items():
        trunk = receipt.trunk
        base = receipts.get(trunk.model) if trunk else None
        if trunk and base and trunk.model != model and trunk.model not in found:
            if base.published.get(NETWORK) == trunk.sha256 and base.trunk is None:
                found[trunk.model] = model
    return found


def _receipt(path: Path) -> _Receipt:
    try:
        return _Receipt.model_validate(orjson.loads(path.read_bytes()))
    except (OSError, orjson.JSONDecodeError, ValidationError):
        return _Receipt()


def published(repository: Path, model: str) -> bool:
    """Whether it can be loaded, and compared with its reference."""
    return all((repository / model / name).is_file() for name in (CONFIG, "goldens.json"))


def dimensions(repository: Path, model: str) -> tuple[int, ...] | None:
    """To which lengths a model cuts its embeddings; none where it does not, None where it is not
    there.
    """
    try:
        stated = read_config(repository / model).parameters["dimensions"].string_value
        return tuple(int(one) for one in stated.split(",") if one)
    except (InferenceError, ValueError):
        return None


def model_folder(folder: Path) -> bool:
    """Whether Triton would see a model here: a config, or a numbered version."""
    return os.path.isfile(folder / CONFIG) or any(folder.glob("[0-9]*/"))


def wants_cache(repository: Path, config_name: str | None = None) -> bool:
    """Whether a model's config asks for Triton's response cache."""
    configs = (config_of(folder, config_name) for folder in repository.iterdir())
    return any(_CACHED.search(_uncommented(path)) for path in configs if os.path.isfile(path))


def _uncommented(path: Path) -> str:
    return re.sub(r"#.*", "", path.read_text(encoding="utf-8", errors="replace"))


def is_shell_safe(path: Path) -> bool:
    """Whether a shell reads the path as one word. Triton starts its Python processes by
    `bash -c "exec <stub> <model.py> …"` without quoting."""
    return re.fullmatch(r"[\w@%+=:,./-]+", str(path), re.ASCII) is not None


def shell_safe(path: Path, folder: Path, name: str) -> Path:
    """`path`, or where a shell would split or expand it, a link to it in `folder`."""
    if is_shell_safe(path):
        return path
    link = folder / name
    link.symlink_to(path.resolve())
    return link
