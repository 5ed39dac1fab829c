from datetime import UTC, datetime

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
