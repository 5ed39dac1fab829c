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
from build_engines.vision.light import Projection, write_projection
from build_engines.vision.loss import Pairs, Plan
from build_engines.vision.wordings import Wording

Floats = npt.NDArray[np.float32]
MODEL = "vision_encoder"
FIGURES = "figures.json"
# split -> pictures of a family, and of what is of none
COUNTS: dict[Split, tuple[int, int]] = {
    "train": (480, 1200),
    "validation": (60, 120),
    "test": (80, 160),
}
JUDGED: tuple[Split, ...] = ("validation", "test")
# Classes of ImageNet that are, or often show, one of the families.
LIKE_FAMILIES = {
    *(446, 526, 527, 549, 590, 620, 664, 681, 688, 692),
    *(782, 851, 916, 917, 918, 921, 922),
}
CLASS = "class"  # stands for a family where a row is a class of ImageNet, which has no wordings
SIBLINGS = 0.0  # the sign of a wording for another kind of the picture's own family


@dataclass(frozen=True, slots=True)
class Bench:
    """What is trained on and judged by."""

    splits: dict[Split, Rows]
    classes: Floats  # [1000, 1280]: ImageNet's, made like features
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
            like_features(trunk.classes(job), splits["train"].features),
            trained,
            wordings.embedded([one.text for one in trained], build),
            tested,
            wordings.embedded([one.text for one in tested], build),
        )


def like_features(classes: Floats, features: Floats) -> Floats:
    """Class weights as features of a picture of each class: none below 0, as far from the mean."""
    mean = features.mean(0)
    usual = float(np.linalg.norm(features - mean, axis=1).mean())
    steps = classes - classes.mean(0)
    steps = steps / np.linalg.norm(steps, axis=1, keepdims=True) * usual
    found: Floats = np.maximum(mean + steps, 0).astype(np.float32)
    return found


def pairs(
    rows: Rows, classes: Floats, texts: list[Wording], embedded: Floats
) -> tuple[Pairs, Floats]:
    """What the projection is fitted to, and which rows are of a family [n]. Classes come last."""
    kept = [at for at in range(len(classes)) if at not in LIKE_FAMILIES]
    shown = [*zip(rows.families, rows.kinds, strict=True), *[(CLASS, "")] * len(kept)]
    signs = [[_sign(family, kind, one) for one in texts] for family, kind in shown]
    owners = [one.family for one in texts]
    shares = [1 / owners.count(one) for one in owners]
    known = np.array([one != "other" for one in rows.families] + [False] * len(kept), np.float32)
    found = Pairs(
        np.concatenate([rows.features, classes[kept]]),
        embedded,
        np.array(signs, np.float32),
        np.array(shares, np.float32),
    )
    return found, known


def _sign(family: str, kind: str, wording: Wording) -> float:
    fits = wording.kind in ("", kind)
    if family in ("other", CLASS):
        if wording.family != "other":
            return -1.0
        # A photograph may well show what is said of another one.
        return float(family == "other" and fits)
    if wording.family != family:
        return -1.0
    return 1.0 if fits else SIBLINGS


def trained(bench: Bench, plan: Plan, *, with_classes: bool = True) -> Projection:
    """Fitted to the training split, KNOWN calibrated by the validation split."""
    classes = bench.classes if with_classes else bench.classes[:0]
    found, known = pairs(bench.splits["train"], classes, bench.wordings, bench.texts)
    projection = loss.fit(found, known, evenly(known), plan)
    rows = bench.splits["validation"]
    loss.cool(projection, loss.heat_of(seen(projection, rows.features)[2], is_known(rows)))
    return projection


def evenly(known: Floats) -> Floats:
    """[n]: weights with the mean 1, so that the known and the others count alike."""
    share = float(known.mean())
    found: Floats = np.where(known > 0, 0.5 / share, 0.5 / (1 - share)).astype(np.float32)
    return found


def is_known(rows: Rows) -> Floats:
    return np.array([one != "other" for one in rows.families], np.float32)


def seen(projection: Projection, features: Floats) -> tuple[Floats, Floats, Floats]:
    """EMBEDDING [n, 384], KNOWN [n] and its logits."""
    with torch.inference_mode():
        embeddings, logits = projection(torch.from_numpy(features))
    return embeddings.numpy(), torch.sigmoid(logits)[:, 0].numpy(), logits[:, 0].numpy()


def judged(bench: Bench, projection: Projection, split: Split, floor: float) -> dict[str, Any]:
    """The figures of a split, by the wordings of the test part."""
    rows = bench.splits[split]
    embeddings, surety, _ = seen(projection, rows.features)
    return {
        "wordings": figures.of_wordings(rows, embeddings, bench.tested, bench.tested_texts),
        "known": figures.of_known(rows, surety, floor),
    }


def report(bench: Bench, projection: Projection, plan: Plan) -> dict[str, Any]:
    """Everything that is told of it; the floor is chosen by the validation split."""
    rows = bench.splits["validation"]
    _, surety, _ = seen(projection, rows.features)
    floor = figures.floor_of(surety, is_known(rows) > 0)
    return {
        "floor": floor,
        "plan": {name: getattr(plan, name) for name in plan.__dataclass_fields__},
        "pictures": {split: _counted(one.families) for split, one in bench.splits.items()},
        "classes": len(bench.classes) - len(LIKE_FAMILIES),
        "texts": {"train": len(bench.wordings), "test": len(bench.tested)},
        "validation": judged(bench, projection, "validation", floor),
        "test": judged(bench, projection, "test", floor),
        "compared": compared(bench, projection, plan, floor),
    }


def compared(
    bench: Bench, projection: Projection, plan: Plan, floor: float
) -> dict[str, dict[str, float]]:
    """Ways of fitting -> figures of the validation and test splits beside each other."""
    bare = trained(bench, plan, with_classes=False)
    linear = loss.ridge(pairs(bench.splits["train"], bench.classes, bench.wordings, bench.texts)[0])
    ways: dict[str, Callable[[Floats], tuple[Floats, Floats | None]]] = {
        "sigmoid loss": lambda features: seen(projection, features)[:2],
        "without ImageNet's classes": lambda features: seen(bare, features)[:2],
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
