"""Which models the guard needs, and what it knows without them."""

import pytest

from orchestrator.config.schema import Config
from orchestrator.errors import ConfigError
from orchestrator.signals.jailbreak import Jailbreak, JailbreakRule
from orchestrator.types import Reading, Request
from tests.signals.guard import (
    AGAINST,
    ATTACK,
    BY_ALL,
    BY_EXAMPLE,
    BY_WORDS,
    ROWS,
    Guard,
    jailbreak,
)

AWAY, LATE = "inference_unavailable", "inference_timeout"


@pytest.mark.parametrize(
    ("text", "broken", "matched", "unknown"),
    [
        pytest.param("calm", ["classify"], [], {"model": AWAY, "all": AWAY}, id="the classifier"),
        pytest.param("calm", ["embed"], [], {"examples": LATE, "all": LATE}, id="embeddings"),
        pytest.param(
            "calm",
            ["classify", "embed"],
            [],
            {"model": AWAY, "examples": LATE, "all": AWAY},
            id="both",
        ),
        pytest.param(
            ATTACK,
            ["classify", "embed"],
            ["words", "all"],
            {"model": AWAY, "examples": LATE},
            id="the words still match",
        ),
        pytest.param(
            "sly", ["classify"], ["examples", "all"], {"model": AWAY}, id="examples still match"
        ),
    ],
)
async def test_what_cannot_be_asked_is_unknown(text, broken, matched, unknown):
    reading = await jailbreak(Guard(broken), *ROWS).evaluate(Request("auto", text))

    assert (list(reading.matches), reading.unknown) == (matched, unknown)
    assert not set(reading.values) & set(unknown)


@pytest.mark.parametrize(
    ("on_error", "matches", "unknown"),
    [
        pytest.param("allow", {}, {"model": AWAY, "all": AWAY}, id="allow"),
        pytest.param("", {}, {"model": AWAY, "all": AWAY}, id="unsaid"),
        pytest.param("block", {"model": 1.0, "all": 1.0}, {}, id="block"),
    ],
)
async def test_on_error(on_error, matches, unknown):
    signal = jailbreak(Guard(["classify"]), *ROWS, on_error=on_error)

    reading = await signal.evaluate(Request("auto", "calm"))

    assert (reading.matches, reading.unknown) == (matches, unknown)
    told = {name for name in reading.values if name.endswith(":error")}
    assert told == {f"{name}:error" for name in matches}
    assert reading.failed == (AWAY if on_error == "block" else "")


@pytest.mark.parametrize("on_error", ["allow", "block"])
async def test_after_the_deadline_only_the_words_are_known(on_error):
    signal = jailbreak(Guard(), *ROWS, on_error=on_error)

    reading = await signal.fallback(Request("auto", ATTACK), LATE)

    late = ["model", "examples"]
    assert reading.unknown == (dict.fromkeys(late, LATE) if on_error == "allow" else {})
    assert {n: reading.matches.get(n) for n in ("words", "all")} == {"words": 1.0, "all": 1.0}
    assert reading.failed == (LATE if on_error == "block" else "")
    assert await signal.fallback(Request("auto", " "), LATE) == Reading()


def test_positive_labels_that_the_model_lacks_are_refused():
    with pytest.raises(ConfigError) as raised:
        jailbreak(Guard(), positive_labels=["INJECTION"])

    (problem,) = raised.value.problems
    assert problem.path == "global.model_catalog.modules.prompt_guard.positive_labels"


@pytest.mark.parametrize(
    ("rows", "settings", "models"),
    [
        pytest.param([], {}, (), id="no rule"),
        pytest.param([BY_WORDS], {}, (), id="words"),
        pytest.param([{}], {"enabled": False}, (), id="classifier, switched off"),
        pytest.param([{}], {}, ("text_signals",), id="classifier"),
        pytest.param([AGAINST], {}, ("text_embedding",), id="contrastive"),
        pytest.param([BY_ALL], {}, ("text_signals", "text_embedding"), id="hybrid"),
        pytest.param([BY_ALL], {"enabled": False}, ("text_embedding",), id="hybrid, off"),
    ],
)
def test_models_that_are_needed(rows, settings, models):
    rules = [JailbreakRule.model_validate({"name": "x"} | row) for row in rows]

    assert Jailbreak.asks(rules, settings) == models


@pytest.mark.parametrize(("enabled", "idle"), [(True, ()), (False, ("model",))], ids=["on", "off"])
def test_the_classifiers_rules_are_not_run_where_the_guard_is_off(enabled, idle):
    assert (Jailbreak.runs, jailbreak(Guard(), *ROWS, enabled=enabled).not_run()) == (True, idle)


@pytest.mark.parametrize(
    ("row", "enabled", "said"),
    [
        pytest.param({}, True, [], id="classifier"),
        pytest.param({}, False, ["'any' is not run"], id="classifier, switched off"),
        pytest.param(BY_ALL, False, ["'any' is run without its classifier"], id="hybrid, off"),
        pytest.param(BY_WORDS, False, [], id="patterns, off"),
        pytest.param(BY_EXAMPLE, True, ["'any' matches at a cosine of 0.1"], id="bare cosine"),
        pytest.param(BY_EXAMPLE | {"threshold": 0.5}, True, [], id="bare cosine, threshold"),
        pytest.param(AGAINST, True, [], id="contrastive"),
    ],
)
def test_check(row, enabled, said):
    modules = {"prompt_guard": {"enabled": enabled}}
    config = Config.model_validate({"global": {"model_catalog": {"modules": modules}}})
    rule = JailbreakRule.model_validate({"name": "any"} | row)

    found = list(Jailbreak.check([rule], config, {}))

    assert [one.message[: len(start)] for one, start in zip(found, said, strict=True)] == said
    assert {one.severity for one in found} <= {"warning"}
