"""What is said of rules about knowledge bases before anything runs."""

import pytest

from orchestrator.config.schema import Config
from orchestrator.signals.kb import Kb
from tests.signals.bases import BASE, LABELS, install, row


@pytest.fixture
def folder(tmp_path):
    install(tmp_path / "ours", LABELS)
    return tmp_path


def config(kbs):
    return Config.model_validate({"global": {"model_catalog": {"kbs": kbs}}})


@pytest.mark.parametrize(
    ("base", "rules", "found"),
    [
        pytest.param(BASE, [row("r", "code")], [], id="sound"),
        pytest.param(
            BASE,
            [row("r", "code", kb="our")],
            [((0, "kb"), "error", "unknown knowledge base 'our'")],
            id="no such base",
        ),
        pytest.param(
            BASE,
            [row("r", "cod")],
            [
                (
                    (0, "target", "value"),
                    "error",
                    "unknown label of the knowledge base 'ours': 'cod'",
                )
            ],
            id="no such label",
        ),
        pytest.param(
            BASE,
            [row("r", "code", "group")],
            [((0, "target", "value"), "error", "unknown group of the knowledge base")],
            id="a label is no group",
        ),
        pytest.param(
            BASE | {"source": {"path": "their/"}},
            [row("r", "code"), row("s", "news")],
            [((0, "kb"), "error", "'ours' has no file their/labels.json")],
            id="no manifest: said once",
        ),
        pytest.param(
            BASE | {"label_thresholds": {"cod": 0.5}},
            [row("r", "code")],
            [((0, "kb"), "error", "label_thresholds names 'cod'")],
            id="a threshold of no label",
        ),
    ],
)
def test_kb_check(folder, base, rules, found):
    located = config([base]).located((folder,))

    findings = list(Kb.check(rules, located, {}))

    assert [(one.path, one.severity) for one in findings] == [one[:2] for one in found]
    assert all(said in one.message for one, (_, _, said) in zip(findings, found, strict=True))


def test_kb_check_of_a_malformed_manifest_names_the_file_and_the_place(folder):
    path = folder / "ours" / "labels.json"
    path.write_text('{"labels": {"code": {}}}')

    (finding,) = Kb.check([row("r", "code")], config([BASE]).located((folder,)), {})

    assert (finding.path, finding.severity) == ((0, "kb"), "error")
    assert finding.message == f"{path}: labels.code.exemplars: Field required"


def test_kb_check_of_the_formats_own_bases_only_warns(tmp_path):
    located = Config().located((tmp_path,))

    (absent,) = Kb.check([row("r", "code", kb="privacy_kb")], located, {})
    install(tmp_path / "knowledge_bases", {})
    install(tmp_path / "knowledge_bases" / "privacy", LABELS)
    (other,) = Kb.check([row("r", "secrets", kb="privacy_kb")], located, {})

    assert (absent.severity, other.severity) == ("warning", "warning")
    assert all("a rule that needs it is not run" in one.message for one in (absent, other))
    assert str(tmp_path) in absent.hint
    assert "unknown label" in other.message
