"""A checked build into `model_repository/<model>/`, and proof that what is there is that.

Needs neither torch nor the build for `verify`: a clone can check itself.
"""

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from string import Template

from build_engines.errors import DriftError
from build_engines.receipt import Receipt, sha256
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


def publish(spec: Spec, build: Path, target: Path, receipts: list[Receipt]) -> None:
    """Copy the artefacts, render the config, and keep the receipts beside them."""
    (target / "1").mkdir(parents=True, exist_ok=True)
    for source, name in FILES.items():
        shutil.copyfile(build / source, target / name)
    (target / "config.pbtxt").write_text(render(spec), encoding="utf-8")
    document = {
        "published": {name: sha256(target / name) for name in sorted(FILES.values())},
        "steps": [asdict(receipt) for receipt in receipts],
    }
    (target / "receipt.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def verify(spec: Spec, target: Path) -> None:
    """Raises DriftError that names every file which is not what the spec and the receipt say."""
    wrong = []
    receipt = json.loads((target / "receipt.json").read_text(encoding="utf-8"))
    for name, expected in receipt["published"].items():
        if not (target / name).is_file():
            wrong.append(f"{name} is missing")
        elif sha256(target / name) != expected:
            wrong.append(f"{name} is not the published one")
    config = target / "config.pbtxt"
    if not config.is_file() or config.read_text(encoding="utf-8") != render(spec):
        wrong.append("config.pbtxt is not what the spec renders")
    if wrong:
        raise DriftError(
            f"{target}: {'; '.join(wrong)}; run: python -m build_engines all {spec.name}"
        )
