import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch
from peft import get_peft_model_state_dict

from build_engines.train import fit as fitting
from build_engines.train import hidden
from build_engines.train.fit import Job, fit, logits, over_windows, validate
from build_engines.train.parts import Part
from build_engines.train.rows import IGNORED
from tests.build_engines.train.conftest import job_of, rows_of, task

COUNTS = [1, 2, 1, 1, 3, 1, 1, 2] * 8
LENGTHS = torch.tensor([12, 12, 7])


@pytest.fixture(scope="module")
def part(encoder, tmp_path_factory):
    """Tokens of texts of class 1 are from 4 to 11, those of class 0 from 12 to 19."""

    def make(seed, depth=1, token=False):
        rows = rows_of(COUNTS, seed=seed)
        classes = np.random.default_rng(seed).integers(0, 2, len(COUNTS))
        starts = np.cumsum(rows.lengths) - rows.lengths
        mine = np.repeat(classes[rows.owner], rows.lengths)
        ids = np.where(mine, rows.ids % 8 + 4, rows.ids % 8 + 12)
        ids[starts] = 2
        targets = classes
        if token:
            targets = np.where(ids == 2, IGNORED, mine)
        made = replace(rows, ids=ids, targets=targets)
        folder = tmp_path_factory.mktemp("states")
        return Part(made, hidden.states(encoder, made, 3 - depth, folder, "toy"))

    return make


def weights(job):
    return {name: one.clone() for name, one in get_peft_model_state_dict(job.network).items()}


@pytest.mark.parametrize("kind", ["sequence", "token"])
def test_the_loss_falls_on_texts_that_can_be_told_apart(tiny_checkpoint, part, tmp_path, kind):
    token = kind == "token"
    train, check = part(1, token=token), part(2, token=token)
    job = job_of(tiny_checkpoint, task(kind, epochs=8, rate=1e-2, dropout=0), 2)
    before = validate(job, check)

    best = fit(job, train, check, tmp_path / "state.pt")

    assert best < 0.8 * before
    assert validate(job, check) == pytest.approx(best, abs=1e-6)  # the best epoch is left in it
    wanted = check.rows.targets if token else check.rows.targets[check.rows.owner]
    real = wanted != IGNORED
    assert (logits(job, check).argmax(1)[real] == wanted[real]).mean() > 0.7


class Interrupted(Exception):
    pass


def stopping(part, epochs):
    """A part that is cut off when an epoch beyond `epochs` asks for its order."""

    class Stopping(Part):
        def order(self, size, seed=None):
            if seed is not None and seed - 7 >= epochs:
                raise Interrupted
            return super().order(size, seed)

    return Stopping(part.rows, part.states)


def test_a_resumed_fit_equals_an_uninterrupted_one(tiny_checkpoint, part, tmp_path):
    train, check = part(1), part(2)
    plan = task(dropout=0.3, epochs=3, seed=7)
    whole = job_of(tiny_checkpoint, plan, 2)
    expected = fit(whole, train, check, tmp_path / "whole.pt")

    with pytest.raises(Interrupted):
        fit(job_of(tiny_checkpoint, plan, 2), stopping(train, 1), check, tmp_path / "cut.pt")
    resumed = job_of(tiny_checkpoint, plan, 2)
    found = fit(resumed, train, check, tmp_path / "cut.pt")

    assert found == expected
    for name, one in weights(whole).items():
        assert torch.equal(weights(resumed)[name], one), name


def test_a_finished_fit_is_not_done_again(tiny_checkpoint, part, tmp_path):
    train, check = part(1), part(2)
    job = job_of(tiny_checkpoint, task(epochs=1), 2)
    expected = fit(job, train, check, tmp_path / "state.pt")
    again = job_of(tiny_checkpoint, task(epochs=1), 2)

    assert fit(again, stopping(train, -9), check, tmp_path / "state.pt") == expected
    assert all(torch.equal(weights(again)[name], one) for name, one in weights(job).items())


def test_the_trunk_stays_as_it_is(tiny_checkpoint, part, tmp_path):
    job = job_of(tiny_checkpoint, task(epochs=1), 2)
    before = {
        name: one.clone() for name, one in job.network.named_parameters() if not one.requires_grad
    }

    fit(job, part(1), part(2), tmp_path / "state.pt")

    after = dict(job.network.named_parameters())
    assert before and all(torch.equal(after[name], one) for name, one in before.items())


@pytest.mark.parametrize("kind", ["sequence", "token"])
def test_logits_come_in_the_order_of_the_rows(tiny_checkpoint, part, kind):
    """As each window alone, whatever batches they ran in."""
    token = kind == "token"
    check = part(2, token=token)
    job = job_of(tiny_checkpoint, task(kind), 2)

    found = logits(job, check)

    start = 0
    for window, length in enumerate(check.rows.lengths):
        ids = torch.from_numpy(check.rows.ids[start : start + length])[None]
        with torch.no_grad():
            wanted = job.network(input_ids=ids).logits[0].numpy()
        at = slice(start, start + length) if token else window
        np.testing.assert_allclose(found[at], wanted, atol=0.02)  # the states are halves
        start += length


def test_validation_counts_every_text_alike(tiny_checkpoint, part):
    check = part(2)
    job = job_of(tiny_checkpoint, task(), 2)

    together = validate(job, check)

    with torch.inference_mode():
        alone = [
            float(fitting.loss(job, check, check.batch(np.array([text]))))
            for text in range(len(COUNTS))
        ]

    assert together == pytest.approx(np.mean(alone), abs=1e-5)


def slow(found, owner, how, positive, lengths):
    rows = []
    for text in range(max(owner) + 1):
        mine = [row for row, one in zip(found, owner, strict=True) if one == text]
        tokens = [size - 2 for size, one in zip(lengths, owner, strict=True) if one == text]
        shares = [[math.exp(v) / sum(map(math.exp, row)) for v in row] for row in mine]
        if how == "mean":
            rows.append(np.average(shares, axis=0, weights=tokens).tolist())
        else:
            rows.append(max(shares, key=lambda row: sum(row[at] for at in positive)))
    return np.log(rows)


@pytest.mark.parametrize(
    ("how", "positive"),
    [
        pytest.param("mean", (), id="mean"),
        pytest.param("max", (2,), id="maximum of one label"),
        pytest.param("max", (0, 2), id="maximum of two labels together"),
    ],
)
def test_texts_of_several_windows(how, positive):
    found = np.random.default_rng(4).normal(0, 3, (12, 3)).astype(np.float32)
    owner = [0, 1, 1, 1, 2, 3, 3, 4, 4, 4, 4, 4]
    lengths = [9, 12, 12, 7, 3, 12, 4, 12, 12, 12, 12, 5]
    job = Job(None, task(over_windows=how, positive=("risk",) if positive else ()), positive)

    logs = over_windows(
        job, torch.from_numpy(found), torch.tensor(owner), torch.tensor(lengths)
    ).numpy()

    np.testing.assert_allclose(logs, slow(found.tolist(), owner, how, positive, lengths), atol=1e-5)


def test_the_maximum_teaches_the_riskiest_window_alone():
    found = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 0.0]], requires_grad=True)
    job = Job(None, task(over_windows="max", positive=("risk",)), (1,))

    over_windows(job, found, torch.tensor([0, 0, 0]), LENGTHS)[0, 1].backward()

    assert found.grad.abs().sum(1).gt(0).tolist() == [False, True, False]


def test_a_window_beside_what_is_looked_for_cannot_be_the_riskiest():
    found = torch.tensor([[2.0, 0.0], [0.0, 9.0], [1.0, 0.5]])
    job = Job(None, task(over_windows="max", positive=("risk",)), (1,))

    logs = over_windows(
        job, found, torch.tensor([0, 0, 0]), LENGTHS, torch.tensor([False, True, False])
    )

    torch.testing.assert_close(logs[0], found[2].log_softmax(-1))


def test_a_risk_seen_where_nothing_is_costs(tiny_checkpoint, part):
    """A text is an attack by its first window; what the second says of it should be harmless."""
    job = job_of(tiny_checkpoint, task(over_windows="max", positive=("risk",)), 2)
    job = replace(job, positive=(1,))
    made = part(1)
    beside = np.zeros(len(made.rows.owner), bool)
    beside[2] = True  # the second text's second window
    aware = Part(replace(made.rows, beside=beside), made.states)
    plain = fitting.loss(job, made, made.batch(np.array([1]))).detach()

    found = logits(job, aware)[1:3]
    risk = torch.from_numpy(found).softmax(-1)[:, 1]
    target = made.rows.targets[1]
    first = -torch.log(risk[0] if target else 1 - risk[0])
    expected = (first - torch.log(1 - risk[1])) / 2

    torch.testing.assert_close(fitting.loss(job, aware, aware.batch(np.array([1]))), expected)
    assert float(plain) != pytest.approx(float(expected))
