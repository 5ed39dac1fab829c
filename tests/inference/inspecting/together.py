"""Damages that are told side by side: one copy of the repository has all of a group."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.inference.inspecting.breakages import FLEET, change, restored

Damage: TypeAlias = Callable[[Path], object]
LONG = "a" * 300  # a name that no disk holds


def put(name: str, content: bytes | None = b"") -> Damage:
    """A file in the place of what is there; None: a folder."""

    def damage(repository: Path) -> None:
        path = repository / name
        path.unlink(missing_ok=True)
        if content is None:
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    return damage


def circle(repository: Path) -> None:
    """Two ensembles, each the step of the other."""
    for name, other in (("one", "two"), ("two", "one")):
        config = f'platform: "ensemble" ensemble_scheduling {{ step {{ model_name: "{other}" }} }}'
        put(f"{name}/config.pbtxt", config.encode())(repository)
        put(f"{name}/1/README.md")(repository)


def renamed(name: str, other: str) -> Damage:
    return lambda repository: (repository / name).rename(repository / other)


FILES = [
    (
        change("text_signals/receipt.json", '"1/branches.onnx"', '"1/model.py"'),
        "text_signals/1/branches.onnx: a network that text_signals/receipt.json does not list; "
        "right: what the build wrote, and no more; run: python -m build_engines all text_signals",
    ),
    (
        put("text_signals/1/trunk.onnx", b"another"),
        "text_signals/1/trunk.onnx: a network that text_signals/receipt.json does not list; ",
    ),
    (
        change("text_embedding/receipt.json", '"goldens.json"', f'"{LONG}"'),
        f"text_embedding/{LONG}: missing: text_embedding/receipt.json lists it; ",
    ),
    (
        put("text_signals_answers/labels.json", b"{}"),
        "text_signals_answers/labels.json: not the file that text_signals/labels.json is; "
        "right: the same, as a link or a copy; run: cp {repository}/text_signals/labels.json "
        "{repository}/text_signals_answers/labels.json",
    ),
    (
        put("text_signals/2", None),
        "text_signals/2/model.py: missing: it is what python loads; right: the file of a "
        f"finished build; run: {restored('text_signals/1')}",
    ),
    (
        renamed("image_signals/1", "image_signals/01"),
        "image_signals/1: missing: Triton wants the folder of a version; ",
    ),
    (
        put("text_signals_encoder/warmup/ids_1x64", b"cut"),
        'text_signals_encoder/warmup/ids_1x64: 3 bytes of 256: the warm-up "1 x 64 tokens, '
        'batch 1" takes its INPUT_IDS from there; ',
    ),
    (
        put("text_embedding_answers/1/windowed.py", None),
        "text_embedding_answers/1/windowed.py: is no Python: ",
    ),
    (
        put("image_preprocess/1/pixels.py", b"x=" + b"a." * 100_000 + b"b"),
        "image_preprocess/1/pixels.py: is no Python: ",
    ),
]
CONFIGS = [
    (
        put("text_signals_tokens/config.pbtxt"),
        "text_signals_tokens/config.pbtxt: says neither backend nor platform; "
        'right: such as backend: "python"; run: ',
    ),
    (
        put("image_signals/config.pbtxt", b'platform: "ensemble"'),
        "image_signals/config.pbtxt: an ensemble without steps; ",
    ),
    (
        change("text_signals_answers/config.pbtxt", "max_batch_size: 32", "max_batch_size: -1"),
        "text_signals_answers/config.pbtxt: max_batch_size is -1; right: 0, which is no batching, "
        f"or more; run: {FLEET}",
    ),
    (
        change("text_signals_encoder/config.pbtxt", "TYPE_INT32", "99"),
        "text_signals_encoder/config.pbtxt: INPUT_IDS has the type 99, which does not exist; ",
    ),
    (
        change("text_embedding/config.pbtxt", '"text_embedding_encoder"', f'"{LONG}"'),
        f'text_embedding/config.pbtxt:{{step}}: its step "{LONG}" is no model of this repository; ',
    ),
    (
        circle,
        "one/config.pbtxt:1: a step of itself: Triton loads none of them; right: steps that end",
    ),
]
TOGETHER = [pytest.param(FILES, id="files"), pytest.param(CONFIGS, id="configs")]
