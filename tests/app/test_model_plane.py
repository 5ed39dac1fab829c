import pytest

from orchestrator.app.model_plane import before, model_plane
from orchestrator.config.services import Triton
from orchestrator.errors import InferenceUnavailable, ServerStartError
from orchestrator.telemetry import Telemetry
from tests.inference.fake_triton import FakeTriton, serving, write_goldens
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
