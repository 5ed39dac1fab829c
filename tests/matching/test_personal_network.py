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
        pytest.param(b"a@b.com_c", [], id="a word goes on"),
        pytest.param(b"me@2x.com", [b"me@2x.com"], id="a host of the same name"),
        pytest.param(b"mailto:a@b.com?x=1", [b"a@b.com"], id="link"),
        pytest.param(b"_a@b.com_, __a@b.com__", [b"a@b.com"] * 2, id="emphasis"),
        pytest.param(b"see a@b.com_", [b"a@b.com"], id="emphasis that began before"),
        pytest.param(b"_a@b.com and _a_@b.com", [b"_a@b.com", b"_a_@b.com"], id="underscores"),
        pytest.param(b"_@b.com_", [b"_@b.com"], id="nothing but an underscore"),
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


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("version 1.2.3.4", id="word"),
        pytest.param("Version is 1.2.3.4", id="is"),
        pytest.param("v1.2.3.4", id="letter"),
        pytest.param("release 10.0.0.1", id="release"),
        pytest.param("releases 10.0.0.1", id="plural"),
        pytest.param('"version": "1.2.3.4"', id="JSON"),
        pytest.param("version=1.2.3.4", id="assignment"),
        pytest.param("Chrome 120.0.0.0", id="browser"),
        pytest.param("versions 1.2.3.4 and 1.2.3.5, 1.2.3.6", id="several"),
        pytest.param("v1.2.3.4 - v1.2.3.9", id="range of versions"),
        pytest.param("pkg-1.2.3.4", id="package"),
        pytest.param("a[::2] list[1::2] hosts[::2]", id="Python"),
        pytest.param("std::2 2::1 std::beef::1ab2 a::b:1", id="C++"),
        pytest.param("1:2:3:4:5:6:7:8:9", id="nine groups"),
        pytest.param("3c:22:fb:10:a1:0e:", id="MAC address"),
    ],
)
def test_no_address(text):
    assert addresses(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("version 2 at 10.0.0.1", ["10.0.0.1"], id="version of something else"),
        pytest.param("from v1.2.3.4 on host 10.0.0.1", ["10.0.0.1"], id="beside a version"),
        pytest.param("moved to 10.0.0.1", ["10.0.0.1"], id="a word that says nothing"),
        pytest.param("10.0.0.1-10.0.0.9", ["10.0.0.1", "10.0.0.9"], id="range"),
        pytest.param("_10.0.0.1_", ["10.0.0.1"], id="emphasis"),
        pytest.param("::ffff:10.0.0.1", ["::ffff:10.0.0.1"], id="IPv4 in IPv6"),
        pytest.param("64:ff9b::8.8.8.8", ["64:ff9b::8.8.8.8"], id="translated"),
        pytest.param("fe80::1%eth0", ["fe80::1"], id="without its zone"),
        pytest.param("IPv6:2001:db8::1", ["2001:db8::1"], id="named"),
        pytest.param("host:1:2:3:4:5:6:7:8,", ["1:2:3:4:5:6:7:8"], id="named, in full"),
        pytest.param("2001:db8::1: down", ["2001:db8::1"], id="colon of a sentence"),
        pytest.param("2001:db8::", ["2001:db8::"], id="network"),
        pytest.param("ping ::2, ip 2::1", ["::2", "2::1"], id="short and called one"),
        pytest.param("http://[2::1]:80/", ["2::1"], id="short in a URL"),
    ],
)
def test_addresses(text, expected):
    assert addresses(text) == expected


def addresses(text):
    data = text.encode()
    return [text[start:stop] for start, stop, _ in Network().addresses(data)]
