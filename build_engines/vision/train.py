"""Train the light default's projection and KNOWN: python -m build_engines.vision.train

Writes `light/projection.safetensors`, `figures.json` and the card. The first run draws the pictures
and keeps what the trunk sees in them in `build/vision`; that takes most of the time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from build_engines.errors import BuildError
from build_engines.job import ROOT
from build_engines.kinds import job_of
from build_engines.pictures import FAMILIES, Split
from build_engines.vision import card, features, figures, loss, trunk, wordings
from build_engines.vision.features import Rows
from build_engines.vision.job import VisionJob
from build_engines.vision.light import KNOWN, Projection, write_projection
from build_engines.vision.loss import Pairs, Plan
from build_engines.vision.wordings import Wording

Floats = npt.NDArray[np.float32]
MODEL = "vision_encoder"
FIGURES = "figures.json"
# split -> pictures of a family, and of what is of none
COUNTS: dict[Split, tuple[int, int]] = {
    "train": (900, 1800),
    "validation": (96, 192),
    "test": (160, 240),
}
JUDGED: tuple[Split, ...] = ("validation", "test")
SIBLINGS = 0.0  # the sign of a wording for another kind of the picture's own family


@dataclass(frozen=True, slots=True)
class Bench:
    """What is trained on and judged by."""

    splits: dict[Split, Rows]
    wordings: list[Wording]  # for training
    texts: Floats
    tested: list[Wording]
    tested_texts: Floats

    @classmethod
    def of(cls, job: VisionJob, build: Path) -> Bench:
        eye = trunk.eye(job, build)
        counts = {
            split: {family: other if family == "other" else one for family in FAMILIES}
            for split, (one, other) in COUNTS.items()
        }
        splits = features.rows(eye, build, counts)
        trained = wordings.of("train")
        tested = wordings.of("test")
        return cls(
            splits,
            trained,
            wordings.embedded([one.text for one in trained], build),
            tested,
            wordings.embedded([one.text for one in tested], build),
        )


def pairs(rows: Rows, texts: list[Wording], embedded: Floats) -> Pairs:
    """What the projection is fitted to."""
    shown = zip(rows.families, rows.kinds, strict=True)
    signs = [[_sign(family, kind, one) for one in texts] for family, kind in shown]
    owners = [one.family for one in texts]
    shares = [1 / owners.count(one) for one in owners]
    return Pairs(rows.features, embedded, np.array(signs, np.float32), np.array(shares, np.float32))


def _sign(family: str, kind: str, wording: Wording) -> float:
    fits = wording.kind in ("", kind)
    if wording.family != family:
        return -1.0
    # Of "other", too: a photograph may well show what is said of another one.
    return 1.0 if fits else SIBLINGS


def trained(bench: Bench, plan: Plan) -> Projection:
    """Fitted to the training split, both parts of KNOWN calibrated by the validation split."""
    known = is_known(bench.splits["train"])
    found = pairs(bench.splits["train"], bench.wordings, bench.texts)
    projection = loss.fit(found, known, evenly(known), plan)
    rows = bench.splits["validation"]
    embeddings, _, logits = seen(projection, rows.features)
    loss.cool(projection, loss.heat_of(logits, is_known(rows)))
    families, own = apart(prototypes(bench.wordings, bench.texts)), figures.targets(rows)
    sharpness = loss.sharpness_of(embeddings[own >= 0] @ families.T, own[own >= 0])
    projection.families.copy_(torch.from_numpy(families))
    projection.sharpness.fill_(sharpness)
    return projection


def prototypes(texts: list[Wording], embedded: Floats) -> Floats:
    """[families, 384]: the mean of each family's wordings."""
    owners = np.array([one.family for one in texts])
    return np.stack([embedded[owners == family].mean(0) for family in KNOWN])


def apart(families: Floats) -> Floats:
    """Less what they have in common, of length 1: one whose wordings differ much has its share."""
    own = families - families.mean(0)
    found: Floats = own / np.linalg.norm(own, axis=1, keepdims=True)
    return found


def evenly(known: Floats) -> Floats:
    """[n]: weights with the mean 1, so that the known and the others count alike."""
    share = float(known.mean())
    found: Floats = np.where(known > 0, 0.5 / share, 0.5 / (1 - share)).astype(np.float32)
    return found


def is_known(rows: Rows) -> Floats:
    return np.array([one != "other" for one in rows.families], np.float32)


def seen(projection: Projection, features: Floats) -> tuple[Floats, Floats, Floats]:
    """EMBEDDING [n, 384], KNOWN [n], and the logits [n] of being of any family."""
    with torch.inference_mode():
        embeddings, logits = projection(torch.from_numpy(features))
        known = projection.known(embeddings, logits)
    return embeddings.numpy(), known[:, 0].numpy(), logits[:, 0].numpy()


def judged(bench: Bench, projection: Projection, split: Split, floor: float) -> dict[str, Any]:
    """The figures of a split, by the wordings of the test part."""
    return _judged(bench, projection, bench.splits[split], floor)


def _judged(bench: Bench, projection: Projection, rows: Rows, floor: float) -> dict[str, Any]:
    embeddings, surety, _ = seen(projection, rows.features)
    families = prototypes(bench.tested, bench.tested_texts)
    right = figures.rightly(rows, embeddings, families)
    return {
        "wordings": figures.of_wordings(rows, embeddings, bench.tested, bench.tested_texts),
        "known": figures.of_known(rows, surety, right, floor),
    }


def hands(bench: Bench, projection: Projection, floor: float) -> dict[str, dict[str, float]]:
    """The test split by who drew its templates: name -> its main figures."""
    rows = bench.splits["test"]
    found = {}
    for name, kept in figures.parts(rows).items():
        told = _judged(bench, projection, figures.only(rows, kept), floor)
        words = {key: told["wordings"][key] for key in ("pictures", "mean", "one", "inversion")}
        known = {
            key: told["known"][key] for key in ("known_passed", "passed_right", "other_refused")
        }
        found[name] = words | known
    return found


def report(bench: Bench, projection: Projection, plan: Plan) -> dict[str, Any]:
    """Everything that is told of it; the floor is chosen by the validation split."""
    rows = bench.splits["validation"]
    embeddings, surety, _ = seen(projection, rows.features)
    right = figures.rightly(rows, embeddings, projection.families.numpy())
    known = is_known(rows) > 0
    floor = figures.floor_of(surety[known], right[known])
    return {
        "floor": floor,
        "plan": {name: getattr(plan, name) for name in plan.__dataclass_fields__},
        "pictures": {split: _counted(one.families) for split, one in bench.splits.items()},
        "texts": {"train": len(bench.wordings), "test": len(bench.tested)},
        "validation": judged(bench, projection, "validation", floor),
        "test": judged(bench, projection, "test", floor),
        "hands": hands(bench, projection, floor),
        "compared": compared(bench, projection, floor),
    }


def compared(bench: Bench, projection: Projection, floor: float) -> dict[str, dict[str, float]]:
    """Ways of fitting -> figures of the validation and test splits beside each other."""
    linear = loss.ridge(pairs(bench.splits["train"], bench.wordings, bench.texts))
    ways: dict[str, Callable[[Floats], tuple[Floats, Floats | None]]] = {
        "sigmoid loss": lambda features: seen(projection, features)[:2],
        "ridge regression": lambda features: (linear(features), None),
    }
    found: dict[str, dict[str, float]] = {}
    for way, through in ways.items():
        found[way] = {}
        for split in JUDGED:
            rows = bench.splits[split]
            embeddings, surety = through(rows.features)
            told = figures.of_wordings(rows, embeddings, bench.tested, bench.tested_texts)
            found[way] |= {f"{split}_{name}": told[name] for name in ("mean", "one", "inversion")}
            if surety is not None:
                other = surety[is_known(rows) == 0]
                found[way][f"{split}_refused"] = round(float((other < floor).mean()), 4)
    return found


def _counted(families: tuple[str, ...]) -> dict[str, int]:
    return {family: families.count(family) for family in FAMILIES}


def main() -> None:
    try:
        torch.set_num_threads(1)  # the same sums everywhere, and as fast for so small networks
        job = job_of(MODEL)
        assert isinstance(job, VisionJob)
        bench, plan = Bench.of(job, ROOT / "build" / "vision"), Plan()
        projection = trained(bench, plan)
        write_projection(projection, job.projection)
        job.projection.chmod(0o644)
        told = report(bench, projection, plan)
        text = json.dumps(told, indent=1) + "\n"
        (job.projection.parent / FIGURES).write_text(text, encoding="utf-8")
        card.write(job.projection.parent, told)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
