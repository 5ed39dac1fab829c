"""The config files of a text model on GPUs: an ensemble of tokens, engine and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from build_engines.fleet import pbtxt, warm
from build_engines.fleet.pbtxt import Sample, Tensor
from build_engines.fleet.spec import Fleet
from build_engines.gpu.spec import GpuText
from build_engines.gpu.tensors import EMBEDDING, INPUT_IDS, LENGTHS, engine_of, logits

# Known to the first step, and answers as they are.
KNOWN = (
    Tensor("WINDOWS", "INT32", (1,)),
    Tensor("TRUNCATED", "BOOL", (1,)),
    Tensor("UNREADABLE", "FP32", (2,)),
)
TEXT, TASKS = Tensor("TEXT", "STRING", (1,)), Tensor("TASKS", "STRING", (1,))
PARTS, PLACES = Tensor("PARTS", "INT32", (-1, 2)), Tensor("PLACES", "INT32", (-1, -1, 3))
IDS, SIZES = Tensor(INPUT_IDS, "INT32", (-1, -1)), Tensor(LENGTHS, "INT32", (-1,))


@dataclass(frozen=True, slots=True)
class TextModel:
    """What the files say of it."""

    name: str
    summary: str
    dimension: int
    settings: Mapping[str, str]
    gpu: GpuText
    fleet: Fleet
    sequences: Mapping[str, int] = field(default_factory=dict)  # task -> classes
    tokens: Mapping[str, int] = field(default_factory=dict)  # task -> classes, O, B- and I-
    order: Sequence[str] = ()  # of all tasks

    @property
    def inputs(self) -> list[Tensor]:
        return [TEXT, TASKS] if self.order else [TEXT]

    @property
    def guards(self) -> bool:
        """Whether a request may carry one: it is a task."""
        return bool(self.order)

    def between(self) -> list[Tensor]:
        """From the tokens to the answers, past the engine."""
        return [PARTS, PLACES] if self.tokens else [PARTS]

    def said(self) -> list[Tensor]:
        """By the engine."""
        found = [Tensor(EMBEDDING, "FP32", (-1, self.dimension))]
        for task in self.order:
            dims = (-1, self.sequences[task]) if task in self.sequences else None
            found.append(Tensor(logits(task), "FP32", dims or (-1, -1, self.tokens[task])))
        return found

    def answers(self) -> list[Tensor]:
        """By the last step."""
        found = [Tensor("EMBEDDING", "FP32", (self.dimension,))]
        for task in self.order:
            if task in self.sequences:
                found.append(Tensor(f"PROBS_{task}", "FP32", (self.sequences[task],)))
            else:
                found.append(Tensor(f"SPANS_{task}", "INT32", (-1, 3)))
                found.append(Tensor(f"SPAN_SCORES_{task}", "FP32", (-1,)))
        return found

    def parameters(self, *names: str) -> list[str]:
        return pbtxt.parameters({name: self.settings[name] for name in names})


def files(model: TextModel) -> dict[str, str]:
    """Path from the model's folder -> what stands there."""
    encoder = engine_of(model.name)
    return {
        "config.pbtxt": ensemble(model),
        f"../{model.name}_tokens/config.pbtxt": tokens(model),
        f"../{encoder}/config.pbtxt": engine(model),
        f"../{encoder}/configs/onnxruntime.pbtxt": network(model),
        f"../{model.name}_answers/config.pbtxt": answers(model),
    }


def ensemble(model: TextModel) -> str:
    """The tensors of the CPU form. It has neither queue nor warm-up: its steps have theirs."""
    given = {one.name: one.name for one in model.inputs}
    made = {one.name: one.name.lower() for one in (IDS, SIZES)}
    past = {one.name: one.name.lower() for one in model.between()}
    said = {one.name: one.name.lower() for one in model.said()}
    known = {one.name: one.name for one in KNOWN}
    final = {one.name: one.name for one in model.answers()}
    return _text(
        model,
        "on GPUs, an ensemble of tokens, engine and answers",
        model.name,
        'platform: "ensemble"',
        pbtxt.tensors(model.inputs, [*model.answers(), *KNOWN]),
        ["response_cache { enable: true }"] if model.fleet.cache else [],
        [
            "ensemble_scheduling {",
            *pbtxt.step(f"{model.name}_tokens", given, made | past | known),
            *pbtxt.step(engine_of(model.name), made, said),
            *pbtxt.step(f"{model.name}_answers", given | past | said, final),
            "}",
        ],
    )


def tokens(model: TextModel) -> str:
    kept = [name for name in model.settings if name != "threads"]
    return _text(
        model,
        "the first step on GPUs, texts to windows of a bucket's length",
        f"{model.name}_tokens",
        'backend: "python"',
        pbtxt.tensors(model.inputs, [IDS, SIZES, *model.between(), *KNOWN]),
        [pbtxt.processes(model.fleet.steps), *pbtxt.batching(model.fleet, guards=model.guards)],
        pbtxt.warmup([Sample("empty text", 1, {one: None for one in model.inputs})]),
        model.parameters(*kept),
        pbtxt.parameters({"lengths": ",".join(map(str, model.gpu.lengths))}),
    )


def engine(model: TextModel) -> str:
    """One optimisation profile a bucket; the engine runs requests of equal shapes together."""
    profiles = range(len(model.gpu.lengths))
    return _text(
        model,
        "the engine, windows to embeddings and logits",
        engine_of(model.name),
        'platform: "tensorrt_plan"',
        *_network(model),
        pbtxt.devices(model.gpu, model.fleet, "KIND_GPU", profiles),
        pbtxt.streams(model.fleet),
        _run(model),
    )


def network(model: TextModel) -> str:
    """The same graph in ONNX Runtime, in float32: where there is no engine, or to compare."""
    return _text(
        model,
        "the engine's graph in ONNX Runtime, on GPUs where there are some",
        engine_of(model.name),
        'platform: "onnxruntime_onnx"',
        *_network(model),
        pbtxt.devices(model.gpu, model.fleet, "KIND_AUTO"),
        _run(model),
    )


def answers(model: TextModel) -> str:
    """It takes what the engine has answered, so its queue is as long as that lets it be."""
    inputs = [*model.inputs, *model.between(), *model.said()]
    least = [Tensor(one.name, one.kind, tuple(max(1, n) for n in one.dims)) for one in inputs]
    return _text(
        model,
        "the last step on GPUs, what the engine says of windows to answers about texts",
        f"{model.name}_answers",
        'backend: "python"',
        pbtxt.tensors(inputs, model.answers(), ragged=True),
        [
            pbtxt.processes(model.fleet.steps),
            *pbtxt.batching(model.fleet, queue=False, guards=model.guards),
        ],
        pbtxt.warmup([Sample("no tokens", 1, {one: None for one in least})]),
        model.parameters("max_bytes"),
    )


def _network(model: TextModel) -> list[list[str]]:
    return [pbtxt.tensors([IDS, SIZES], model.said())]


def _run(model: TextModel) -> list[str]:
    sizes = sorted({model.gpu.optimal, model.gpu.batch})
    batching = pbtxt.batching(model.fleet, sizes, guards=model.guards)
    return batching + pbtxt.warmup(warm.samples(model.gpu))


def _text(model: TextModel, what: str, name: str, kind: str, *parts: list[str]) -> str:
    rows = [
        pbtxt.first(f"{model.summary}; {what}", model.name),
        f'name: "{name}"',
        kind,
        f"max_batch_size: {model.gpu.batch}",
        *(row for part in parts for row in part),
    ]
    return "\n".join(rows) + "\n"
