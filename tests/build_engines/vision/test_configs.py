import pytest

from build_engines.errors import DriftError
from build_engines.kinds import job_of
from build_engines.vision import configs

OURS = {"size": "384", "resample": "bilinear", "mean": "0.4,0.5,0.6", "std": "0.2"}


@pytest.fixture
def committed():
    return (job_of("vision_encoder").preprocess / "config.pbtxt").read_text(encoding="utf-8")


def test_pixels_are_set_and_nothing_else(committed):
    changed = configs.with_pixels(committed, OURS)

    assert configs.pixels_of(changed) == OURS
    assert "dims: [ 3, 384, 384 ]" in changed
    kept = [row for row in committed.splitlines() if not any(f'"{key}"' in row for key in OURS)]
    assert [row.replace("384", "224") for row in changed.splitlines() if row in kept] == [
        row for row in kept if "dims: [ 3" not in row
    ]
    assert configs.with_pixels(changed, configs.pixels_of(committed)) == committed


def test_the_default_reads_what_is_committed(committed):
    spec = job_of("vision_encoder").spec

    assert configs.pixels_of(committed) == spec.pixels.parameters()


def test_a_config_without_pixels_is_refused(committed):
    with pytest.raises(DriftError, match="no parameter 'resample'"):
        configs.with_pixels(committed.replace('"resample"', '"filter"'), OURS)


def test_an_ensemble_names_its_steps_and_tensors():
    text = configs.ensemble(
        configs.Shown("both", "some", "First one, then the other"),
        4,
        {"A": "data_type: TYPE_STRING dims: [ 1 ]"},
        {"B": "data_type: TYPE_FP32 dims: [ 2 ]"},
        {"one": ({"A": "A"}, {"X": "x"}), "two": ({"X": "x"}, {"B": "B"})},
    )

    assert text == (
        "# First one, then the other. Rendered by `python -m build_engines publish some` "
        "from build_engines/models/some.toml.\n"
        'name: "both"\nplatform: "ensemble"\nmax_batch_size: 4\n'
        'input [\n  { name: "A" data_type: TYPE_STRING dims: [ 1 ] }\n]\n'
        'output [\n  { name: "B" data_type: TYPE_FP32 dims: [ 2 ] }\n]\n'
        "ensemble_scheduling {\n"
        '  step {\n    model_name: "one"\n    model_version: -1\n'
        '    input_map { key: "A" value: "A" }\n    output_map { key: "X" value: "x" }\n  }\n'
        '  step {\n    model_name: "two"\n    model_version: -1\n'
        '    input_map { key: "X" value: "x" }\n    output_map { key: "B" value: "B" }\n  }\n'
        "}\n"
    )
