import pytest

from orchestrator.protocols.chat_completions import parse
from orchestrator.protocols.session import session_of

SYSTEM = {"role": "system", "content": "be brief"}
FIRST = {"role": "user", "content": "hello"}
MORE = [{"role": "assistant", "content": "hi"}, {"role": "user", "content": "go on"}]


def request(messages=(FIRST,), headers=None, **fields):
    body = {"model": "auto", "messages": list(messages), **fields}
    return parse(body, {"x-request-id": "r1", **(headers or {})})


@pytest.mark.parametrize(
    ("headers", "session"),
    [
        pytest.param(
            {"x-session-id": " s ", "x-conversation-id": "c", "x-claude-code-session-id": "k"},
            "s",
            id="session first",
        ),
        pytest.param(
            {"x-session-id": "", "x-claude-code-session-id": "k", "x-conversation-id": "c"},
            "k",
            id="then a coding agent",
        ),
        pytest.param({"x-conversation-id": "c"}, "c", id="then the conversation"),
    ],
)
def test_headers(headers, session):
    assert session_of(request(headers=headers, metadata={"user_id": "u"})) == session


def test_headers_that_the_policy_names():
    asked = request(headers={"x-ours": "o", "x-session-id": "s"})

    assert session_of(asked, ("x-ours", "x-theirs")) == "o"


def test_a_long_name_is_hashed():
    assert len(session_of(request(headers={"x-session-id": "s" * 10_000}))) < 256


def test_the_user_of_metadata():
    one, same, other = (request(metadata={"user_id": user}) for user in ("u", "u", "v"))

    assert session_of(one) == session_of(same) != session_of(other)
    assert session_of(one).startswith("ant-md-")


@pytest.mark.parametrize("start", [[FIRST], [SYSTEM, FIRST]], ids=["no system", "system"])
def test_all_turns_of_a_conversation_are_one(start):
    assert session_of(request(start)) == session_of(request([*start, *MORE]))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(request([{"role": "user", "content": "hello!"}]), id="another beginning"),
        pytest.param(request([SYSTEM, FIRST]), id="another system prompt"),
        pytest.param(request(headers={"x-authz-user-id": "ada"}), id="another user"),
    ],
)
def test_conversations_differ(other):
    assert session_of(request()) != session_of(other)


def test_without_any_text_each_request_is_its_own():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}

    assert session_of(request([{"role": "user", "content": [picture]}])) == "r1"
