import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from orchestrator.config.images import MAX_BYTES, MAX_PIXELS, Fetch, Images
from orchestrator.inference import MAX_IMAGE_BYTES

PREPROCESSOR = Path(__file__).parents[2] / "model_repository/image_preprocess/config.pbtxt"
SOME = {"enabled": True, "allow": ["pictures.example.org"]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"which": "all"}, "which\n.*'first' or 'any'", id="which"),
        pytest.param({"on_refused": "ignore"}, "on_refused\n.*'unknown' or 'error'", id="refused"),
        pytest.param({"max_bytes": 0}, "max_bytes\n.*greater", id="no bytes"),
        pytest.param({"max_bytes": MAX_BYTES + 1}, "max_bytes\n.*less", id="too many bytes"),
        pytest.param({"max_pixels": MAX_PIXELS + 1}, "max_pixels\n.*less", id="too many pixels"),
        pytest.param({"max_side": 1}, "max_side\n.*not permitted", id="unknown"),
        pytest.param({"fetch": {"enabled": True}}, "allow names no host", id="nobody"),
        pytest.param({"fetch": SOME | {"timeout_seconds": 0}}, "timeout_seconds", id="no time"),
        pytest.param({"fetch": SOME | {"timeout_seconds": 61}}, "timeout_seconds", id="too long"),
        pytest.param({"fetch": SOME | {"max_bytes": MAX_BYTES + 1}}, "max_bytes", id="too large"),
        *(
            pytest.param({"fetch": {"allow": [host]}}, "expected the name of a host", id=host)
            for host in (
                "*",
                "*.",
                "*.org/",
                "https://example.org",
                "example.org/pictures",
                "user@example.org",
                "localhost",
                "127.0.0.1",
                "0x7f.1",
                "2130706433",
                "[::1]",
                "::1",
                "a.*.example.org",
                "*example.org",
                "example..org",
                "example.org:",
                "example.org:http",
            )
        ),
    ],
)
def test_it_is_refused(given, said):
    with pytest.raises(ValidationError, match=said):
        Images.model_validate(given)


@pytest.mark.parametrize(
    ("host", "read"),
    [
        pytest.param(" Pictures.Example.ORG ", "pictures.example.org", id="case and blanks"),
        pytest.param("*.example.org", "*.example.org", id="all below"),
        pytest.param("example.org:8443", "example.org:8443", id="a port"),
        pytest.param("xn--bcher-kva.example", "xn--bcher-kva.example", id="punycode"),
    ],
)
def test_hosts(host, read):
    assert Fetch(allow=[host]).allow == (read,)


def test_by_default_nothing_is_fetched_and_nothing_refused_that_the_preprocessor_reads():
    said = dict(
        re.findall(r'key: "(max_\w+)" value { string_value: "(\d+)"', PREPROCESSOR.read_text())
    )
    default = Images()

    assert (default.which, default.on_refused, default.fetch.enabled) == ("first", "unknown", False)
    assert said == {"max_bytes": str(default.max_bytes), "max_pixels": str(default.max_pixels)}
    assert default.fetch.max_bytes == default.max_bytes == MAX_IMAGE_BYTES
