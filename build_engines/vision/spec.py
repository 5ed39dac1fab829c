"""What models/<model>.toml says of an image encoder and of the text encoder in its space."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from build_engines import spec as specs
from build_engines.errors import SpecError
from build_engines.fleet.spec import Fleet
from build_engines.gpu.spec import Gpu
from build_engines.spec import BY_COMMIT, Positive, Sha256, Source
from build_engines.vision import configs

ENCODER = "vision_encoder"
PREPROCESS = "image_preprocess"
SIGNALS = "image_signals"
TEXT = "image_text_embedding"
# The text encoder of the light default: its projection was trained against these embeddings.
LIGHT_TEXT = "text_embedding"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Pixels(_Part):
    """The parameters of `image_preprocess`, in its own words."""

    size: Positive
    resample: Literal["bicubic", "bilinear"]
    mean: str
    std: str

    def parameters(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.model_dump().items()}


class Text(_Part):
    """How a text tower reads. Every text has `length` tokens: cut, or padded, and never masked."""

    length: Positive
    lower: bool  # the checkpoint was trained on lower-cased text
    punctuation: bool  # False: it was trained without ASCII punctuation
    max_characters: Positive  # of one text, before tokenizing
    max_bytes: Positive  # of one text; more is refused


class Onnx(_Part):
    opset: Annotated[int, Field(ge=20)]
    storage: Literal["float16", "float32"]


class Tolerance(_Part):
    """Least cosine to PyTorch: `export` when built, `cosine` when served. `known`: at most off."""

    cosine: Annotated[float, Field(gt=0, le=1)]
    export: Annotated[float, Field(gt=0, le=1)]
    known: Annotated[float, Field(gt=0, lt=1)]


class Serving(_Part):
    max_batch_size: Positive
    instances: Positive
    threads: Positive


class Vision(_Part):
    """One image encoder. A light one has no text tower: its texts are read by `text_embedding`."""

    name: specs.Name
    task: Literal["vision"]
    family: Literal["light", "siglip"]
    summary: str
    licence: str
    dimension: Positive
    floor: Annotated[float, Field(ge=0, le=1)]  # of KNOWN: below it no rule is decided
    ignore: tuple[str, ...] = ()  # tensors of the checkpoint that the network does not have
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    files: dict[str, Sha256 | Literal["by commit"]]
    pixels: Pixels
    text: Text | None = None
    onnx: Onnx
    tolerance: Tolerance
    serving: Serving
    gpu: Gpu | None = None
    fleet: Fleet | None = None

    @model_validator(mode="after")
    def a_text_tower_is_of_siglip(self) -> Self:
        if (self.text is None) is not (self.family == "light"):
            raise ValueError("[text] is for siglip, which needs it; light has none")
        return self

    @model_validator(mode="after")
    def a_package_is_pinned_by_its_files(self) -> Self:
        packaged = any(source.kind == "package" for source in self.sources)
        if packaged and BY_COMMIT in self.files.values():
            raise ValueError("a file of a package needs its sha256")
        return self

    def published(self) -> dict[str, str]:
        """Name in the build -> name from the folder of `vision_encoder`."""
        names = {
            "model.onnx": "1/model.onnx",
            "goldens.json": f"../{SIGNALS}/goldens.json",
            "signals.pbtxt": f"../{SIGNALS}/config.pbtxt",
            "text_goldens.json": f"../{TEXT}/goldens.json",
            "text.pbtxt": f"../{TEXT}/config.pbtxt",
        }
        if self.text is not None:
            names |= {"text.onnx": f"../{TEXT}/1/model.onnx"}
            names |= {"tokenizer.json": f"../{TEXT}/tokenizer.json"}
        return names

    def config(self) -> str:
        """The config.pbtxt of `vision_encoder`; the others are in `configs`."""
        size = self.pixels.size
        return configs.render(
            configs.Shown(ENCODER, self.name, self.summary),
            self.serving.model_dump(),
            {"PIXELS": f"data_type: TYPE_FP32 dims: [ 3, {size}, {size} ]"},
            self.outputs(),
            {"threads": str(self.serving.threads)},
        )

    def outputs(self) -> dict[str, str]:
        return {
            "EMBEDDING": f"data_type: TYPE_FP32 dims: [ {self.dimension} ]",
            "KNOWN": "data_type: TYPE_FP32 dims: [ 1 ]",
        }

    def digest(self) -> str:
        """Of all that decides what is exported: how it is served, and engines of it, do not."""
        built = self.model_dump_json(exclude={"serving", "summary", "gpu", "fleet"})
        return hashlib.sha256(built.encode()).hexdigest()


def read(path: Path) -> Vision:
    """The spec in `path`. Raises SpecError, naming the file and every wrong field."""
    try:
        return Vision.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise SpecError(f"{path}: {error}") from error
