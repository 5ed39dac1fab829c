"""Ways in which a picture encoder is served wrongly, written apart from `vision/faults.py`.

`broken_pixels`, and `mean_pooled` and `overflowing` of `broken_networks`, are wrong by themselves;
`BREAKS` damages a copy of a model repository, so that what serves it is wrong in the same ways.
No torch is needed here.

Each is caught and named in three places: as a build (test_parity.py), by `tsr parity` of a running
server (test_live.py) and, by the part that differs, when the router starts (test_start_up.py).

    fault                        what is wrong           build      start      tsr parity
    mean pooling                 encoder (SigLIP's)      by name    by part    by name
    no normalisation             preprocessing           by name    by part    by name
    bilinear without antialias   preprocessing           by name    by part    by name
    BGR                          preprocessing           by name    by part    by name
    resized after normalising    preprocessing (order)   by name    by part    by name
    cropped before resizing      preprocessing (order)   by name    by part    by name
    fp16 overflow                encoder                 by name    by part    by name

A router has only the reference's answers, not the reference: it cannot say more than the part.
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


def _patch(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: {old!r} is not there once"
    path.write_text(text.replace(old, new), encoding="utf-8")


# Lines of the served `pixels`, each of which is there once.
_WHOLE = "return self.scaled(self.resized(self.decoded(data)))"
_RESIZED = "return picture.resize((size, size), self._settings.resample)"
_SCALED = "return np.stack([self._scaled[at][levels[:, :, at]] for at in range(3)])"


def _pixels(repository: Path, old: str, new: str) -> None:
    _patch(repository / "image_preprocess" / "1" / "pixels.py", old, new)


def _unnormalised(repository: Path) -> None:
    _pixels(repository, "(levels - mean[:, None]) / std[:, None]", "np.stack([levels] * 3)")


def _bgr(repository: Path) -> None:
    _pixels(repository, _SCALED, _SCALED.replace("range(3)", "(2, 1, 0)"))


def _aliased(repository: Path) -> None:
    """`reducing_gap` 1 and a box filter are near; what is wanted is no averaging at all."""
    taken = (
        "return picture.transform((size, size), Image.Transform.AFFINE, "
        "(picture.width / size, 0, 0, 0, picture.height / size, 0), Image.Resampling.BILINEAR)"
    )
    _pixels(repository, _RESIZED, taken)


def _cropped(repository: Path) -> None:
    fitted = (
        "side = min(picture.size)\n"
        "        left, top = (picture.width - side) // 2, (picture.height - side) // 2\n"
        "        picture = picture.crop((left, top, left + side, top + side))\n"
        f"        {_RESIZED}"
    )
    _pixels(repository, _RESIZED, fitted)


def _late(repository: Path) -> None:
    late = (
        "size, resample = self._settings.size, self._settings.resample\n"
        "        picture = self.decoded(data)\n"
        "        rows = np.moveaxis(np.asarray(picture, np.float32), 2, 0) / 127.5 - 1\n"
        "        each = [Image.fromarray(row.astype(np.float32)) for row in rows]\n"
        "        return np.stack([np.asarray(one.resize((size, size), resample)) for one in each])"
    )
    _pixels(repository, _WHOLE, late)


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


# Name -> what it does to a copy of a model repository: the served Python is damaged.
BREAKS: dict[str, Callable[[Path], None]] = {
    "no normalisation": _unnormalised,
    "BGR": _bgr,
    "bilinear without antialias": _aliased,
    "resized after normalising": _late,
    "cropped before resizing": _cropped,
    "fp16 overflow": _overflow,
}

# Name, as `build_engines.vision.faults` calls it -> the part that has it.
FAULTS: dict[str, str] = dict.fromkeys(BREAKS, "preprocessing") | {
    "fp16 overflow": "encoder",
    "mean pooling": "encoder",  # BREAKS has none: another network, see broken_networks.damage
}
