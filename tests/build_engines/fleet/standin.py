"""A repository in its GPU form, the engines replaced by Python over ONNX Runtime.

Every config is the published one but for the engine's platform: tensors, batching, warm-up and the
steps around it are those that a GPU would serve. The stand-in is chosen by another config name.
"""

import shutil
from pathlib import Path

from google.protobuf import text_format
from tritonclient.grpc import model_config_pb2 as pb

from build_engines.fleet import network
from orchestrator.inference.repository import default_repository

FORM = "standin"
TEXTS = ("text_embedding", "text_signals")
PICTURES = ("image_preprocess", "image_signals", "vision_encoder")
PATIENCE_US = 120_000_000  # of the queues: here an engine is no faster than a CPU

# An engine runs requests of one shape as one batch; it keeps the shapes of its executions.
MODEL = """
import json
from pathlib import Path

import numpy as np
import onnxruntime as ort
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(args["model_repository"]) / args["model_version"]
        self.shapes = folder.parent / "shapes.jsonl"
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(str(folder / "model.onnx"), options)
        config = json.loads(args["model_config"])
        self.inputs = [one["name"] for one in config["input"]]
        self.outputs = [one["name"] for one in config["output"]]

    def execute(self, requests):
        rows = [
            [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for name in self.inputs]
            for request in requests
        ]
        feed = {name: np.concatenate(some) for name, some in zip(self.inputs, zip(*rows))}
        with self.shapes.open("a") as file:
            file.write(json.dumps(feed[self.inputs[0]].shape) + "\\n")
        if all((values == values[:1]).all() for values in feed.values()):  # a warm-up: seconds
            feed = {name: values[:1] for name, values in feed.items()}
        told = self.session.run(self.outputs, feed)
        counts = np.cumsum([len(row[0]) for row in rows])[:-1]
        parts = [np.split(self.whole(values, sum(len(row[0]) for row in rows)), counts)
                 for values in told]
        return [
            pb_utils.InferenceResponse(
                [pb_utils.Tensor(name, part[at]) for name, part in zip(self.outputs, parts)]
            )
            for at in range(len(requests))
        ]

    def whole(self, values, count):
        return values if len(values) == count else np.repeat(values, count, axis=0)
"""


def repository(folder: Path) -> Path:
    """Copies the published models to `folder`; links are followed, as to where there are none."""
    published = default_repository()
    names = [
        f"{model}{part}" for model in TEXTS for part in ("", "_tokens", "_encoder", "_answers")
    ]
    for name in (*names, *PICTURES, "image_text_embedding"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(published / name, folder / name, ignore=ignored)
    for model in TEXTS:
        network.write(model, folder)
    for name in (*(f"{model}_encoder" for model in TEXTS), "vision_encoder"):
        (folder / name / "1" / "model.py").write_text(MODEL)
        _replaced(folder / name)
    return folder


def _replaced(folder: Path) -> None:
    config = pb.ModelConfig()
    text_format.Parse((folder / "config.pbtxt").read_text(encoding="utf-8"), config)
    assert config.platform == "tensorrt_plan"
    config.platform, config.backend = "", "python"
    for group in config.instance_group:
        group.kind = type(group).KIND_CPU
        del group.profile[:]
    config.dynamic_batching.default_queue_policy.default_timeout_microseconds = PATIENCE_US
    (folder / "configs").mkdir(exist_ok=True)
    (folder / "configs" / f"{FORM}.pbtxt").write_text(text_format.MessageToString(config))
