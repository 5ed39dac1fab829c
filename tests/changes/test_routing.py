import asyncio

import pytest

from orchestrator.changes.routing import Outcome, Unread, route, tokens
from orchestrator.changes.running import both
from orchestrator.changes.traffic import Recorded
from orchestrator.protocols.chat_completions import parse
from tests.changes.policies import POLICY, compiled, edited

SUPPORT = ("rules: {type: projection, name: fast}", "rules: {type: embedding, name: support}")


async def routed(old, new, *bodies, **options):
    requests = [
        Recorded(f"r{n}", {"text": body} if isinstance(body, str) else body)
        for n, body in enumerate(bodies)
    ]
    async with both(old, new, offline=True) as sides:
        return await route(requests, *sides, **options)


async def test_what_each_policy_makes_of_a_request():
    new = edited(("priority: 100", "priority: 300"), ("keywords: [now]", "keywords: [python]"))

    found = await routed(compiled(), new, "a python script now", "a poem")

    (both_match, neither) = found.pairs
    assert (both_match.old.decision, both_match.new.decision) == ("programming", "hasty")
    assert (both_match.old.model, both_match.new.model) == ("big", "small")
    assert both_match.old.candidate.reasoning_effort == "high"
    assert (neither.old.decision, neither.old.model, neither.old.unknown) == ("", "small", ())
    assert both_match.text == "a python script now"


@pytest.mark.parametrize(
    ("text", "unknown", "rivals"),
    [
        pytest.param("a python script", (), (), id="one before it is certain"),
        pytest.param(
            "a poem", ("embedding:support (inference_unavailable)",), ("hasty",), id="it decides"
        ),
    ],
)
async def test_what_hangs_on_a_model_is_unknown_offline(text, unknown, rivals):
    found = await routed(compiled(), edited(SUPPORT), text)

    (pair,) = found.pairs
    assert (pair.new.unknown, pair.new.rivals) == (unknown, rivals)
    assert pair.old.unknown == ()


async def test_a_rival_counts_where_the_strategy_lets_it_win():
    strategy = ("  signals:\n", "  strategy: confidence\n  signals:\n")

    found = await routed(compiled(), edited(SUPPORT, strategy), "a python script")

    assert found.pairs[0].new.rivals == ("hasty",)


@pytest.mark.parametrize(
    ("recorded", "reason"),
    [
        pytest.param(Recorded("x", None, "not JSON"), "not JSON", id="a line that was no request"),
        pytest.param(Recorded("x", {"text": " "}), "text cannot be empty", id="empty"),
        pytest.param(Recorded("x", {"messages": 3}), "messages must be a list", id="malformed"),
        pytest.param(
            Recorded("x", {"text": "a", "model": "gpt-9"}),
            "neither policy routes it: model_not_found",
            id="a model that neither knows",
        ),
    ],
)
async def test_what_cannot_be_asked_says_why(recorded, reason):
    async with both(compiled(), compiled(), offline=True) as sides:
        found = await route([recorded], *sides)

    understood = reason.startswith("neither policy")
    assert found.unread == (Unread("x", reason, understood=understood),)
    assert found.pairs == ()


async def test_a_name_that_only_one_policy_knows():
    new = edited(
        ("routing:\n", "entrypoints: [{model_names: [quick], recipe: default}]\nrouting:\n")
    )

    found = await routed(compiled(), new, {"text": "python", "model": "quick"})

    (pair,) = found.pairs
    assert pair.old == Outcome(error="model_not_found")
    assert pair.new.decision == "programming"


async def test_a_model_that_is_named_is_not_decided_about():
    found = await routed(compiled(), compiled(), {"text": "python", "model": "small"})

    assert (found.pairs[0].old.recipe, found.pairs[0].old.model) == ("", "small")


async def test_an_algorithm_that_does_not_run_is_told():
    fusion = ("model: small}]", "model: small}, {model: big}]\n      algorithm: {type: fusion}")

    found = await routed(compiled(), edited(fusion), "now")

    assert (found.pairs[0].old.not_run, found.pairs[0].new.not_run) == ("", "fusion")
    assert found.pairs[0].new.fallback == ""


async def test_an_algorithm_that_cannot_be_judged_is_told():
    closest = "model: small}, {model: big}]\n      algorithm: {type: router_dc}"
    cards = "[{name: small, description: poems}, {name: big, description: code}]"
    new = edited(("model: small}]", closest), ("[{name: small}, {name: big}]", cards))

    found = await routed(compiled(), new, "now")

    assert (found.pairs[0].old.fallback, found.pairs[0].new.fallback) == ("", "router_dc")
    assert found.pairs[0].new.not_run == ""


async def test_a_selector_is_told_of_the_cards():
    best = (
        "model: small}, {model: big}]\n"
        "      algorithm: {type: automix, automix: {cost_aware_routing: false}}"
    )
    cards = "[{name: small, quality_score: 0.1}, {name: big, quality_score: 0.9}]"
    new = edited(("model: small}]", best), ("[{name: small}, {name: big}]", cards))

    found = await routed(compiled(), new, "now")

    assert (found.pairs[0].new.model, found.pairs[0].new.fallback) == ("big", "")


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.mark.parametrize(
    ("bodies", "models"),
    [
        pytest.param([f"now {n}" for n in range(40)], 2, id="texts"),
        pytest.param(
            [{"text": f"now {n}", "metadata": {"user_id": "me"}} for n in range(40)],
            1,
            id="one session",
        ),
        pytest.param(
            [{"messages": [{"role": "user", "content": [PICTURE]}], "seed": n} for n in range(40)],
            2,
            id="neither text nor name",
        ),
    ],
)
async def test_a_split_by_weights_shows_its_shares(bodies, models):
    halves = "modelRefs: [{model: small, weight: 1}, {model: big, weight: 1}]"
    always = "rules: {operator: NOT, conditions: [{type: keyword, name: code}]}"
    policy = (
        ("rules: {type: projection, name: fast}", always),
        ("modelRefs: [{model: small}]", halves),
    )

    found = await routed(edited(*policy), edited(*policy), *bodies)

    assert len(found.pairs) == 40
    assert all(pair.old.model == pair.new.model for pair in found.pairs)
    assert {pair.new.decision for pair in found.pairs} == {"hasty"}
    assert len({pair.new.model for pair in found.pairs}) == models


async def test_results_come_in_order_and_progress_is_told():
    ended = []

    found = await routed(
        compiled(), compiled(), *"abcdefgh", progress=lambda: ended.append(1), parallel=3
    )

    assert [pair.text for pair in found.pairs] == list("abcdefgh")
    assert len(ended) == 8


@pytest.mark.parametrize(
    ("body", "completion"),
    [
        pytest.param({}, None, id="not said"),
        pytest.param({"max_tokens": 100}, 100, id="max_tokens"),
        pytest.param({"max_tokens": 5, "max_completion_tokens": 7}, 7, id="the newer field"),
        pytest.param({"max_tokens": 0}, 0, id="nothing"),
    ],
)
def test_what_is_reserved_for_the_answer_is_no_part_of_the_prompt(body, completion):
    message = {"role": "user", "content": "x" * 4000}
    bare = parse({"model": "auto", "messages": [message]}, {})
    request = parse({"model": "auto", "messages": [message], **body}, {})

    assert tokens(request) == (tokens(bare)[0], completion)
    assert 1000 <= tokens(request)[0] <= 1020


async def test_policies_of_other_triton_settings_are_run_beside_each_other():
    other = "global: {services: {triton: {deadline: 1s}}}\n"
    without = POLICY.replace(
        "    embeddings:\n      - {name: support, threshold: 0.5, candidates: [I cannot log in]}\n",
        "",
    )
    async with both(compiled(without), compiled(without + other)) as (old, new):
        found = await asyncio.wait_for(route([Recorded("a", {"text": "now"})], old, new), 5)

    assert [pair.new.decision for pair in found.pairs] == ["hasty"]
