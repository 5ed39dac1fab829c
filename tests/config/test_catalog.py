"""What every policy has in its catalogue unless it says otherwise (spec/config.md 4)."""

import pytest

from orchestrator.config.catalog import ModelCatalog


def test_the_format_has_two_knowledge_bases():
    bases = ModelCatalog().kbs

    assert [(one.name, one.source.path, one.threshold) for one in bases] == [
        ("privacy_kb", "knowledge_bases/privacy/", 0.55),
        ("mmlu_kb", "knowledge_bases/mmlu/", 0.25),
    ]


def test_groups_of_the_privacy_base_divide_it_in_private_and_public():
    privacy, _ = ModelCatalog().kbs
    groups = {name: set(labels) for name, labels in privacy.groups.items()}

    assert groups["private"] == groups["security_containment"] | groups["privacy_policy"]
    assert groups["public"] == groups["frontier_reasoning"] | groups["local_standard"]
    assert not groups["private"] & groups["public"]
    assert [(one.name, one.positive_group, one.negative_group) for one in privacy.metrics] == [
        ("private_vs_public", "private", "public")
    ]


@pytest.mark.parametrize("given", [[], [{"name": "k", "source": {"path": "k/"}, "threshold": 0.5}]])
def test_a_given_list_replaces_the_formats_own(given):
    kbs = ModelCatalog.model_validate({"kbs": given}).kbs

    assert [one.name for one in kbs] == [one["name"] for one in given]
