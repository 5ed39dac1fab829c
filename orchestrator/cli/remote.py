"""A running router, asked over its management plane."""

import aiohttp

from orchestrator.errors import UpstreamUnavailable
from orchestrator.probes.runner import endpoint_of

REACH_S = 10.0


async def reach(session: aiohttp.ClientSession, url: str) -> None:
    """Raises UpstreamUnavailable where no router's management plane is: one line instead of one
    a probe. Any status but 404 will do: the endpoint takes POST only, and may want a token.
    """
    endpoint = endpoint_of(url)
    try:
        async with session.get(endpoint, timeout=aiohttp.ClientTimeout(REACH_S)) as response:
            absent = response.status == 404
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError):
        raise UpstreamUnavailable(f"the router cannot be asked: {url} is no http URL") from None
    except (aiohttp.ClientError, OSError) as error:
        why = str(error) or "no answer"
        raise UpstreamUnavailable(f"the router cannot be asked: {why}") from None
    if absent:
        raise UpstreamUnavailable(
            f"the router cannot be asked: there is no {endpoint}; --url is the address of the"
            " management plane (http://127.0.0.1:8080 unless configured), not of the data plane"
        )
