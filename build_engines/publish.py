"""A checked build into `model_repository/<model>/`, and proof that what is there is that.

Needs neither torch nor the build for `verify`: a clone can check itself. Config files of all forms,
and of the steps around an engine, are rendered from the spec (fleet/).
"""

import json
import shutil
from dataclasses import asdict
from typing import Any

from build_engines import receipt
from build_engines.errors import DriftError
from build_engines.fleet import forms
from build_engines.job import Job, sha256


def run(job: Job[Any]) -> str:
    """The step: copy what was checked, render the config, keep the receipts beside them."""
    receipts = [receipt.require(step, job) for step in ("export", "parity")]
    (job.target / "1").mkdir(parents=True, exist_ok=True)
    for source, name in job.spec.published().items():
        (job.target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(job.build / source, job.target / name)
    brought = _code(job)
    configure(job)
    document = {
        "command": job.command("all"),
        "spec": job.spec.digest(),
        "published": {
            name: sha256(job.target / name)
            for name in sorted([*job.spec.published().values(), *brought])
        },
        "steps": [asdict(each) for each in receipts],
    } | job.beside()
    text = json.dumps(document, indent=2) + "\n"
    (job.target / "receipt.json").write_text(text, encoding="utf-8")
    return f"{job.spec.name}: published to {job.target}"


def _code(job: Job[Any]) -> list[str]:
    """Puts the served code beside a model whose folder is not its home; gives the files' names."""
    if not job.brings_code:
        return []
    names = [path.name for path in job.code.glob("*.py")]
    for name in names:
        shutil.copyfile(job.code / name, job.target / "1" / name)
    shared = job.shared()
    for name, source in shared.items():
        shutil.copyfile(source, job.target / name)
    return [*(f"1/{name}" for name in names), *shared]


def configure(job: Job[Any]) -> None:
    """Write what is rendered from the spec; a form that it no longer has is removed."""
    made = forms.rendered(job)
    for stale in (job.target / "configs").glob("*.pbtxt"):
        if f"configs/{stale.name}" not in made:
            stale.unlink()
    for name, content in made.items():
        path = job.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def verify(job: Job[Any]) -> None:
    """Raises DriftError that names every file which is not what the spec and the receipt say."""
    record = job.target / "receipt.json"
    if not record.is_file():
        raise DriftError(f"{job.target}: no receipt.json; run: {job.command('all')}")
    receipt_of = json.loads(record.read_text(encoding="utf-8"))
    wrong = []
    for name, expected in receipt_of["published"].items():
        if not (job.target / name).is_file():
            wrong.append(f"{name} is missing")
        elif sha256(job.target / name) != expected:
            wrong.append(f"{name} is not the published one")
    for name, content in forms.rendered(job).items() if not wrong else ():
        path = job.target / name
        if not path.is_file() or path.read_bytes() != content:
            wrong.append(f"{name} is not what the spec renders")
    if any(receipt_of.get(key) != value for key, value in job.beside().items()):
        wrong.append("what it is joined to has changed since")
    if receipt_of["spec"] != job.spec.digest():
        wrong.append("the spec has changed since")
    if wrong:
        raise DriftError(f"{job.target}: {'; '.join(wrong)}; run: {job.command('all')}")
