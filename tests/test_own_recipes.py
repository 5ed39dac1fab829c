"""configs/recipes without a model: each loads, is proved free of dead ends, and is probed whole.

With the real models: triton/test_own_recipes.py.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.app.assembly import build_policies
from orchestrator.app.proofs import Proved, prove_file
from orchestrator.inference.fake import FakeInference
from orchestrator.pipeline import Policy
from orchestrator.probes.demands import shortfalls
from orchestrator.probes.load import load
from orchestrator.telemetry import Telemetry
from orchestrator.types import Facts, Reading
from tests.recipes import OURS, ROOT

LEAST = 12  # probes of a recipe
OUTSIDE = "cloud"  # what the recipe `privacy` calls backends that are not in the house


def policy_in(folder: Path) -> tuple[Proved, Policy]:
    proved = prove_file(folder / "config.yaml")
    return proved, build_policies(proved.compiled, FakeInference(), Telemetry().signal)["default"]


def facts_of(policy: Policy, holds: set[str], unknown: set[str] = frozenset()) -> Facts:
    """Of leaves `family:rule`; all others of the policy's families are known not to match."""

    def some(names: set[str], family: str) -> list[str]:
        own = (name.split(":", 1) for name in names)
        return [rule for of, rule in own if of == family]

    return Facts(
        {
            family: Reading(
                dict.fromkeys(some(holds, family)),
                unknown=dict.fromkeys(some(unknown, family), "away"),
            )
            for family in policy.engine.families
        }
    )


def test_there_are_some() -> None:
    assert OURS


@pytest.mark.parametrize("folder", OURS, ids=lambda path: path.name)
class TestEach:
    def test_nothing_is_wrong_with_it_and_every_decision_can_win(self, folder: Path) -> None:
        proved = prove_file(folder / "config.yaml")

        problems = [*proved.compiled.warnings, *proved.remarks]
        assert [str(one) for one in problems if one.severity != "note"] == []
        assert {one.kind for report in proved.reports for one in report.verdicts} == {"reachable"}

    def test_every_decision_has_a_probe_and_the_file_what_it_demands(self, folder: Path) -> None:
        config = prove_file(folder / "config.yaml").compiled.config
        file, probes = load(folder / "probes.yaml")

        assert file.routing_assets is not None
        assert ROOT / file.routing_assets.yaml == folder / "config.yaml"
        probed = {probe.decision.expected_decision for probe in probes}
        assert probed == {decision.name for decision in config.routing.decisions}
        assert len(probes) >= LEAST
        assert shortfalls(file, probes, None) == ()

    def test_every_model_has_a_price_and_answers_somewhere(self, folder: Path) -> None:
        config = prove_file(folder / "config.yaml").compiled.config
        used = {ref.model for one in config.routing.decisions for ref in one.candidates}

        assert {model.name for model in config.providers.models if model.pricing} == used

    def test_its_readme_names_every_decision_and_shows_how_to_run_it(self, folder: Path) -> None:
        config = prove_file(folder / "config.yaml").compiled.config
        text = (folder / "README.md").read_text()
        place = folder.relative_to(ROOT).as_posix()

        missing = [one.name for one in config.routing.decisions if f"`{one.name}`" not in text]
        assert missing == []
        for command in (
            f"tsr check {place}/config.yaml",
            f"tsr serve --config {place}/config.yaml",
            f"tsr probe {place}/probes.yaml --config {place}/config.yaml",
        ):
            assert command in text

    def test_it_is_in_the_index(self, folder: Path) -> None:
        assert f"`recipes/{folder.name}/`" in (ROOT / "configs/README.md").read_text()


@dataclass(frozen=True)
class House:
    """The recipe `privacy`."""

    proved: Proved
    policy: Policy

    @property
    def exits(self) -> dict[str, set[str]]:
        """Decisions that lead outside, and what holds where each of them wins."""
        (report,) = self.proved.reports
        found = {one.decision: set(one.holds) for one in report.verdicts}
        return {name: holds for name, holds in found.items() if self.leads_outside(name)}

    def leads_outside(self, decision: str) -> bool:
        outside = {
            model.name
            for model in self.proved.compiled.config.providers.models
            if any(ref.name == OUTSIDE for ref in model.backend_refs)
        }
        return any(ref.model in outside for ref in self.policy.decisions[decision].candidates)

    def decides(self, holds: set[str], unknown: set[str] = frozenset()) -> str:
        verdict = self.policy.engine.decide(facts_of(self.policy, holds, unknown))
        assert verdict is not None
        return verdict.decision

    def leaves(self, decision: str) -> set[str]:
        own = self.policy.engine.leaves_of(decision)
        return {f"{family}:{rule}" for family, rules in own.items() for rule in rules}


@pytest.fixture(scope="module")
def house() -> House:
    (folder,) = (path for path in OURS if path.name == "privacy")
    return House(*policy_in(folder))


def test_one_decision_leads_out_of_the_house_and_the_default_does_not(house: House) -> None:
    ((name, holds),) = house.exits.items()

    assert house.decides(holds) == name
    default = house.proved.compiled.config.providers.defaults.default_model
    inside = {
        ref.model
        for decision in house.policy.decisions
        if not house.leads_outside(decision)
        for ref in house.policy.decisions[decision].candidates
    }
    assert default in inside


def test_whatever_is_unknown_of_what_leads_out_keeps_it_in_the_house(house: House) -> None:
    """Also a doubt that would keep it in if it held; what nothing needs is left out."""
    ((name, holds),) = house.exits.items()
    doubts = {leaf for leaf in house.leaves(name) - holds if house.decides(holds | {leaf}) != name}
    ended = {leaf: house.decides(holds - {leaf}, {leaf}) for leaf in sorted(holds | doubts)}

    assert {leaf.split(":")[0] for leaf in doubts} >= {"jailbreak", "pii", "kb"}
    assert [leaf for leaf, decision in ended.items() if house.leads_outside(decision)] == []
