"""Fetches pictures that requests name by a URL: of allowed hosts, from public addresses only.

A stranger chooses the URL, so nothing of it is trusted (server-side request forgery). The host must
be in the policy's list; the address is judged where the connection is made, after the name was
resolved, so that a name cannot point elsewhere between the look and the call; there is no redirect,
no proxy, no cookie, no kept connection. What is fetched is bytes: their type is told by themselves.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiohttp
from yarl import URL

from orchestrator.config.images import Fetch
from orchestrator.errors import ImageNotFetched

AT_ONCE = 32  # connections, of all requests together
PORTS = {"http": 80, "https": 443}
LONGEST_URL = 8_192
AGENT = "triton-semantic-router"
HEADERS = {"accept": "image/*", "accept-encoding": "identity", "user-agent": AGENT}

Public = Callable[[str], bool]  # of an IP address


def is_public(address: str) -> bool:
    """Whether anybody on the internet is reached by `address`, and surely nobody nearby.

    Addresses that carry another one inside (IPv4-mapped, 6to4, Teredo, NAT64) are not.
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address) and (
        ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip.is_site_local
    ):
        return False
    return ip.is_global and not (
        ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback or ip.is_link_local
    )


def allowed(url: URL, allow: tuple[str, ...]) -> bool:
    """Whether the policy lets `url` be fetched; see `config.images.Fetch`."""
    if url.scheme not in PORTS or url.user is not None or url.password is not None:
        return False
    return any(_same(entry, url) for entry in allow)


def _same(entry: str, url: URL) -> bool:
    name, _, port = entry.partition(":")
    host = (url.raw_host or "").lower()
    if url.port != (int(port) if port else PORTS[url.scheme]):
        return False
    return host.endswith(name[1:]) if name.startswith("*.") else host == name


class LinkedPictures:
    """`fetch` satisfies `inference.pictures.Fetch`."""

    def __init__(self, settings: Fetch, session: aiohttp.ClientSession) -> None:
        self._settings = settings
        self._session = session

    async def fetch(self, url: str) -> bytes:
        """Raises ImageNotFetched, whatever the reason; its text names none of the URL."""
        if len(url) > LONGEST_URL:
            raise ImageNotFetched(f"the URL of a picture has more than {LONGEST_URL} characters")
        try:
            target = URL(url)
            permitted = allowed(target, self._settings.allow)
        except ValueError:  # no URL, or no port
            raise ImageNotFetched("the URL of a picture is malformed") from None
        if not permitted:
            raise ImageNotFetched("the URL of a picture is of no host that the policy allows")
        try:
            return await self._get(target)
        except TimeoutError:
            said = f"a picture did not come within {self._settings.timeout_seconds:g} s"
            raise ImageNotFetched(said) from None
        except (aiohttp.ClientError, OSError, RuntimeError, ValueError) as error:
            said = f"a picture cannot be fetched: {type(error).__name__}"
            raise ImageNotFetched(said) from None

    async def _get(self, url: URL) -> bytes:
        timeout = aiohttp.ClientTimeout(total=self._settings.timeout_seconds)
        async with self._session.get(
            url, headers=HEADERS, allow_redirects=False, timeout=timeout
        ) as response:
            if response.status != 200:
                raise ImageNotFetched(f"the host of a picture answered {response.status}")
            data = bytearray()
            async for piece in response.content.iter_any():
                data += piece
                if len(data) > self._settings.max_bytes:
                    raise ImageNotFetched(
                        f"a picture has more than {self._settings.max_bytes} bytes"
                    )
            return bytes(data)


@asynccontextmanager
async def linked_pictures(
    settings: Fetch,
    public: Public = is_public,
    resolver: aiohttp.abc.AbstractResolver | None = None,
) -> AsyncIterator[LinkedPictures | None]:
    """None where the policy does not fetch. `public` judges the address of each connection."""
    if not settings.enabled:
        yield None
        return

    def connecting(address: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, where = address
        if not public(str(where[0])):
            raise PermissionError("not a public address")
        return socket.socket(family, kind, protocol)

    connector = aiohttp.TCPConnector(
        limit=AT_ONCE, force_close=True, resolver=resolver, socket_factory=connecting
    )
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
    ) as session:
        yield LinkedPictures(settings, session)
