"""The faults with which picture encoders were served somewhere, made on the side of the reference.

Each has been seen in public: mean pooling for the attention head, pixels left between 0 and 1,
resizing without antialias, channels swapped, cropping before resizing, half precision that
overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from types import ModuleType

import numpy as np
import torch
from PIL import Image

from build_engines.vision import families, light, siglip
from build_engines.vision.isolation import OVERFLOW, Encode, Floats, Pixels, Reference, Seen
from build_engines.vision.job import VisionJob
from build_engines.vision.pixels import MAX_BYTES, MAX_PIXELS, reference, triple

_IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


def reference_of(job: VisionJob, folder: Path, code: ModuleType) -> Reference:
    """The reference of a checkpoint in `folder`; `code`: the served `pixels`, for its `decode`."""
    network = families.of(job).reference(job, folder)
    return Reference(
        pixels=reference(job.spec.pixels, code),
        encode=lambda pixels: Seen(*families.answers(network, pixels)),
        wrong_pixels=pixel_faults(job, code),
        wrong_encoders=encoder_faults(job, folder),
    )


def pixel_faults(job: VisionJob, code: ModuleType) -> Mapping[str, Pixels]:
    """Name of the fault -> what it makes of a file."""
    settings = job.spec.pixels
    size, right = settings.size, reference(settings, code)
    mean, std = triple(settings.mean), triple(settings.std)
    own = Image.Resampling.BICUBIC if settings.resample == "bicubic" else Image.Resampling.BILINEAR
    other = {"bicubic": "bilinear", "bilinear": "bicubic"}[settings.resample]
    swapped = Image.Resampling.BILINEAR if other == "bilinear" else Image.Resampling.BICUBIC

    def levels(data: bytes) -> Floats:
        """[3, height, width], 0 to 255."""
        picture = code.decode(data, MAX_BYTES, MAX_PIXELS)
        return np.asarray(picture, np.float32).transpose(2, 0, 1)

    def square(data: bytes, filtered: Image.Resampling, crop: bool = False) -> Floats:
        picture = code.decode(data, MAX_BYTES, MAX_PIXELS)
        if crop:
            side, (width, height) = min(picture.size), picture.size
            left, top = (width - side) // 2, (height - side) // 2
            picture = picture.crop((left, top, left + side, top + side))
        return np.asarray(picture.resize((size, size), filtered), np.float32).transpose(2, 0, 1)

    def plain(data: bytes, mode: str) -> Floats:
        tensor = torch.from_numpy(levels(data)[None])
        resized = torch.nn.functional.interpolate(tensor, (size, size), mode=mode)
        return np.asarray(resized[0].clamp(0, 255).numpy(), np.float32)

    def unresized(data: bytes) -> Floats:
        """Normalised first: Pillow then resizes numbers with fractions, and clips none of them."""
        rows = normalised(levels(data), mean, std)
        return np.stack(
            [np.asarray(Image.fromarray(row).resize((size, size), own), np.float32) for row in rows]
        )

    def lying(data: bytes) -> Floats:
        with Image.open(BytesIO(data)) as picture:
            flat = picture.convert("RGB").resize((size, size), own)
        return normalised(np.asarray(flat, np.float32).transpose(2, 0, 1), mean, std)

    return {
        "no normalisation": lambda data: square(data, own) / np.float32(255),
        "levels not scaled to 1": lambda data: normalised(square(data, own) * 255, mean, std),
        "ImageNet's mean and deviation": lambda data: normalised(square(data, own), *_IMAGENET),
        "BGR": lambda data: right(data)[::-1].copy(),
        "bilinear without antialias": lambda data: normalised(plain(data, "bilinear"), mean, std),
        "bicubic without antialias": lambda data: normalised(plain(data, "bicubic"), mean, std),
        f"{other} for {settings.resample}": lambda data: normalised(
            square(data, swapped), mean, std
        ),
        "cropped before resizing": lambda data: normalised(square(data, own, True), mean, std),
        "resized after normalising": unresized,
        "neither upright nor on white": lying,
    }


def normalised(levels: Floats, mean: list[float], std: list[float]) -> Floats:
    """Levels 0 to 255 [3, …] as the processor normalises them."""
    shape = (3, 1, 1)
    middle, deviation = np.reshape(mean, shape), np.reshape(std, shape)
    return np.asarray((levels / 255 - middle) / deviation, np.float32)


def encoder_faults(job: VisionJob, folder: Path) -> Mapping[str, Encode]:
    """Name of the fault -> what it makes of right pixels. The weights are read when asked."""
    made: Mapping[str, Callable[[VisionJob, Path], families.Network]] = {
        "light": {OVERFLOW: _light_in_half, "pixels not scaled for the trunk": _unscaled},
        "siglip": {OVERFLOW: _siglip_in_half, "mean pooling": _mean_pooling},
    }[job.spec.family]

    def encode(build: Callable[[VisionJob, Path], families.Network]) -> Encode:
        return lambda pixels: Seen(*families.answers(build(job, folder), pixels))

    return {name: encode(build) for name, build in made.items()}


@contextmanager
def in_half(module: torch.nn.Module) -> Iterator[None]:
    """What a layer hands on is rounded to float16: beyond 65,504 it is infinite."""
    hooks = [
        leaf.register_forward_hook(lambda _, __, output: _rounded(output))
        for leaf in module.modules()
        if not list(leaf.children())
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _rounded(output: object) -> object:
    return output.half().float() if isinstance(output, torch.Tensor) else output


def _mean_pooling(job: VisionJob, folder: Path) -> families.Network:
    return mean_pooled(siglip.load(job.spec, folder).vision_model)


def mean_pooled(tower: torch.nn.Module) -> families.Network:
    """The mean over patches, for the attention-pool head."""

    def network(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = tower(pixel_values=pixels).last_hidden_state.mean(1)
        return found, torch.ones(len(found), 1)

    return network


def _siglip_in_half(job: VisionJob, folder: Path) -> families.Network:
    model = siglip.load(job.spec, folder)

    def network(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with in_half(model.vision_model):
            found = model.get_image_features(pixel_values=pixels).pooler_output
        return found, torch.ones(len(found), 1)

    return network


def _light_in_half(job: VisionJob, folder: Path) -> families.Network:
    whole = light.load(families.trunk_of(job, folder), job.projection)

    def network(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with in_half(whole):
            found: tuple[torch.Tensor, torch.Tensor] = whole(pixels)
        return found

    return network


def _unscaled(job: VisionJob, folder: Path) -> families.Network:
    whole = light.load(families.trunk_of(job, folder), job.projection)

    def network(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        embedding, logit = whole.projection(whole.trunk((pixels + 1) / 2))
        return embedding, torch.sigmoid(logit)

    return network
