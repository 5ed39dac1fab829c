from orchestrator import signals
from orchestrator.config.settings import Global
from orchestrator.labelled.thresholds import served
from orchestrator.registry import discover


def test_each_task_has_the_threshold_of_its_family():
    discover(signals)

    found = served(Global())

    assert {task: one.value for task, one in found.items()} == {
        "domain": 0.5,
        "fact_check": 0.6,
        "jailbreak": 0.7,
        "modality": None,
        "pii": 0.9,
        "user_feedback": 0.7,
    }
    assert found["modality"].path[-2:] == ("modality_detector", "confidence_threshold")


def test_what_the_policy_says_is_served():
    discover(signals)
    modules = {"prompt_guard": {"threshold": 0.31}}
    settings = Global.model_validate({"model_catalog": {"modules": modules}})

    assert served(settings)["jailbreak"].value == 0.31
