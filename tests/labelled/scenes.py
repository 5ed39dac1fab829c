"""Pictures and labels on paper: what a fake encoder sees of each, by the bytes of its file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.inference.fake import FakeInference

GROUPS = {"receipt": ["a receipt", "a till slip"], "chart": ["a chart"]}
TEXTS = {"a receipt": [1, 0, 0], "a till slip": [0.9, 0.1, 0], "a chart": [0, 1, 0]}
# File -> what is seen of it, and how surely.
SEEN: Mapping[str, tuple[list[float], float]] = {
    "till.jpg": ([0.9, 0.2, 0.3], 0.99),
    "shop.png": ([0.8, 0.4, 0.3], 0.9),
    "bars.gif": ([0.3, 0.8, 0.3], 0.9),
    "cat.webp": ([0.4, 0.3, 0.8], 0.1),
}
RIGHT = {"till.jpg": "receipt", "shop.png": "receipt", "bars.gif": "chart", "cat.webp": "other"}


def write(folder: Path, *names: str) -> Path:
    """Files whose contents are their names."""
    for name in names or SEEN:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(Path(name).name.encode())
    return folder


def inference(
    *, sign: int = 1, refused: Mapping[str, str] | None = None, **options: object
) -> FakeInference:
    """`sign` -1 answers the opposite."""
    return FakeInference(
        TEXTS,
        pictures={name.encode(): [sign * one for one in seen] for name, (seen, _) in SEEN.items()},
        known={name.encode(): known for name, (_, known) in SEEN.items()},
        refused={name.encode(): why for name, why in (refused or {}).items()},
        **options,
    )
