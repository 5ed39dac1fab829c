"""An engine in the repository and what is said of it, where there is no GPU and no torch."""

import json
from typing import get_args

import pytest

from build_engines.errors import DriftError
from build_engines.gpu import publish
from build_engines.gpu.asked import Asked
from build_engines.gpu.hardware import Hardware
from build_engines.gpu.job import job_of
from build_engines.job import sha256
from orchestrator.inference import plans
from tests.inference.inspecting.copies import copied, engine


@pytest.fixture
def asked(tmp_path):
    return Asked("text_signals", tmp_path / "build", copied(tmp_path))


def record(asked, **changed):
    """What a build leaves."""
    job = asked.job()
    repository = job.target.parent
    networks = {str(one.relative_to(repository)): sha256(one) for one in job.networks()}
    return engine(repository, **{"spec": job.spec.digest(), "networks": networks} | changed)


def test_all_hardware_that_is_built_for_is_read():
    assert {*get_args(plans.Hardware)} == {*Hardware}


def test_what_was_compared_is_not_refused(asked):
    record(asked)

    assert "is the one that was compared" in publish.verified(asked)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        pytest.param({"networks": {"text_signals/1/branches.onnx": "0"}}, "has changed", id="net"),
        pytest.param({"networks": {}}, "networks: ", id="made of nothing"),
        pytest.param({"spec": "0"}, "the spec has changed since", id="another spec"),
        pytest.param({"built": {}}, "tensorrt: ", id="a place of which nothing is known"),
        pytest.param({"plan": 5}, "plan: ", id="no digest"),
    ],
)
def test_a_record_that_lies_is_named_with_the_command(asked, changed, why):
    record(asked, **changed)

    with pytest.raises(DriftError) as raised:
        publish.verified(asked)
    assert why in str(raised.value)
    assert "run: python -m build_engines all text_signals --target tensorrt" in str(raised.value)


@pytest.mark.parametrize(
    "left",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b'{"plan": "', id="the beginning"),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param(json.dumps([]).encode(), id="a list"),
    ],
)
def test_what_a_build_that_was_stopped_leaves_is_told_in_one_line(asked, left):
    record(asked).write_bytes(left)
    job = job_of("text_signals", asked.build, asked.repository)
    job.build.mkdir(parents=True)
    (job.build / "export.json").write_bytes(left)

    for check, what in ((publish.verify, "engine.json"), (publish.run, "export.json")):
        with pytest.raises(Exception, match="; run: python -m build_engines ") as raised:
            check(job)
        assert what in str(raised.value)
