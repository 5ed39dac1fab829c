"""Each way to break a repository has its line: file, what is wrong, what is right, a command."""

import shutil

import pytest

from orchestrator.errors import ServerStartError
from orchestrator.inference.inspecting.inspect import Wanted, inspect
from orchestrator.inference.plans import Place
from tests.inference.inspecting.copies import copied, engine, line_of, rewritten, row, sha256_of

EXPECTS = {"jailbreak": frozenset({"benign", "jailbreak"})}


@pytest.fixture
def repository(tmp_path):
    return copied(tmp_path)


UNKNOWN = Place()


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
            "run: python -m build_engines all text_embedding --target tensorrt"
        )


def remove(name):
    def damage(repository):
        path = repository / name
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    return damage


def change(name, old, new):
    return lambda repository: rewritten(repository / name, old, new)


SIGNALS = "text_signals/config.pbtxt"
GIT = "git checkout -- model_repository/"
FLEET = "python -m build_engines.fleet text_signals --repository {repository}"
ALL = "python -m build_engines all {model} --repository {repository}"


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        pytest.param(
            remove("image_signals/1"),
            "image_signals/1: missing: Triton wants the folder of a version; "
            f"right: a folder called by a number; run: {GIT}image_signals/1",
            id="no version of an ensemble",
        ),
        pytest.param(
            remove("image_preprocess/1/model.py"),
            "image_preprocess/1/model.py: missing: it is what python loads; "
            f"right: the file of a finished build; run: {GIT}image_preprocess/1",
            id="no file in the version",
        ),
        pytest.param(
            remove("text_signals/1/reader.py"),
            "text_signals/1/model.py:{reader}: imports reader, which is neither beside it nor "
            f"installed; right: text_signals/1/reader.py; run: {GIT}text_signals/1/reader.py",
            id="no module that is imported",
        ),
        pytest.param(
            change("text_signals/1/reader.py", "def warm(self)", "def warm self"),
            "text_signals/1/reader.py:{warm}: is no Python: ",
            id="code that is cut",
        ),
        pytest.param(
            remove("text_signals_tokens/tokenizer.json"),
            "text_signals_tokens/tokenizer.json: missing: its model.py reads it; right: the file "
            "of the published model, or a link to it; "
            f"run: {GIT}text_signals_tokens/tokenizer.json",
            id="no tokenizer",
        ),
        pytest.param(
            remove("text_embedding/1/averages.py"),
            "text_signals/1/averages.py: a link to ../../text_embedding/1/averages.py, where there "
            "is nothing; right: copy the models together, or with their links followed: cp -rL; "
            f"run: {GIT}text_signals/1/averages.py",
            id="a dead link",
        ),
        pytest.param(
            remove("text_signals_encoder/warmup/ids_1x64"),
            "text_signals_encoder/warmup/ids_1x64: missing: the warm-up "
            '"1 x 64 tokens, batch 1" takes its INPUT_IDS from there; right: the file that is '
            f"rendered with the config; run: {FLEET}",
            id="no warm-up file",
        ),
        pytest.param(
            remove("text_signals/config.pbtxt"),
            f"text_signals/config.pbtxt: missing; right: a config of the model; run: {FLEET}",
            id="no config",
        ),
        pytest.param(
            remove("vision_encoder/configs/cpu.pbtxt"),
            "vision_encoder/configs/cpu.pbtxt: missing: without it this form loads an engine; "
            "right: the config of the model for CPUs; "
            "run: python -m build_engines.fleet vision_encoder --repository {repository}",
            id="no config for CPUs",
        ),
        pytest.param(
            change(SIGNALS, "max_batch_size: 32", "max_batch_size: many"),
            "text_signals/config.pbtxt:4: does not parse: 'max_batch_size: many': "
            "Couldn't parse integer: many; "
            f"right: a ModelConfig in protobuf's text format; run: {FLEET}",
            id="no number",
        ),
        pytest.param(
            change(SIGNALS, "max_batch_size", "max_bach_size"),
            "text_signals/config.pbtxt:4: does not parse: Message type "
            '"inference.ModelConfig" has no field named "max_bach_size".; '
            f"right: a ModelConfig in protobuf's text format; run: {FLEET}",
            id="no such key",
        ),
        pytest.param(
            change(SIGNALS, 'name: "text_signals"', 'name: "text_signal"'),
            'text_signals/config.pbtxt:2: name is "text_signal"; right: "text_signals", as its '
            f"folder is called; run: {FLEET}",
            id="another name",
        ),
        pytest.param(
            change(SIGNALS, '"text_signals_encoder"', '"text_signals_engine"'),
            'text_signals/config.pbtxt:{engine}: its step "text_signals_engine" is no model of '
            f'this repository; right: "text_signals_encoder"; run: {FLEET}',
            id="an unknown step",
        ),
        pytest.param(
            change(SIGNALS, 'key: "LENGTHS" value: "lengths"', 'key: "SIZES" value: "lengths"'),
            'text_signals/config.pbtxt:{sizes}: its step "text_signals_tokens" has no output '
            "SIZES; right: one of INPUT_IDS, LENGTHS, PARTS, PLACES, TRUNCATED, UNREADABLE, "
            f"WINDOWS; run: {FLEET}",
            id="an output that a step lacks",
        ),
        pytest.param(
            change(SIGNALS, 'input_map { key: "LENGTHS"', 'input_map { key: "LENGHTS"'),
            'text_signals/config.pbtxt:{encoder}: its step "text_signals_encoder" is not given '
            f'LENGTHS; right: input_map {{{{ key: "LENGTHS" value: … }}}}; run: {FLEET}',
            id="an input that is not mapped",
        ),
        pytest.param(
            change(SIGNALS, 'value: "embedding_w"', 'value: "embeddings"'),
            'text_signals/config.pbtxt:{answers}: its step "text_signals_answers" takes '
            'EMBEDDING_W from "embedding_w", which nothing makes; right: "embeddings"; '
            f"run: {FLEET}",
            id="a tensor that nothing makes",
        ),
        pytest.param(
            change(
                "text_signals_encoder/config.pbtxt",
                '"LENGTHS" data_type: TYPE_INT32',
                '"LENGTHS" data_type: TYPE_INT64',
            ),
            'text_signals/config.pbtxt:{lengths}: its step "text_signals_encoder" takes LENGTHS '
            'INT64 [-1], its step "text_signals_tokens" makes LENGTHS INT32 [-1]; '
            f"right: one type and the same dimensions in both configs; run: {FLEET}",
            id="another type",
        ),
        pytest.param(
            change("text_signals_answers/config.pbtxt", "dims: [ -1, 384 ]", "dims: [ -1, 768 ]"),
            'text_signals/config.pbtxt:{answers}: its step "text_signals_answers" takes '
            'EMBEDDING_W FP32 [-1, 768], its step "text_signals_encoder" makes EMBEDDING_W FP32 '
            f"[-1, 384]; right: one type and the same dimensions in both configs; run: {FLEET}",
            id="another width",
        ),
        pytest.param(
            change("text_signals_encoder/config.pbtxt", "dims: [ -1, -1 ]", "dims: [ -1 ]"),
            'text_signals/config.pbtxt:{ids}: its step "text_signals_encoder" takes INPUT_IDS '
            'INT32 [-1], its step "text_signals_tokens" makes INPUT_IDS INT32 [-1, -1]; '
            f"right: one type and the same dimensions in both configs; run: {FLEET}",
            id="another rank",
        ),
        pytest.param(
            change("text_signals_encoder/config.pbtxt", "max_batch_size: 32", "max_batch_size: 8"),
            "text_signals/config.pbtxt:{encoder}: max_batch_size is 32, its step "
            f'"text_signals_encoder" takes 8; right: at most 8; run: {FLEET}',
            id="a step of smaller batches",
        ),
        pytest.param(
            change("text_signals/labels.json", '"benign"', '"harmless"'),
            "text_signals/labels.json: task jailbreak has other labels than expected (missing: "
            "'benign'; extra: 'harmless'); right: the labels that the router's signals ask for; "
            "run: python -m build_engines all text_signals",
            id="another label",
        ),
        pytest.param(
            change("text_signals/labels.json", '"kind": "sequence"', '"kind": "sentence"'),
            "text_signals/labels.json: cannot be read: ",
            id="labels that cannot be read",
        ),
        pytest.param(
            change("text_signals/configs/cpu.pbtxt", "dims: [ 14 ]", "dims: [ 13 ]"),
            "text_signals/configs/cpu.pbtxt:{domain}: PROBS_domain has dims [13]; "
            f"right: dims [14]; run: {FLEET}",
            id="fewer probabilities than labels",
        ),
        pytest.param(
            change("text_signals/configs/cpu.pbtxt", '"PROBS_modality"', '"PROBS_modal"'),
            "text_signals/configs/cpu.pbtxt:{modal}: output PROBS_modal, for which labels.json "
            f"has no task; right: no such output; run: {FLEET}",
            id="an output of no task",
        ),
        pytest.param(
            change("text_signals/goldens.json", '"names"', '"Names"'),
            "text_signals/goldens.json: not the published file (sha256 {goldens}…): the receipt "
            "is stale, or it is; right: sha256 ",
            id="a stale receipt",
        ),
        pytest.param(
            remove("text_embedding/1/model.onnx"),
            "text_embedding/1/model.onnx: not the network that the branches of text_signals were "
            "made for; right: sha256 ",
            id="no trunk",
        ),
        pytest.param(
            change("text_embedding/receipt.json", '"command"', '"comand"'),
            "text_embedding/receipt.json: cannot be read: ",
            id="a receipt that cannot be read",
        ),
    ],
)
def test_what_is_broken_has_its_line(repository, damage, line):
    damage(repository)
    config, cpu = repository / SIGNALS, repository / "text_signals/configs/cpu.pbtxt"
    steps = ("ensemble_scheduling", "text_signals_encoder", "text_signals_answers")
    code = repository / "text_signals/1"
    places = {
        "repository": repository,
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
        assert line.endswith("run: python -m build_engines all text_signals --target tensorrt")


def test_a_plan_without_a_record(repository):
    engine(repository).unlink()

    assert told(repository) == [
        "text_signals_encoder/engine.json: missing: nobody knows whose plan it is; "
        "right: a record beside it; "
        "run: python -m build_engines all text_signals --target tensorrt"
    ]
