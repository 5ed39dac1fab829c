"""Exit with 0 where URL answers 2xx: a container's health check. Usage: ready.py URL

Needs no package. The variable TSR_METRICS_TOKEN, where it is set, goes along as the bearer token.
"""

import http.client
import os
import sys
import urllib.error
import urllib.request

SECONDS = 4  # less than the check's own timeout


def main(url: str, token: str) -> int:
    """0: it answers 2xx. 1: anything else, and one line on stderr says what."""
    if not token.isprintable():  # else the error would quote it
        print(f"{url}: TSR_METRICS_TOKEN has characters that no header may have", file=sys.stderr)
        return 1
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    # No proxy: what is asked is in this container.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, headers=headers), timeout=SECONDS):
            return 0
    except urllib.error.HTTPError as error:
        said = error.read(2000).decode(errors="replace")
        print(f"{url}: {error.code}: {said}", file=sys.stderr)
    except (OSError, ValueError, http.client.HTTPException) as error:
        print(f"{url}: {error!r}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: ready.py URL", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1], os.environ.get("TSR_METRICS_TOKEN", "")))
