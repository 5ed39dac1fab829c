import json

import pytest

from build_engines import spec as specs
from build_engines.errors import SpecError
from build_engines.kinds import ENCODER, check_engine, steps_of

NAMES = sorted(path.stem for path in specs.MODELS.glob("*.toml"))
ENCODERS = [name for name in NAMES if steps_of(name) == ENCODER]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("name = ", "Invalid value", id="not TOML"),
        pytest.param('name = "x"', "sources\n  Field required", id="field missing"),
        pytest.param('pool = "mean"', "pool\n  Extra inputs", id="field unknown"),
        pytest.param('pooling = "max"', "pooling\n  Input should be 'mean'", id="unknown pooling"),
        pytest.param('[files]\n"a" = "1f"', "files.a\n  String should match", id="not a sha256"),
        pytest.param("dimensions = [0]", "dimensions.0\n  Input should be greater", id="no length"),
        pytest.param(
            '[[sources]]\nkind = "hub"\nrepository = "a/b"\nrevision = "main"',
            "revision\n  String should match",
            id="revision that moves",
        ),
    ],
)
def test_wrong_specs_are_refused(tmp_path, text, message):
    path = tmp_path / "model.toml"
    path.write_text(text)

    with pytest.raises(SpecError) as caught:
        specs.read(path)

    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_unknown_model_names_the_known_ones():
    with pytest.raises(SpecError, match=r"no model 'text_embeding'; known: .*text_embedding"):
        specs.read(specs.path_of("text_embeding"))


@pytest.mark.parametrize("name", ENCODERS)
def test_shipped_specs_can_be_used(name):
    spec = specs.read(specs.path_of(name))

    assert spec.name == name
    assert spec.text.overlap < spec.text.window
    assert spec.tolerance.export >= spec.tolerance.cosine


def test_an_embedding_is_not_cut_to_more_than_it_has():
    spec = specs.read(specs.path_of("text_embedding")).model_dump()

    with pytest.raises(ValueError, match="dimensions may not be more than the dimension, 384"):
        specs.Spec.model_validate(spec | {"gpu": None, "dimensions": [768, 128]})


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"prefix": "query: "}, id="a prefix"),
        pytest.param({"dimensions": [128]}, id="dimensions"),
    ],
)
def test_what_the_form_with_an_engine_does_not_know_is_refused(tmp_path, change):
    text = specs.path_of("text_embedding").read_text()
    assert "[gpu]" in text
    path = tmp_path / "model.toml"
    path.write_text(
        "".join(f"{key} = {json.dumps(value)}\n" for key, value in change.items()) + text
    )

    with pytest.raises(
        SpecError, match=r"model\.toml.*\n.*does not know .*: leave \[gpu\] out"
    ) as caught:
        specs.read(path)

    assert next(iter(change)) in str(caught.value)


def test_only_default_models_have_steps_around_an_engine():
    spec = specs.read(specs.path_of("text_embedding"))
    other = spec.model_copy(update={"name": "mmbert_32k"})

    check_engine(spec, default=True)
    check_engine(other.model_copy(update={"gpu": None}), default=False)
    with pytest.raises(SpecError, match=r"mmbert_32k\.toml: .* leave \[gpu\] out"):
        check_engine(other, default=False)


@pytest.mark.parametrize(
    ("prefix", "written"),
    [
        pytest.param("query: ", "query: ", id="plain"),
        pytest.param('say "a":\n', r"say \"a\":\n", id="quotes and a new line"),
        pytest.param("a\\b", r"a\\b", id="a backslash"),
    ],
)
def test_a_prefix_is_told_to_the_served_code(prefix, written):
    spec = specs.read(specs.path_of("text_embedding")).model_copy(update={"prefix": prefix})

    assert f'key: "prefix" value {{ string_value: "{written}" }}' in spec.config()


def test_only_an_encoder_that_may_be_cut_has_a_dimension():
    spec = specs.read(specs.path_of("text_embedding"))
    cut = spec.model_copy(update={"dimensions": (64, 128)})

    assert "DIMENSION" not in spec.config()
    assert '{ name: "DIMENSION" data_type: TYPE_INT32 dims: [ 1 ] optional: true }' in cut.config()
    assert 'key: "dimensions" value { string_value: "384,128,64" }' in cut.config()
    assert '{ name: "EMBEDDING" data_type: TYPE_FP32 dims: [ -1 ] }' in cut.config()


def test_the_digest_is_of_what_is_built():
    spec = specs.read(specs.path_of("text_embedding"))
    served = spec.serving.model_copy(update={"instances": 9})

    assert spec.model_copy(update={"serving": served}).digest() == spec.digest()
    assert spec.model_copy(update={"pooling": "cls"}).digest() != spec.digest()
