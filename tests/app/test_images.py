"""Pictures as evidence, from a request's body to the decision, with the models scripted."""

import asyncio
import base64
import io

import pytest
from rich.console import Console

from orchestrator.cli import tree
from orchestrator.errors import UnreadableImage
from orchestrator.inference.fake import FakeInference
from orchestrator.probes.request import body_of
from orchestrator.protocols.chat_completions import error_body
from orchestrator.server.evaluate import evaluate
from orchestrator.server.keys import DataPlane
from orchestrator.server.routes import data_plane
from orchestrator.telemetry import Telemetry
from orchestrator.upstream.fake import FakeUpstream
from tests.app.pictured import (
    CAT,
    LINK,
    PASSPORT,
    SVG,
    TERMINAL,
    VECTORS,
    body,
    pipeline,
    request,
    seeing,
)
from tests.matching.encoded import gif, uri
from tests.probes.files import DOCUMENT, PIXEL, PIXEL_SHA256, a_file


@pytest.fixture
def inference():
    return seeing()


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        pytest.param(("please look at my documents",), "shows_no_papers", id="the text alone"),
        pytest.param(("tell me a joke", PASSPORT), None, id="the picture alone"),
        pytest.param(("please look at my documents", TERMINAL), "terminal_alone", id="another one"),
        pytest.param(("please look at my documents", SVG), None, id="refused: NOT is unknown too"),
        pytest.param(("please look at my documents", CAT), None, id="of no known kind: so, too"),
        pytest.param(("please look at my documents", LINK), "shows_no_papers", id="a URL is none"),
        pytest.param(("please look at my documents", PASSPORT), "papers_shown", id="both"),
        pytest.param(("", TERMINAL), "terminal_alone", id="a picture and a rule of its text"),
        pytest.param(
            ("hello", TERMINAL), "shows_no_papers", id="a picture, and its text forbids it"
        ),
    ],
)
async def test_one_tree_reads_text_and_pictures(inference, said, decision):
    route = await pipeline(inference).route(request(*said))

    assert (route.verdict.decision if route.verdict else None) == decision


async def test_eval_takes_pictures_and_says_scores_and_reasons(inference):
    chain = pipeline(inference)

    found = await evaluate(chain, body("please look at my documents", PASSPORT), trace=True)
    unfamiliar = await evaluate(chain, body("please look at my documents", CAT), trace=True)

    assert found["routing_decision"] == "papers_shown"
    assert found["decision_result"]["matched_signals"]["embeddings"] == ["identity", "papers"]
    assert found["decision_result"]["unmatched_signals"]["embeddings"] == ["screen"]
    assert found["signal_values"]["embedding:identity"] == pytest.approx(0.9945, abs=1e-4)
    assert found["signals_unknown"] == {}
    assert unfamiliar["signals_unknown"] == {
        "embedding:identity": "unfamiliar_image",
        "embedding:screen": "unfamiliar_image",
    }
    assert unfamiliar["signal_errors"] == {}
    assert unfamiliar["signal_values"]["embedding:identity:known"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("picture", "lines"),
    [
        pytest.param(
            PASSPORT,
            ["✓ embedding:identity 0.995", "embedding:identity = 0.9945", "✗ embedding:screen"],
            id="seen",
        ),
        pytest.param(
            CAT,
            ["? embedding:identity (unfamiliar_image)", "embedding:identity:known = 0.2"],
            id="of an unknown kind",
        ),
        pytest.param(SVG, ["? embedding:identity (image_refused)"], id="refused"),
    ],
)
async def test_explain_shows_them(inference, picture, lines):
    answer = await evaluate(pipeline(inference), body("hello", picture), trace=True)
    console = Console(file=io.StringIO(), width=100)

    tree.show(console, answer)

    printed = console.file.getvalue()
    assert [line for line in lines if line not in printed] == []


@pytest.mark.parametrize(
    "picture", [pytest.param(SVG, id="svg"), pytest.param(uri(gif(), "gif"), id="by Triton")]
)
async def test_a_policy_may_answer_400(inference, picture):
    chain = pipeline(inference, "{on_refused: error}")

    with pytest.raises(UnreadableImage) as refused:
        await chain.route(request("hello", picture))
    with pytest.raises(UnreadableImage):
        await evaluate(chain, body("hello", picture))

    assert refused.value.status == 400
    told = error_body(refused.value)
    assert b'"code":"image_refused"' in told
    assert b'"type":"invalid_request_error","param":"messages"' in told


@pytest.mark.parametrize(
    ("images", "picture", "status", "models", "unknown"),
    [
        pytest.param("{on_refused: error}", SVG, 400, [], "", id="refused and said"),
        pytest.param("{}", SVG, 200, ["small"], "embedding", id="refused"),
        pytest.param("{}", PASSPORT, 200, ["private"], "", id="seen"),
    ],
)
async def test_the_data_plane(inference, aiohttp_client, images, picture, status, models, unknown):
    upstream = FakeUpstream()
    chain = pipeline(inference, images, upstream=upstream)
    client = await aiohttp_client(data_plane(DataPlane(lambda: chain, Telemetry())))
    sent = {"model": "auto", **body("please look at my documents", picture)}

    response = await client.post("/v1/chat/completions", json=sent)
    answer = await response.json()

    assert response.status == status
    assert answer.get("error", {}).get("code") == ("image_refused" if status == 400 else None)
    assert [(candidate.model, asked.body) for candidate, asked, _ in upstream.calls] == [
        (model, sent) for model in models
    ]
    assert response.headers.get("x-tsr-signals-unknown", "") == unknown


class Hanging(FakeInference):
    async def see(self, model, pictures):
        await asyncio.Event().wait()


async def test_a_model_of_pictures_that_hangs_costs_no_rule_of_texts():
    answer = await evaluate(
        pipeline(Hanging(VECTORS), deadline=0.5), body("check my papers", PASSPORT)
    )

    assert answer["decision_result"]["matched_signals"]["embeddings"] == ["papers"]
    assert answer["signals_unknown"] == {
        "embedding:identity": "inference_timeout",
        "embedding:screen": "inference_timeout",
    }


async def test_fixtures_of_probes_reach_the_rules(inference):
    inference.pictures[base64.b64decode(PIXEL)] = [1, 0, 0, 0]
    text = {"type": "text", "text": "please look at my documents"}
    content = [text, {"type": "image_fixture", "fixture": "pixel"}]
    variant = {"id": "shown", "messages": [{"role": "user", "content": content}]}
    decision = {"id": "papers", "expected_decision": "papers_shown", "variants": [variant]}
    pixel = {
        "description": "a pixel",
        "media_type": "image/png",
        "sha256": PIXEL_SHA256,
        "data_base64": PIXEL,
    }
    edits = {"fixtures": {"images": {"pixel": pixel}}, "decisions": [decision]}
    file, (probe,) = a_file(DOCUMENT | edits)

    answer = await evaluate(pipeline(inference), body_of(probe, file))

    assert answer["routing_decision"] == "papers_shown"
