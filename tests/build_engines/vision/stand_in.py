"""A copy of the model repository whose image encoder has a random projection.

    .venv-engines/bin/python -m tests.build_engines.vision.stand_in FOLDER

Right, and meaningless: for tests of the way from a file to an embedding where the trained
projection is not published.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import torch

from build_engines.job import ROOT
from build_engines.kinds import job_of
from build_engines.vision import export, light, parity, publish


def main(repository: Path) -> None:
    torch.set_num_threads(1)
    shutil.copytree(ROOT / "model_repository", repository, symlinks=True, dirs_exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        projection = Path(folder) / "projection.safetensors"
        torch.manual_seed(4)
        light.write_projection(light.Projection(), projection)
        job = job_of("vision_encoder", Path(folder) / "build", repository)
        job = replace(job, projection=projection)
        for step in (export, parity, publish):
            print(step.run(job))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
