"""The config files of `vision_encoder` on GPUs; the ensembles around it are the same everywhere."""

from __future__ import annotations

from build_engines.fleet import pbtxt
from build_engines.fleet.pbtxt import Sample, Tensor
from build_engines.fleet.spec import Fleet
from build_engines.gpu.spec import Gpu
from build_engines.vision.spec import ENCODER, Vision


def files(spec: Vision, gpu: Gpu) -> dict[str, str]:
    """Path from the model's folder -> what stands there."""
    return {
        "config.pbtxt": _config(spec, gpu, "as an engine", "tensorrt_plan", "KIND_GPU"),
        "configs/onnxruntime.pbtxt": _config(
            spec,
            gpu,
            "in ONNX Runtime, on GPUs where there are some",
            "onnxruntime_onnx",
            "KIND_AUTO",
        ),
    }


def _config(spec: Vision, gpu: Gpu, what: str, platform: str, kind: str) -> str:
    fleet = spec.fleet or Fleet()
    size = spec.pixels.size
    pixels = Tensor("PIXELS", "FP32", (3, size, size))
    outputs = [Tensor("EMBEDDING", "FP32", (spec.dimension,)), Tensor("KNOWN", "FP32", (1,))]
    engine = platform == "tensorrt_plan"
    sizes = sorted({gpu.optimal, gpu.batch})
    rows = [
        pbtxt.first(f"{spec.summary}; {what}", spec.name),
        f'name: "{ENCODER}"',
        f'platform: "{platform}"',
        f"max_batch_size: {gpu.batch}",
        *pbtxt.tensors([pixels], outputs),
        *pbtxt.devices(gpu, fleet, kind, [0] if engine else ()),
        *(pbtxt.streams(fleet) if engine else []),
        *pbtxt.batching(fleet, sizes),
        *pbtxt.warmup(
            Sample(f"{size} pixels, batch {batch}", batch, {pixels: None})
            for batch in sorted({1, *sizes})
        ),
    ]
    return "\n".join(rows) + "\n"
