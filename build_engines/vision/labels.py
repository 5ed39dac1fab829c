"""Texts of a picture encoder: the goldens of `image_text_embedding`, and their parity."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import transformers

from build_engines import check_parity, weights
from build_engines import spec as specs
from build_engines.errors import ParityError
from build_engines.vision import served, siglip, tokens
from build_engines.vision.job import VisionJob
from build_engines.vision.served import Floats
from build_engines.vision.spec import LIGHT_TEXT, TEXT

# Compared in these batches; None of the light default, whose texts another build has compared.
Reader = Callable[[list[str]], Floats]


@dataclass(frozen=True, slots=True)
class Prompts:
    names: list[str]
    texts: list[str]
    answers: check_parity.Reference

    def goldens(self, job: VisionJob) -> dict[str, Any]:
        """As those of text_embedding (model_repository/README.md)."""
        return {
            "model": TEXT,
            "tolerance": {"cosine": job.spec.tolerance.cosine},
            "reference": {"torch": torch.__version__, "transformers": transformers.__version__},
            "names": self.names,
            "texts": self.texts,
            "windows": self.answers.windows,
            "truncated": self.answers.truncated,
            "embeddings": [[float(str(v)) for v in row] for row in self.answers.embeddings],
        }


def reference(job: VisionJob) -> tuple[Prompts, Reader | None]:
    """What PyTorch says of the golden prompts; and the served tower, where there is one.

    Raises ParityError where the served tokenizer gives other ids than the checkpoint's own.
    """
    rows = json.loads(job.prompts.read_text(encoding="utf-8"))
    names, texts = [row["name"] for row in rows], [row["text"] for row in rows]
    if job.spec.text is None:
        spec = specs.read(specs.path_of(LIGHT_TEXT))
        folder = weights.find(spec, job.root).folder
        return Prompts(names, texts, check_parity.reference(spec, folder, texts)), None
    folder = weights.find(job.spec, job.root).folder
    ids = tokens.reference_ids(folder, job.spec.text, texts)
    tower = served.tower(job)
    found, truncated = tower.ids(texts)
    for name, ours, theirs in zip(names, found.tolist(), ids, strict=True):
        if ours != theirs:
            raise ParityError(f"prompt {name!r}: tokens {ours}, those of the checkpoint {theirs}")
    model = siglip.load(job.spec, folder)
    embeddings = []
    with torch.inference_mode():
        for row in ids:
            pooled = model.get_text_features(input_ids=torch.tensor([row])).pooler_output
            embeddings.append(torch.nn.functional.normalize(pooled, dim=-1)[0].numpy())
    stacked = np.stack(embeddings).astype(np.float32)
    answers = check_parity.Reference(stacked, [1] * len(texts), truncated.tolist())
    return Prompts(names, texts, answers), lambda some: tower.encode(some).embeddings


def compare(job: VisionJob, prompts: Prompts, reader: Reader | None) -> dict[str, Any]:
    """Least cosine of the served tower. Raises ParityError below the tolerance."""
    if reader is None:
        return {"prompts": len(prompts.texts)}
    least = {}
    for size in (1, 3, len(prompts.texts)):
        parts = [reader(prompts.texts[at : at + size]) for at in range(0, len(prompts.texts), size)]
        found = np.concatenate(parts)
        least[str(size)] = float(check_parity.cosines(found, prompts.answers.embeddings).min())
    if not min(least.values()) >= job.spec.tolerance.export:
        raise ParityError(
            f"{job.spec.name}: prompts have a least cosine of {least} (by batch size), "
            f"less than {job.spec.tolerance.export}"
        )
    return {"prompts": len(prompts.texts), "least_cosine_of_prompts": least}
