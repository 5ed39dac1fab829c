import asyncio
import json

import numpy as np
import pytest

from orchestrator.app.model_plane import before, loaded, model_plane
from orchestrator.config.services import Triton
from orchestrator.errors import (
    ImageRefused,
    InferenceUnavailable,
    ModelUntrusted,
    ServerStartError,
)
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.telemetry import Telemetry
from tests.inference.fake_models import known, vector
from tests.inference.fake_triton import FakeTriton, serving
from tests.inference.golden_files import write_classifier, write_goldens, write_pictures
from tests.processes import free_ports

MODEL = "text_embedding"


def metric(telemetry, name):
    lines = telemetry.render().decode().splitlines()
    return [line for line in lines if line.startswith(name)]


async def test_a_policy_that_asks_no_model_needs_no_server():
    async with model_plane(Triton(), [], [], Telemetry()) as plane:
        status = plane.status()

    assert (status.status, status.models, status.triton) == ("ready", (), ())
    assert "no model" in status.message


async def test_a_server_that_is_down_is_told_and_does_not_stop_the_start():
    url, telemetry = f"127.0.0.1:{free_ports(1)[0]}", Telemetry()
    async with model_plane(Triton(), [MODEL], [url], telemetry) as plane:
        await plane.looked()
        status = plane.status()
        with pytest.raises(InferenceUnavailable):
            await plane.inference.embed(MODEL, ["hi"])

    assert status.status == "starting"
    assert [(server.url, server.ready) for server in status.triton] == [(url, False)]
    assert [(model.model, model.trusted) for model in status.models] == [(MODEL, False)]
    assert status.message == f"{MODEL}: {status.models[0].reason}"
    assert metric(telemetry, f'tsr_model_trusted{{model="{MODEL}"}}') == [
        f'tsr_model_trusted{{model="{MODEL}"}} 0.0'
    ]


async def test_addresses_of_the_command_line_win_over_the_files():
    file, flag = (f"127.0.0.1:{port}" for port in free_ports(2))
    async with model_plane(Triton(urls=(file,)), [MODEL], [flag], Telemetry()) as plane:
        given = [server.url for server in plane.status().triton]
    async with model_plane(Triton(urls=(file,)), [MODEL], [], Telemetry()) as plane:
        own = [server.url for server in plane.status().triton]

    assert (given, own) == ([flag], [file])


async def test_a_server_that_serves_another_model_is_not_trusted():
    fake = FakeTriton()
    async with serving(fake) as url:
        async with model_plane(Triton(), ["m"], [url], Telemetry()) as plane:
            await plane.looked()
            status = plane.status()

    assert [server.ready for server in status.triton] == [True]
    assert status.status == "starting"
    assert not status.ready


async def test_a_model_that_was_trusted_and_is_not_now_is_degraded(tmp_path):
    write_goldens(tmp_path, "m")
    settings = Triton(model_repository=str(tmp_path))
    fake = FakeTriton()
    async with serving(fake) as url:
        async with model_plane(settings, ["m"], [url], Telemetry()) as plane:
            await plane.looked()
            assert plane.status().status == "ready"
            plane.trusted.doubt()
            status = plane.status()

    assert (status.status, status.ready) == ("degraded", False)
    assert status.message == "m: the server has restarted"


def test_before_there_is_a_plane_every_model_is_waited_for():
    status = before(["m"])

    assert (status.status, status.ready) == ("starting", False)
    assert [(one.model, one.trusted) for one in status.models] == [("m", False)]


async def test_a_repository_that_is_not_there_is_a_start_error(tmp_path):
    settings = Triton(model_repository=str(tmp_path / "nothing"))
    with pytest.raises(ServerStartError, match="nothing"):
        async with model_plane(settings, [MODEL], [], Telemetry()):
            pytest.fail("it runs without models")


@pytest.fixture
def classifiers(tmp_path):
    """`m` classifies, on the network of `base`, which only embeds."""
    write_classifier(tmp_path, "m")
    write_goldens(tmp_path, "base")
    receipts = {
        "m": {"published": {}, "trunk": {"model": "base", "sha256": "aa"}},
        "base": {"published": {"1/model.onnx": "aa"}},
    }
    for model, receipt in receipts.items():
        (tmp_path / model / "receipt.json").write_text(json.dumps(receipt))
    return Triton(model_repository=str(tmp_path))


async def test_a_classifier_on_the_same_network_embeds_for_its_base(classifiers):
    fake, telemetry = FakeTriton(max_batch=8), Telemetry()
    async with serving(fake) as url:
        async with model_plane(classifiers, ["base", "m"], [url], telemetry) as plane:
            await plane.looked()
            status, before = plane.status(), len(fake.asked)
            vectors, [said] = await asyncio.gather(
                plane.inference.embed("base", ["I am 42"]),
                plane.inference.classify("m", ["I am 42"], ["guard", "pii"]),
            )

    assert status.status == "ready"
    assert (
        [model.model for model in status.models]
        == ["m"]
        == list(loaded(classifiers, ["base", "m"]))
    )
    assert fake.asked[before:] == [[(b"I am 42", "guard,pii")]]
    np.testing.assert_array_equal(vectors, [vector(b"I am 42")])
    assert set(said.probabilities) | set(said.entities) == {"guard", "pii"}
    assert sorted(metric(telemetry, "tsr_inference_t")) == [
        'tsr_inference_tasks_total{model="m",task="guard"} 1.0',
        'tsr_inference_tasks_total{model="m",task="pii"} 1.0',
        'tsr_inference_texts_total{model="m"} 1.0',
    ]
    assert metric(telemetry, "tsr_model_parity_probability{")


async def test_models_on_different_networks_are_both_loaded(classifiers, tmp_path):
    (tmp_path / "base" / "receipt.json").write_text('{"published": {"1/model.onnx": "ab"}}')
    async with serving(FakeTriton()) as url:
        async with model_plane(classifiers, ["base", "m"], [url], Telemetry()) as plane:
            models = [model.model for model in plane.status().models]

    assert models == ["base", "m"]


async def test_a_classifier_with_labels_that_no_signal_knows_is_not_trusted(classifiers):
    expects = {"guard": frozenset({"fine", "attack"})}
    async with serving(FakeTriton()) as url:
        async with model_plane(classifiers, ["m"], [url], Telemetry(), expects) as plane:
            await plane.looked()
            with pytest.raises(ModelUntrusted, match="task guard has other labels than expected"):
                await plane.inference.classify("m", ["x"], ["domain"])

            assert "missing: 'attack'; extra: 'danger'" in plane.status().message


async def test_labels_that_cannot_be_read_are_told(classifiers, tmp_path):
    (tmp_path / "m" / "labels.json").write_text("{")
    async with serving(FakeTriton()) as url:
        async with model_plane(classifiers, ["m"], [url], Telemetry()) as plane:
            await plane.looked()
            with pytest.raises(ModelUntrusted, match=r"labels\.json cannot be read"):
                await plane.inference.classify("m", ["x"], ["domain"])


async def test_pictures_are_seen_and_counted(tmp_path):
    write_pictures(tmp_path, "m")
    settings, telemetry, fake = Triton(model_repository=str(tmp_path)), Telemetry(), FakeTriton()
    fake.refused = {b"bad": "empty"}
    async with serving(fake) as url:
        async with model_plane(settings, ["m"], [url], telemetry) as plane:
            await plane.looked()
            [trust] = plane.status().models
            seen = await plane.inference.see("m", [b"a", b"bb"])
            with pytest.raises(ImageRefused, match="^empty$"):
                await plane.inference.see("m", [b"bad"])

    assert (trust.trusted, trust.reason, trust.parity.count) == (True, "", 5)
    assert (seen.known.tolist(), seen.floor) == (pytest.approx([known(b"a"), known(b"bb")]), 0.25)
    assert metric(telemetry, "tsr_inference_images") == [
        'tsr_inference_images_total{model="m"} 3.0',
        'tsr_inference_images_refused_total{model="m"} 1.0',
    ]
    assert metric(telemetry, "tsr_inference_latency_seconds_count") == [
        'tsr_inference_latency_seconds_count{model="m"} 2.0'
    ]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param(
            {"make_pixels": lambda one: np.zeros((3, 2, 2))}, "preprocessing differs", id="pixels"
        ),
        pytest.param(
            {"embed_picture": lambda one: -vector(one)}, "the encoder differs", id="encoder"
        ),
    ],
)
async def test_a_model_that_sees_wrongly_is_not_asked_and_others_are(tmp_path, changes, reason):
    write_pictures(tmp_path, IMAGE_SIGNALS)
    write_goldens(tmp_path, "m")
    fake = FakeTriton()
    for name, change in changes.items():
        setattr(fake, name, change)
    settings = Triton(model_repository=str(tmp_path))
    async with serving(fake) as url:
        async with model_plane(settings, ["m", IMAGE_SIGNALS], [url], Telemetry()) as plane:
            await plane.looked()
            status = plane.status()
            with pytest.raises(ModelUntrusted, match=reason):
                await plane.inference.see(IMAGE_SIGNALS, [b"a"])
            assert (await plane.inference.embed("m", ["a"])).shape == (1, 4)

    assert [model.trusted for model in status.models] == [True, False]
    assert status.message.startswith(f"{IMAGE_SIGNALS}: {reason}")
    assert [server.ready for server in status.triton] == [True]


async def test_image_models_that_nobody_has_are_told_and_texts_are_read(tmp_path):
    write_goldens(tmp_path, "m")
    fake, settings = FakeTriton(), Triton(model_repository=str(tmp_path))
    asked = ["m", IMAGE_SIGNALS, IMAGE_TEXT]
    async with serving(fake) as url:
        async with model_plane(settings, asked, [url], Telemetry()) as plane:
            await plane.looked()
            status = plane.status()
            with pytest.raises(ModelUntrusted, match="no golden answers"):
                await plane.inference.see(IMAGE_SIGNALS, [b"a"])
            with pytest.raises(ModelUntrusted, match="no golden answers"):
                await plane.inference.embed(IMAGE_TEXT, ["a"])
            assert (await plane.inference.embed("m", ["a"])).shape == (1, 4)

    assert (status.status, [model.trusted for model in status.models]) == (
        "starting",
        [True, False, False],
    )
    assert f"{IMAGE_SIGNALS}: {IMAGE_SIGNALS}: no golden answers at" in status.message
    assert fake.control == [], "what nobody has is not loaded"
