import asyncio
import json

import numpy as np
import pytest

from orchestrator.errors import InferenceError, InferenceUnavailable, ModelUntrusted
from orchestrator.inference.rows import Row
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import ServerState, TrustedInference
from tests.inference.fake_models import TASKS, probabilities, spans, vector
from tests.inference.fake_triton import FakeTriton, serving
from tests.inference.golden_files import write_classifier
from tests.inference.trusting import trusting

LIMIT_S = 20.0


def wrong():
    fake = FakeTriton()
    fake.embed = lambda text: -vector(text)
    return fake


async def test_nothing_is_trusted_before_it_is_compared(repository):
    fake = FakeTriton()
    async with trusting(repository, fake) as trusted:
        with pytest.raises(ModelUntrusted, match="m: not checked yet"):
            await trusted.embed("m", ["x"])

    assert fake.batches == []


async def test_an_inverted_model_is_refused_and_named(repository):
    async with trusting(repository, wrong()) as trusted:
        await trusted.check()

        with pytest.raises(ModelUntrusted, match=r"m: its answers differ.*lowest cosine -1\.0"):
            await trusted.embed("m", ["x"])


async def test_a_wrong_golden_refuses_the_model(repository):
    path = repository / "m" / "goldens.json"
    document = json.loads(path.read_text())
    document["embeddings"][2].reverse()
    path.write_text(json.dumps(document))
    async with trusting(repository, FakeTriton()) as trusted:
        await trusted.check()

        with pytest.raises(ModelUntrusted, match="m: its answers differ"):
            await trusted.embed("m", ["x"])


async def test_a_model_nobody_configured_is_refused(repository):
    async with trusting(repository, FakeTriton()) as trusted:
        await trusted.check()

        with pytest.raises(ModelUntrusted, match="other: no such model"):
            await trusted.embed("other", ["x"])


async def test_a_server_that_is_away_is_unavailable_not_untrusted(repository):
    async with serving(FakeTriton()) as url:
        pass
    inference = TritonInference([url])
    trusted = TrustedInference(inference, repository, ["m"])
    await trusted.check()

    with pytest.raises(InferenceUnavailable, match="m: the server does not answer"):
        await trusted.embed("m", ["x"])
    assert trusted.servers() == (ServerState(url, False),)
    await inference.close()


async def test_a_compared_model_answers(repository):
    async with trusting(repository, FakeTriton()) as trusted:
        [trust] = await trusted.check()

        assert trust.trusted
        np.testing.assert_array_equal(await trusted.embed("m", ["x"]), [vector(b"x")])


async def test_of_two_servers_only_the_right_one_is_asked(repository):
    bad, good = wrong(), FakeTriton()
    async with trusting(repository, bad, good) as trusted:
        await trusted.check()
        before = len(bad.batches)
        for text in "abcd":
            await trusted.embed("m", [text])

        assert len(bad.batches) == before
        assert trusted.trusts()[0].trusted


async def test_doubt_lasts_until_the_next_comparison(repository):
    async with trusting(repository, FakeTriton()) as trusted:
        await trusted.check()
        trusted.doubt()
        with pytest.raises(ModelUntrusted, match="restarted"):
            await trusted.embed("m", ["x"])
        await trusted.check()

        assert (await trusted.embed("m", ["x"])).shape == (1, 4)


async def test_start_looks_at_every_server_and_tells(repository):
    findings = []
    async with trusting(repository, FakeTriton(), on_finding=findings.append) as trusted:
        assert not trusted.proved
        trusted.start()
        await asyncio.wait_for(trusted.looked(), LIMIT_S)

        assert [server.ready for server in trusted.servers()] == [True]
        assert trusted.proved
        [trust] = trusted.trusts()

    assert (trust.model, trust.trusted, trust.reason) == ("m", True, "")
    assert trust.checked_at > 0
    assert trust.parity is not None
    assert (round(trust.parity.min_cosine, 6), trust.parity.count) == (1.0, 4)
    assert [finding.trusted for finding in findings][-1] is True


async def test_a_server_that_hangs_does_not_hold_up_the_start(repository):
    fake = FakeTriton()
    fake.gate.clear()
    async with trusting(repository, fake) as trusted:
        trusted.start()
        await asyncio.wait_for(fake.entered.wait(), LIMIT_S)

        assert [one.reason for one in trusted.trusts()] == ["not checked yet"]


async def test_a_watch_that_a_fault_of_ours_ends_trusts_nothing_and_begins_again(
    repository, caplog
):
    doubted, healed = asyncio.Event(), asyncio.Event()

    def found(trust):
        if "watching it failed" in trust.reason:
            doubted.set()
        elif trust.trusted and not doubted.is_set():
            raise ZeroDivisionError("a secret")
        elif trust.trusted:
            healed.set()

    async with trusting(repository, FakeTriton(), on_finding=found) as trusted:
        trusted.start()
        await asyncio.wait_for(doubted.wait(), LIMIT_S)
        with pytest.raises(ModelUntrusted, match="watching it failed"):
            await trusted.embed("m", ["x"])
        await asyncio.wait_for(healed.wait(), LIMIT_S)
        assert (await trusted.embed("m", ["x"])).shape == (1, 4)

    assert "ZeroDivisionError at " in caplog.text
    assert "a secret" not in caplog.text


@pytest.fixture
def classifiers(tmp_path):
    return write_classifier(tmp_path, "m")


def _permuted(text, task):
    return probabilities(text, task)[::-1]


def _off(text, task):
    shift = 0.02 if task == "domain" else 0.0
    return (
        probabilities(text, task)
        + np.array([shift, -shift, 0], np.float32)[: len(TASKS[task].labels)]
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param(
            {"classify": _permuted}, "task (domain|guard): probability off by", id="order"
        ),
        pytest.param({"classify": _off}, "task domain: probability off by 0.02", id="a little"),
        pytest.param({"find": lambda text: []}, "task pii: does not find", id="no spans"),
        pytest.param(
            {"find": lambda text: [(a, b, label, 0.5) for a, b, label, _ in spans(text)]},
            "task pii: score of a span off by 0.25 on text 'text 3'",
            id="scores",
        ),
        pytest.param({"embed": lambda text: -vector(text)}, "lowest cosine -1", id="embedding"),
        pytest.param(
            {"classify": lambda text, task: np.ones(2, np.float32)},
            "its goldens failed: m: PROBS_domain has shape",
            id="another count of labels",
        ),
    ],
)
async def test_a_classifier_that_differs_is_refused_and_told(classifiers, changes, reason):
    fake = FakeTriton()
    for name, change in changes.items():
        setattr(fake, name, change)
    async with trusting(classifiers, fake) as trusted:
        await trusted.check()

        for asking in (
            trusted.classify("m", ["x"], ["domain"]),
            trusted.embed("m", ["x"]),
            trusted.ask("m", [Row(b"x")]),
        ):
            with pytest.raises(ModelUntrusted, match=reason):
                await asking


async def test_a_classifier_that_agrees_answers(classifiers):
    fake = FakeTriton()
    expects = {name: frozenset(task.labels) for name, task in TASKS.items()}
    async with trusting(classifiers, fake, expects=expects) as trusted:
        [trust] = await trusted.check()
        [said] = await trusted.classify("m", ["42"], ["domain", "pii"])

        assert (trust.trusted, trust.reason) == (True, "")
        assert trust.parity is not None
        assert trust.parity.probability == pytest.approx(0, abs=1e-6)
        assert list(said.probabilities["domain"]) == ["art", "law", "math"]
        assert [one.label for one in said.entities["pii"]] == ["AGE"]
        assert trusted.labels("m")["guard"] == ("fine", "danger")


async def test_a_classifier_with_other_labels_than_expected_is_refused(classifiers):
    fake = FakeTriton()
    expects = {"guard": frozenset({"fine", "attack"})}
    async with trusting(classifiers, fake, expects=expects) as trusted:
        await trusted.check()

        with pytest.raises(ModelUntrusted, match=r"guard.*missing: 'attack'; extra: 'danger'"):
            await trusted.classify("m", ["x"], ["domain"])


async def test_labels_that_nobody_knows_are_an_error_and_untrusted_where_the_model_is(repository):
    async with trusting(repository, FakeTriton()) as trusted:
        with pytest.raises(ModelUntrusted, match="not checked yet"):
            trusted.labels("m")
        await trusted.check()
        with pytest.raises(InferenceError, match=r"m: it has no labels\.json"):
            trusted.labels("m")
