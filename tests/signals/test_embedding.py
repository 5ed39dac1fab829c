import pytest
from pydantic import ValidationError

from orchestrator.errors import ConfigError
from orchestrator.inference.examples import MOST_BYTES
from orchestrator.inference.fake import FakeInference
from orchestrator.signals.embedding import Embedding, EmbeddingRule
from orchestrator.types import Reading
from tests.circle import cos
from tests.signals.phrases import ask, embedding, knowing, rule

VALID = {"name": "support", "threshold": 0.6, "candidates": ["cannot log in"]}


@pytest.fixture
def inference():
    return knowing()


class Alike(FakeInference):
    """Every text means the same."""

    async def embed(self, model, texts):
        self.vectors |= dict.fromkeys(texts, [1.0, 0.0])
        return await super().embed(model, texts)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            VALID | {"query_modality": "audio"},
            "query_modality\n.*audio rules are not supported; use text or image",
            id="audio",
        ),
        pytest.param(
            VALID | {"query_modality": "video"}, "query_modality\n.*'text'", id="unknown modality"
        ),
        pytest.param(VALID | {"candidates": []}, "candidates\n.*at least 1 item", id="none"),
        pytest.param(VALID | {"candidates": [" "]}, "candidates.0\n", id="blank candidate"),
        pytest.param(VALID | {"candidates": "log in"}, "valid tuple", id="not in a list"),
        pytest.param(VALID | {"threshold": 1.1}, "threshold\n.*less than", id="above 1"),
        pytest.param(VALID | {"threshold": -0.1}, "threshold\n.*greater", id="below 0"),
        pytest.param({"name": "x", "candidates": ["y"]}, "threshold\n.*required", id="absent"),
        pytest.param(
            VALID | {"aggregation_method": "sum"},
            "aggregation_method\n.*'max', 'mean' or 'any'",
            id="unknown aggregation",
        ),
        pytest.param(VALID | {"keywords": ["x"]}, "keywords\n.*not permitted", id="unknown key"),
    ],
)
def test_embedding_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        EmbeddingRule.model_validate(row)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param({}, "text", id="absent"),
        pytest.param({"query_modality": ""}, "text", id="empty"),
        pytest.param({"query_modality": " Image "}, "image", id="case and blanks"),
    ],
)
def test_query_modality(written, read):
    assert EmbeddingRule.model_validate(VALID | written).query_modality == read


def test_bad_settings_are_all_reported_with_their_place(inference):
    with pytest.raises(ConfigError) as raised:
        embedding(inference, VALID, top_k=-1, prototype_scoring={"best_weight": 2})

    place = "global.model_catalog.embeddings.semantic.embedding_config"
    assert [problem.path for problem in raised.value.problems] == [
        f"{place}.top_k",
        f"{place}.prototype_scoring.best_weight",
    ]


def test_keys_that_choose_the_model_are_not_ours(inference):
    embedding(inference, VALID, model_type="mmbert", target_dimension=768, backend="candle")


@pytest.mark.parametrize(
    ("text", "settings", "rows", "expected"),
    [
        pytest.param(
            "refund please",
            {},
            [rule("login", "cannot log in", threshold=0.0)],
            {},
            id="the opposite, even with threshold 0",
        ),
        pytest.param(
            "login odd",
            {"enable_soft_matching": False},
            [rule("login", "cannot log in")],
            {},
            id="below the threshold, soft matching off",
        ),
        pytest.param(
            "login far",
            {},
            [rule("login", "cannot log in")],
            {},
            id="below the soft floor of 0.5",
        ),
        pytest.param(
            "login odd",
            {"min_score_threshold": 0.65},
            [rule("login", "cannot log in")],
            {},
            id="below a soft floor of its own",
        ),
        pytest.param(
            "login broken",
            {},
            [rule("login", "cannot log in"), rule("password", "password lost", "login odd")],
            {"login": cos(20)},
            id="a hard match keeps soft ones out",
        ),
        pytest.param(
            "cannot log in",
            {},
            [rule("picture", "cannot log in", query_modality="image")],
            {},
            id="an image rule without a picture",
        ),
        pytest.param(
            "login broken",
            {},
            [rule("login", "cannot log in")],
            {"login": cos(20)},
            id="at the threshold or above",
        ),
        pytest.param(
            "cannot log in",
            {},
            [rule("login", "cannot log in", threshold=1.0)],
            {"login": 1.0},
            id="the phrase itself, threshold 1",
        ),
        pytest.param(
            "between both",
            {"min_score_threshold": 0},
            [rule("login", "cannot log in"), rule("password", "password lost")],
            {"login": cos(45), "password": cos(45)},
            id="nothing hard: all above the floor match softly; floor 0 means 0.5",
        ),
        pytest.param(
            "login odd",
            {},
            [
                rule("login", "cannot log in"),
                rule("picture", "login odd", query_modality="image"),
            ],
            {"login": cos(50)},
            id="an image rule does not stop soft matching of text",
        ),
    ],
)
async def test_matches(inference, text, settings, rows, expected):
    reading = await embedding(inference, *rows, **settings).evaluate(ask(text))

    assert (reading.matches, reading.unknown) == (expected, {})


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        pytest.param("max", (0.875, 1.0, 0.5, 2), id="max"),
        pytest.param("any", (0.875, 1.0, 0.5, 2), id="any is max"),
        pytest.param("mean", (0.5, 1.0, 0.5, 2), id="mean"),
    ],
)
async def test_values(inference, method, expected):
    signal = embedding(
        inference, rule("x", "cannot log in", "password lost", aggregation_method=method)
    )

    reading = await signal.evaluate(ask("cannot log in"))

    names = ["x", "x:best", "x:support", "x:prototype_count"]
    assert tuple(reading.values[name] for name in names) == pytest.approx(expected)
    assert set(reading.values) == set(names)


async def test_values_are_there_without_a_match(inference):
    reading = await embedding(inference, rule("x", "password lost")).evaluate(ask("cannot log in"))

    assert (reading.matches, reading.values["x"]) == ({}, 0.0)


@pytest.mark.parametrize("text", ["", " \n\t"])
async def test_an_empty_text_matches_nothing_and_asks_nobody(inference, text):
    reading = await embedding(inference, rule("x", "cannot log in")).evaluate(ask(text))

    assert (reading, inference.calls) == (Reading(), [])


@pytest.mark.parametrize(
    ("size", "sent", "cut"),
    [
        pytest.param(2_049, 2_049, False, id="long"),
        pytest.param(MOST_BYTES, MOST_BYTES, False, id="all that the model server takes"),
        pytest.param(MOST_BYTES + 1, MOST_BYTES, True, id="more than that"),
    ],
)
async def test_a_long_text_is_sent_whole_or_the_cut_is_told(size, sent, cut):
    inference = Alike()
    signal = embedding(inference, rule("login", "cannot log in", threshold=0.5))

    reading = signal.settle(await signal.evaluate(ask("x" * size)))

    ((_, (text,)),) = inference.calls[1:]
    assert (len(text), reading.truncated) == (pytest.approx(sent, abs=2), cut)
    assert len(text) <= MOST_BYTES


@pytest.mark.parametrize(
    ("top_k", "kept"),
    [
        pytest.param({}, ["a"], id="the best one by default"),
        pytest.param({"top_k": 2}, ["a", "b"], id="two, equal scores by name"),
        pytest.param({"top_k": 3}, ["a", "b", "c"], id="three"),
        pytest.param({"top_k": 0}, ["a", "b", "c", "d"], id="no limit"),
        pytest.param({"top_k": 9}, ["a", "b", "c", "d"], id="more than there are"),
    ],
)
def test_settle_keeps_the_best(inference, top_k, kept):
    matches = {"d": 0.6, "c": 0.7, "b": 0.7, "a": 0.9}
    reading = Reading(matches, {"e": 0.1}, {"f": "inference_error"})

    settled = embedding(inference, VALID, **top_k).settle(reading)

    assert list(settled.matches) == kept
    assert (settled.values, settled.unknown) == (reading.values, reading.unknown)


async def test_top_k_is_left_to_settle(inference):
    rows = [rule(name, "cannot log in") for name in "cba"]
    signal = embedding(inference, *rows)

    reading = await signal.evaluate(ask("cannot log in"))

    assert set(reading.matches) == {"a", "b", "c"}
    assert list(signal.settle(reading).matches) == ["a"]


def test_every_rule_is_run(inference):
    signal = embedding(inference, VALID, rule("picture", "a cat", query_modality="image"))

    assert (Embedding.runs, signal.not_run()) == (True, ())
