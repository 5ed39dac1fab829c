"""Which conversation a request belongs to (spec/http.md, session identity).

A header of the session, of a coding agent, of the conversation; then `metadata.user_id`; then what
stays the same from turn to turn: who asks, the system prompt and the first thing the user said.
"""

from __future__ import annotations

from hashlib import blake2b

from orchestrator.types import Request

IDENTITY = ("x-session-id", "x-conversation-id")
AGENT = "x-claude-code-session-id"
REQUEST_ID = "x-request-id"
MOST = 256  # characters of a name that a client gives; longer ones are hashed


def session_of(request: Request, headers: tuple[str, str] = IDENTITY) -> str:
    """A name, the same for all turns of a conversation; `headers` in lower case.

    Empty where the request has neither text nor name: nothing then ties it to another.
    """
    session, conversation = headers
    for header in (session, AGENT, conversation):
        if given := request.headers.get(header, "").strip():
            return given if len(given) <= MOST else _hash(given)
    if user := request.metadata.get("user_id", "").strip():
        return f"ant-md-{_hash(user)}"
    first = request.prior_user_texts[0] if request.prior_user_texts else request.user_text
    system = _system(request)
    if first or system:
        return f"fp-{_hash(request.identity.user or '', system, first)}"
    return request.headers.get(REQUEST_ID, "")


def _system(request: Request) -> str:
    """The system prompt. Without a system message the first other text is an earlier answer,
    which the first turn did not have.
    """
    roles = request.shape.roles
    leads = roles.get("system", 0) + roles.get("developer", 0)
    return request.non_user_texts[0] if leads and request.non_user_texts else ""


def _hash(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=12).hexdigest()
