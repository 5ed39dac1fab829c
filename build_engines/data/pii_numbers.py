"""Made-up structured values: cards, bank accounts, phones, identity numbers, addresses of machines.

Checksums are right, the numbers are random; shapes and lengths are the issuers' public formats.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

# In a shape X is a digit, N is 2-9, A an upper-case letter; everything else stands for itself.
PHONES: Final[Mapping[str, Sequence[str]]] = {
    "US": (
        "({a}) NXX-XXXX", "{a}-NXX-XXXX", "{a}.NXX.XXXX", "+1 {a} NXX XXXX", "+1-{a}-NXX-XXXX",
        "1-{a}-NXX-XXXX", "+1{a}NXXXXXX", "({a})NXX-XXXX", "{a} NXX XXXX", "{a}NXXXXXX",
        "+1 ({a}) NXX-XXXX", "{a}-NXX-XXXX ext. XXX", "({a}) NXX-XXXX xXXXX", "{a}-555-01XX",
        "(555) NXX-XXXX", "+1.{a}.NXX.XXXX",
    ),
    "GB": (
        "+44 7{m}XX XXXXXX", "07{m}XX XXXXXX", "020 7NXX XXXX", "+44 (0)20 7NXX XXXX",
        "0161 4XX XXXX", "07{m}XXXXXXXX", "+447{m}XXXXXXXX", "+44 20 8NXX XXXX", "07{m}XX XXX XXX",
    ),
    "DE": (
        "+49 30 NXXXXXX", "030 NXXXXXXX", "0151 NXXXXXXX", "+49 (0)89 NXXXXXX", "0171/NXXXXXX",
        "089-NXXXXXX", "+49 171 NXXXXXX", "0176 NXXX XXXX", "+49 40 NXX XXX XX", "+4915112NXXXXX",
    ),
    "FR": (
        "06 NX XX XX XX", "+33 6 NX XX XX XX", "01 4X XX XX XX", "06.NX.XX.XX.XX", "+336NXXXXXXX",
        "07 8X XX XX XX", "+33 (0)1 4X XX XX XX", "06NXXXXXXX",
    ),
    "ES": ("6NX XX XX XX", "+34 6NX XXX XXX", "91 NXX XX XX", "6NX XXX XXX", "+346NXXXXXXX"),
    "IT": ("+39 34X NXX XXXX", "34X NXXXXXX", "+39 06 NXXX XXXX"),
    "MX": ("+52 55 NXXX XXXX", "55 NXXX XXXX"),
    "BR": ("+55 11 9NXXX-XXXX", "(11) 9NXXX-XXXX", "(21) 9NXXX-XXXX"),
    "IN": ("+91 98NXX XXXXX", "98NXXXXXXX", "+91-99NXXXXXXX", "+91 80 4XXX XXXX"),
    "AU": ("+61 4NX XXX XXX", "04NX XXX XXX", "(02) 9NXX XXXX"),
    "CN": ("138 NXXX XXXX", "+86 139 NXXX XXXX", "136NXXXXXXX", "010-8NXX XXXX", "150-NXXX-XXXX"),
    "JP": ("090-NXXX-XXXX", "+81 90-NXXX-XXXX", "03-NXXX-XXXX", "080-NXXX-XXXX", "+81 3 NXXX XXXX"),
    "SA": ("+966 5X NXX XXXX", "05X NXX XXXX", "+9665XNXXXXXX", "05XNXXXXXX"),
    "EG": ("+20 10 NXXX XXXX", "010 NXXX XXXX"),
    "AE": ("+971 50 NXX XXXX", "050 NXX XXXX"),
    "KR": ("+82 10-NXXX-XXXX", "010-NXXX-XXXX"),
    "CH": ("+41 79 NXX XX XX", "079 NXX XX XX"),
    "NL": ("06-NXXXXXXX", "+31 6 NXXXXXXX"),
    "SE": ("070-NXX XX XX", "+46 70 NXX XX XX"),
    "PL": ("+48 50X NXX XXX", "50X NXX XXX"),
    "NG": ("+234 803 NXX XXXX", "0803 NXX XXXX"),
    "AT": ("+43 664 NXXXXXX", "0664 NXXXXXX", "+43 1 NXXXXXX", "0676 NXXXXXX"),
    "AR": ("+54 9 11 NXXX-XXXX", "+54 11 NXXX-XXXX", "011 4NXX-XXXX"),
    "CO": ("+57 310 NXX XXXX", "310 NXX XXXX", "+57 315 NXXXXXX"),
    "BE": ("+32 47X NX XX XX", "047X NX XX XX", "+32 2 NXX XX XX"),
    "CA": ("514-NXX-XXXX", "(418) NXX-XXXX", "+1 438 NXX-XXXX", "819 NXX-XXXX"),
    "RU": ("+7 916 NXX-XX-XX", "8 (916) NXX-XX-XX"),
}  # fmt: skip
AREAS: Final = (
    "202 206 212 213 214 303 305 310 312 313 404 408 410 412 415 503 512 602 612 615 617 619 702 "
    "704 713 718 773 801 808 817 858 860 901 916 919 949 954 972"
).split()
PHONES_OF: Final = {
    "en": ("US", "US", "US", "US", "GB", "GB", "AU", "IN", "NG"),
    "es": ("ES", "ES", "MX"),
    "de": ("DE", "DE", "CH"),
    "fr": ("FR",),
    "zh": ("CN",),
    "ja": ("JP",),
    "ar": ("SA", "EG", "AE"),
}
LICENCES: Final = (
    "AXXXXXXX", "AXXXXXXX", "XXXXXXXX", "AXXX-XXX-XX-XXX-X", "XXX XXX XXX", "AXXX-XXXX-XXXX",
    "AAXXXXXX", "AXXXXXXXXXXXX", "AXXXX XXXXX XXXXX", "WDLAXXXXX0XA", "AXXXXXXXX", "SXXXXXXXX",
    "XXXXXXXXX", "XX-XXX-XXXX", "A-XXX-XXX-XXX-XXX", "AXXX-XXXX-XXXX-XX", "DXXXXXXX", "BXXXXXXX",
)  # fmt: skip
# Country: the account part, whose letters are a bank's code.
ACCOUNTS: Final = {
    "DE": "X" * 18, "FR": "X" * 23, "ES": "X" * 20, "GB": "AAAA" + "X" * 14,
    "NL": "AAAA" + "X" * 10, "IT": "A" + "X" * 22, "BE": "X" * 12, "AT": "X" * 16, "CH": "X" * 17,
    "PT": "X" * 21, "IE": "AAAA" + "X" * 14, "PL": "X" * 24, "SE": "X" * 20, "NO": "X" * 11,
    "DK": "X" * 14, "SA": "X" * 20, "AE": "X" * 19, "TR": "X" * 22, "LU": "X" * 16, "FI": "X" * 14,
}  # fmt: skip
# Beginning, length, how its digits are grouped when printed.
CARDS: Final = (
    ("4", 16, (4, 4, 4, 4)), ("4", 16, (4, 4, 4, 4)), ("4", 16, (4, 4, 4, 4)),
    ("51", 16, (4, 4, 4, 4)), ("54", 16, (4, 4, 4, 4)), ("2300", 16, (4, 4, 4, 4)),
    ("34", 15, (4, 6, 5)), ("37", 15, (4, 6, 5)), ("6011", 16, (4, 4, 4, 4)),
    ("3530", 16, (4, 4, 4, 4)), ("36", 14, (4, 6, 4)), ("6221", 16, (4, 4, 4, 4)),
)  # fmt: skip


def shape(random: Random, pattern: str) -> str:
    signs = {"X": "0123456789", "N": "23456789", "A": "ABCDEFGHJKLMNPRSTUVWXYZ"}
    return "".join(random.choice(signs[c]) if c in signs else c for c in pattern)


def phone(random: Random, language: str, variant: str, country: str = "") -> str:
    """`intl`: with a country code. `plain`: of the language's own countries, or of `country`."""
    own = (country,) if country else PHONES_OF[language]
    anywhere = language == "en" and variant != "plain" and random.random() < 0.3
    country = random.choice(tuple(PHONES) if anywhere else own)
    shapes = [one for one in PHONES[country] if variant != "intl" or one.startswith("+")]
    chosen = random.choice(shapes).replace("{a}", random.choice(AREAS))
    chosen = chosen.replace("{m}", random.choice("45789"))
    return shape(random, chosen)


def card(random: Random) -> str:
    start, length, groups = random.choice(CARDS)
    body = start + shape(random, "X" * (length - len(start) - 1))
    doubled = [int(d) * 2 if i % 2 == 0 else int(d) for i, d in enumerate(reversed(body))]
    number = body + str(-sum(n - 9 if n > 9 else n for n in doubled) % 10)
    mark = random.choice((" ", " ", "-", "-", ""))
    parts, at = [], 0
    for size in groups:
        parts.append(number[at : at + size])
        at += size
    return mark.join(parts)


def iban(random: Random, language: str) -> str:
    own = {"de": ("DE", "AT", "CH"), "fr": ("FR", "BE", "LU"), "es": ("ES",), "ar": ("SA", "AE")}
    country = random.choice(own.get(language, tuple(ACCOUNTS)))
    account = shape(random, ACCOUNTS[country])
    value = int("".join(str(int(c, 36)) for c in f"{account}{country}00"))
    whole = f"{country}{98 - value % 97:02}{account}"
    if random.random() < 0.4:
        return whole
    return " ".join(whole[i : i + 4] for i in range(0, len(whole), 4))


def ssn(random: Random) -> str:
    area = random.choice([n for n in range(1, 900) if n != 666])
    mark = random.choice(("-", "-", "-", "-", " ", ""))
    return f"{area:03}{mark}{random.randint(1, 99):02}{mark}{random.randint(1, 9999):04}"


def licence(random: Random) -> str:
    return shape(random, random.choice(LICENCES))


def ip(random: Random, variant: str) -> str:
    if variant == "v4" or (variant != "v6" and random.random() < 0.75):
        first = random.choice((10, 192, 172, random.randint(11, 223)))
        second = {10: random.randint(0, 255), 192: 168, 172: random.randint(16, 31)}.get(first)
        if first == 127:
            first = 81
        rest = [random.randint(0, 255) for _ in range(2)]
        return ".".join(map(str, (first, second or random.randint(0, 255), *rest)))
    head = random.choice(("2001:db8", "2a02:8109", "fe80:", "2600:1f18", "fd12:3456"))
    tail = ":".join(f"{random.randint(1, 65535):x}" for _ in range(6))
    if head == "fe80:":
        return f"fe80::{random.randint(4096, 65535):x}:{random.randint(4096, 65535):x}"
    address = ipaddress.IPv6Address(f"{head}:{tail}")
    return address.compressed if random.random() < 0.7 else f"{head}::{tail.split(':')[0]}"
