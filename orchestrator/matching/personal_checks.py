"""Whether a number can be what it looks like: checksums, lengths and ranges of the issuers."""

from __future__ import annotations

from typing import Final

# Ranges of the first digits, and the lengths in use; ISO/IEC 7812 issuers. Thirteen digits, long
# out of use, are left out: every tenth European article number would be such a card.
ISSUERS: Final = (
    (4, 4, (16, 19)),  # Visa
    (51, 55, (16,)),  # Mastercard
    (2221, 2720, (16,)),
    (34, 34, (15,)),  # American Express
    (37, 37, (15,)),
    (36, 36, (14,)),  # Diners
    (38, 39, (14,)),
    (300, 305, (14,)),
    (6011, 6011, (16, 19)),  # Discover
    (644, 649, (16, 19)),
    (65, 65, (16, 19)),
    (3528, 3589, (16, 19)),  # JCB
    (62, 62, (16, 17, 18, 19)),  # UnionPay
    (2200, 2204, (16,)),  # Mir
    (5018, 5018, (16, 18, 19)),  # Maestro
    (5020, 5020, (16, 18, 19)),
    (5038, 5038, (16, 18, 19)),
    (6304, 6304, (16, 18, 19)),
    (6759, 6763, (16, 18, 19)),
)
# What Luhn's doubling makes of a digit: the digits of the double, added.
DOUBLED: Final = str.maketrans("0123456789", "0246813579")
# Characters of an account number by country; SWIFT's IBAN registry.
IBAN_LENGTHS: Final = {
    pair[:2]: int(pair[2:])
    for pair in (
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 "
        "DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 "
        "IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 "
        "MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 "
        "SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
    ).split()
}


def is_card(digits: str) -> bool:
    """An issuer's prefix and length, and the check digit of ISO/IEC 7812 (Luhn)."""
    if not luhn(digits):  # refuses nine in ten, and is the cheaper question
        return False
    return any(
        low <= int(digits[: len(str(low))]) <= high and len(digits) in lengths
        for low, high, lengths in ISSUERS
        if len(digits) > 4
    )


def luhn(digits: str) -> bool:
    doubled = digits[-2::-2].translate(DOUBLED)
    return sum(map(int, digits[::-2] + doubled)) % 10 == 0


def is_iban(account: str) -> bool:
    """Without separators, in capitals: the country's length and the remainder of ISO 13616."""
    if IBAN_LENGTHS.get(account[:2]) != len(account) or not account[2:4].isdigit():
        return False
    return int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1


def is_ssn(digits: str) -> bool:
    """Nine digits in the ranges the Social Security Administration gives out."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if len(digits) != 9 or "0" == digits[0] == digits[1] == digits[2]:
        return False
    return area != "666" and area < "900" and group != "00" and serial != "0000"
