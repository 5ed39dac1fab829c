"""python -m build_engines.fleet.network MODEL [REPOSITORY]

Writes <MODEL>_encoder/1/model.onnx: the graph of a text model's engine in float32, for Triton's
ONNX Runtime (`--model-config-name=onnxruntime`). It needs neither a GPU nor torch. The file is not
committed: it holds the weights once more.
"""

from __future__ import annotations

import sys
from pathlib import Path

from build_engines.errors import BuildError, SpecError
from build_engines.gpu import graph
from build_engines.gpu.tensors import engine_of
from build_engines.kinds import job_of
from build_engines.vision.job import VisionJob


def write(model: str, repository: Path | None = None) -> Path:
    """The file. Raises BuildError."""
    job = job_of(model, repository=repository)
    if isinstance(job, VisionJob):
        raise SpecError(f"{model}: ONNX Runtime loads vision_encoder/1/model.onnx as it is")
    if job.spec.gpu is None:
        raise SpecError(f"build_engines/models/{model}.toml has no table [gpu]: it has one form")
    path = job.target.parent / engine_of(job.target.name) / "1" / "model.onnx"
    network = graph.published(job.target).SerializeToString(deterministic=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(network)
    return path


def main(arguments: list[str]) -> int:
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        path = write(arguments[0], *map(Path, arguments[1:]))
    except (BuildError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{arguments[0]}: wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
