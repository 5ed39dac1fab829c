import json
from dataclasses import replace

import pytest

from orchestrator.inference.plans import Engine, Place, engines, read, refusal

H200 = Place("NVIDIA H200", "9.0", "570.86.15", "10.13.3.9", "25.12", "2.64.0")
RECORD = {
    "command": "python -m build_engines all text_signals --target tensorrt",
    "hardware": "same",
    "versions": False,
    "built": {
        "gpu": "NVIDIA H200",
        "capability": "9.0",
        "driver": "570.86.15",
        "tensorrt": "10.13.3.9",
        "container": "25.12",
        "server": "2.64.0",
    },
    "plan": "0" * 64,
    "networks": {"text_signals/1/branches.onnx": "1" * 64},
    "spec": "2" * 64,
}


def built(**changed):
    return RECORD | {"built": RECORD["built"] | changed}


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "text_signals_encoder"
    folder.mkdir()
    (folder / "engine.json").write_text(json.dumps(RECORD))
    return folder / "engine.json"


def engine(path, **changed):
    return replace(read(path), **changed)


def test_a_record_is_read(path):
    rest = (RECORD[name] for name in ("plan", "networks", "spec"))
    assert read(path) == Engine(path, RECORD["command"], "same", False, H200, *rest)


@pytest.mark.parametrize(
    ("here", "changed"),
    [
        pytest.param(H200, {}, id="where it was built"),
        pytest.param(replace(H200, tensorrt="10.13.3.11"), {}, id="another build of the release"),
        pytest.param(replace(H200, driver="580.1"), {}, id="another driver"),
        pytest.param(Place(), {}, id="nothing is known"),
        pytest.param(Place(server="2.64.0"), {}, id="the same server"),
        pytest.param(replace(H200, server="2.65.0"), {}, id="another server, the same TensorRT"),
        pytest.param(
            replace(H200, tensorrt="10.16.1.11"), {"versions": True}, id="a later version"
        ),
        pytest.param(Place(server="2.65.0"), {"versions": True}, id="a later server"),
        pytest.param(
            replace(H200, gpu="NVIDIA H100"), {"hardware": "capability"}, id="its generation"
        ),
        pytest.param(
            replace(H200, gpu="NVIDIA L4", capability="8.9"), {"hardware": "ampere"}, id="Ada"
        ),
    ],
)
def test_an_engine_that_can_run_is_not_refused(path, here, changed):
    assert refusal(engine(path, **changed), here) is None


@pytest.mark.parametrize(
    ("here", "changed", "why"),
    [
        pytest.param(
            replace(H200, tensorrt="10.11.0.33"),
            {},
            "it was built by TensorRT 10.13.3.9, here is 10.11.0.33",
            id="another version",
        ),
        pytest.param(
            replace(H200, tensorrt="10.11.0.33"),
            {"versions": True},
            "it was built by TensorRT 10.13.3.9, here is 10.11.0.33",
            id="an earlier version",
        ),
        pytest.param(
            replace(H200, tensorrt="11.4.0.106"),
            {"versions": True},
            "it was built by TensorRT 10.13.3.9, here is 11.4.0.106",
            id="another major version",
        ),
        pytest.param(
            Place(server="2.51.0"), {}, "it was built in Triton 2.64.0, here is 2.51.0", id="server"
        ),
        pytest.param(
            replace(H200, gpu="NVIDIA H100"),
            {},
            "it was built for NVIDIA H200, here is NVIDIA H100",
            id="another GPU",
        ),
        pytest.param(
            replace(H200, gpu="NVIDIA L4", capability="8.9"),
            {"hardware": "capability"},
            "it was built for compute capability 9.0 (NVIDIA H200), here is 8.9 (NVIDIA L4)",
            id="another generation",
        ),
        pytest.param(
            replace(H200, gpu="Tesla T4", capability="7.5"),
            {"hardware": "ampere"},
            "it needs compute capability 8.0, here is 7.5",
            id="before Ampere",
        ),
    ],
)
def test_an_engine_of_another_place_is_refused_with_the_command(path, here, changed, why):
    said = refusal(engine(path, **changed), here)

    assert said == f"text_signals_encoder: {why}; run there: {RECORD['command']}"


def test_all_that_is_wrong_is_said_at_once(path):
    said = refusal(read(path), Place("Tesla T4", "7.5", "", "10.11.0.33"))

    assert "TensorRT 10.13.3.9" in said
    assert "compute capability 9.0" in said


def test_a_repository_may_have_none(tmp_path):
    assert list(engines(tmp_path)) == []


def test_engines_are_found_by_their_records(path):
    assert [one.path for one in engines(path.parent.parent)] == [path]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{", id="not JSON"),
        pytest.param("{}", id="empty"),
        pytest.param("[]", id="a list"),
        pytest.param("[" * 100_000, id="too deep"),
        pytest.param(json.dumps(RECORD | {"built": "here"}), id="no place"),
        pytest.param(json.dumps(RECORD | {"built": {}}), id="a place of which nothing is known"),
        pytest.param(json.dumps(built(tensorrt="the latest")), id="no version"),
        pytest.param(json.dumps(built(tensorrt="10.²")), id="a digit that is no number"),
        pytest.param(json.dumps(built(capability="best")), id="no capability"),
        pytest.param(json.dumps(RECORD | {"hardware": "any"}), id="unknown hardware"),
        pytest.param(json.dumps(RECORD | {"versions": "false"}), id="a word for a truth"),
        pytest.param(json.dumps(RECORD | {"networks": {}}), id="made of nothing"),
    ],
)
def test_a_broken_record_is_named(path, text):
    path.write_text(text)

    with pytest.raises(ValueError, match=r"engine.json: not a record of an engine"):
        read(path)


def test_a_record_that_cannot_be_opened_is_named(path):
    path.unlink()
    path.mkdir()

    with pytest.raises(ValueError, match=r"engine.json: not a record of an engine: .*directory"):
        read(path)
