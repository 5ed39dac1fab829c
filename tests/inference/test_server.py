"""EmbeddedTriton with a shell script for tritonserver: how a start fails. No Triton."""

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from orchestrator.errors import ServerStartError
from orchestrator.inference.installation import SHARED_MEMORY, STUB, Installation
from orchestrator.inference.launch import HOST, Front, Order, prepare
from orchestrator.inference.server import EmbeddedTriton


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "models" / "m"
    folder.mkdir(parents=True)
    (folder / "config.pbtxt").write_text("")
    return folder.parent


@pytest.fixture
def installation(tmp_path):
    """A bundle whose tritonserver does what `installation(script)` says."""

    def make(script):
        root = tmp_path / "wheel"
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        stubs = root / "python_backend_stubs" / version
        for folder in (root / "bin", root / "backends" / "python", stubs):
            folder.mkdir(parents=True)
        for program, text in ((root / "bin" / "tritonserver", script), (stubs / STUB, "exit 1")):
            program.write_text(f"#!/bin/bash\n{text}\n")
            program.chmod(0o755)
        return Installation(root, "0", Path(sys.executable), version, ())

    return make


async def start(repository, installation, state_dir, **options):
    server = EmbeddedTriton(
        repository, state_dir=state_dir, installation=installation, exit_timeout_s=0, **options
    )
    await server.start()
    await server.stop()


def left(state):
    return list(state.glob("run-*"))


async def test_the_last_errors_of_a_server_that_ends_are_told(repository, installation, tmp_path):
    script = """
        echo '2026-11-29T16:41:23Z I 1 server.cc:1] "fine"'
        echo '2026-11-29T16:41:23Z E 1 server.cc:241] "CudaDriverHelper has not been initialized."'
        echo '2026-11-29T16:41:23Z E 1 model.cc:2] "no such module"'
        echo 'error: creating server: Internal - failed to load all models' >&2
        exit 1
    """
    with pytest.raises(ServerStartError) as caught:
        await start(repository, installation(script), tmp_path / "state")

    message = str(caught.value)
    assert "no such module" in message
    assert "failed to load all models" in message
    assert "exit status 1" in message
    assert "Cuda" not in message
    assert "fine" not in message
    assert left(tmp_path / "state") == []


async def test_where_a_log_has_no_error_its_last_line_is_told(repository, installation, tmp_path):
    with pytest.raises(ServerStartError, match="no error in its log, which ends with 'in use'"):
        await start(repository, installation("echo in use; exit 1"), tmp_path / "state")


async def test_a_server_that_never_gets_ready_is_given_up(repository, installation, tmp_path):
    with pytest.raises(ServerStartError, match=r"not ready after 0\.3 s"):
        await start(
            repository,
            installation("exec sleep 600"),
            tmp_path / "state",
            start_timeout_s=0.3,
        )

    assert left(tmp_path / "state") == []


async def test_a_start_that_is_cancelled_leaves_nothing(repository, installation, tmp_path):
    up = tmp_path / "up"
    chosen = installation(f"echo $$ > {up}.draft; mv {up}.draft {up}; exec sleep 600")
    task = asyncio.create_task(start(repository, chosen, tmp_path / "state"))
    async with asyncio.timeout(20):
        while not up.exists():
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert not Path(f"/proc/{up.read_text().strip()}").exists()
    assert left(tmp_path / "state") == []


async def test_a_state_folder_that_cannot_be_written_is_named(repository, installation, tmp_path):
    (tmp_path / "state").write_text("a file")

    with pytest.raises(ServerStartError, match=f"{tmp_path}/state cannot be used"):
        await start(repository, installation("exit 0"), tmp_path / "state")


async def test_nothing_is_known_before_the_start(repository, tmp_path):
    server = EmbeddedTriton(repository, state_dir=tmp_path)

    assert server.pid is None
    with pytest.raises(ServerStartError, match="not running"):
        server.url  # noqa: B018 -- a property that raises
    await server.stop()


@pytest.fixture
def order(repository, installation, tmp_path):
    def make(**changes):
        wanted = {
            "repository": repository,
            "models": None,
            "state_dir": tmp_path / "state",
            "port": 21_001,
            "config_name": None,
            "installation": installation(""),
            "exit_timeout_s": 5,
        }
        return Order(**(wanted | changes))

    return make


@pytest.mark.parametrize(
    ("changes", "present", "absent"),
    [
        pytest.param(
            {},
            [
                "--load-model=*",
                "--allow-http=false",
                "--allow-metrics=false",
                "--grpc-address=127.0.0.1",
                "--grpc-port=21001",
            ],
            ["--cache-config", "--model-config-name"],
            id="all models",
        ),
        pytest.param({"models": ("m",)}, ["--load-model=m"], ["--load-model=*"], id="one model"),
        pytest.param(
            {"config_name": "cpu"}, ["--model-config-name=cpu"], ["--cache-config"], id="config"
        ),
        pytest.param({"exit_timeout_s": 2}, ["--exit-timeout-secs=2"], [], id="patience"),
        pytest.param(
            {"front": Front("0.0.0.0", http_port=21_002, metrics_port=21_003)},
            [
                "--grpc-address=0.0.0.0",
                "--http-address=0.0.0.0",
                "--http-port=21002",
                "--metrics-address=0.0.0.0",
                "--metrics-port=21003",
            ],
            ["--allow-http", "--allow-metrics"],
            id="for others",
        ),
    ],
)
def test_the_command_line(order, changes, present, absent):
    launch = prepare(order(**changes))
    launch.close()

    assert [option for option in present if option not in launch.command] == []
    assert [o for o in launch.command if any(o.startswith(wrong) for wrong in absent)] == []
    assert f"--backend-config=python,shm-region-prefix-name={launch.run.shm_prefix}" in (
        launch.command
    )
    assert not list(SHARED_MEMORY.glob(f"{launch.run.shm_prefix}*"))


def test_variables_of_the_front_do_not_replace_what_the_server_needs(order):
    environment = {"TSR_CONFIG": "/policy.yaml", "PATH": "/nowhere", "PYTHONHOME": "/nowhere"}
    launch = prepare(order(front=Front(environment=environment)))
    launch.close()

    assert launch.environment["TSR_CONFIG"] == "/policy.yaml"
    assert launch.environment["PATH"].startswith(str(Path(sys.executable).parent))


@pytest.mark.parametrize("which", ["http_port", "metrics_port"])
def test_a_port_of_the_front_that_is_taken_is_named(order, which):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        port = taken.getsockname()[1]
        with pytest.raises(ServerStartError, match=f"port {port} on {HOST} is taken"):
            prepare(order(front=Front(**{which: port})))


@pytest.mark.parametrize(
    ("front", "message"),
    [
        pytest.param(Front(http_port=21_001), "port 21001 is named twice", id="gRPC's"),
        pytest.param(
            Front(http_port=21_002, metrics_port=21_002), "port 21002 is named twice", id="HTTP's"
        ),
        pytest.param(Front(""), "no host to listen at", id="no host"),
    ],
)
def test_where_triton_could_not_listen_is_told_before_it_starts(order, front, message):
    with pytest.raises(ServerStartError, match=message):
        prepare(order(front=front))


def test_a_config_that_is_no_text_does_not_end_the_start(order, repository):
    (repository / "m" / "config.pbtxt").write_bytes(b"\xff")  # Triton says what is wrong with it

    prepare(order()).close()


@pytest.mark.parametrize(
    ("host", "reached"), [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("10.1.2.3",) * 2]
)
def test_where_a_server_is_reached_from_here(host, reached):
    assert Front(host).reached_at == reached


def test_the_cache_is_on_when_a_model_asks(order, repository):
    (repository / "m" / "config.pbtxt").write_text("response_cache { enable: true }")
    launch = prepare(order())
    launch.close()

    assert "--cache-config=local,size=67108864" in launch.command


def test_of_all_models_those_of_another_form_are_left_out(order, repository):
    (repository / "m" / "configs").mkdir()
    (repository / "m" / "configs" / "cpu.pbtxt").write_text('backend: "python"')
    (repository / "m" / "config.pbtxt").write_text(
        'ensemble_scheduling { step { model_name: "engine" } }'
    )
    (repository / "engine").mkdir()
    (repository / "engine" / "config.pbtxt").write_text('platform: "tensorrt_plan"')
    launch = prepare(order(config_name="cpu"))
    launch.close()

    assert [one for one in launch.command if one.startswith("--load-model")] == ["--load-model=m"]


def test_an_embedded_server_takes_the_form_for_cpus(repository, tmp_path):
    server = EmbeddedTriton(repository, state_dir=tmp_path)

    assert server.form == "cpu"
