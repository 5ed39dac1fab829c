import pytest

from orchestrator.inference.repository import CPU
from perf.arms.repositories import build, copy_names, one_instance, steps, without_batching
from perf.served import REPOSITORY

BATCHING = [
    pytest.param("text_embedding", ["text_embedding"], id="a Python model"),
    pytest.param("text_signals", ["text_signals"], id="a Python model with a link to a network"),
    pytest.param(
        "image_signals", ["image_preprocess", "vision_encoder"], id="the steps of an ensemble"
    ),
]


def served(folder, model):
    """The config that Triton takes on CPUs."""
    path = folder / model / f"configs/{CPU}.pbtxt"
    path = path if path.is_file() else folder / model / "config.pbtxt"
    return path.read_text(encoding="utf-8")


def test_an_ensemble_brings_what_it_asks():
    assert steps("image_signals") == ["image_signals", "image_preprocess", "vision_encoder"]
    assert steps("text_embedding") == ["text_embedding"]  # an ensemble on a GPU alone


@pytest.mark.parametrize(("model", "changed"), BATCHING)
def test_without_changes_it_is_as_shipped(model, changed, tmp_path):
    assert build(tmp_path, {model: 1}) == steps(model)
    for name in steps(model):
        assert served(tmp_path, name) == served(REPOSITORY, name)
    for name in changed:
        assert "dynamic_batching" in served(tmp_path, name)


@pytest.mark.parametrize(("model", "changed"), BATCHING)
def test_batching_is_left_out_and_nothing_else(model, changed, tmp_path):
    build(tmp_path, {model: 1}, without_batching)
    for name in steps(model):
        text, shipped = served(tmp_path, name), served(REPOSITORY, name)
        assert "dynamic_batching" not in text
        assert (text != shipped) is (name in changed)
        assert set(text.splitlines()) <= {*shipped.splitlines(), ""}


def test_copies_have_names_of_their_own_beside_the_model(tmp_path):
    names = build(tmp_path, {"text_embedding": 2, "text_signals": 1}, one_instance)
    assert names == ["text_embedding", "text_signals", "text_embedding_0", "text_embedding_1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    for name in names:
        text = served(tmp_path, name)
        assert f'\nname: "{name}"\n' in f"\n{text}"
        assert "count: 1" in text
        assert (tmp_path / name / "1").is_dir()


def test_one_copy_is_the_model_itself():
    assert copy_names("text_embedding", 1) == ["text_embedding"]
    assert copy_names("text_embedding", 2) == ["text_embedding_0", "text_embedding_1"]


@pytest.mark.parametrize(
    ("change", "config"),
    [
        pytest.param(one_instance, "count: 1\ncount: 2", id="two groups of instances"),
        pytest.param(one_instance, "", id="no group of instances"),
        pytest.param(
            without_batching, "dynamic_batching {\n  policy { a: 1 }\n}", id="a block in the block"
        ),
    ],
)
def test_a_config_that_the_change_does_not_fit_is_refused(change, config):
    with pytest.raises(ValueError, match="not one"):
        change(config)
