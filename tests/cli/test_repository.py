"""`tsr repository check`: lines and JSON, and an exit status."""

import json

import pytest

from orchestrator.inference.repository import default_repository
from tests.inference.inspecting.copies import copied, engine, rewritten


@pytest.fixture
def repository(tmp_path):
    return copied(tmp_path)


def test_the_published_repository_is_whole(tsr):
    told = tsr("repository", "check")

    assert told.code == 0, told.out
    assert "forms gpu, cpu, onnxruntime: no problem" in told.out


def test_what_is_broken_is_a_line_each(tsr, repository):
    (repository / "image_preprocess" / "1" / "model.py").unlink()
    rewritten(repository / "text_signals" / "labels.json", '"benign"', '"[harmless]"')

    told = tsr("repository", "check", repository)

    assert told.code == 1
    first, *_, last = told.out.splitlines()
    assert first == (
        "error: image_preprocess/1/model.py: missing: it is what python loads; right: the file of "
        "a finished build; run: cp -rL "
        f"{default_repository()}/image_preprocess/1 {repository}/image_preprocess/1"
    )
    assert any("missing: 'benign'; extra: '[harmless]'" in line for line in told.out.splitlines())
    assert last.startswith(f"{repository}: ") and last.endswith("problems")


def test_json(tsr, repository):
    engine(repository)

    told = tsr("repository", "check", repository, "--tensorrt", "10.5.0", "--json")

    document = json.loads(told.out)
    assert (told.code, document["repository"]) == (1, str(repository))
    [problem] = document["problems"]
    assert problem == {
        "file": "text_signals_encoder/1/model.plan",
        "line": None,
        "wrong": "it was built by TensorRT 10.13.3.9, here is 10.5.0",
        "right": "an engine built where it is served",
        "command": "python -m build_engines all text_signals --target tensorrt "
        f"--repository {repository}",
    }
    assert "text_signals_encoder" not in document["unbuilt"]


def test_a_form_that_nobody_has(tsr, repository):
    told = tsr("repository", "check", repository, "--form", "fast")

    assert told.code == 1
    assert "*/configs/fast.pbtxt: no model has it" in told.out


def test_no_repository(tsr, tmp_path):
    told = tsr("repository", "check", tmp_path / "none")

    assert told.code == 1
    assert told.lines == [f"error: the model repository {tmp_path / 'none'} does not exist"]


def test_a_verb_is_asked_for(tsr):
    told = tsr("repository")

    assert told.code == 2
    assert "check" in told.out + told.err
