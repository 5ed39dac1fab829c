"""What is printed and refused; tests/build_engines/live compares, where there is torch."""

import importlib.util
import json
from types import SimpleNamespace

import pytest
from rich.console import Console

from orchestrator.cli import parity
from orchestrator.errors import RouterError

VECTORS = ("end_to_end", "forward_only", "preprocess_only")


def outcome(*differs, names=("a.png", "b[/b].png"), refused=None):
    figures = {"min": 0.5, "mean": 0.75, "max": 1.0, "max_abs": None, "known_max_abs": 0.25}
    rows = [
        {"name": name, **{one: {"cosine": 1 - at / 100, "max_abs": 0.0} for one in VECTORS}}
        for at, name in enumerate(names)
    ]
    document = {"summary": dict.fromkeys(VECTORS, figures), "images": rows}
    return SimpleNamespace(
        document=document | {"refused": refused or {}, "differs": list(differs)}, differs=differs
    )


def test_what_agrees_is_printed(capsys):
    parity.told("vision_encoder", outcome(), as_json=False)

    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == list(VECTORS)
    assert ["min", *["0.5000000"] * 3] in rows
    assert ["max_abs", *["not", "finite"] * 3] in rows
    assert ["known_max_abs", *["0.2500000"] * 3] in rows
    assert ["b[/b].png", *["0.9900000"] * 3] in rows


def test_what_differs_is_named_after_all_is_printed(capsys):
    with pytest.raises(RouterError) as raised:
        parity.told("vision_encoder", outcome("preprocessing: BGR", "encoder: x"), as_json=True)

    assert str(raised.value) == (
        "vision_encoder differs from its reference: preprocessing: BGR; encoder: x"
    )
    assert json.loads(capsys.readouterr().out)["differs"] == ["preprocessing: BGR", "encoder: x"]


def test_a_picture_that_is_not_read_is_named(capsys):
    parity.told("m", outcome(refused={"c.png": "empty"}), as_json=True)

    assert capsys.readouterr().err == "warning: c.png is not read: empty\n"


def test_of_many_the_worst_are_shown(capsys):
    names = [f"{at}.png" for at in range(50)]

    parity.show(Console(width=120), outcome(names=names).document)

    out = capsys.readouterr().out
    assert "49.png" in out
    assert " 3.png" not in out
    assert "and 10 that are nearer" in out


def test_texts_have_one_vector(capsys):
    figures = {"min": 1.0, "mean": 1.0, "max": 1.0, "max_abs": 0.0}
    summary = {"forward_only": figures, "probabilities": {"max_abs": {"domain": 0.001}}}
    row = {"name": "empty", "forward_only": {"cosine": 1.0, "max_abs": 0.0}}

    parity.show(Console(width=120), {"summary": summary, "texts": [row]})

    rows = [one.split() for one in capsys.readouterr().out.splitlines()]
    assert ["empty", "1.0000000"] in rows
    assert ["probabilities", "max_abs"] in rows
    assert ["domain", "0.0010000"] in rows
    assert not any(row[:1] == ["known_max_abs"] for row in rows), "texts have no KNOWN"


@pytest.fixture
def config(tmp_path):
    """A policy with a model repository of its own, with one model and no server."""
    (tmp_path / "models" / "toy").mkdir(parents=True)
    (tmp_path / "models" / "toy" / "config.pbtxt").write_text('name: "toy"')
    path = tmp_path / "config.yaml"
    triton = {"model_repository": str(tmp_path / "models")}
    path.write_text(json.dumps({"global": {"services": {"triton": triton}}, "routing": {}}))
    return path


def test_a_model_that_is_not_there_is_one_line(tsr, config, tmp_path):
    ended = tsr("parity", "vision_encoder", "--config", config)

    assert ended.code == 1
    assert ended.lines == [
        f"error: the model repository {tmp_path / 'models'} has no vision_encoder; it has: toy"
    ]


def test_a_folder_that_is_not_there_is_one_line(tsr, config, tmp_path):
    ended = tsr("parity", "toy", "--config", config, "--images", tmp_path / "absent")

    assert (ended.code, ended.lines) == (1, [f"error: {tmp_path / 'absent'} is no folder"])


def test_an_address_is_host_and_port(tsr):
    assert tsr("parity", "text_embedding", "--triton-url", "http://a").code == 2


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is not None, reason="the extra is installed here"
)
def test_without_the_extra_it_is_said_in_one_line(tsr, config):
    ended = tsr("parity", "toy", "--config", config)

    assert ended.code == 2
    [line] = ended.lines
    assert line.startswith("error: tsr parity needs the extra `engines` (")
    assert line.endswith("is missing): pip install -e '.[engines]'")


def test_a_wheel_has_no_builder(tsr, config, monkeypatch):
    monkeypatch.setattr(parity, "ENGINES", "build_engines.none.such")

    ended = tsr("parity", "toy", "--config", config)

    assert ended.code == 2
    [line] = ended.lines
    assert line.startswith("error: tsr parity needs build_engines, which no wheel has: run it in")
