import pytest

from orchestrator.config.schema import Decision
from orchestrator.inference.fake import FakeInference
from orchestrator.server.evaluate import evaluate
from orchestrator.telemetry import Telemetry
from orchestrator.types import Reading
from tests.server.classifier import LABELS, compiled_pipeline
from tests.server.classify_requests import LETTER, PRIVATE
from tests.server.policies import LAW, a_pipeline, a_policy


async def test_the_whole_answer():
    answer = await evaluate(a_pipeline(LAW), {"text": "Sue them now!"}, trace=True)

    trace = answer.pop("eval_trace")
    assert answer.pop("projection_trace")["schema_version"] == "1"
    assert answer == {
        "original_text": "Sue them now!",
        "requested_model": "auto",
        "recipe": "default",
        "decision_result": {
            "decision_name": "lawyer",
            "confidence": pytest.approx((1.0 + 0.83) / 2),
            "confidence_measured": True,
            "algorithm": "static",
            "plugins": ["system_prompt"],
            "used_signals": {
                "words": ["urgent"],
                "topics": ["law"],
                "size": [],
                "projection": [],
            },
            "matched_signals": {
                "words": ["urgent"],
                "topics": ["law"],
                "size": [],
                "projection": [],
            },
            "unmatched_signals": {
                "words": ["polite"],
                "topics": ["cooking"],
                "size": ["long"],
                "projection": [],
            },
        },
        "recommended_models": ["big", "big-law", "small"],
        "selected_model": "big-law",
        "answering_model": "big-law",
        "selection_status": "selected",
        "selection_method": answer["selection_method"],
        "selection_reason": answer["selection_reason"],
        "selection_confidence": None,
        "selection_scores": [],
        "routing_decision": "lawyer",
        "directives": {"not_run": ["plugins[0]"]},
        "metrics": {
            "word": {"execution_time_ms": 2.5, "confidence": 1.0},
            "topic": {"execution_time_ms": 2.5, "confidence": 0.83},
            "size": {"execution_time_ms": 2.5, "confidence": 0.0},
        },
        "signal_confidences": {"topic:law": 0.83},
        "signal_values": {"topic:law:margin": 0.4, "size:long": 12.0},
        "signal_errors": {},
        "signals_unknown": {},
    }
    assert [(entry["decision_name"], entry["matched"]) for entry in trace] == [
        ("lawyer", True),
        ("long", False),
    ]


WEIGHED = """
version: v0.3
providers:
  defaults: {default_model: small}
routing:
  modelCards: [{name: small}]
  signals:
    fact_check: [{name: needs_fact_check}, {name: no_fact_check_needed}]
    user_feedbacks: [{name: satisfied}, {name: wrong_answer}]
    modality: [{name: AR}]
    pii: [{name: personal}]
    context: [{name: short, min_tokens: "0", max_tokens: "100"}]
    keywords: [{name: asks, operator: OR, keywords: [mill]}]
  decisions: []
global:
  model_catalog:
    modules:
      modality_detector: {enabled: true, method: classifier}
      feedback_detector: {enabled: true}
"""


async def test_a_metric_is_the_probability_where_decisions_know_of_a_match_alone():
    says = {
        LETTER: {
            "fact_check": {"FACT_CHECK_NEEDED": 0.25, "NO_FACT_CHECK_NEEDED": 0.75},
            "user_feedback": dict.fromkeys(LABELS["user_feedback"], 0.0) | {"WRONG_ANSWER": 0.9375},
            "modality": {"AR": 0.875, "DIFFUSION": 0.125, "BOTH": 0.0},
            "pii": PRIVATE[LETTER]["pii"],
        }
    }
    pipeline = compiled_pipeline(WEIGHED)(FakeInference(classified=says))
    chat = [("user", "Who is it?"), ("assistant", "Bob"), ("user", LETTER)]
    body = {"messages": [{"role": role, "content": text} for role, text in chat]}

    answer = await evaluate(pipeline, body)

    assert answer["signal_errors"] == {}
    assert {family: one["confidence"] for family, one in answer["metrics"].items()} == {
        "fact_check": 0.75,
        "user_feedback": 0.9375,
        "modality": 0.875,
        "pii": pytest.approx(answer["signal_values"]["pii:personal"]),
        "context": 1.0,
        "keyword": 1.0,
    }
    assert answer["signal_values"]["context:short"] > 1
    assert 0.9 < answer["signal_values"]["pii:personal"] < 1
    assert answer["signal_confidences"] == {}


async def test_unknown_is_neither_matched_nor_unmatched_and_an_error_only_if_a_model_failed():
    readings = {
        "word": Reading(matches={"urgent": None}),
        "topic": Reading(unknown={"law": "inference_timeout", "cooking": "inference_timeout"}),
        "size": Reading(unknown={"long": "not_run"}),
    }

    answer = await evaluate(a_pipeline(readings), {"text": "hello"}, trace=True)

    result = answer["decision_result"]
    assert result["decision_name"] == ""
    assert result["matched_signals"]["topics"] == []
    assert result["unmatched_signals"]["topics"] == []
    assert result["unmatched_signals"]["size"] == []
    assert answer["signal_errors"] == {"topic": "inference_timeout"}
    assert answer["signals_unknown"] == {
        "topic:law": "inference_timeout",
        "topic:cooking": "inference_timeout",
        "size:long": "not_run",
    }
    assert [entry["state"] for entry in answer["eval_trace"]] == ["unknown", "unknown"]


async def test_nothing_matched_is_answered_by_the_default_model():
    answer = await evaluate(a_pipeline({}), {"text": "hello"})

    assert answer["routing_decision"] == ""
    assert answer["directives"] == {}
    assert answer["decision_result"]["algorithm"] == ""
    assert answer["decision_result"]["used_signals"]["words"] == []
    assert answer["recommended_models"] == []
    assert answer["selected_model"] == "small"
    assert answer["selection_method"] == "default"


async def test_a_plan_that_is_left_open_still_says_who_answers():
    decision = Decision(
        name="panel",
        rules={"type": "word", "name": "urgent"},
        modelRefs=[{"model": "big"}, {"model": "small"}],
        algorithm={"type": "fusion", "fusion": {}},
    )
    panel = a_policy(LAW, decisions=(decision,), recipe="panel")

    answer = await evaluate(a_pipeline({}, panel=panel), {"text": "hi", "model": "panel-route"})

    assert answer["decision_result"]["confidence_measured"] is False
    assert (answer["selection_status"], answer["selection_method"]) == (
        "execution_required",
        "fusion",
    )
    assert (answer["selected_model"], answer["answering_model"]) == ("", "big")


async def test_a_reason_that_nobody_foresaw_is_an_error_too():
    readings = {"topic": Reading(unknown={"law": "inference_overloaded"})}

    answer = await evaluate(a_pipeline(readings), {"text": "hello"})

    assert answer["signal_errors"] == {"topic": "inference_overloaded"}


async def test_an_evaluation_is_not_traffic():
    telemetry = Telemetry(("auto", "big", "small"))
    pipeline = a_pipeline(LAW, telemetry=telemetry)

    await evaluate(pipeline, {"text": "hello"})

    counted = [line for line in telemetry.render().decode().splitlines() if line[0] != "#"]
    traffic = ("routing", "decision_match", "model_selection", "reasoning", "requests")
    counted = [line for line in counted if any(f"_{name}" in line for name in traffic)]
    assert [line for line in counted if not line.endswith(" 0.0")] == []


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        pytest.param({}, None, id="not said"),
        pytest.param({"evaluate_all_signals": True}, None, id="wanted"),
        pytest.param(
            {"evaluate_all_signals": False}, {"word", "topic", "size"}, id="those that decide"
        ),
    ],
)
async def test_every_signal_is_asked_for_unless_that_is_refused(options, asked):
    pipeline = a_pipeline(LAW)

    await evaluate(pipeline, {"text": "hello", "options": options})

    ((_, families),) = pipeline.policies["default"].evaluation.asked
    assert families == asked


async def test_probabilities_are_those_of_classifiers_matched_or_not():
    shares = {"FACT_CHECK_NEEDED": 0.25, "NO_FACT_CHECK_NEEDED": 0.75}
    says = {LETTER: {"fact_check": shares, "modality": {"AR": 0.875, "DIFFUSION": 0.125}}}
    pipeline = compiled_pipeline(WEIGHED)(FakeInference(classified=says))
    body = {"text": LETTER, "options": {"return_probabilities": True}}

    answer = await evaluate(pipeline, body)

    assert answer["probabilities"]["fact_check"] == {
        "needs_fact_check": 0.25,
        "no_fact_check_needed": 0.75,
    }
    assert not {"context", "keyword"} & answer["probabilities"].keys()
    assert "probabilities" not in await evaluate(pipeline, {"text": LETTER})


async def test_an_explanation_in_sentences():
    pipeline = a_pipeline(LAW)
    body = {"text": "hello", "options": {"include_explanation": True}}

    answer = await evaluate(pipeline, body)

    assert answer["explanation"][0].startswith("'lawyer' applies with confidence 0.915, by ")
    assert "explanation" not in await evaluate(pipeline, {"text": "hello"})


async def test_what_the_decision_says_beside_its_models():
    decision = Decision(
        name="kept",
        rules={"type": "word", "name": "urgent"},
        modelRefs=[{"model": "big"}],
        annotations={"owner": "platform"},
        emits=[{"kind": "retention", "retention": {"ttl_turns": 4}}],
    )
    policy = a_policy(LAW, decisions=(decision,), recipe="panel")

    answer = await evaluate(a_pipeline({}, panel=policy), {"text": "hi", "model": "panel-route"})

    assert answer["directives"] == {
        "annotations": {"owner": "platform"},
        "emits": [{"kind": "retention", "retention": {"ttl_turns": 4, "ttl_seconds": 240.0}}],
        "not_run": ["emits"],
    }
