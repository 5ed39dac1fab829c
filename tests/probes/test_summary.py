import pytest

from orchestrator.probes.runner import Result
from orchestrator.probes.summary import Count, summarise
from tests.probes.files import DOCUMENT, a_file, edited

VARIANTS = [
    {"id": "a", "query": "a", "tags": ["language:en", "stress:long"]},
    {"id": "b", "query": "b", "tags": ["language:de", "language:at"]},
    {"id": "c", "query": "c"},
]


def summary(*statuses: str, **edits):
    edits = {key.replace("__", "."): value for key, value in edits.items()}
    file, probes = a_file(edited(DOCUMENT, {"decisions.0.variants": VARIANTS, **edits}))
    results = [Result(p, status, 0.1) for p, status in zip(probes, statuses, strict=True)]
    return summarise(file, results)


def test_counts():
    counted = summary("pass", "fail", "needs learned signals")

    assert counted.probes == Count(passed=1, failed=1, missing=1)
    assert counted.probes.rate == pytest.approx(100 / 3)
    assert counted.decisions == {"law": Count(1, 1, 1)}
    assert counted.tags == {"language": Count(1, 1, 0), "stress": Count(1, 0, 0)}


@pytest.mark.parametrize(
    ("statuses", "edits", "shortfalls"),
    [
        pytest.param(
            ("pass", "pass", "needs learned signals"),
            {},
            ("probes: 66.7 % passed, 100 % demanded", "law: 66.7 % passed, 100 % demanded"),
            id="what waits for a signal has not passed",
        ),
        pytest.param(("pass", "pass", "pass"), {}, (), id="all passed"),
        pytest.param(
            ("pass", "pass", "fail"),
            {"acceptance": {"min_probe_pass_rate": 60, "min_decision_pass_rate": 60}},
            (),
            id="enough passed",
        ),
        pytest.param(
            ("pass", "pass", "fail"),
            {
                "acceptance": {"min_probe_pass_rate": 60, "min_decision_pass_rate": 60},
                "decisions__0__robustness": {"min_pass_rate": 70},
            },
            ("law: 66.7 % passed, 70 % demanded",),
            id="a decision's own demand",
        ),
        pytest.param(
            ("pass", "fail", "pass"),
            {
                "acceptance": {"min_probe_pass_rate": 0, "min_decision_pass_rate": 0},
                "coverage": {"min_tag_pass_rate": {"language": 90, "stress": 90, "tools": 90}},
            },
            ("tag language: 50.0 % passed, 90 % demanded",),
            id="a tag's demand; a tag that no probe has is met",
        ),
    ],
)
def test_what_the_file_demands(statuses, edits, shortfalls):
    counted = summary(*statuses, **edits)

    assert counted.shortfalls == shortfalls
    assert counted.accepted == (not shortfalls)


def test_a_request_of_messages_counts_as_its_class_without_a_tag():
    messages = [{"id": "a", "messages": [{"role": "user", "content": "a"}]}]
    edits = {
        "decisions.0.variants": messages,
        "acceptance": {"min_probe_pass_rate": 0, "min_decision_pass_rate": 0},
        "coverage": {"min_tag_pass_rate": {"multi_turn": 90}},
    }
    file, (probe,) = a_file(edited(DOCUMENT, edits))

    assert summarise(file, [Result(probe, "fail", 0.1)]).shortfalls == (
        "tag multi_turn: 0.0 % passed, 90 % demanded",
    )
