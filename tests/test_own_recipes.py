"""configs/recipes without a model: each loads, is proved free of dead ends, and is probed whole.

With the real models: triton/test_own_recipes.py.
"""

from collections.abc import Mapping
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


class TestPrivacy:
    """What is not known to be harmless never leaves the house."""

    @pytest.fixture(scope="class")
    def found(self) -> tuple[Proved, Policy]:
        (folder,) = (path for path in OURS if path.name == "privacy")
        return policy_in(folder)

    @pytest.fixture(scope="class")
    def leaves(self, found: tuple[Proved, Policy]) -> Mapping[str, tuple[set[str], set[str]]]:
        """Of each decision that leads outside: what holds where it wins, and all its leaves."""
        proved, policy = found
        (report,) = proved.reports
        return {
            one.decision: (
                set(one.holds),
                {
                    f"{family}:{rule}"
                    for family, rules in policy.engine.leaves_of(one.decision).items()
                    for rule in rules
                },
            )
            for one in report.verdicts
            if self.leads_outside(found, one.decision)
        }

    @staticmethod
    def leads_outside(found: tuple[Proved, Policy], decision: str) -> bool:
        proved, policy = found
        outside = {
            model.name
            for model in proved.compiled.config.providers.models
            if any(ref.name == OUTSIDE for ref in model.backend_refs)
        }
        return any(ref.model in outside for ref in policy.decisions[decision].candidates)

    def test_one_decision_leads_outside_and_the_default_does_not(
        self,
        found: tuple[Proved, Policy],
        leaves: Mapping[str, tuple[set[str], set[str]]],
    ) -> None:
        proved, policy = found

        assert len(leaves) == 1
        assert policy.default is not None
        unmatched = proved.compiled.config.providers.defaults.default_model
        assert policy.default.model == unmatched
        for decision, (holds, _) in leaves.items():
            verdict = policy.engine.decide(facts_of(policy, holds))
            assert verdict is not None
            assert verdict.decision == decision

    def test_any_leaf_that_is_unknown_keeps_it_inside(
        self,
        found: tuple[Proved, Policy],
        leaves: Mapping[str, tuple[set[str], set[str]]],
    ) -> None:
        _, policy = found
        checked = 0
        for holds, own in leaves.values():
            # A leaf that nothing needs, as the other side of an OR that holds, may be unknown.
            for leaf in sorted(self.guards(policy, holds, own) | holds):
                verdict = policy.engine.decide(facts_of(policy, holds - {leaf}, {leaf}))
                checked += 1
                assert verdict is not None
                assert not self.leads_outside(found, verdict.decision), leaf
        assert checked >= 6

    @staticmethod
    def guards(policy: Policy, holds: set[str], own: set[str]) -> set[str]:
        """Leaves that change the decision where they hold."""
        before = policy.engine.decide(facts_of(policy, holds))
        return {
            leaf
            for leaf in own - holds
            if policy.engine.decide(facts_of(policy, holds | {leaf})) != before
        }
