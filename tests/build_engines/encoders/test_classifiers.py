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
from safetensors.torch import load_file, save_file

from build_engines import check_parity, publish
from build_engines.errors import WeightsError
from build_engines.signals import classifiers, parity
from build_engines.signals.adopt import adopt
from build_engines.signals.comparison import compare
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from tests.build_engines.encoders.checkpoints import put
from tests.build_engines.encoders.classified import MERGED, TASKS, adopted, exported
from tests.build_engines.encoders.conftest import TEXTS


@pytest.fixture(scope="module", autouse=True)
def labels_of_data():
    """The data of the toy tasks, of which the build reads LABELS alone."""
    with pytest.MonkeyPatch.context() as patch:
        for name, (_, labels, *_) in TASKS.items():
            module = types.ModuleType(f"build_engines.data.{name}")
            module.LABELS = labels
            patch.setitem(sys.modules, module.__name__, module)
        yield


@pytest.fixture(scope="module")
def source(labels_of_data, tmp_path_factory):
    return adopted(tmp_path_factory.mktemp("adopted"))


@pytest.fixture(scope="module")
def job(source, tmp_path_factory):
    """Stored as the real ones are."""
    return exported(source, tmp_path_factory.mktemp("classifiers"), "float16")


@pytest.fixture(scope="module")
def exact(source, tmp_path_factory):
    """One of the tasks, stored as it was trained."""
    return exported(source, tmp_path_factory.mktemp("exact"), "float32", ["mood"])


@pytest.mark.parametrize("stored", ["job", "exact"])
def test_the_served_code_meets_peft_in_any_batch(request, tmp_path, stored):
    job = request.getfixturevalue(stored)
    texts = list(TEXTS.values())
    module, reader = parity.served(job, tmp_path)
    expected = parity.reference(job, module, texts)

    figures = compare(job, reader, expected, texts)

    assert max(figures["probability"].values()) <= 1e-3
    assert figures["least_cosine"] >= 0.99999
    assert all(any(found) for found in expected.entities.values())


def test_classes_are_put_into_the_order_of_the_labels(job, source, tmp_path):
    """What was published, read by transformers alone, in its own order."""
    text = TEXTS["sentence"]
    _, reader = parity.served(job, tmp_path)
    kind, labels, classes, _ = TASKS[MERGED]
    folder = source / "published" / MERGED
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    ids = transformers.AutoTokenizer.from_pretrained(source / "base")(text)["input_ids"]
    with torch.no_grad():
        shares = torch.softmax(model(input_ids=torch.tensor([ids])).logits[0], -1).tolist()
    expected = dict(zip(classes, shares, strict=True))

    found = reader.read([text], [[MERGED]]).probabilities[MERGED][0]

    assert {*classes} == {*labels}
    np.testing.assert_allclose(found, [expected[label] for label in labels], atol=0.01)
    assert abs(shares[0] - shares[1]) > 0.05


def test_what_tasks_share_with_the_trunk_is_stored_once(job, source):
    """An adapter is small beside its base; a merged task has layers of its own, but no words."""
    part = onnx.load_from_string((job.build / "branches.onnx").read_bytes())
    sizes = {task: 0 for task in TASKS}
    for one in part.graph.initializer:
        sizes[one.name.partition("/")[0]] += int(np.prod(one.dims))
    base = load_file(source / "base" / "model.safetensors")
    layers = sum(one.numel() for name, one in base.items() if "layers" in name)

    assert sizes["mood"] < 0.5 * layers
    assert 0.9 * layers < sizes[MERGED] < 1.2 * layers


def test_only_what_is_asked_runs(job, tmp_path):
    _, reader = parity.served(job, tmp_path)

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
def test_an_adapter_is_read_whole_or_not_at_all(source, tmp_path, spoil, message):
    folder = shutil.copytree(source / "adapters" / "mood", tmp_path / "mood")
    tensors = load_file(folder / "adapter_model.safetensors")
    spoil(tensors)
    save_file(tensors, folder / "adapter_model.safetensors", {"format": "pt"})

    with pytest.raises(WeightsError, match=message):
        classifiers.load(source / "base", ("head.*", "decoder.*"), "sequence", folder)


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
def test_classes_that_are_not_sure_are_refused(source, tmp_path, stated, message):
    folder = shutil.copytree(source / "published" / "mood", tmp_path / "mood")
    (folder / "category_mapping.json").unlink()
    for name, content in stated.items():
        put(folder, name, content)

    with pytest.raises(WeightsError, match=message):
        adopt("mood", "sequence", folder, tmp_path / "adopted")


@pytest.fixture(scope="module")
def released(job, tmp_path_factory):
    """Published; that canaries are right is another test's."""
    texts = list(TEXTS.values())[:4]
    module, _ = parity.served(job, tmp_path_factory.mktemp("read"))
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
    module, reader = parity.served(released, tmp_path)
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
