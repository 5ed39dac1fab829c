import json
import logging
import queue
import threading

import pytest

from orchestrator.errors import BodyTooLarge, ModelNotFound, NotStarted, RequestError, RouterError
from tests.app.insiders import CONFIG, EMBEDDING, REPLACED, inside, open_router, request
from tests.app.reloads import BAD, policy
from tests.inference.fake_backend import FakeBackend, TritonModelException
from tests.inference.golden_files import write_goldens

MODEL = "text_embedding"


@pytest.fixture(autouse=True)
def log():
    """The router takes the log of its process; here it is the tests'."""
    root = logging.getLogger()
    before, level = [*root.handlers], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(policy(1, 9))
    return path


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    for model in (MODEL, "large"):
        write_goldens(folder, model)
        (folder / model / "config.pbtxt").write_text(CONFIG)
    return folder


@pytest.fixture
def asking(file, repository):
    with inside(file, repository) as asking:
        yield asking


@pytest.mark.parametrize(
    ("raw", "kind", "part"),
    [
        pytest.param(b"{", RequestError, "not valid JSON", id="no JSON"),
        pytest.param(b"\xff", RequestError, "not valid JSON", id="no UTF-8"),
        pytest.param(b"", RequestError, "not valid JSON", id="empty"),
        pytest.param(b"[" * 100_000, RequestError, "", id="nested deep"),
        pytest.param(b"[1]", RequestError, "must be a JSON object", id="no object"),
        pytest.param(b"{}", RequestError, "text cannot be empty", id="no messages"),
        pytest.param(
            request("x", stream=1), RequestError, "stream must be true or false", id="a wrong field"
        ),
        pytest.param(request("hi", model="gpt"), ModelNotFound, "gpt", id="no such model"),
    ],
)
def test_what_is_no_request_is_refused_as_over_http(asking, raw, kind, part):
    found = asking.ask(raw)

    assert type(found) is kind
    assert part in str(found)


def test_a_request_is_routed(asking):
    [first, second] = asking.ask(request("hello there"), request("bye"))

    assert first["routing_decision"] == "decision-1"
    assert first["decision_result"]["used_signals"]["keywords"] == ["word-1"]
    assert second["routing_decision"] == ""
    assert second["original_text"] == "bye"


def test_of_several_rows_the_first_error_is_told(asking):
    found = asking.ask(request("hello"), request("hi", model="gpt"), b"{")

    assert type(found) is ModelNotFound
    assert str(found).startswith("row 2 of 3: ")


def test_a_request_that_is_too_large_is_refused(file, repository):
    with inside(file, repository, max_bytes="200") as asking:
        found = asking.ask(request("x" * 200))
        assert asking.decision("hello") == "decision-1"

    assert isinstance(found, BodyTooLarge)
    assert "larger than 200 bytes" in str(found)


def test_parameters_of_a_request_are_its_headers(tmp_path, repository):
    file = tmp_path / "policy.yaml"
    binding = "{name: staff, role: staff, subjects: [{kind: Group, name: staff}]}"
    text = policy(1, 9).replace("  signals:\n", f"  signals:\n    role_bindings: [{binding}]\n")
    file.write_text(text.replace("{type: keyword, name: word-1}", "{type: authz, name: staff}"))
    with inside(file, repository) as asking:
        headers = {"x_authz_user_id": "ann", "x_authz_user_groups": "staff"}
        [ours] = asking.ask(request("anything"), **headers)

    assert ours["routing_decision"] == "decision-1"


def test_all_that_is_asked_at_once_is_answered(asking):
    answers = [asking.submit(request(f"hello {number}")) for number in range(200)]

    texts = [json.loads(one.get(timeout=30)[0])["original_text"] for one in answers]
    assert texts == [f"hello {number}" for number in range(200)]


def test_no_more_are_under_way_than_allowed(tmp_path, repository):
    file, backend = tmp_path / "policy.yaml", FakeBackend()
    file.write_text(EMBEDDING)
    backend.away = {MODEL}
    with inside(file, repository, backend, max_in_flight="2") as asking:
        answers = [asking.submit(request("good night")) for _ in range(2)]
        more = threading.Thread(
            target=lambda: answers.append(asking.submit(request("good night"))), daemon=True
        )
        more.start()
        more.join(0.2)
        waits = more.is_alive()
        backend.away = set()
        more.join(30)

        assert waits
        assert [type(one.get(timeout=30)) for one in answers] == [list] * 3


def test_a_model_is_asked_once_it_agrees_with_its_goldens(tmp_path, repository):
    file = tmp_path / "policy.yaml"
    file.write_text(EMBEDDING)
    with inside(file, repository) as asking:
        asking.until("info", f"{MODEL} at this Triton is trusted")
        assert asking.decision("good morning") == "greeting"
        assert asking.decision("good night") == ""
        assert asking.backend.metrics["tsr_model_trusted", MODEL] == 1


def test_a_model_that_answers_wrongly_is_not_asked(tmp_path, repository):
    file, backend = tmp_path / "policy.yaml", FakeBackend()
    file.write_text(EMBEDDING)
    right = backend.answer

    def wrong(asked):
        found = right(asked)
        return found | {"EMBEDDING": -found["EMBEDDING"]}

    backend.answer = wrong
    with inside(file, repository, backend) as asking:
        [route] = asking.ask(request("good morning"))

    assert route["signals_unknown"] == {"embedding:near": "model_untrusted"}
    assert backend.metrics["tsr_model_trusted", MODEL] == 0


def test_requests_wait_while_models_load(tmp_path, repository):
    file, backend = tmp_path / "policy.yaml", FakeBackend()
    file.write_text(EMBEDDING)
    backend.away = {MODEL}
    with inside(file, repository, backend) as asking:
        answer = asking.submit(request("good morning"))
        backend.away = set()
        [route] = answer.get(timeout=30)

    assert json.loads(route)["routing_decision"] == "greeting"


def test_a_router_that_waits_for_models_can_be_ended(tmp_path, repository):
    file, backend = tmp_path / "policy.yaml", FakeBackend()
    file.write_text(EMBEDDING)
    backend.away = {MODEL}
    router = open_router(file, repository, backend, {"start_seconds": "1000"})
    ending = threading.Thread(target=router.stop, daemon=True)
    ending.start()
    ending.join(30)

    assert not ending.is_alive()


def test_requests_do_not_wait_for_ever(tmp_path, repository):
    file, backend = tmp_path / "policy.yaml", FakeBackend()
    file.write_text(EMBEDDING)
    backend.away = {MODEL}
    with inside(file, repository, backend, start_seconds="1") as asking:
        found = asking.ask(request("good morning"))
        if not isinstance(found, NotStarted):  # the router was quicker, and goes on without
            assert found[0]["signals_unknown"] == {"embedding:near": "inference_unavailable"}
        asking.until("warn", "not all of text_embedding are loaded")


def test_a_changed_file_comes_into_force(asking, file):
    assert asking.decision("hello") == "decision-1"
    file.write_text(policy(2, 9))
    asking.until("info", "(the file changed: applied)")

    assert asking.decision("hello") == "decision-2"
    assert asking.backend.metrics["tsr_config_reload_total", "applied"] == 1
    assert asking.backend.metrics["tsr_config_file_in_force",] == 1


def test_a_bad_file_leaves_the_policy_and_is_told(asking, file):
    file.write_text(BAD)
    line = asking.until("error", "the old policy stays in force")

    assert "wich" in line
    assert asking.decision("hello") == "decision-1"
    assert asking.backend.metrics["tsr_config_reload_total", "refused"] == 1
    assert asking.backend.metrics["tsr_config_file_in_force",] == 0


def test_a_model_in_anothers_place_is_looked_for_in_this_triton(file, repository):
    """The package's own repository has none of that name."""
    file.write_text(REPLACED)
    with inside(file, repository) as asking:
        assert asking.decision("good morning") == "greeting"
        file.write_text(REPLACED.replace("large", "absent"))
        line = asking.until("error", "the old policy stays in force")

    assert f"no model 'absent' in {repository}" in line


def test_a_file_that_would_ask_this_router_leaves_the_policy(tmp_path, file, repository):
    with inside(file, repository, model=MODEL) as asking:
        assert asking.decision("hello") == "decision-1"
        file.write_text(EMBEDDING)
        line = asking.until("error", "the old policy stays in force")
        assert asking.decision("hello") == "decision-1"

    assert "it would wait for itself" in line


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        pytest.param(BAD, {}, "wich", id="a bad policy"),
        pytest.param(EMBEDDING, {"model": MODEL}, "wait for itself", id="itself"),
        pytest.param(REPLACED, {"model": "large"}, "wait for itself", id="in a model's place"),
        pytest.param(EMBEDDING, {"model": "part"}, "wait for itself", id="part of an ensemble"),
        pytest.param(policy(1, 9), {"max_bytes": "-1"}, "max_bytes", id="a limit below zero"),
        pytest.param(policy(1, 9), {"max_in_flight": "0"}, "max_in_flight", id="a limit of zero"),
        pytest.param(policy(1, 9), {"start_seconds": "soon"}, "'soon'", id="a limit in words"),
    ],
)
def test_what_cannot_work_is_refused_at_load(tmp_path, repository, text, given, message):
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    if given.get("model") == "part":
        ensemble = 'ensemble_scheduling { step { model_name: "part" } }'
        (repository / MODEL / "config.pbtxt").write_text(ensemble)

    with pytest.raises(TritonModelException, match=message):
        open_router(file, repository, FakeBackend(), given)


def test_a_file_that_is_not_there_is_refused_at_load(tmp_path, repository):
    with pytest.raises(TritonModelException, match=r"cannot read .*absent.yaml"):
        open_router(tmp_path / "absent.yaml", repository, FakeBackend())


def test_an_answer_that_cannot_be_handed_over_frees_its_place(file, repository):
    def refuse(answer):
        raise ValueError("the caller has left")

    with inside(file, repository, max_in_flight="1") as asking:
        asking.router.submit([request("hello")], {}, refuse)
        assert asking.decision("hello") == "decision-1"
        asking.until("error", "ValueError")


def test_a_bug_is_an_answer_too_and_tells_no_prompt(asking):
    answers = queue.SimpleQueue()
    asking.router.submit([request("my secret")], None, answers.put)

    assert type(answers.get(timeout=30)) is RouterError
    assert any(level == "error" and "AttributeError" in line for level, line in asking.backend.said)
    assert not any("my secret" in line for _, line in asking.backend.said)
