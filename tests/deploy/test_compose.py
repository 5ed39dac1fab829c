"""What must hold of the compose file and its images, as far as it can be told without Docker."""

import fnmatch
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import typer
import yaml

from orchestrator.app.policies import compile_file
from orchestrator.cli import application
from tests.deploy.compose import (
    DOCKERFILES,
    PROFILES,
    ROOT,
    aliases,
    built,
    copied,
    document,
    of,
    services,
)

SERVICES = sorted(services())
OWN = {name: one for name, one in services().items() if "build" in one}
TSR = sorted(name for name, one in OWN.items() if one["image"].startswith("tsr-router:"))
IMAGES = sorted(
    {one["image"] for one in services().values()} | {i for path in DOCKERFILES for i in built(path)}
)
SECRET = re.compile(r"TOKEN|KEY|PASSWORD|SECRET")
TRITON_FLAGS = {
    *("--model-repository", "--model-control-mode", "--load-model"),
    *("--exit-timeout-secs", "--log-format"),
}
VERSION = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_is_pinned_to_a_version(image: str) -> None:
    _, _, tag = image.rpartition("/")[2].partition(":")

    assert re.match(r"v?\d+\.\d+", tag), f"{image} has no version"


def test_own_images_carry_the_version_of_the_package() -> None:
    assert VERSION is not None

    assert {one["image"].partition(":")[2] for one in OWN.values()} == {VERSION[1]}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_restarts_and_is_looked_after(name: str) -> None:
    service = services()[name]
    once = any(
        one.get("depends_on", {}).get(name, {}).get("condition") == "service_completed_successfully"
        for one in services().values()
    )

    assert service["restart"] == ("no" if once else "unless-stopped")
    assert ("test" in service["healthcheck"]) is not once


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_no_rights_that_it_can_do_without(name: str) -> None:
    service = services()[name]

    assert not {"privileged", "pid", "ipc", "network_mode", "devices"} & set(service)
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "user" not in service  # own images say theirs, the others keep their own


@pytest.mark.parametrize("name", sorted(OWN) + ["prometheus"])
def test_a_root_is_read_only(name: str) -> None:
    assert services()[name]["read_only"] is True


@pytest.mark.parametrize("name", SERVICES)
def test_secrets_come_from_the_environment(name: str) -> None:
    given = services()[name].get("environment", {})

    assert [key for key, value in given.items() if SECRET.search(key) and value is not None] == []


@pytest.mark.parametrize("name", SERVICES)
def test_ports_are_published_on_this_machine_alone(name: str) -> None:
    ports = services()[name].get("ports", [])

    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.parametrize("profile", PROFILES)
def test_what_a_service_waits_for_is_in_its_profile_and_can_come_true(profile: str) -> None:
    names = of(profile)
    wanted = [(to, how) for one in names.values() for to, how in one.get("depends_on", {}).items()]

    assert [to for to, _ in wanted if to not in names] == []
    for to, how in wanted:
        checked = "test" in names[to]["healthcheck"]
        assert how["condition"] == (
            "service_healthy" if checked else "service_completed_successfully"
        )


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_has_one_router_and_no_other_one_takes_its_ports(profile: str) -> None:
    published = [port for one in of(profile).values() for port in one.get("ports", [])]

    assert len([port for port in published if port.endswith(":8899")]) == 1
    assert len(published) == len({port.rpartition(":")[0] for port in published})


def test_triton_runs_where_python_processes_may_talk_and_execute() -> None:
    for name in ("router-demo", "router-cpu", "triton"):
        service = services()[name]
        assert int(service["shm_size"][:-1]) * {"m": 1, "g": 1024}[service["shm_size"][-1]] >= 256
        assert any("exec" in one for one in service["tmpfs"])  # Docker's own default is noexec


def test_the_engines_are_built_by_the_image_that_serves_them() -> None:
    job, server = services()["engines"], services()["triton"]

    assert (job["image"], job["build"]) == (server["image"], server["build"])
    assert (job["volumes"], server["volumes"]) == (["engines:/models"], ["engines:/models:ro"])


@pytest.mark.parametrize("profile", PROFILES)
def test_named_volumes_are_declared(profile: str) -> None:
    mounts = [volume for one in of(profile).values() for volume in one.get("volumes", [])]
    named = {one.partition(":")[0] for one in mounts if not one.startswith("./")}

    assert named <= set(document()["volumes"])
    assert [one for one in mounts if one.startswith("./") and not _source(one).exists()] == []


def _source(mount: str) -> Path:
    return ROOT / mount.partition(":")[0]


@pytest.mark.parametrize("name", TSR)
def test_a_command_of_the_router_image_is_one_of_tsr(name: str) -> None:
    verb, *given = services()[name]["command"]
    command = typer.main.get_group(application)
    subcommand = command.commands[verb]

    context = subcommand.make_context(verb, [_inside(word) for word in given])

    assert context.args == []


def _inside(word: str) -> str:
    return word.replace("/etc/tsr", str(ROOT / "configs"))


@pytest.mark.parametrize("name", [name for name in TSR if name.startswith("router-")])
def test_a_policy_compiles_and_its_backends_are_services(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = services()[name]
    for key, value in service["environment"].items():
        monkeypatch.setenv(key, value or "of the environment")
    at = service["command"].index("--config")
    config = compile_file(_inside(service["command"][at + 1])).config

    found = {ref.endpoint for model in config.providers.models for ref in model.backend_refs or ()}
    [profile] = service["profiles"]
    for endpoint in found:
        host, _, port = str(endpoint).partition(":")
        [(to, other)] = [(n, s) for n, s in of(profile).items() if host in aliases(n, s)]
        assert f":{port}/" in other["healthcheck"]["test"][-1]  # it listens where it is asked
        assert to in service["depends_on"]


def test_the_management_plane_leaves_its_container_only_behind_tokens() -> None:
    for name in (name for name in TSR if name.startswith("router-")):
        service = services()[name]
        path = _inside(service["command"][service["command"].index("--config") + 1])
        plane = compile_file(path).config.global_.services.management_api
        published = [one for one in service["ports"] if one.endswith(":8080")]
        assert bool(published) == (plane.bind_address == "0.0.0.0")
        assert not published or plane.auth.mode == "bearer"
        assert {one.env for one in plane.auth.tokens} <= set(service["environment"])


def test_triton_is_started_with_flags_that_it_has() -> None:
    program, *flags = services()["triton"]["command"]
    given = {flag.partition("=")[0] for flag in flags}

    assert program == "tritonserver"
    assert given <= TRITON_FLAGS


def test_prometheus_scrapes_services_of_its_profile() -> None:
    names = {alias for name, one in of("gpu").items() for alias in aliases(name, one)}
    scraped = yaml.safe_load((ROOT / "configs/observability/prometheus.yml").read_text())
    targets = {
        target.partition(":")[0]
        for job in scraped["scrape_configs"]
        for one in job["static_configs"]
        for target in one["targets"]
    }

    assert targets <= names
    token = scraped["scrape_configs"][0]["authorization"]["credentials_file"]
    assert token in services()["prometheus"]["entrypoint"][2]


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
def test_what_a_dockerfile_copies_is_there_and_not_ignored(path: Path) -> None:
    ignored = [
        line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] != "#"
    ]

    for source in copied(path):
        assert (ROOT / source).exists(), source
        assert [one for one in ignored if fnmatch.fnmatch(source, one)] == []


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
def test_every_stage_that_runs_is_not_root_and_needs_no_registry_by_name(path: Path) -> None:
    text = path.read_text()

    assert re.findall(r"^USER (\d+):\d+$", text, re.MULTILINE)
    assert not re.search(r"^USER (root|0)", text, re.MULTILINE)
    assert "index-url" not in text


def test_the_router_image_starts_what_compose_starts() -> None:
    text = (ROOT / "docker/router.Dockerfile").read_text()
    [entry] = re.findall(r"^ENTRYPOINT (\[.*\])$", text, re.MULTILINE)
    [command] = re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)

    assert yaml.safe_load(entry) == ["tsr"]
    assert yaml.safe_load(command) == services()["router-demo"]["command"]


@pytest.mark.parametrize("script", sorted((ROOT / "docker").glob("*.sh")), ids=lambda p: p.name)
def test_a_script_parses(script: Path) -> None:
    shell = shlex.split(script.read_text().splitlines()[0].removeprefix("#!"))[-1]

    done = subprocess.run([Path(shell).name, "-n", script], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
