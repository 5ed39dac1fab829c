"""Photographs and medical scans that come inside packages: photographs.tsv gives each one split."""

from __future__ import annotations

import csv
import functools
import gzip
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pydicom
from PIL import Image
from pydicom.pixels.processing import apply_color_lut

from build_engines.pictures.archives import Archives
from build_engines.pictures.picture import SPLITS, Split

Group = Literal["portrait", "photo", "texture", "medical"]
_GROUPS: dict[str, Group] = {one: one for one in get_args(Group)}
_SPLITS: dict[str, Split] = {one: one for one in SPLITS}
LONGEST = 1024  # px, of what `load` gives
FINE = 60  # voxels, the least side of a slice


@dataclass(frozen=True, slots=True)
class Photograph:
    """`package` is a module that is installed, or a wheel of packages.txt where `archived`."""

    name: str
    group: Group
    split: Split
    package: str
    file: str
    licence: str
    kind: str = ""  # of a medical picture: x_ray, ct, mri, ultrasound, microscopy, eye, scan
    archived: bool = False
    volume: str = ""  # "nifti", or "frames" where the file holds many pictures


TABLE = Path(__file__).with_name("photographs.tsv")


@functools.cache
def table() -> tuple[Photograph, ...]:
    """All of photographs.tsv, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Photograph(
                name=row["name"],
                group=_GROUPS[row["group"]],
                split=_SPLITS[row["split"]],
                package=row["package"],
                file=row["file"],
                licence=row["licence"],
                kind=row["kind"],
                archived=row["archived"] == "wheel",
                volume=row["volume"],
            )
            for row in csv.DictReader(file, delimiter="\t")
        )


def of(split: Split, *groups: Group) -> tuple[Photograph, ...]:
    return tuple(one for one in table() if one.split == split and one.group in groups)


def load(photograph: Photograph, archives: Archives) -> Image.Image:
    """RGB. Volumes give their slices, one above the other, each square. Raises CorpusError."""
    path = _path(photograph, archives)
    if photograph.volume == "nifti":
        return _sheet(_slices(path))
    if path.suffix == ".dcm":
        dataset = pydicom.dcmread(path)
        levels = _dicom(dataset)
        if photograph.volume == "frames":
            step = max(1, len(levels) // 10)
            return _sheet(list(levels[::step])[:10])
        return _fit(_rgb(levels))
    with Image.open(path) as image:
        return _fit(image.convert("RGB"))


def _path(photograph: Photograph, archives: Archives) -> Path:
    if photograph.archived:
        return archives.file(photograph.package, photograph.file)
    module = import_module(photograph.package)
    return Path(str(module.__file__)).parent / photograph.file


def _dicom(dataset: pydicom.Dataset) -> npt.NDArray[Any]:
    levels: npt.NDArray[Any] = dataset.pixel_array
    meaning = str(dataset.PhotometricInterpretation)
    if meaning == "PALETTE COLOR":
        levels = apply_color_lut(levels, dataset)
    if meaning == "MONOCHROME1":
        levels = levels.max() - levels
    return levels


def _rgb(levels: npt.NDArray[Any]) -> Image.Image:
    """Any levels to RGB; grey ones are stretched between their 1st and 99.5th percentile."""
    values = levels.astype(np.float32)
    if values.ndim == 3:
        top = 255.0 if values.max() <= 255 else float(values.max())
        return Image.fromarray((values[..., :3] / top * 255).astype(np.uint8), "RGB")
    low, high = np.percentile(values, (1, 99.5))
    grey = np.clip((values - low) / max(float(high - low), 1e-6), 0, 1) * 255
    return Image.fromarray(grey.astype(np.uint8), "L").convert("RGB")


def _fit(image: Image.Image) -> Image.Image:
    image.thumbnail((LONGEST, LONGEST), Image.Resampling.BICUBIC)
    return image


def _sheet(slices: list[npt.NDArray[Any]]) -> Image.Image:
    side = 256
    sheet = Image.new("RGB", (side, side * len(slices)))
    for place, levels in enumerate(slices):
        sheet.paste(_rgb(levels).resize((side, side), Image.Resampling.BICUBIC), (0, side * place))
    return sheet


def _slices(path: Path) -> list[npt.NDArray[Any]]:
    """Slices through the middle of a NIfTI-1 volume, along its three axes (nifti1.h)."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    order = "<" if data[:4] == b"\x5c\x01\x00\x00" else ">"
    shape = np.frombuffer(data, f"{order}i2", 8, 40)
    kind = {2: "u1", 4: "i2", 8: "i4", 16: "f4", 512: "u2"}[
        int(np.frombuffer(data, f"{order}i2", 1, 70)[0])
    ]
    start = int(np.frombuffer(data, f"{order}f4", 1, 108)[0])
    x, y, z = (int(side) for side in shape[1:4])
    volume = np.frombuffer(data, f"{order}{kind}", x * y * z, start).reshape((x, y, z), order="F")
    # Across the thin side of a volume of few slices there is nothing to see.
    fine = [axis for axis in range(3) if min(np.delete(volume.shape, axis)) >= FINE] or [2]
    return [
        np.rot90(np.take(volume, int(volume.shape[axis] * part), axis))
        for axis in fine
        for part in (0.36, 0.42, 0.5, 0.58, 0.64)
    ]
