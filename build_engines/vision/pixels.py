"""The pixels of the reference: Hugging Face's SigLIP processor, its Pillow path."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

from build_engines.vision.served import Floats
from build_engines.vision.spec import Pixels

_FILTERS = {"bilinear": 2, "bicubic": 3}  # as preprocessor_config.json says them
MAX_BYTES, MAX_PIXELS = 20_000_000, 40_000_000


def reference(settings: Pixels, code: ModuleType) -> Callable[[bytes], Floats]:
    """PIXELS [3, size, size] of an encoded file. `code`: the served `pixels`, for its `decode`."""
    processor = SiglipImageProcessorPil.from_dict(
        {
            "image_processor_type": "SiglipImageProcessor",
            "size": {"height": settings.size, "width": settings.size},
            "do_resize": True,
            "resample": _FILTERS[settings.resample],
            "do_rescale": True,
            "rescale_factor": 1 / 255,
            "do_normalize": True,
            "image_mean": triple(settings.mean),
            "image_std": triple(settings.std),
        }
    )

    def pixels(data: bytes) -> Floats:
        picture = code.decode(data, MAX_BYTES, MAX_PIXELS)
        values = processor(picture, return_tensors="np")["pixel_values"][0]
        return np.asarray(values, np.float32)

    return pixels


def triple(text: str) -> list[float]:
    """One number for all channels, or three with commas between."""
    values = [float(part) for part in text.split(",")]
    return values * 3 if len(values) == 1 else values
