"""Classifiers as the reference project publishes them, over a tiny mmBERT, to the served code."""

import json
import shutil
import sys
import types

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx
import torch
import transformers
from peft import LoraConfig, TaskType, get_peft_model
from safetensors.torch import load_file, save_file

from build_engines import check_parity, export_onnx, publish
from build_engines.errors import WeightsError
from build_engines.job import ROOT
from build_engines.signals import classifiers, export, parity
from build_engines.signals.adopt import adopt
from build_engines.signals.comparison import compare
from build_engines.signals.job import SignalsJob
from build_engines.tasks import Signals, Task, Tolerance
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from tests.build_engines.encoders import checkpoints
from tests.build_engines.encoders.checkpoints import put
from tests.build_engines.encoders.conftest import TEXTS

TARGETS = ["attn.Wqkv", "attn.Wo", "mlp.Wi", "mlp.Wo"]
# task -> kind, labels, the classes in the order in which they were published, its mapping
TASKS = {
    "mood": (
        "sequence",
        ("glad", "sad", "calm"),
        ("sad", "calm", "glad"),
        ("category_mapping.json", "idx_to_category"),
    ),
    "place": (
        "token",
        ("NAME", "TOWN"),
        ("B-NAME", "B-TOWN", "I-NAME", "I-TOWN", "O"),
        ("label_mapping.json", "id_to_label"),
    ),
    "voice": (
        "sequence",
        ("active", "passive"),
        ("passive", "active"),
        ("label_mapping.json", "id_to_label"),
    ),
}
MERGED = "voice"


class Toy(Signals):
    """Signals over an encoder that no file describes."""

    described: object

    def encoder(self):
        return self.described


def base(folder):
    """A masked language model, as mmbert-32k-yarn is one: `model.`, `head.` and `decoder.`"""
    checkpoints.write("mmbert", folder)
    config = transformers.AutoConfig.from_pretrained(folder)
    torch.manual_seed(4)
    model = transformers.ModernBertForMaskedLM(config)
    for name, one in model.named_parameters():
        torch.nn.init.normal_(one, float("norm" in name), std=0.3)
    rounded(model).save_pretrained(folder)
    for name in ("modules.json", "sentence_bert_config.json"):
        (folder / name).unlink()
    shutil.rmtree(folder / "1_Pooling")
    put(folder, "modules.json", [])
    return folder


def rounded(model):
    """To numbers that float16 has: stored so they are the same, and every difference is a fault."""
    with torch.no_grad():
        for one in model.parameters():
            one.copy_(one.half().float())
    return model


def published(folder, checkpoint, task):
    """PEFT's files, or merged ones, and the mapping. Gives the network that was saved."""
    kind, _, classes, (mapping, key) = TASKS[task]
    config = transformers.AutoConfig.from_pretrained(checkpoint, num_labels=len(classes))
    model = classifiers.KINDS[kind].from_pretrained(checkpoint, config=config)
    kinds = {"sequence": TaskType.SEQ_CLS, "token": TaskType.TOKEN_CLS}
    network = get_peft_model(
        model, LoraConfig(task_type=kinds[kind], r=4, lora_alpha=8, target_modules=TARGETS)
    )
    torch.manual_seed(len(task))
    with torch.no_grad():
        for name, one in network.named_parameters():
            if one.requires_grad:
                one.normal_(std=2.0 if "classifier" in name else 0.2)
    network = network.eval()
    if task == MERGED:
        network = network.merge_and_unload()
    rounded(network).save_pretrained(folder)
    put(folder, mapping, {key: {str(at): name for at, name in enumerate(classes)}})
    return network


@pytest.fixture(scope="module", autouse=True)
def labels_of_data():
    """The data of the toy tasks, of which the build reads LABELS alone."""
    with pytest.MonkeyPatch.context() as patch:
        for name, (_, labels, *_) in TASKS.items():
            module = types.ModuleType(f"build_engines.data.{name}")
            module.LABELS = labels
            patch.setitem(sys.modules, module.__name__, module)
        yield


@pytest.fixture(scope="module", params=["float32", "float16"])
def job(request, tmp_path_factory):
    """Exported over a trunk that is published."""
    root = tmp_path_factory.mktemp("classifiers")
    checkpoint = base(root / "base")
    spec = checkpoints.spec_of(
        "mmbert",
        checkpoint,
        ignore=["head.*", "decoder.*"],
        dimensions=[],
        onnx={"opset": 20, "storage": request.param},
    )
    trunk = root / "models" / spec.name
    export_onnx.export(spec, checkpoint, trunk / "1")
    (trunk / "1" / "tokenizer.json").rename(trunk / "tokenizer.json")
    for task, (kind, *_) in TASKS.items():
        published(root / "published" / task, checkpoint, task)
        adopt(task, kind, root / "published" / task, root / "adapters" / task)
    made = SignalsJob(
        spec=Toy(
            name="toy",
            trunk=spec.name,
            summary="Toy tasks",
            tasks={name: Task(kind=kind) for name, (kind, *_) in TASKS.items()},
            tolerance=Tolerance(
                cosine=0.999, probability=0.01, span_score=0.05, export=0.02, export_span=0.05
            ),
            serving=spec.serving,
            described=spec,
        ),
        root=root,
        build=root / "build",
        code=ROOT / "model_repository" / "text_signals" / "1",
        target=root / "models" / "toy",
        texts=root / "texts.json",
        trunk=trunk,
        adapters=root / "adapters",
        brings_code=True,
    )
    export.run(made)
    return made


def read(job, folder):
    module, reader = parity.served(job, folder)
    return module, reader


def test_the_served_code_meets_peft_in_any_batch(job, tmp_path):
    texts = list(TEXTS.values())
    module, reader = read(job, tmp_path)
    expected = parity.reference(job, module, texts)

    figures = compare(job, reader, expected, texts)

    assert max(figures["probability"].values()) <= 1e-3
    assert figures["least_cosine"] >= 0.99999
    assert any(expected.entities["place"])


def test_classes_are_put_into_the_order_of_the_labels(job, tmp_path):
    """What was published, read by transformers alone, in its own order."""
    text = TEXTS["sentence"]
    _, reader = read(job, tmp_path)
    kind, labels, classes, _ = TASKS[MERGED]
    folder = job.root / "published" / MERGED
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    ids = transformers.AutoTokenizer.from_pretrained(job.root / "base")(text)["input_ids"]
    with torch.no_grad():
        shares = torch.softmax(model(input_ids=torch.tensor([ids])).logits[0], -1).tolist()
    expected = dict(zip(classes, shares, strict=True))

    found = reader.read([text], [[MERGED]]).probabilities[MERGED][0]

    assert {*classes} == {*labels}
    np.testing.assert_allclose(found, [expected[label] for label in labels], atol=0.01)
    assert abs(shares[0] - shares[1]) > 0.05


def test_what_tasks_share_with_the_trunk_is_stored_once(job):
    """An adapter is small beside its base; a merged task has layers of its own, but no words."""
    part = onnx.load_from_string((job.build / "branches.onnx").read_bytes())
    sizes = {task: 0 for task in TASKS}
    for one in part.graph.initializer:
        sizes[one.name.partition("/")[0]] += int(np.prod(one.dims))
    layers = sum(one.numel() for name, one in weights_of(job).items() if "layers" in name)

    assert sizes["mood"] < 0.5 * layers
    assert 0.9 * layers < sizes[MERGED] < 1.2 * layers


def weights_of(job):
    return load_file(job.root / "base" / "model.safetensors")


def test_only_what_is_asked_runs(job, tmp_path):
    _, reader = read(job, tmp_path)

    said = reader.read(["the river"], [["mood"]])

    assert np.isnan(said.probabilities[MERGED]).all()
    assert said.probabilities["mood"][0].sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(
            lambda tensors: tensors.pop(next(one for one in tensors if "lora_A" in one)),
            "missing base_model",
            id="half of an adapter missing",
        ),
        pytest.param(
            lambda tensors: tensors.update({"base_model.model.spare.weight": torch.zeros(2)}),
            "unexpected base_model.model.spare.weight",
            id="a tensor of no known place",
        ),
    ],
)
def test_an_adapter_is_read_whole_or_not_at_all(job, tmp_path, spoil, message):
    folder = shutil.copytree(job.adapters / "mood", tmp_path / "mood")
    tensors = load_file(folder / "adapter_model.safetensors")
    spoil(tensors)
    save_file(tensors, folder / "adapter_model.safetensors", {"format": "pt"})

    with pytest.raises(WeightsError, match=message):
        classifiers.load(job.root / "base", ("head.*", "decoder.*"), "sequence", folder)


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        pytest.param({}, "nothing says which class is which", id="no classes"),
        pytest.param(
            {"category_mapping.json": {"idx_to_category": {"0": "sad", "2": "glad", "1": "odd"}}},
            r"lacks the classes \['calm'\], has \['odd'\]",
            id="other classes",
        ),
        pytest.param(
            {"category_mapping.json": {"idx_to_category": {"1": "sad", "2": "glad", "3": "calm"}}},
            "do not count from 0",
            id="classes that count from 1",
        ),
        pytest.param(
            {
                "category_mapping.json": {
                    "idx_to_category": {"0": "sad", "1": "calm", "2": "glad"}
                },
                "label_mapping.json": {"id_to_label": {"0": "calm", "1": "sad", "2": "glad"}},
            },
            "state different classes",
            id="two that differ",
        ),
    ],
)
def test_classes_that_are_not_sure_are_refused(job, tmp_path, stated, message):
    folder = shutil.copytree(job.root / "published" / "mood", tmp_path / "mood")
    (folder / "category_mapping.json").unlink()
    for name, content in stated.items():
        put(folder, name, content)

    with pytest.raises(WeightsError, match=message):
        adopt("mood", "sequence", folder, tmp_path / "adopted")


@pytest.fixture(scope="module")
def released(job, tmp_path_factory):
    """Published; that canaries are right is another test's."""
    texts = list(TEXTS.values())[:4]
    module, _ = read(job, tmp_path_factory.mktemp("read"))
    document = parity.goldens(job, texts, texts, parity.reference(job, module, texts))
    (job.build / "goldens.json").write_text(json.dumps(document), encoding="utf-8")
    check_parity.receipt.write(
        check_parity.Receipt("parity", "", job.spec.digest(), {}, {}, {}, {}), job
    )
    publish.run(job)
    return job


def test_a_published_model_has_all_that_triton_loads(released, tmp_path):
    """Its code, the trunk's tokenizer; the network of the trunk lies beside."""
    publish.verify(released)
    module, reader = read(released, tmp_path)
    served = parity.code(released.target / "1").Reader.load(
        released.target, "1", module.Limits.read(released.spec.settings()), 1
    )
    texts = list(TEXTS.values())[:4]
    asked = [list(TASKS)] * len(texts)
    ours, theirs = served.read(texts, asked), reader.read(texts, asked)
    np.testing.assert_array_equal(ours.probabilities["mood"], theirs.probabilities["mood"])


@pytest.mark.triton
async def test_a_router_trusts_them_in_a_real_triton(released, tmp_path):
    repository = released.target.parent
    server = EmbeddedTriton(repository, ["toy"], state_dir=tmp_path, start_timeout_s=300)
    await server.start()
    inference = TritonInference([server.url], timeout_s=60.0)
    trusted = TrustedInference(inference, repository, ["toy"])

    (found,) = await trusted.check()

    await trusted.stop()
    await inference.close()
    await server.stop()
    assert (found.trusted, found.reason) == (True, "")
    assert found.parity.probability < 0.01
