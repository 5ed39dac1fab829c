"""perf/README.md explains every field and every kind of arm, and its example is a scenario."""

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from perf import scenario
from perf.tables import ROOT, rendered

README = (Path(scenario.__file__).parent / "README.md").read_text()
ARMS = get_args(get_args(scenario.Arm)[0])
FIELDS = sorted(
    {name for model in (scenario.Scenario, scenario.Request, *ARMS) for name in model.model_fields}
)
RESULTS = [
    path
    for path in sorted((ROOT / "perf/results").glob("*.json"))
    if (scenario.SCENARIOS / path.name).with_suffix(".yaml").is_file()
]
KINDS = sorted(kind for arm in ARMS for kind in get_args(arm.model_fields["kind"].annotation))


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_explained(field):
    assert re.search(rf"^\|.*`{field}[`:]", README, re.MULTILINE)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_arm_is_explained(kind):
    assert f"| `{kind}` |" in README


def test_the_example_is_a_scenario():
    (example,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)

    assert scenario.Scenario.model_validate(yaml.safe_load(example)).floor_of("16 tokens")


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_tables_and_charts_are_those_of_the_results(path):
    """`python -m perf.tables` writes them."""
    for where, text in rendered(path, ROOT).items():
        assert where.read_text(encoding="utf-8") == text, where
