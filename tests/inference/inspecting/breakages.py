"""How a repository is broken, and the line that says so; {names} are filled in by the test."""

import shutil

import pytest

from tests.inference.inspecting.copies import rewritten


def remove(name):
    def damage(repository):
        path = repository / name
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    return damage


def restored(name):
    return f"cp -rL {{published}}/{name} {{repository}}/{name}"


def change(name, old, new):
    return lambda repository: rewritten(repository / name, old, new)


SIGNALS = "text_signals/config.pbtxt"
FLEET = "python -m build_engines.fleet text_signals --repository {repository}"
ALL = "python -m build_engines all {model} --repository {repository}"


# What is done to a copy, and how the line begins.
BROKEN = [
    pytest.param(
        remove("image_signals/1"),
        "image_signals/1: missing: Triton wants the folder of a version; "
        f"right: a folder called by a number; run: {restored('image_signals/1')}",
        id="no version of an ensemble",
    ),
    pytest.param(
        remove("image_preprocess/1/model.py"),
        "image_preprocess/1/model.py: missing: it is what python loads; "
        f"right: the file of a finished build; run: {restored('image_preprocess/1')}",
        id="no file in the version",
    ),
    pytest.param(
        remove("text_signals/1/reader.py"),
        "text_signals/1/model.py:{reader}: imports reader, which is neither beside it nor "
        f"installed; right: text_signals/1/reader.py; run: {restored('text_signals/1/reader.py')}",
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
        f"run: {restored('text_signals_tokens/tokenizer.json')}",
        id="no tokenizer",
    ),
    pytest.param(
        remove("text_embedding/1/averages.py"),
        "text_signals/1/averages.py: a link to ../../text_embedding/1/averages.py, where there "
        "is nothing; right: copy the models together, or with their links followed: cp -rL; "
        f"run: {restored('text_signals/1/averages.py')}",
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
        "run: python -m build_engines all text_signals --repository {repository}",
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
]
