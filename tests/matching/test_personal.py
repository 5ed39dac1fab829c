import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.matching.personal import Personal
from orchestrator.matching.pieces import Cut, Piece, pieces

PERSONAL = Personal()


def found(text):
    return [(text[one.start : one.stop], one.label) for one in PERSONAL.find(text)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("How many digits does a credit card number have?", id="a question"),
        pytest.param("order 4111 1111 1111 1112 is late", id="card fails Luhn"),
        pytest.param("ref 9111 1111 1111 1117", id="no issuer has this prefix"),
        pytest.param("at 1700000000 and 1700000000000", id="timestamps"),
        pytest.param("0.4111111111111111", id="fraction"),
        pytest.param("id 550e8400-e29b-41d4-a716-446655440000", id="UUID"),
        pytest.param("3f786850e387550fdaa836ed7e6dc881de23001b", id="hash"),
        pytest.param("0xDEADBEEF4111111111111111", id="hex"),
        pytest.param("ISBN 978-3-16-148410-0 or 9783161484100", id="ISBN"),
        pytest.param("GTIN 4006381333931", id="article number that passes Luhn's shape"),
        pytest.param("**** **** **** 1234", id="masked card"),
        pytest.param("DE00 3704 0044 0532 0130 00", id="IBAN fails its checksum"),
        pytest.param("DE89 3704 0044 0532 0130", id="IBAN too short"),
        pytest.param("XX89 3704 0044 0532 0130 00", id="IBAN of no country"),
        pytest.param("DE89370400440532013000123", id="IBAN that goes on"),
        pytest.param("000-12-3456", id="SSN area 000"),
        pytest.param("666-12-3456", id="SSN area 666"),
        pytest.param("900-12-3456", id="SSN area 9xx"),
        pytest.param("123-00-4567", id="SSN group 00"),
        pytest.param("123-45-0000", id="SSN serial 0000"),
        pytest.param("part 1-123-45-6789-2", id="SSN inside a longer number"),
        pytest.param("invoice 123456789", id="nine digits without a word"),
        pytest.param("ssn of room 12, then 123456789", id="the word belongs to another number"),
        pytest.param("192.168.1.300", id="IP out of range"),
        pytest.param("version 1.2.3.4", id="version"),
        pytest.param("v1.2.3.4 1.2.3.4.5 Chrome/120.0.0.0", id="more versions"),
        pytest.param("see section 8.2.4.44 or chapter 1.2.3.4", id="sections"),
        pytest.param("127.0.0.1 0.0.0.0 ::1 255.255.255.0", id="no machine's address"),
        pytest.param("std::vector a::b f(1::2) 12:30:45", id="colons in code and times"),
        pytest.param("3c:22:fb:10:a1:0e", id="MAC address"),
        pytest.param("@property user@ @me foo@bar react@18.2.0", id="no e-mail"),
        pytest.param("git@github.com:a/b.git", id="repository"),
        pytest.param("main.py index.html obj.user.name Node.js", id="no host"),
        pytest.param("2024-05-01 12:30:45, 01.02.2024 10 Uhr, 20240501", id="dates"),
        pytest.param("3.14159265358979 x 1,000,000,000 = 12/4 + 3", id="math"),
        pytest.param("Decimal('+35236450.6')", id="signed decimal"),
        pytest.param("it costs $ 2125551234 or €0612345678", id="prices"),
        pytest.param("call about order 2125551234", id="order number after call"),
        pytest.param("DL# 021 208 926, zip 03925-7160", id="licence and ZIP+4"),
        pytest.param("reference number 9844 0478 0316 7658", id="phone inside a longer number"),
        pytest.param("text 12345678 apples", id="eight digits that are no number"),
        pytest.param("be 70 in the morning", id="sentence with the checksum of an IBAN"),
        pytest.param("at 10 men the people left", id="another"),
        pytest.param("DE89.3704.0044.0532.0130.01", id="IBAN with dots fails its checksum"),
        pytest.param("xDE89370400440532013000", id="IBAN inside a word"),
        pytest.param("ssn 1 2 3 4 5 6 7 8 9 0", id="ten digits are no SSN"),
        pytest.param("ssn: 666 - 12 - 3456", id="SSN area 666 in wide hyphens"),
        pytest.param("user@localhost a@б", id="hosts of one label"),
        pytest.param("请@张三.李四 看", id="nobody can tell where it ends"),
    ],
)
def test_nothing_personal(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("I am bob@example.com.", [("bob@example.com", "EMAIL_ADDRESS")], id="e-mail"),
        pytest.param("<O'Neil+x@a-b.co.uk>", [("O'Neil+x@a-b.co.uk", "EMAIL_ADDRESS")], id="quote"),
        pytest.param("邮箱bob@x.com。", [("bob@x.com", "EMAIL_ADDRESS")], id="e-mail in Chinese"),
        pytest.param("bob@x.com으로", [("bob@x.com", "EMAIL_ADDRESS")], id="e-mail and particle"),
        pytest.param("josé@x.es", [("josé@x.es", "EMAIL_ADDRESS")], id="accent"),
        pytest.param("e\u0301va@x.es", [("e\u0301va@x.es", "EMAIL_ADDRESS")], id="combining mark"),
        pytest.param("bob＠x.com", [("bob＠x.com", "EMAIL_ADDRESS")], id="full-width at"),
        pytest.param("on card 4111111111111111", [("4111111111111111", "CREDIT_CARD")], id="bare"),
        pytest.param(
            "12 4111-1111-1111-1111", [("4111-1111-1111-1111", "CREDIT_CARD")], id="card after 12"
        ),
        pytest.param(
            "1234 4111 1111 1111 1111 1234",
            [("4111 1111 1111 1111", "CREDIT_CARD")],
            id="card between other groups",
        ),
        pytest.param("3782 822463 10005", [("3782 822463 10005", "CREDIT_CARD")], id="amex"),
        pytest.param("卡号４" + "１" * 15, [("４" + "１" * 15, "CREDIT_CARD")], id="full width"),
        pytest.param(
            "4111\u200b1111\u200b1111\u200b1111",
            [("4111\u200b1111\u200b1111\u200b1111", "CREDIT_CARD")],
            id="zero-width spaces",
        ),
        pytest.param(
            "to DE89 3704 0044 0532 0130 00 is",
            [("DE89 3704 0044 0532 0130 00", "IBAN_CODE")],
            id="IBAN and words",
        ),
        pytest.param(
            "振込先はgb82west12345698765432です",
            [("gb82west12345698765432", "IBAN_CODE")],
            id="IBAN in lower case",
        ),
        pytest.param(
            "DE89.3704.0044\n0532.0130.00",
            [("DE89.3704.0044\n0532.0130.00", "IBAN_CODE")],
            id="IBAN with dots and a line end",
        ),
        pytest.param(
            "IBANDE 89 370400440532013000",
            [("DE 89 370400440532013000", "IBAN_CODE")],
            id="IBAN glued to its name",
        ),
        pytest.param(
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
            [("MT84 MALT 0110 0001 2345 MTLC AST0 01S", "IBAN_CODE")],
            id="IBAN with groups of letters",
        ),
        pytest.param("иван@пример.рф", [("иван@пример.рф", "EMAIL_ADDRESS")], id="Cyrillic"),
        pytest.param("राम@उदाहरण.भारत।", [("राम@उदाहरण.भारत", "EMAIL_ADDRESS")], id="Devanagari"),
        pytest.param("josé@exämple.com", [("josé@exämple.com", "EMAIL_ADDRESS")], id="umlaut"),
        pytest.param("a@b.es.españa.es", [("a@b.es.españa.es", "EMAIL_ADDRESS")], id="wide tail"),
        pytest.param("a@例え.jp、", [("a@例え.jp", "EMAIL_ADDRESS")], id="Japanese host"),
        pytest.param("bob@x.com.Спасибо", [("bob@x.com", "EMAIL_ADDRESS")], id="and a sentence"),
        pytest.param(
            "a\u200bn@x\xad.com", [("a\u200bn@x\xad.com", "EMAIL_ADDRESS")], id="unseen"
        ),
        pytest.param("https://пример.рф/", [("пример.рф", "DOMAIN_NAME")], id="Cyrillic URL"),
        pytest.param(
            "\u202a+49\u2060 171 2345678\u202c",
            [("+49\u2060 171 2345678", "PHONE_NUMBER")],
            id="directions around it",
        ),
        pytest.param("ssn 123_45_6789", [("123_45_6789", "US_SSN")], id="SSN with underscores"),
        pytest.param("SSN: 123 - 45 - 6789", [("123 - 45 - 6789", "US_SSN")], id="wide hyphens"),
        pytest.param("ssn123456789", [("123456789", "US_SSN")], id="SSN glued to its name"),
        pytest.param("123-45-\n6789", [("123-45-\n6789", "US_SSN")], id="SSN and a line end"),
        pytest.param("_123-45-6789_", [("123-45-6789", "US_SSN")], id="SSN with emphasis"),
        pytest.param("123-45-6789", [("123-45-6789", "US_SSN")], id="SSN"),
        pytest.param("123–45–6789", [("123–45–6789", "US_SSN")], id="SSN with long dashes"),
        pytest.param("my social: 123456789", [("123456789", "US_SSN")], id="bare SSN"),
        pytest.param("is 123456789 a real ssn", [("123456789", "US_SSN")], id="word behind"),
        pytest.param("http://10.0.0.7:80/", [("10.0.0.7", "IP_ADDRESS")], id="IP in a URL"),
        pytest.param("10.0.0.0/8.", [("10.0.0.0", "IP_ADDRESS")], id="network"),
        pytest.param("[2001:db8::1]:80", [("2001:db8::1", "IP_ADDRESS")], id="IPv6"),
        pytest.param("fe80::1ff:fe23", [("fe80::1ff:fe23", "IP_ADDRESS")], id="link-local"),
        pytest.param("https://u:p@db.example.com/x", [("db.example.com", "DOMAIN_NAME")], id="URL"),
        pytest.param("见www.foo.de吗", [("www.foo.de", "DOMAIN_NAME")], id="www"),
        pytest.param("+1 415 555 2671 2 items", [("+1 415 555 2671", "PHONE_NUMBER")], id="phone"),
        pytest.param("(415) 555-2671 x12", [("(415) 555-2671 x12", "PHONE_NUMBER")], id="suffix"),
        pytest.param("555-123-4567", [("555-123-4567", "PHONE_NUMBER")], id="made-up area"),
        pytest.param("电话13812345678。", [("13812345678", "PHONE_NUMBER")], id="Chinese mobile"),
        pytest.param("هاتف ٠٥٥١٢٣٤٥٦٧", [("٠٥٥١٢٣٤٥٦٧", "PHONE_NUMBER")], id="Arabic digits"),
        pytest.param("06 12 34 56 78", [("06 12 34 56 78", "PHONE_NUMBER")], id="French"),
        pytest.param("Handy 015112345678", [("015112345678", "PHONE_NUMBER")], id="German bare"),
        pytest.param("8 (916) 123-45-67", [("8 (916) 123-45-67", "PHONE_NUMBER")], id="Russian"),
        pytest.param("2125551234 is my cell", [("2125551234", "PHONE_NUMBER")], id="phone before"),
        pytest.param("(phone 0161 496 0000)", [("0161 496 0000", "PHONE_NUMBER")], id="bracket"),
    ],
)  # fmt: skip
def test_found(text, expected):
    assert found(text) == expected


def test_several_in_one_text_come_by_position():
    text = "😀 DE89370400440532013000, 078-05-1121; bob@x.com 4111111111111111 \ud800 10.0.0.7"

    assert [label for _, label in found(text)] == [
        "IBAN_CODE",
        "US_SSN",
        "EMAIL_ADDRESS",
        "CREDIT_CARD",
        "IP_ADDRESS",
    ]


def test_what_proves_itself_scores_higher_than_a_shape():
    score = {one.label: one.score for one in PERSONAL.find("bob@x.com, 123 45 6789")}

    assert score["EMAIL_ADDRESS"] >= 0.95 > score["US_SSN"]


@pytest.mark.parametrize(
    ("label", "text", "expected"),
    [
        pytest.param("PERSON", "Anna", None, id="no check for names"),
        pytest.param("DATE_TIME", "1 May", None, id="nor for dates"),
        pytest.param("CREDIT_CARD", "4111 1111 1111 1112", False, id="bad card"),
        pytest.param("CREDIT_CARD", " 4111 1111 1111 1111 ", True, id="card"),
        pytest.param("IBAN_CODE", "DE00370400440532013000", False, id="bad IBAN"),
        pytest.param("IBAN_CODE", "de89 3704 0044 0532 0130 00", True, id="IBAN"),
        pytest.param("US_SSN", "666-12-3456", False, id="bad SSN"),
        pytest.param("US_SSN", "123-45-6789", True, id="SSN"),
        pytest.param("IP_ADDRESS", "1.2.3", False, id="bad IP"),
        pytest.param("IP_ADDRESS", "2001:db8::1", True, id="IP"),
        pytest.param("EMAIL_ADDRESS", "bob at x", False, id="bad e-mail"),
        pytest.param("EMAIL_ADDRESS", "bob@x.com", True, id="e-mail"),
        pytest.param("EMAIL_ADDRESS", "иван@пример\u200b.рф", True, id="e-mail that is not ASCII"),
        pytest.param("IP_ADDRESS", "2::1", True, id="a short one that the model calls so"),
        pytest.param("DOMAIN_NAME", "localhost", False, id="bad host"),
        pytest.param("DOMAIN_NAME", "shop.example.com", True, id="host"),
        pytest.param("PHONE_NUMBER", "12", False, id="too few digits"),
        pytest.param("PHONE_NUMBER", "2024-05-01", False, id="a date"),
        pytest.param("PHONE_NUMBER", "+1 415 555 2671", True, id="phone"),
        pytest.param("PHONE_NUMBER", "+999 1234567", None, id="no such country code"),
    ],
)
def test_valid(label, text, expected):
    assert PERSONAL.valid(label, text) is expected


SAMPLES = ("bob@example.com", "4111 1111 1111 1111", "DE89370400440532013000", "+44 20 7946 0958")
# Neighbours that are no part of a word, of every width in UTF-8.
EDGES = st.sampled_from(["", " ", "，", "😀", "你好", "です", "\n", " e\u0301 ", "ה ", "\ud800"])


@given(st.lists(st.tuples(EDGES, st.sampled_from(SAMPLES)), max_size=6))
@settings(deadline=None)
def test_positions_are_right_in_any_script(parts):
    text = "; ".join(edge + sample + "，" for edge, sample in parts)

    assert [piece for piece, _ in found(text)] == [sample for _, sample in parts]


@given(st.text(alphabet=st.sampled_from(list("0123456789 -./()+:@abDE#x，é😀\u200b"))))
@settings(deadline=None)
def test_any_text_gives_pieces_in_range_and_apart(text):
    last = 0
    for one in PERSONAL.find(text):
        assert last <= one.start < one.stop <= len(text)
        assert 0 < one.score <= 1
        last = one.stop


CARD = "4111 1111 1111 1111"


def test_what_a_cut_may_have_maimed_is_left_out():
    text = f"no 0{CARD} and {CARD}0 and {CARD} end"
    first, second, third = (text.index(CARD, at) for at in (0, 20, 45))
    parts = [(0, first - 1), (first, first + 20), (second, second + 19), (third - 1, third + 20)]
    cut = Cut(tuple(Piece(start, text[start:stop]) for start, stop in parts), truncated=True)

    found = Personal().find_in(text, cut)

    assert [(one.start, one.stop) for one in found] == [(third, third + 19)]


@pytest.mark.parametrize(
    ("cut", "found"),
    [
        pytest.param(pieces(CARD), 1, id="whole"),
        pytest.param(Cut((), truncated=True), 0, id="not read"),
        pytest.param(Cut((Piece(0, CARD),), truncated=True), 1, id="both edges are the text's own"),
    ],
)
def test_as_much_is_searched_as_is_given(cut, found):
    assert len(Personal().find_in(CARD, cut)) == found
