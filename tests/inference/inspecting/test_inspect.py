"""Each way to break a repository has its line: file, what is wrong, what is right, a command."""

import sys

import pytest

from orchestrator.errors import ServerStartError
from orchestrator.inference.inspecting.inspect import Wanted, inspect
from orchestrator.inference.inspecting.problem import restored
from orchestrator.inference.plans import Place
from orchestrator.inference.repository import default_repository
from tests.inference.inspecting.breakages import BROKEN, SIGNALS
from tests.inference.inspecting.copies import copied, engine, line_of, row, sha256_of
from tests.inference.inspecting.together import LONG, TOGETHER

EXPECTS = {"jailbreak": frozenset({"benign", "jailbreak"})}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    # Other tests import the code of models, and have it on the path until the session ends.
    monkeypatch.setattr(sys, "path", [one for one in sys.path if "model_repository" not in one])
    return copied(tmp_path)


UNKNOWN = Place()
ENGINE = "python -m build_engines all text_signals --target tensorrt"


def told(repository, form=None, place=UNKNOWN):
    report = inspect(repository, Wanted(form, place, EXPECTS, "text_signals"))
    return [str(one) for one in report.problems]


def test_the_published_repository_is_whole(repository):
    report = inspect(repository, Wanted(expects=EXPECTS, asked="text_signals"))

    assert report.problems == ()
    assert report.forms[:2] == ("gpu", "cpu")
    assert "text_signals_encoder" in report.unbuilt


@pytest.mark.parametrize("form", ["cpu", "onnxruntime", "gpu"])
def test_a_form_alone_wants_what_it_loads(repository, form):
    found = told(repository, form)

    wanted = {"cpu": [], "onnxruntime": ["model.onnx"] * 2, "gpu": ["model.plan"] * 3}[form]
    assert [one.partition(":")[0].rpartition("/")[2] for one in found] == wanted
    if form == "onnxruntime":
        network = "python -m build_engines.fleet.network text_embedding"
        assert found[0].endswith(f"run: {network} {repository}")
    if form == "gpu":
        assert found[0] == (
            "text_embedding_encoder/1/model.plan: missing: it is what tensorrt_plan loads; "
            "right: the file of a finished build; "
            "run: python -m build_engines all text_embedding --target tensorrt "
            f"--repository {repository}"
        )


@pytest.mark.parametrize(("damage", "line"), BROKEN)
def test_what_is_broken_has_its_line(repository, damage, line):
    damage(repository)
    config, cpu = repository / SIGNALS, repository / "text_signals/configs/cpu.pbtxt"
    steps = ("ensemble_scheduling", "text_signals_encoder", "text_signals_answers")
    code = repository / "text_signals/1"
    places = {
        "repository": repository,
        "published": default_repository(),
        "goldens": sha256_of(repository / "text_signals/goldens.json")[:12],
    }
    words = {
        "engine": (config, "text_signals_engine"),
        "encoder": (config, "text_signals_encoder"),
        "sizes": (config, "SIZES"),
        "ids": (config, "text_signals_encoder", "input_ids"),
        "lengths": (config, "text_signals_encoder", "lengths"),
        "answers": (config, *steps[2:], "embedding_w"),
        "domain": (cpu, "PROBS_domain"),
        "modal": (cpu, "PROBS_modal"),
    }
    for name in words:
        if f"{{{name}}}" in line:
            places[name] = line_of(*words[name])
    places["reader"] = row(code / "model.py", "from reader import")
    places["warm"] = row(code / "reader.py", "def warm self")

    found = told(repository)

    assert any(one.startswith(line.format(**places)) for one in found), found


@pytest.mark.parametrize("damages", TOGETHER)
def test_each_of_many_damages_has_its_line(repository, damages):
    for damage, _ in damages:
        damage(repository)

    found = told(repository)

    step = row(repository / "text_embedding/config.pbtxt", f'model_name: "{LONG}"')
    lines = [
        line.format(repository=repository, published=default_repository(), step=step)
        for _, line in damages
    ]
    assert [line for line in lines if not any(one.startswith(line) for one in found)] == []


def test_a_command_can_be_run_where_it_is_read(tmp_path):
    copy, checkout, own = tmp_path / "my models", tmp_path / "checkout" / "models", "mine/1"
    copy.mkdir()
    checkout.mkdir(parents=True)
    (checkout.parent / ".git").mkdir()
    file = "text_signals/labels.json"

    assert restored(copy, file) == f"cp -rL {default_repository() / file} '{copy / file}'"
    assert restored(copy, own) == ""
    assert restored(checkout, file) == f"git -C {checkout} checkout -- {file}"


def test_a_form_that_nobody_has(repository):
    assert told(repository, "fast") == [
        "*/configs/fast.pbtxt: no model has it, so Triton would take every config.pbtxt; "
        "right: one of gpu, cpu, onnxruntime; "
        f"run: tsr repository check {repository} --form cpu"
    ]


def test_a_repository_that_is_not_there(tmp_path):
    with pytest.raises(ServerStartError, match="does not exist"):
        told(tmp_path / "none")


@pytest.mark.parametrize(
    ("stated", "place", "wrong"),
    [
        pytest.param({}, Place(), None, id="nothing is known of where it runs"),
        pytest.param(
            {}, Place(gpu="NVIDIA H200", capability="9.0", tensorrt="10.13.3.9"), None, id="there"
        ),
        pytest.param(
            {},
            Place(tensorrt="10.5.0"),
            "it was built by TensorRT 10.13.3.9, here is 10.5.0",
            id="another TensorRT",
        ),
        pytest.param(
            {},
            Place(gpu="NVIDIA L4", capability="8.9"),
            "it was built for compute capability 9.0 (NVIDIA H200), here is 8.9 (NVIDIA L4)",
            id="another GPU",
        ),
        pytest.param(
            {"plan": "0" * 64}, Place(), "not the published file (sha256 ", id="another plan"
        ),
        pytest.param(
            {"networks": {"text_signals/1/branches.onnx": "0" * 64}},
            Place(),
            "built from another text_signals/1/branches.onnx than is here",
            id="another network",
        ),
    ],
)
def test_an_engine_fits_its_place_and_its_record(repository, stated, place, wrong):
    engine(repository, **stated)

    found = told(repository, place=place)

    if wrong is None:
        assert found == []
    else:
        [line] = found
        assert line.startswith(f"text_signals_encoder/1/model.plan: {wrong}")
        assert line.endswith(f"run: {ENGINE} --repository {repository}")


def test_a_plan_without_a_record(repository):
    engine(repository).unlink()

    assert told(repository) == [
        "text_signals_encoder/engine.json: missing: nobody knows whose plan it is; "
        "right: a record beside it; "
        f"run: {ENGINE} --repository {repository}"
    ]
