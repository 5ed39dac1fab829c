import json
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines import check_parity, export_onnx, publish
from build_engines.errors import StaleError


@pytest.fixture
def checked(tiny):
    job = tiny.job()
    export_onnx.run(job)
    check_parity.run(job)
    return job


def test_what_is_published_verifies(checked):
    publish.run(checked)

    publish.verify(checked)
    assert 'name: "tiny"' in (checked.target / "config.pbtxt").read_text()
    receipt = json.loads((checked.target / "receipt.json").read_text())
    assert [step["step"] for step in receipt["steps"]] == ["export", "parity"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(
            lambda job: (job.build / "parity.json").unlink(),
            "parity has not run; run: python -m build_engines parity tiny",
            id="parity missing",
        ),
        pytest.param(
            lambda job: (job.build / "model.onnx").write_bytes(b"other"),
            "model.onnx has changed since export",
            id="network replaced",
        ),
        pytest.param(
            lambda job: (job.build / "goldens.json").unlink(),
            "goldens.json is gone since parity",
            id="goldens removed",
        ),
        pytest.param(
            lambda job: job.texts.write_text("[]"),
            "tiny.json has changed since parity",
            id="texts changed",
        ),
    ],
)
def test_a_stale_predecessor_is_refused(checked, spoil, message):
    spoil(checked)

    with pytest.raises(StaleError, match=message):
        publish.run(checked)

    assert not checked.target.exists()


def test_a_changed_spec_makes_the_build_stale(checked):
    text = checked.spec.text.model_copy(update={"overlap": 2})
    changed = replace(checked, spec=checked.spec.model_copy(update={"text": text}))

    with pytest.raises(StaleError, match="the spec has changed since export"):
        publish.run(changed)
