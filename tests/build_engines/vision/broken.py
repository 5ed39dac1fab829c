"""Six ways in which a picture encoder is served wrongly, written apart from `vision/faults.py`.

`broken_pixels`, `mean_pooled` and `overflowing` are for the build; `BREAKS` damages a copy of a
model repository, so that a running server is wrong in the same ways.

    name                         part            as build_engines.vision.faults calls it
    mean pooling                 encoder         mean pooling (SigLIP alone has another pooling)
    no normalisation             preprocessing   no normalisation
    bilinear without antialias   preprocessing   bilinear without antialias
    BGR                          preprocessing   BGR
    wrong resize order           preprocessing   resized after normalising
    crop before resize           preprocessing   cropped before resizing
    fp16 overflow                encoder         fp16 overflow
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image

Floats = np.ndarray
Pixels = Callable[[bytes], Floats]


def broken_pixels(
    decode: Callable[[bytes], Image.Image], size: int, resample: str = "bicubic"
) -> Iterator[tuple[str, Pixels]]:
    """(name of the fault, a file to wrong PIXELS [3, size, size]).

    `decode`: a file to mode RGB. `resample`: what is right, where the fault is another.
    """
    own = {"bicubic": Image.BICUBIC, "bilinear": Image.BILINEAR}[resample]

    def planes(picture: Image.Image) -> Floats:
        return np.moveaxis(np.asarray(picture), 2, 0).astype(np.float32)

    def resized(data: bytes) -> Floats:
        return planes(decode(data).resize((size, size), own))

    def unscaled(data: bytes) -> Floats:
        return resized(data) / 255

    def swapped(data: bytes) -> Floats:
        return scaled(resized(data)[[2, 1, 0]])

    def aliased(data: bytes) -> Floats:
        return scaled(nearest_four(planes(decode(data)), size))

    def late(data: bytes) -> Floats:
        """Normalised, then resized as numbers with fractions."""
        rows = scaled(planes(decode(data)))
        each = [Image.fromarray(row).resize((size, size), own) for row in rows]
        return np.stack([np.asarray(one) for one in each])

    def cropped(data: bytes) -> Floats:
        picture = decode(data)
        side = min(picture.size)
        left, top = ((length - side) // 2 for length in picture.size)
        middle = picture.crop((left, top, left + side, top + side))
        return scaled(planes(middle.resize((size, size), own)))

    yield "no normalisation", unscaled
    yield "BGR", swapped
    yield "bilinear without antialias", aliased
    yield "resized after normalising", late
    yield "cropped before resizing", cropped


def scaled(levels: Floats) -> Floats:
    """0 to 255 into -1 to 1."""
    return (levels / 127.5 - 1).astype(np.float32)


def nearest_four(planes: Floats, size: int) -> Floats:
    """Each new pixel between its four nearest old ones, whatever lies between the new ones."""
    _, height, width = planes.shape

    def places(length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        at = np.clip((np.arange(size) + 0.5) * length / size - 0.5, 0, length - 1)
        low = np.floor(at).astype(int)
        return low, np.minimum(low + 1, length - 1), (at - low).astype(np.float32)

    top, bottom, down = places(height)
    left, right, across = places(width)
    above = planes[:, top][:, :, left] * (1 - across) + planes[:, top][:, :, right] * across
    below = planes[:, bottom][:, :, left] * (1 - across) + planes[:, bottom][:, :, right] * across
    return above * (1 - down[:, None]) + below * down[:, None]


def mean_pooled(model: object) -> Callable[[Floats], Floats]:
    """An encoder over a SiglipModel that pools by the mean. PIXELS to embeddings of length 1."""
    import torch  # noqa: PLC0415 - BREAKS is read where there is no torch

    def encode(pixels: Floats) -> Floats:
        with torch.inference_mode():
            hidden = model.vision_model(pixel_values=torch.from_numpy(pixels)).last_hidden_state
        rows = hidden.numpy().mean(1)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    return encode


def widened(model: object, factor: float = 1e6) -> object:
    """A SiglipModel of the same answers whose attention holds an outlier, as real ones do.

    Values of attention grow by `factor` and shrink again in the next product. In float32 nothing
    changes; float16 ends at 65,504.
    """
    import torch  # noqa: PLC0415

    attention = model.vision_model.encoder.layers[0].self_attn
    with torch.no_grad():
        attention.v_proj.weight.mul_(factor)
        attention.v_proj.bias.mul_(factor)
        attention.out_proj.weight.div_(factor)
    return model


def overflowing(model: object) -> Callable[[Floats], Floats]:
    """A SiglipModel run in float16 as far as numbers go: each layer's answer is rounded to it."""
    import torch  # noqa: PLC0415

    def encode(pixels: Floats) -> Floats:
        leaves = [part for part in model.modules() if not list(part.children())]
        hooks = [
            part.register_forward_hook(lambda _, __, out: out.to(torch.float16).to(torch.float32))
            for part in leaves
        ]
        try:
            with torch.inference_mode():
                rows = model.vision_model(pixel_values=torch.from_numpy(pixels)).pooler_output
        finally:
            for hook in hooks:
                hook.remove()
        return torch.nn.functional.normalize(rows, dim=-1).numpy()

    return encode


def _patch(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: {old!r} is not there once"
    path.write_text(text.replace(old, new), encoding="utf-8")


_LAST = "return np.stack([self._scaled[at][levels[:, :, at]] for at in range(3)])"
_RESIZE = "levels = np.asarray(picture.resize(square, settings.resample))"


def _unnormalised(repository: Path) -> None:
    path = repository / "image_preprocess" / "1" / "pixels.py"
    _patch(path, "(levels - mean[:, None]) / std[:, None]", "np.stack([levels] * 3)")


def _bgr(repository: Path) -> None:
    path = repository / "image_preprocess" / "1" / "pixels.py"
    _patch(path, _LAST, _LAST.replace("range(3)", "(2, 1, 0)"))


def _aliased(repository: Path) -> None:
    """`reducing_gap` 1 and a box filter are near; what is wanted is no averaging at all."""
    path = repository / "image_preprocess" / "1" / "pixels.py"
    taken = (
        "levels = np.asarray(picture.transform(square, Image.Transform.AFFINE, "
        "(picture.width / square[0], 0, 0, 0, picture.height / square[1], 0), "
        "Image.Resampling.BILINEAR))"
    )
    _patch(path, _RESIZE, taken)


def _cropped(repository: Path) -> None:
    path = repository / "image_preprocess" / "1" / "pixels.py"
    fitted = (
        "side = min(picture.size)\n"
        "        left, top = (picture.width - side) // 2, (picture.height - side) // 2\n"
        "        picture = picture.crop((left, top, left + side, top + side))\n"
        f"        {_RESIZE}"
    )
    _patch(path, _RESIZE, fitted)


def _late(repository: Path) -> None:
    path = repository / "image_preprocess" / "1" / "pixels.py"
    late = (
        "rows = np.moveaxis(np.asarray(picture, np.float32), 2, 0) / 127.5 - 1\n"
        "        return np.stack([np.asarray(Image.fromarray(row.astype(np.float32)).resize("
        "square, settings.resample)) for row in rows])"
    )
    _patch(path, f"{_RESIZE}\n        {_LAST}", late)


def _overflow(repository: Path) -> None:
    """The embedding's numbers pass through float16 on the way, a million times as large."""
    path = repository / "vision_encoder" / "1" / "encoder.py"
    kept = "return embeddings, known"
    _patch(
        path,
        kept,
        "with np.errstate(all='ignore'):\n"
        "            wide = (embeddings * 1e6).astype(np.float16).astype(np.float32)\n"
        "            return wide / np.linalg.norm(wide, axis=1, keepdims=True), known",
    )


def _pooled(repository: Path) -> None:
    """Of the light default, which has no head to replace: all embeddings drawn to one mean."""
    path = repository / "vision_encoder" / "1" / "encoder.py"
    _patch(
        path,
        "return embeddings, known",
        "wide = embeddings + np.float32(0.2)\n"
        "        return wide / np.linalg.norm(wide, axis=1, keepdims=True), known",
    )


# Name -> what it does to a copy of a model repository: the served Python is damaged.
BREAKS: dict[str, Callable[[Path], None]] = {
    "no normalisation": _unnormalised,
    "BGR": _bgr,
    "bilinear without antialias": _aliased,
    "resized after normalising": _late,
    "cropped before resizing": _cropped,
    "fp16 overflow": _overflow,
    "mean pooling": _pooled,
}
