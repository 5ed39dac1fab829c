"""Values of texts that are not English: places, addresses, firms, titles of their own countries.

The lists are `pii/words/<language>.txt`; a key with a locale ("city de_AT") is of one country.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from build_engines.data.pii_numbers import shape
from build_engines.data.pii_words import pick, words

# The country whose telephone numbers a locale has, where `PHONES_OF` should not decide.
PHONES: Final[Mapping[str, str]] = {
    "de_AT": "AT", "de_CH": "CH", "de_DE": "DE", "es_AR": "AR", "es_CO": "CO", "es_ES": "ES",
    "es_MX": "MX", "fr_BE": "BE", "fr_CA": "CA", "fr_CH": "CH", "fr_FR": "FR",
}  # fmt: skip
PRICES: Final[Mapping[str, tuple[str, ...]]] = {
    "de": ("{f} €", "{f} Euro", "{i} €", "EUR {f}", "{i} Franken"),
    "es": ("{f} €", "{i} €", "{i} euros", "${i}", "{i} pesos"),
    "fr": ("{f} €", "{i} €", "{i} euros", "{i} $"),
    "zh": ("{i}元", "¥{i}", "{i}块", "{i}万元"),
    "ja": ("{i}円", "¥{i}", "{i}万円"),
    "ar": ("{i} ريال", "{i} جنيه", "{i} درهم", "{i} دولار", "${i}"),
}


def place(random: Random, locale: str, variant: str) -> str:
    """`country`, `state`, `full` (district included, zh and ja) or, without a variant, a city."""
    lists = {"country": "country", "state": "region", "full": "full"}
    return _of(random, locale, lists.get(variant, "city"))


def street(random: Random, locale: str) -> str:
    return _numbered(random, _of(random, locale, "shape"), s=_of(random, locale, "street_name"))


def building(random: Random) -> str:
    """A house and flat, as they end a Japanese address."""
    return _numbered(random, pick(random, "ja", "building"))


def postcode(random: Random, locale: str) -> str:
    return shape(random, _of(random, locale, "postcode"))


def organisation(random: Random, locale: str, last: str, last2: str) -> str:
    city = _of(random, locale, "city")
    firm = pick(random, "zh", "firm") if locale[:2] == "zh" else ""
    return _of(random, locale, "org").format(
        last=last, last2=last2, city=city, city1=city.removesuffix("市"), firm=firm
    )


def word(random: Random, locale: str, key: str) -> str:
    return _of(random, locale, key)


def price(random: Random, language: str) -> str:
    """As the countries of the language write it: "1.234,50 €"."""
    amount = random.choice((random.uniform(2, 99), random.uniform(100, 9999)))
    plain, mark = f"{amount:.2f}".replace(".", ","), " " if language == "fr" else "."
    if amount >= 1000:
        plain = plain[:-6] + mark + plain[-6:]
    return random.choice(PRICES[language]).format(f=plain, i=round(amount))


def _of(random: Random, locale: str, key: str) -> str:
    language = locale[:2]
    own = f"{key} {locale}"
    return pick(random, language, own if own in words(language) else key)


def _numbered(random: Random, form: str, **parts: str) -> str:
    while "{u}" in form:
        form = form.replace("{u}", str(random.randint(1, 9)), 1)
    while "{m}" in form:
        form = form.replace("{m}", str(random.randint(101, 1203)), 1)
    return form.format(
        n=random.randint(1, 299), a=random.choice("ABCD"), l=random.choice("abc"), **parts
    )
