"""Copies of the published repository to break; its large files are short ones, and the receipts say
so."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

from orchestrator.inference.repository import default_repository

LARGE = 1_000_000


def _put(source: str, target: str) -> None:
    if Path(source).is_symlink() or Path(source).stat().st_size < LARGE:
        shutil.copy2(source, target, follow_symlinks=False)
    else:
        Path(target).write_text(f"in place of {Path(source).name}")


def copied(folder: Path) -> Path:
    target = folder / "model_repository"
    ignored = shutil.ignore_patterns("__pycache__", "model.plan", "engine.json")
    shutil.copytree(default_repository(), target, symlinks=True, copy_function=_put, ignore=ignored)
    for path in target.glob("*/receipt.json"):
        receipt = json.loads(path.read_text(encoding="utf-8"))
        for name in receipt["published"]:
            receipt["published"][name] = sha256_of(path.parent / name)
        if trunk := receipt.get("trunk"):
            trunk["sha256"] = sha256_of(target / trunk["model"] / "1" / "model.onnx")
        path.write_text(json.dumps(receipt, indent=2))
    return target


def rewritten(path: Path, old: str, new: str) -> None:
    """`path` with `old` replaced, as a file of its own."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no {old!r}"
    path.unlink()
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def engine(repository: Path, model: str = "text_signals", **stated) -> Path:
    """A plan, and the record of its build on one kind of GPU."""
    folder = repository / f"{model}_encoder"
    (folder / "1" / "model.plan").write_bytes(b"plan")
    network = f"{model}/1/branches.onnx"
    record = {
        "command": f"python -m build_engines all {model} --target tensorrt",
        "hardware": "same",
        "versions": False,
        "built": {"gpu": "NVIDIA H200", "capability": "9.0", "tensorrt": "10.13.3.9"},
        "plan": sha256(b"plan").hexdigest(),
        "networks": {network: sha256((repository / network).read_bytes()).hexdigest()},
    }
    path = folder / "engine.json"
    path.write_text(json.dumps(record | stated))
    return path


def line_of(path: Path, *words: str) -> int:
    """Of the last of `words`, each sought below the one before."""
    lines = path.read_text(encoding="utf-8").splitlines()
    at = 0
    for word in words:
        at = next(n for n in range(at, len(lines)) if f'"{word}"' in lines[n])
    return at + 1


def row(path: Path, beginning: str) -> int:
    """The line that begins so; 0 where there is no such file or line."""
    if not path.is_file():
        return 0
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.strip().startswith(beginning)), 0)


def sha256_of(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
