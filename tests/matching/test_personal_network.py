import pytest

from orchestrator.matching.personal_network import Network, is_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", False, id="empty"),
        pytest.param("1.2.3.256", False, id="out of range"),
        pytest.param("01.2.3.4", False, id="leading zero"),
        pytest.param("127.0.0.1", False, id="loopback"),
        pytest.param("255.255.0.0", False, id="mask"),
        pytest.param("::", False, id="unspecified"),
        pytest.param("a::b", False, id="looks like C++"),
        pytest.param("face::bad", False, id="words of hex letters"),
        pytest.param("8.8.8.8", True, id="IPv4"),
        pytest.param("2001:db8::1", True, id="IPv6"),
        pytest.param("1:2:3:4:5:6:7:8", True, id="IPv6 in full"),
    ],
)
def test_is_address(text, expected):
    assert is_address(text) is expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"https://user:secret@db.example.com", [], id="password of a URL"),
        pytest.param(b"user@host.c", [], id="TLD of one letter"),
        pytest.param(b"a@b.com1", [], id="goes on"),
        pytest.param(b"icon@2x.png logo@1.5x.JPG", [], id="pictures for dense screens"),
        pytest.param(b"me@2x.com", [b"me@2x.com"], id="a host of the same name"),
        pytest.param(b"mailto:a@b.com?x=1", [b"a@b.com"], id="link"),
        pytest.param(b"MAIL=a@b.com,c@d.org", [b"a@b.com", b"c@d.org"], id="two"),
    ],
)
def test_emails(data, expected):
    assert [data[start:stop] for start, stop, _ in Network().emails(data)] == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"example.com", [], id="bare host is left to the model"),
        pytest.param(b"http://localhost:80 http://10.0.0.1", [], id="no domain"),
        pytest.param(b"awww.nice.com", [], id="www inside a word"),
        pytest.param(b"https://www.a.de/x.html", [b"www.a.de"], id="URL"),
        pytest.param(b"see www.a-b.co.uk.", [b"www.a-b.co.uk"], id="www"),
    ],
)
def test_hosts(data, expected):
    assert [data[start:stop] for start, stop, _ in Network().hosts(data)] == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"icon@2x.png", False, id="picture for dense screens"),
        pytest.param(b"a@b.com c", False, id="more than one"),
        pytest.param(b"a@b.com", True, id="whole"),
    ],
)
def test_is_email(data, expected):
    assert Network().is_email(data) is expected
