"""A checked build into `model_repository/<model>/`, and proof that what is there is that.

Needs neither torch nor the build for `verify`: a clone can check itself.
"""

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from string import Template

from build_engines import receipt
from build_engines.errors import DriftError
from build_engines.job import Job, sha256
from build_engines.spec import Spec

TEMPLATE = Path(__file__).parent / "config.pbtxt.template"
FILES = {
    "model.onnx": "1/model.onnx",
    "tokenizer.json": "tokenizer.json",
    "goldens.json": "goldens.json",
}


def render(spec: Spec) -> str:
    """The model's config.pbtxt."""
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        name=spec.name,
        summary=spec.summary,
        dimension=spec.dimension,
        max_batch_size=spec.serving.max_batch_size,
        instances=spec.serving.instances,
        parameters="\n".join(
            f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}'
            for key, value in spec.settings().items()
        ),
    )


def run(job: Job) -> str:
    """The step: copy what was checked, render the config, keep the receipts beside them."""
    receipts = [receipt.require(step, job) for step in ("export", "parity")]
    (job.target / "1").mkdir(parents=True, exist_ok=True)
    for source, name in FILES.items():
        shutil.copyfile(job.build / source, job.target / name)
    (job.target / "config.pbtxt").write_text(render(job.spec), encoding="utf-8")
    document = {
        "command": job.command("all"),
        "spec": job.spec.digest(),
        "published": {name: sha256(job.target / name) for name in sorted(FILES.values())},
        "steps": [asdict(each) for each in receipts],
    }
    text = json.dumps(document, indent=2) + "\n"
    (job.target / "receipt.json").write_text(text, encoding="utf-8")
    return f"{job.spec.name}: published to {job.target}"


def verify(job: Job) -> None:
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
    config = job.target / "config.pbtxt"
    if not config.is_file() or config.read_text(encoding="utf-8") != render(job.spec):
        wrong.append("config.pbtxt is not what the spec renders")
    if receipt_of["spec"] != job.spec.digest():
        wrong.append("the spec has changed since")
    if wrong:
        raise DriftError(f"{job.target}: {'; '.join(wrong)}; run: {job.command('all')}")
