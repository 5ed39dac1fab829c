from collections import Counter
from random import Random

import pytest
from yarl import URL

from orchestrator.upstream.endpoints import Endpoint
from orchestrator.upstream.pool import Pool
from tests.clock import Clock


def endpoint(name, weight=1):
    return Endpoint(name, URL("http://x"), "m", weight)


def pool(*weights, failures=2, clock=None):
    servers = [endpoint(name, weight) for name, weight in zip("abcdef", weights, strict=False)]
    return Pool(servers, Random(7), failures, 30.0, clock or Clock())


def ejected(subject):
    return [one.name for one in subject.ejected()]


def first(subject):
    return subject.order()[0].name


def test_every_server_is_in_the_order_once():
    subject = pool(1, 5, 100)

    assert all(sorted(one.name for one in subject.order()) == list("abc") for _ in range(50))


def test_the_first_is_drawn_by_weight():
    subject = pool(80, 20)

    drawn = Counter(first(subject) for _ in range(5000))

    assert 0.77 < drawn["a"] / 5000 < 0.83


def test_an_ejected_server_is_asked_last_until_its_time_is_over():
    clock = Clock()
    subject = pool(1, 1, clock=clock)
    a = subject.endpoints[0]

    subject.failed(a)
    assert ejected(subject) == []
    subject.failed(a)
    assert {first(subject) for _ in range(50)} == {"b"}
    clock.now += 30.0
    assert {first(subject) for _ in range(50)} == {"a", "b"}


def test_a_failure_on_probation_ejects_again_and_a_success_forgives():
    clock = Clock()
    subject = pool(1, 1, clock=clock)
    a = subject.endpoints[0]
    subject.failed(a)
    subject.failed(a)
    clock.now += 30.0

    subject.failed(a)
    assert ejected(subject) == ["a"]
    subject.succeeded(a)
    subject.failed(a)
    assert ejected(subject) == []


def test_a_success_between_failures_starts_the_count_anew():
    subject = pool(1, 1)
    a = subject.endpoints[0]

    for _ in range(5):
        subject.failed(a)
        subject.succeeded(a)

    assert ejected(subject) == []


@pytest.mark.parametrize(
    "failures, servers", [(0, 2), (2, 1)], ids=["switched off", "the only one"]
)
def test_no_ejection(failures, servers):
    subject = pool(*[1] * servers, failures=failures)

    for _ in range(9):
        subject.failed(subject.endpoints[0])

    assert ejected(subject) == []


def test_where_all_are_ejected_none_is():
    subject = pool(1, 1)
    for one in subject.endpoints * 2:
        subject.failed(one)

    assert ejected(subject) == []
    assert {first(subject) for _ in range(50)} == {"a", "b"}


def test_servers_of_one_name_are_two_servers():
    subject = Pool([endpoint("local", 80), endpoint("local", 20)], Random(7), 1, 30.0, Clock())
    one, two = subject.endpoints

    drawn = Counter(subject.order()[0] is one for _ in range(5000))
    subject.failed(one)

    assert 0.77 < drawn[True] / 5000 < 0.83
    assert [server is two for server in subject.order()] == [True, False]
