import pytest
from yarl import URL

from orchestrator.upstream.endpoints import Endpoint
from orchestrator.upstream.headers import forwarded, returned

OPEN = Endpoint("e", URL("http://x"), "m")
KEYED = Endpoint(
    "e", URL("http://x"), "m", headers={"authorization": "Bearer ours", "x-tenant": "t"}, keyed=True
)
OURS = {"content-type": "application/json", "accept-encoding": "identity"}


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "router"},
        {"connection": "close", "keep-alive": "timeout=5", "te": "trailers"},
        {"connection": "x-hop, Upgrade", "x-hop": "1", "upgrade": "h2c"},
        {"transfer-encoding": "chunked", "content-length": "3", "expect": "100-continue"},
        {"accept-encoding": "gzip, br", "content-encoding": "gzip", "content-type": "text/plain"},
        {"cookie": "session=1"},
        {"x-vsr-debug": "true", "x-authz-user-id": "ann", "x-user-openai-key": "sk-user"},
        {"x-vsr-internal-auth": "s", "x-vsr-looper-request": "1", "x-vsr-fusion-depth": "2"},
        {"x-tsr-any": "1"},
        {"x-odd": "\udcff"},
    ],
    ids=lambda value: next(iter(value)),
)
def test_not_forwarded(headers):
    assert forwarded(headers, OPEN) == OURS


def test_the_rest_is_forwarded():
    kept = {"traceparent": "00-1-2-01", "x-request-id": "r", "openai-organization": "o", "x-a": "é"}

    assert forwarded(kept, OPEN) == kept | OURS


def test_the_credentials_of_the_client_pass_only_where_none_is_configured():
    client = {"authorization": "Bearer theirs", "api-key": "theirs", "x-api-key": "theirs"}

    assert forwarded(client, OPEN) == client | OURS
    assert forwarded(client, KEYED) == {"authorization": "Bearer ours", "x-tenant": "t"} | OURS


def test_returned():
    given = [
        ("Content-Type", "application/json"),
        ("Content-Length", "2"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "keep-alive"),
        ("Server", "uvicorn"),
        ("Date", "now"),
        ("Set-Cookie", "a=b"),
        ("X-Request-Id", "theirs"),
        ("X-Odd", "\udcff"),
        ("X-VSR-Selected-Model", "of a router behind"),
        ("x-tsr-signals-unknown", "embedding"),
        ("Retry-After", "3"),
        ("OpenAI-Processing-Ms", "5"),
    ]

    assert returned(given) == {
        "content-type": "application/json",
        "retry-after": "3",
        "openai-processing-ms": "5",
    }
