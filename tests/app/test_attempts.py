from datetime import UTC, datetime

import pytest

from orchestrator.app.attempts import SHOWN, Attempts
from orchestrator.errors import ConfigError, Problem
from orchestrator.server.policy_file import Checked
from orchestrator.telemetry import Telemetry


def attempts():
    made = Attempts(Telemetry(), lambda: datetime(2026, 11, 30, tzinfo=UTC))
    made.started("a", ())
    return made


def test_after_the_start_there_was_no_attempt():
    assert attempts().report() == {
        "hash": "a",
        "generation": 1,
        "loaded_at": "2026-11-30T00:00:00Z",
        "file": "in_force",
    }


def test_of_many_problems_the_first_are_shown_and_all_are_counted():
    made = attempts()
    problems = tuple(Problem(f"routing.decisions[{n}]", "no") for n in range(SHOWN + 1))
    made.refused("a test", ConfigError("cannot be used", problems))
    last = made.report()["last_reload"]

    assert (len(last["problems"]), last["total_problems"]) == (SHOWN, SHOWN + 1)
    assert last["message"] == "cannot be used"
    assert made.report()["hash"] == "a"


def test_a_file_that_was_refused_is_trouble_until_a_good_one_and_a_body_is_none():
    made, troubled = attempts(), []
    made.refused("PUT", ConfigError("no"), lasting=False)
    troubled.append(made.troubled)
    made.failed("the file changed", "no")
    troubled.append(made.troubled)
    made.refused("PUT", ConfigError("no"), lasting=False)
    troubled.append(made.troubled)
    made.done("the file changed", "applied", Checked("b"))
    troubled.append(made.troubled)

    assert troubled == [False, True, True, False]
    assert (made.report()["hash"], made.report()["generation"]) == ("b", 2)


def told(caplog):
    return [
        (record.levelname, record.getMessage())
        for record in caplog.records
        if "policy file" in record.getMessage()
    ]


GONE = ("WARNING", "the policy file is gone, the old policy stays in force (a test): no such file")
BACK = ("WARNING", "the policy file is there again")


@pytest.mark.parametrize(
    ("after", "file"),
    [
        pytest.param(lambda made: None, "gone", id="it stays away"),
        pytest.param(
            lambda made: made.refused("PUT", ConfigError("no"), lasting=False),
            "gone",
            id="a bad body",
        ),
        pytest.param(lambda made: made.found(), "not_in_force", id="it is back, unread"),
        pytest.param(
            lambda made: made.done("PUT", "applied", Checked("b")), "in_force", id="written"
        ),
    ],
)
def test_a_file_that_is_gone_is_told_until_it_is_back(caplog, after, file):
    made = attempts()
    made.gone("a test", "no such file")
    after(made)

    assert made.report()["file"] == file
    assert told(caplog) == [GONE] + ([] if file == "gone" else [BACK])
    made.found()
    made.found()
    assert told(caplog) == [GONE, BACK]
