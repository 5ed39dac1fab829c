from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from orchestrator.analysis.judge import analyse
from tests.analysis.brute import kind, matching, readings
from tests.analysis.strategies import NAMES, VALUES, policies

MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@MANY
@given(policies())
def test_verdicts_agree_with_brute_force(made):
    policy, claims = made
    possible = readings(NAMES, claims, VALUES)
    assume(possible)

    report = analyse(policy)

    found = {verdict.decision: verdict.kind for verdict in report.verdicts}
    assert found == {d.name: kind(d, policy.decisions, possible) for d in policy.decisions}


@MANY
@given(policies())
def test_the_use_of_the_default_agrees_with_brute_force(made):
    policy, claims = made
    possible = readings(NAMES, claims, VALUES)
    assume(possible)

    used = {not matching(policy.decisions, held) for held in possible}

    words = {frozenset({True}): "always", frozenset({False}): "never"}
    assert analyse(policy).default == words.get(frozenset(used), "sometimes")


@MANY
@given(policies(), st.sets(st.sampled_from(NAMES)))
def test_no_unknown_makes_a_decision_match_that_is_unreachable(made, unknown):
    policy, claims = made
    possible = readings(NAMES, claims, VALUES)
    assume(possible)

    never = {v.decision for v in analyse(policy).verdicts if v.kind == "unreachable"}

    for held in possible:
        matched = matching(policy.decisions, held - unknown, frozenset(unknown))
        assert never.isdisjoint(decision.name for decision in matched)


@MANY
@given(policies())
def test_a_witness_of_what_can_win_makes_it_win(made):
    policy, claims = made
    possible = readings(NAMES, claims, VALUES)
    assume(possible)

    for verdict in analyse(policy).verdicts:
        if verdict.kind != "reachable":
            continue
        holds = {name.removeprefix("keyword:") for name in verdict.holds}
        fails = {name.removeprefix("keyword:") for name in verdict.fails}
        fitting = [held for held in possible if holds <= held and not fails & held]
        assert fitting
        for held in fitting:
            matched = matching(policy.decisions, held)
            own = next(one for one in policy.decisions if one.name == verdict.decision)
            assert own in matched
            assert max(one.priority for one in matched) == own.priority


@MANY
@given(policies())
def test_those_that_shadow_a_decision_match_wherever_it_does(made):
    policy, claims = made
    possible = readings(NAMES, claims, VALUES)
    assume(possible)

    for verdict in analyse(policy).verdicts:
        if verdict.kind == "shadowed":
            for held in possible:
                names = {one.name for one in matching(policy.decisions, held)}
                assert verdict.decision not in names or names & set(verdict.by)
