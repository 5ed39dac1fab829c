"""The config.pbtxt of the models that are published together, and the pixels they read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

from build_engines.errors import DriftError
from build_engines.spec import TEMPLATE

_PIXELS = ("size", "resample", "mean", "std")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the first line of a config says."""

    model: str  # as Triton knows it
    spec: str  # the file of build_engines/models that it comes from
    summary: str


def render(
    shown: Shown,
    serving: Mapping[str, object],
    inputs: Mapping[str, str],
    outputs: Mapping[str, str],
    parameters: Mapping[str, str],
) -> str:
    """The config.pbtxt of a Python model. `inputs` and `outputs`: name -> type and dims."""
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        name=shown.model,
        summary=shown.summary,
        max_batch_size=serving["max_batch_size"],
        instances=serving["instances"],
        inputs=_tensors(inputs),
        outputs=_tensors(outputs),
        warm="\n".join(
            f'    inputs {{ key: "{one}" value {{ {how} zero_data: true }} }}'
            for one, how in inputs.items()
        ),
        parameters="\n".join(
            f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}'
            for key, value in parameters.items()
        ),
    )
    # The template names the model where the spec has another name.
    return f"# {shown.summary}. {_origin(shown)}\n{text.partition(chr(10))[2]}"


def ensemble(
    shown: Shown,
    max_batch_size: int,
    inputs: Mapping[str, str],
    outputs: Mapping[str, str],
    steps: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]],
) -> str:
    """Models one after another. `steps`: model -> its inputs, its outputs: tensor -> name between.

    An ensemble has neither queue nor warm-up: the models in it have theirs.
    """
    shape = "\n".join(
        [
            f'name: "{shown.model}"',
            'platform: "ensemble"',
            f"max_batch_size: {max_batch_size}",
            f"input [\n{_tensors(inputs)}\n]",
            f"output [\n{_tensors(outputs)}\n]",
            "ensemble_scheduling {",
            *(_step(model, *maps) for model, maps in steps.items()),
            "}",
        ]
    )
    return f"# {shown.summary}. {_origin(shown)}\n{shape}\n"


def pixels_of(config: str) -> dict[str, str]:
    """`size`, `resample`, `mean` and `std` of the config of `image_preprocess`."""
    found = {}
    for name in _PIXELS:
        match = _parameter(name).search(config)
        if match is None:
            raise DriftError(f"the config of image_preprocess has no parameter {name!r}")
        found[name] = match[2]
    return found


def with_pixels(config: str, pixels: Mapping[str, str]) -> str:
    """The config of `image_preprocess` that makes these pixels; all else stays as it is."""
    pixels_of(config)  # raises where one is missing
    for name in _PIXELS:
        config = _parameter(name).sub(rf"\g<1>{pixels[name]}\g<3>", config)
    size = pixels["size"]
    return re.sub(r"dims: \[ 3, \d+, \d+ \]", f"dims: [ 3, {size}, {size} ]", config)


def _parameter(name: str) -> re.Pattern[str]:
    return re.compile(rf'(key: "{name}" value \{{ string_value: ")([^"]*)(")')


def _origin(shown: Shown) -> str:
    return (
        f"Rendered by `python -m build_engines publish {shown.spec}` "
        f"from build_engines/models/{shown.spec}.toml."
    )


def _tensors(tensors: Mapping[str, str]) -> str:
    return ",\n".join(f'  {{ name: "{name}" {how} }}' for name, how in tensors.items())


def _step(model: str, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> str:
    maps = [f'    input_map {{ key: "{key}" value: "{name}" }}' for key, name in inputs.items()]
    maps += [f'    output_map {{ key: "{key}" value: "{name}" }}' for key, name in outputs.items()]
    body = "\n".join([f'    model_name: "{model}"', "    model_version: -1", *maps])
    return f"  step {{\n{body}\n  }}"
