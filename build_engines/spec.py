"""The schema of models/<model>.toml: everything that differs between models."""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from build_engines.errors import SpecError
from build_engines.fleet.spec import Fleet
from build_engines.gpu.spec import GpuText

MODELS = Path(__file__).parent / "models"
TEMPLATE = Path(__file__).parent / "config.pbtxt.template"
# How much of a text was read: every text model over this encoder says so.
WINDOWS = {
    "WINDOWS": "data_type: TYPE_INT32 dims: [ 1 ]",
    "TRUNCATED": "data_type: TYPE_BOOL dims: [ 1 ]",
    "UNREADABLE": "data_type: TYPE_FP32 dims: [ 2 ]",
}

# To which length an embedding is cut; without it the whole.
DIMENSION = {"DIMENSION": "data_type: TYPE_INT32 dims: [ 1 ] optional: true"}

# Of a file: the revision of the hub pins it. In a folder it is taken as it is.
BY_COMMIT = "by commit"

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Pin = Annotated[str, StringConstraints(pattern=rf"^([0-9a-f]{{64}}|{BY_COMMIT})$")]
Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
Positive = Annotated[int, Field(gt=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FolderSource(_Strict):
    """A folder, relative to the repository's root."""

    kind: Literal["folder"]
    path: str


class PackageSource(_Strict):
    """A folder inside an installed distribution of exactly this version."""

    kind: Literal["package"]
    distribution: str
    version: str
    path: str


class HubSource(_Strict):
    """A repository of the model hub at a commit; without one, whoever builds has to name it."""

    kind: Literal["hub"]
    repository: str
    revision: Commit | None = None


Source = Annotated[FolderSource | PackageSource | HubSource, Field(discriminator="kind")]


class Text(_Strict):
    """How long text is read. Lengths of windows are in tokens, special tokens included."""

    window: Positive
    overlap: Annotated[int, Field(ge=0)]
    max_windows: Positive
    max_characters: Positive
    max_bytes: Positive


class Onnx(_Strict):
    opset: Annotated[int, Field(ge=20)]
    storage: Literal["float16", "float32"]


class Tolerance(_Strict):
    """Least cosine to PyTorch: `export` when built, `cosine` when served."""

    cosine: Annotated[float, Field(gt=0, le=1)]
    export: Annotated[float, Field(gt=0, le=1)]


class Serving(_Strict):
    max_batch_size: Positive
    instances: Positive
    threads: Positive
    padding: Annotated[float, Field(ge=0, lt=1)]
    max_tokens: Positive


# Fields that came later: a spec without them has the digest that it had before.
LATER = ("prefix", "prompt", "dense", "dimensions")


class Spec(_Strict):
    """An encoder.

    `ignore`: tensors of the checkpoint that the network does not have; `*` is any characters.
    `prefix`: is put before every text; `prompt` is its name where the checkpoint itself has it.
    `dense`: folders of the checkpoint, layers after pooling.
    `dimensions`: lengths to which an embedding may be cut and scaled to length 1 again (Matryoshka,
    Kusupati et al. 2022); without any it may not.
    """

    name: Name
    task: Literal["embedding"]
    summary: str
    licence: str
    dimension: Positive
    pooling: Literal["mean", "cls", "last"]
    ignore: tuple[str, ...] = ()
    prefix: str = ""
    prompt: str = ""
    dense: tuple[str, ...] = ()
    dimensions: tuple[Positive, ...] = ()
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    files: dict[str, Pin]
    text: Text
    onnx: Onnx
    tolerance: Tolerance
    serving: Serving
    gpu: GpuText | None = None
    fleet: Fleet | None = None

    @model_validator(mode="after")
    def every_window_fits_a_bucket(self) -> Self:
        if self.gpu is not None:
            self.gpu.fits(self.text.window, self.text.max_windows)
        return self

    @model_validator(mode="after")
    def an_engine_has_no_prefix_and_no_cuts(self) -> Self:
        if self.gpu is not None and (self.prefix or self.dimensions):
            what = "a prefix" if self.prefix else "dimensions"
            raise ValueError(f"the form with an engine does not know {what}: leave [gpu] out")
        return self

    @model_validator(mode="after")
    def _cuts_are_shorter(self) -> Self:
        if any(one > self.dimension for one in self.dimensions):
            raise ValueError(f"dimensions may not be more than the dimension, {self.dimension}")
        return self

    def settings(self) -> dict[str, str]:
        """What the served code is told, as `parameters` of the config.pbtxt."""
        served = {"max_tokens", "padding", "threads"}
        values = self.text.model_dump() | self.serving.model_dump(include=served)
        if self.prefix:
            values["prefix"] = self.prefix
        if self.dimensions:
            lengths = {self.dimension, *self.dimensions}
            values["dimensions"] = ",".join(map(str, sorted(lengths, reverse=True)))
        return {name: str(value) for name, value in values.items()}

    def published(self) -> dict[str, str]:
        """Name in the build -> name in the model's folder."""
        return {
            "model.onnx": "1/model.onnx",
            "tokenizer.json": "tokenizer.json",
            "goldens.json": "goldens.json",
        }

    def config(self) -> str:
        """The config.pbtxt."""
        length = -1 if self.dimensions else self.dimension
        outputs = {"EMBEDDING": f"data_type: TYPE_FP32 dims: [ {length} ]"} | WINDOWS
        return render(
            self.name,
            self.summary,
            self.serving,
            self.settings(),
            ["TEXT"],
            outputs,
            DIMENSION if self.dimensions else {},
        )

    def digest(self) -> str:
        """Of all that decides what is exported: how it is served, and engines of it, do not."""
        unstated = {name for name in LATER if not getattr(self, name)}
        built = self.model_dump_json(exclude={"serving", "summary", "gpu", "fleet", *unstated})
        return hashlib.sha256(built.encode()).hexdigest()


def render(
    name: str,
    summary: str,
    serving: Serving,
    settings: Mapping[str, str],
    inputs: Sequence[str],
    outputs: Mapping[str, str],
    optional: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A config.pbtxt. `inputs` are strings of one element; `outputs` and inputs that are
    `optional`: name -> type and dims.
    """
    strings = dict.fromkeys(inputs, "data_type: TYPE_STRING dims: [ 1 ]")
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        name=name,
        summary=summary,
        max_batch_size=serving.max_batch_size,
        instances=serving.instances,
        inputs=",\n".join(
            f'  {{ name: "{one}" {how} }}' for one, how in (strings | dict(optional)).items()
        ),
        outputs=",\n".join(f'  {{ name: "{one}" {how} }}' for one, how in outputs.items()),
        warm="\n".join(
            f'    inputs {{ key: "{one}" value '
            "{ data_type: TYPE_STRING dims: [ 1 ] zero_data: true } }"
            for one in inputs
        ),
        parameters="\n".join(
            f'parameters {{ key: "{key}" value {{ string_value: "{quoted(value)}" }} }}'
            for key, value in settings.items()
        ),
    )


def quoted(value: str) -> str:
    """As protobuf's text format has it between quotes."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def read(path: Path) -> Spec:
    """The spec in `path`. Raises SpecError, naming the file and every wrong field."""
    try:
        return Spec.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        known = ", ".join(sorted(other.stem for other in MODELS.glob("*.toml")))
        raise SpecError(f"no model {path.stem!r}; known: {known}") from None
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise SpecError(f"{path}: {error}") from error


def path_of(model: str) -> Path:
    return MODELS / f"{model}.toml"
