"""One value for a slot, in the language and country of the text (Faker, MIT, with a fixed seed)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final
from unicodedata import category, normalize

from faker import Faker

from build_engines.data import pii_languages as foreign
from build_engines.data import pii_names as names
from build_engines.data import pii_numbers as numbers
from build_engines.data import pii_people as people
from build_engines.data import pii_places as places
from build_engines.data.pii_dates import date
from build_engines.data.pii_noise import noise
from build_engines.data.pii_organisations import organisation
from build_engines.data.pii_words import pick

# English texts are about people from everywhere.
LOCALES: Final[Mapping[str, tuple[str, ...]]] = {
    "en": ("en_US",) * 9 + ("en_GB", "en_GB", "en_AU", "en_CA", "en_IN", "en_IN", "en_IE", "en_NG")
    + ("de_DE", "fr_FR", "es_ES", "es_MX", "it_IT", "pt_BR", "nl_NL", "pl_PL", "sv_SE", "vi_VN")
    + ("tr_TR", "id_ID", "cs_CZ", "zh_CN", "ja_JP", "ar_AA"),
    "es": ("es_ES", "es_ES", "es_ES", "es_MX", "es_AR", "es_CO"),
    "de": ("de_DE", "de_DE", "de_DE", "de_DE", "de_AT", "de_CH"),
    "fr": ("fr_FR",) * 4 + ("fr_CA", "fr_BE", "fr_CH"),
    "zh": ("zh_CN",),
    "ja": ("ja_JP",),
    "ar": ("ar_AA",),
}  # fmt: skip
# Locales whose own script an English text does not show.
ROMANISED: Final = ("zh_CN", "ja_JP", "ar_AA")
ENGLISH: Final = "en_US"
# Share of names from our own lists, which know more of the world than the generator.
OWN: Final = 0.45
# Share of people from abroad in texts that are not English.
ABROAD: Final = 0.12
# No generator of company or place names is asked for these, only one of names of people.
NAMED_LIKE: Final = {"fr_BE": "fr_FR"}


class Writer:
    """Gives values. Not safe between threads; the order of calls decides what comes."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._fakers: dict[str, Faker] = {}
        self._language = "en"
        self._locale = ENGLISH
        self._country = "US"
        self._makers: Mapping[str, Callable[[str], str]] = {
            "AGE": self._age,
            "CREDIT_CARD": lambda _: numbers.card(self.random),
            "DATE_TIME": lambda variant: date(self.random, self._language, variant),
            "DOMAIN_NAME": lambda _: self._host(),
            "EMAIL_ADDRESS": lambda _: self._email(),
            "GPE": self._place,
            "IBAN_CODE": lambda _: numbers.iban(self.random, self._language),
            "IP_ADDRESS": lambda variant: numbers.ip(self.random, variant),
            "NRP": self._group,
            "ORGANIZATION": self._organization,
            "PERSON": self._person,
            "PHONE_NUMBER": self._phone,
            "STREET_ADDRESS": lambda _: self._street(),
            "TITLE": self._title,
            "US_DRIVER_LICENSE": lambda _: numbers.licence(self.random),
            "US_SSN": lambda _: numbers.ssn(self.random),
            "ZIP_CODE": lambda _: self._postcode(),
        }

    def meet(self, language: str) -> None:
        """Chooses the country of the next text."""
        self._language = language
        self._locale = self.random.choice(LOCALES[language])
        self._country = self.random.choice(places.COUNTRIES)

    def value(self, label: str, variant: str) -> str:
        return " ".join(self._makers[label](variant).split())

    def noise(self, name: str) -> str:
        return noise(self.random, name, self._language)

    def _faker(self, locale: str | None = None) -> Faker:
        locale = locale or NAMED_LIKE.get(self._locale, self._locale)
        if locale not in self._fakers:
            self._fakers[locale] = Faker(locale)
            self._fakers[locale].seed_instance(self.random.randrange(1 << 32))
        return self._fakers[locale]

    def _pick(self, words: str) -> str:
        return self.random.choice(words.split("|"))

    def _first(self) -> str:
        if self._locale == "ar_AA":
            if self._is_english:
                return self._pick(names.LATIN_ARABIC[0])
            return foreign.word(self.random, "ar_AA", "first")
        if self._is_english and self._locale in ROMANISED:
            return str(self._faker().romanized_name()).split()[0]
        if self._is_english and self.random.random() < OWN:
            return people.first_name(self.random)
        return str(self._faker().first_name())

    def _last(self) -> str:
        if self._locale == "ar_AA":
            if self._is_english:
                return self._pick(names.LATIN_ARABIC[1])
            return foreign.word(self.random, "ar_AA", "last")
        if self._is_english and self._locale in ROMANISED:
            return str(self._faker().romanized_name()).split()[-1]
        if self._is_english and self.random.random() < OWN:
            return people.last_name(self.random)
        return str(self._faker().last_name())

    @property
    def _is_english(self) -> bool:
        return self._language == "en"

    def _name(self) -> tuple[str, str]:
        if self.random.random() < OWN:
            return people.matching(self.random)
        return self._first(), self._last()

    def _person(self, variant: str) -> str:
        if variant == "first":
            first = self._first()
            return f"小{first}" if self._language == "zh" and len(first) == 1 else first
        if variant == "last":
            return self._last()
        if self._language in ("zh", "ja"):
            return self._eastern()
        if self._is_english:
            first, last = self._name()
            return people.written(self.random, first, last, variant == "full")
        first, last = self._first(), self._last()
        if self._language != "ar" and self.random.random() < ABROAD:
            first, last = people.matching(self.random)
        draw = 0.0 if variant == "full" else self.random.random()
        if draw < 0.62:
            return f"{first} {last}"
        if draw < 0.74 and self._language != "ar":
            return f"{first} {self.random.choice('ABCDEJKLMRST')}. {last}"
        if draw < 0.82:
            return first
        if draw < 0.94:
            return f"{first[0]}. {last}"
        return f"{first} {self._first()} {last}" if self._language != "ar" else f"{first} {last}"

    def _eastern(self) -> str:
        if self.random.random() < ABROAD:
            return foreign.word(self.random, self._locale, "foreign")
        mark = " " if self._language == "ja" and self.random.random() < 0.4 else ""
        return f"{self._last()}{mark}{self._first()}"

    def _title(self, variant: str) -> str:
        if not self._is_english:
            return foreign.word(self.random, self._locale, variant or "honorific")
        if variant == "job":
            return people.position(self.random) if self.random.random() < 0.8 else self._job()
        return people.honorific(self.random)

    def _job(self) -> str:
        job = str(self._faker(ENGLISH).job()).split(",")[0].split("/")[0]
        return job if self.random.random() < 0.4 else job.lower()

    def _group(self, variant: str) -> str:
        if self._is_english:
            return people.group(self.random, variant)
        return foreign.word(self.random, self._locale, "nrp_noun" if variant == "noun" else "nrp")

    def _age(self, variant: str) -> str:
        years = self.random.choice(
            (self.random.randint(1, 17), *(self.random.randint(18, 96) for _ in range(3)))
        )
        if self._language == "de" and variant == "adj":
            return f"{years}-jährige"
        if not self._is_english or variant == "n":
            return str(years)
        adjective = (f"{years}-year-old", f"{years} year old", f"{years}yo", f"{years}-year old")
        noun = (f"{years} years old", f"{years} yrs old", f"{years} y/o", f"{years}", f"{years} yo")
        return self.random.choice(adjective if variant == "adj" else noun)

    def _place(self, variant: str) -> str:
        if self._is_english:
            return self._english_place(variant)
        return foreign.place(self.random, self._locale, variant)

    def _english_place(self, variant: str) -> str:
        if variant == "country":
            return pick(self.random, "countries", "ALL")
        if variant == "state":
            return places.region(self.random, self._country)
        if self.random.random() < 0.1:
            return str(self._faker(ENGLISH).city())
        return places.city(self.random, self._country)

    def _street(self) -> str:
        if self._language == "ja":
            block, lot, house = (self.random.randint(1, most) for most in (9, 23, 17))
            flat = f" {foreign.building(self.random)}" if self.random.random() < 0.3 else ""
            chome = self.random.choice(("-", "-", "丁目"))
            return f"{self._faker().town()}{block}{chome}{lot}-{house}{flat}"
        if not self._is_english:
            return foreign.street(self.random, self._locale)
        if self.random.random() < 0.8:
            return places.street(self.random, self._country)
        return str(self._faker(ENGLISH).street_address()).replace("\n", ", ").strip(" ,.")

    def _postcode(self) -> str:
        if self._is_english:
            return places.postcode(self.random, self._country)
        if self._language == "ja":
            return str(self._faker().postcode())
        return foreign.postcode(self.random, self._locale)

    def _phone(self, variant: str) -> str:
        country = foreign.PHONES.get(self._locale, "") if not self._is_english else ""
        return numbers.phone(self.random, self._language, variant, country)

    def _organization(self, variant: str) -> str:
        if self._is_english:
            return organisation(self.random, variant)
        return foreign.organisation(self.random, self._locale, self._last(), self._last())

    def _host(self) -> str:
        """Of a firm, a person or a machine."""
        if self.random.random() < 0.08:
            return self._pick(names.KNOWN_HOSTS)
        firm = _ascii(organisation(self.random, self.random.choice(("brand", "word", "startup"))))
        if self._is_english:
            last, word = _ascii(people.last_name(self.random)), str(self._faker(ENGLISH).word())
            top = self._pick(names.TOPS)
        else:
            last = self._latin()[1]
            word = foreign.word(self.random, self._locale, "word")
            top = foreign.word(self.random, self._locale, "top")
        mark = self.random.choice(("", "-", ""))
        shapes = (f"{last}{mark}{word}", last, firm, f"{firm}{mark}{word}", f"{word}{mark}{firm}")
        stem = self.random.choice((*shapes, f"{word}{self.random.randint(1, 365)}"))
        head = "" if self.random.random() < 0.45 else f"{self._pick(names.SUBDOMAINS)}."
        return f"{head}{stem}.{top}"

    def _email(self) -> str:
        if self._is_english and self.random.random() < OWN:
            first, last = map(_ascii, people.matching(self.random))
        else:
            first, last = self._latin()
        if self.random.random() < 0.15:
            first, last = self._pick(names.MAILBOXES), _ascii(self._faker(ENGLISH).word())
        shape = self._pick(
            "{f}.{l}|{f}{l}|{i}{l}|{f}_{l}|{f}{n}|{l}.{f}|{i}.{l}|{f}+work|{f}-{l}{n}|{f}|{l}|{l}{i}|"
            "{f}.{i}.{l}|{f}{n}{l}|{f}.{l}+{n}|the.{f}.{l}|x{f}{l}x"
        )
        n = self.random.randint(1, 2010)
        local = shape.format(f=first, l=last, i=first[:1], n=n)
        host = self._host()
        if self.random.random() < 0.5:
            host = self._pick(names.MAIL_HOSTS)
            if not self._is_english:
                host = foreign.word(self.random, self._locale, "mail")
        return f"{local}@{host.removeprefix('www.')}"

    def _latin(self) -> tuple[str, str]:
        """A name in the letters of an address."""
        if self._is_english and self._locale in ROMANISED:
            faker = self._faker(ENGLISH)
        elif self._locale == "ar_AA":
            first, last = map(self._pick, names.LATIN_ARABIC)
            return _ascii(first), _ascii(last)
        elif self._locale in ROMANISED:
            first, last = str(self._faker().romanized_name()).split()[:2]
            return _ascii(first), _ascii(last)
        else:
            faker = self._faker()
        return _ascii(faker.first_name()), _ascii(faker.last_name())


def _ascii(name: object) -> str:
    """The letters an address would have: "Müller-Lüdenscheid" becomes "mullerludenscheid"."""
    folded = normalize("NFKD", str(name).replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    kept = "".join(c for c in folded if c.isascii() and category(c)[0] in "LN")
    return kept.lower() or "info"
