import pytest

from orchestrator.upstream.watching import Watch


class Told:
    def __init__(self):
        self.first, self.paces = [], []

    def started(self, model): ...
    def ended(self, model): ...
    def first_token(self, model, seconds):
        self.first.append(seconds)

    def per_token(self, model, seconds):
        self.paces.append(seconds)


def watched(chunks, streams=True, whole=True):
    """`chunks`: (seconds after sending, bytes)."""
    told, now = Told(), [100.0]
    watch = Watch(told, "m", streams, lambda: now[0])
    for seconds, data in chunks:
        now[0] = 100.0 + seconds
        watch.chunk(data)
    if whole:
        watch.whole()
    return told


EVENT = b'data: {"choices": []}\n\n'
USAGE = b'data: {"usage": {"completion_tokens": 11}}\n\ndata: [DONE]\n\n'


def test_events_are_tokens():
    told = watched([(0.5, EVENT), (0.6, EVENT), (0.9, EVENT * 2 + b"data: [DONE]\n\n")])

    assert told.first == pytest.approx([0.5])
    assert told.paces == pytest.approx([0.4 / 3])


def test_the_backend_knows_better():
    told = watched([(0.5, EVENT), (1.5, EVENT + USAGE[:30]), (1.5, USAGE[30:])])

    assert told.paces == pytest.approx([0.1])


@pytest.mark.parametrize("cut", [1, 20])
def test_an_answer_in_one_piece_shares_its_whole_time_out(cut):
    body = b'{"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 20}}'
    told = watched([(1.0, body[:-cut]), (2.0, body[-cut:])], streams=False)

    assert (told.first, told.paces) == ([], [pytest.approx(0.1)])


@pytest.mark.parametrize(
    ("chunks", "options"),
    [
        pytest.param([], {}, id="empty"),
        pytest.param([(0.5, EVENT)], {}, id="one token"),
        pytest.param([(0.5, b'{"error": {}}')], {"streams": False}, id="no usage"),
        pytest.param([(0.5, EVENT), (0.6, EVENT)], {"whole": False}, id="broken off"),
    ],
)
def test_no_pace_is_told(chunks, options):
    assert watched(chunks, **options).paces == []
