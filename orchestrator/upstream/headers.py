"""Which headers cross the router, in either direction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.upstream.endpoints import Endpoint

# RFC 9110 7.6.1: they belong to one connection. Lengths and encodings are set anew.
HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"}
    | {"te", "trailer", "transfer-encoding", "upgrade", "content-length"}
)

# Ours to set, or the business of the two sides of one hop only.
NOT_FORWARDED = HOP_BY_HOP | frozenset(
    {"host", "accept-encoding", "content-encoding", "content-type", "expect", "cookie"}
)
NOT_RETURNED = HOP_BY_HOP | frozenset({"server", "date", "set-cookie", "x-request-id"})

# Ours alone: what a backend says under these names was decided elsewhere.
OURS = ("x-vsr-", "x-tsr-")

# Names with these beginnings speak to the router: its switches, and whom it serves
# (spec/http.md 7.1). A backend has no use for them and must not learn them.
PRIVATE = (*OURS, "x-authz-", "x-user-")

CREDENTIALS = frozenset({"authorization", "api-key", "x-api-key"})


def forwarded(headers: Mapping[str, str], endpoint: Endpoint) -> dict[str, str]:
    """Headers for the backend. The client's credentials reach it only if none is configured."""
    named = _named(headers.get("connection", ""))
    kept = {
        name: value
        for name, value in headers.items()
        if name not in NOT_FORWARDED
        and not name.startswith(PRIVATE)
        and name not in named
        and (value.isascii() or _is_text(value))
    }
    if endpoint.keyed:
        for name in CREDENTIALS:
            kept.pop(name, None)
    kept["content-type"] = "application/json"
    kept["accept-encoding"] = "identity"  # spec/http.md 7.1: events are forwarded as they come
    if endpoint.headers:
        kept.update(endpoint.headers)
    return kept


def returned(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers for the client, with lower-case names."""
    return {
        name: value
        for key, value in headers
        if (name := key.lower()) not in NOT_RETURNED
        and not name.startswith(OURS)
        and (value.isascii() or _is_text(value))
    }


def _is_text(value: str) -> bool:
    """Bytes that are not UTF-8 arrive as surrogates, which cannot be sent on."""
    return not any("\ud800" <= char <= "\udfff" for char in value)


def _named(connection: str) -> frozenset[str]:
    """Names that a Connection header adds to the hop-by-hop ones."""
    if not connection or connection.lower() in ("keep-alive", "close"):
        return frozenset()
    return frozenset(name.strip().lower() for name in connection.split(","))
