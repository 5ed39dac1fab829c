import asyncio
import socket
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver
from yarl import URL

from orchestrator.config.images import Fetch
from orchestrator.errors import ImageNotFetched
from orchestrator.upstream.linked_pictures import (
    LONGEST_URL,
    allowed,
    is_public,
    linked_pictures,
)

ALLOW = ("pictures.example.org", "*.cdn.example.com", "other.example.org:8443")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "172.16.5.4",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "",
        "example.org",
    ],
)
def test_it_is_no_public_address(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"]
)
def test_it_is_a_public_address(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://pictures.example.org/a.png",
        "file:///etc/passwd",
        "https://example.org/a.png",
        "https://evil.org/?pictures.example.org",
        "https://pictures.example.org.evil.org/",
        "https://evilpictures.example.org/",
        "https://pictures.example.org@evil.org/",
        "https://user@pictures.example.org/",
        "https://user:pass@pictures.example.org/",
        "https://pictures.example.org./",
        "https://pictures.example.org:8443/",
        "http://pictures.example.org:443/",
        "https://cdn.example.com/",
        "https://evilcdn.example.com/",
        "https://other.example.org/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http:///a.png",
    ],
)
def test_it_is_not_allowed(url):
    assert not allowed(URL(url), ALLOW)


@pytest.mark.parametrize(
    "url",
    [
        "https://pictures.example.org/a.png?size=1",
        "http://pictures.example.org:80/",
        "HTTPS://PICTURES.EXAMPLE.ORG/",
        "https://a.cdn.example.com/",
        "https://a.b.cdn.example.com/",
        "https://other.example.org:8443/",
    ],
)
def test_it_is_allowed(url):
    assert allowed(URL(url), ALLOW)


class Resolver(AbstractResolver):
    """Says that every name is at these addresses, and counts how often it was asked."""

    def __init__(self, *addresses):
        self.addresses = addresses
        self.asked = 0

    async def resolve(self, host, port=0, family=socket.AF_UNSPEC):
        self.asked += 1
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
            for address in self.addresses
        ]

    async def close(self):
        pass


class Host:
    """Answers with `body`, and keeps the requests."""

    def __init__(self):
        self.body = b"a picture"
        self.status = 200
        self.headers = {}
        self.requests = []
        self.hangs = asyncio.Event()
        self.hangs.set()

    async def handle(self, request):
        self.requests.append(request)
        await self.hangs.wait()
        return web.Response(body=self.body, status=self.status, headers=self.headers)


@asynccontextmanager
async def fetching(host, *, public=lambda _: True, resolver=None, **settings):
    """`get` fetches a path of `host`, which is at a name that is allowed."""
    application = web.Application()
    application.router.add_get("/{path:.*}", host.handle)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        allow = [f"pictures.example.org:{port}"]
        made = Fetch.model_validate({"enabled": True, "allow": allow} | settings)
        async with linked_pictures(made, public, resolver or Resolver("127.0.0.1")) as linked:
            yield lambda path="a.png": linked.fetch(f"http://pictures.example.org:{port}/{path}")
    finally:
        await runner.cleanup()


async def test_where_the_policy_does_not_fetch_there_is_nothing():
    async with linked_pictures(Fetch()) as linked:
        assert linked is None


async def test_a_picture_comes_as_it_is_and_nothing_of_the_client_goes():
    host = Host()
    host.headers = {"content-type": "text/html", "set-cookie": "a=b"}
    async with fetching(host) as get:
        assert await get() == b"a picture"
        assert await get() == b"a picture"

    sent = {name.lower() for name in host.requests[1].headers}
    assert sent == {"host", "accept", "accept-encoding", "user-agent", "connection"}


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example.org/a.png",
        "https://",
        "http://[bad/",
        "https://pictures.example.org:99999/",
        "https://pictures.example.org/" + "a" * LONGEST_URL,
    ],
)
async def test_what_is_not_allowed_is_not_even_looked_up(url):
    resolver = Resolver("127.0.0.1")
    async with linked_pictures(
        Fetch(enabled=True, allow=ALLOW), lambda _: True, resolver
    ) as linked:
        with pytest.raises(ImageNotFetched) as failure:
            await linked.fetch(url)

    assert resolver.asked == 0
    assert "evil" not in str(failure.value)


async def test_a_name_that_is_at_no_public_address_is_not_called():
    host = Host()
    async with fetching(host, public=is_public) as get:
        with pytest.raises(ImageNotFetched):
            await get()

    assert host.requests == []


async def test_the_address_is_judged_at_each_connection():
    # The name is at a public address when it is looked at, and at ours when it is called.
    host, judged = Host(), []

    def public(address):
        judged.append(address)
        return len(judged) == 1

    async with fetching(host, public=public) as get:
        assert await get() == b"a picture"
        with pytest.raises(ImageNotFetched):
            await get()

    assert judged == ["127.0.0.1", "127.0.0.1"]
    assert len(host.requests) == 1


async def test_of_several_addresses_only_public_ones_are_called():
    host = Host()
    tried = []

    def public(address):
        tried.append(address)
        return address == "127.0.0.1"

    async with fetching(host, public=public, resolver=Resolver("10.0.0.1", "127.0.0.1")) as get:
        assert await get() == b"a picture"

    assert set(tried) == {"10.0.0.1", "127.0.0.1"}


@pytest.mark.parametrize("status", [201, 204, 301, 302, 307, 308, 404, 500])
async def test_anything_but_a_plain_answer_is_none(status):
    host = Host()
    host.status, host.headers = status, {"location": "/b.png"}
    async with fetching(host) as get:
        with pytest.raises(ImageNotFetched, match=str(status)):
            await get()

    assert len(host.requests) == 1


@pytest.mark.parametrize("coding", [{}, {"content-encoding": "gzip"}], ids=["plain", "compressed"])
async def test_the_limit_counts_what_comes(coding):
    host = Host()
    host.body, host.headers = bytes(1_001), coding
    async with fetching(host, max_bytes=1_000) as get:
        with pytest.raises(ImageNotFetched, match="more than 1000 bytes"):
            await get()
        host.body = bytes(1_000)
        assert len(await get()) == 1_000


async def test_a_host_that_hangs_is_left():
    host = Host()
    host.hangs.clear()
    async with fetching(host, timeout_seconds=0.05) as get:
        try:
            with pytest.raises(ImageNotFetched, match=r"within 0\.05 s"):
                await get()
        finally:
            host.hangs.set()


async def test_a_host_that_is_away():
    async with linked_pictures(
        Fetch(enabled=True, allow=["pictures.example.org:1"]), lambda _: True, Resolver("127.0.0.1")
    ) as linked:
        with pytest.raises(ImageNotFetched, match="cannot be fetched"):
            await linked.fetch("http://pictures.example.org:1/a.png")
