"""One value for a slot, in the language and country of the text (Faker, MIT, with a fixed seed)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final
from unicodedata import category, normalize

from faker import Faker

from build_engines.data import pii_names as names
from build_engines.data import pii_numbers as numbers
from build_engines.data.pii_dates import date
from build_engines.data.pii_noise import noise

# English texts are about people from everywhere.
LOCALES: Final[Mapping[str, tuple[str, ...]]] = {
    "en": ("en_US",) * 9 + ("en_GB", "en_GB", "en_AU", "en_CA", "en_IN", "en_IN", "en_IE", "en_NG")
    + ("de_DE", "fr_FR", "es_ES", "es_MX", "it_IT", "pt_BR", "nl_NL", "pl_PL", "sv_SE", "vi_VN")
    + ("tr_TR", "id_ID", "cs_CZ", "zh_CN", "ja_JP", "ar_AA"),
    "es": ("es_ES", "es_ES", "es_MX", "es_AR", "es_CO"),
    "de": ("de_DE", "de_DE", "de_AT", "de_CH"),
    "fr": ("fr_FR", "fr_FR", "fr_CA"),
    "zh": ("zh_CN",),
    "ja": ("ja_JP",),
    "ar": ("ar_AA",),
}  # fmt: skip
# Locales whose own script an English text does not show.
ROMANISED: Final = ("zh_CN", "ja_JP", "ar_AA")
ENGLISH: Final = "en_US"


class Writer:
    """Gives values. Not safe between threads; the order of calls decides what comes."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._fakers: dict[str, Faker] = {}
        self._language = "en"
        self._locale = ENGLISH
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
            "PHONE_NUMBER": lambda variant: numbers.phone(self.random, self._language, variant),
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

    def value(self, label: str, variant: str) -> str:
        return " ".join(self._makers[label](variant).split())

    def noise(self, name: str) -> str:
        return noise(self.random, name)

    def _faker(self, locale: str | None = None) -> Faker:
        locale = locale or self._locale
        if locale not in self._fakers:
            self._fakers[locale] = Faker(locale)
            self._fakers[locale].seed_instance(self.random.randrange(1 << 32))
        return self._fakers[locale]

    def _latin(self) -> Faker:
        """For addresses and firms of an English text."""
        foreign = self._language == "en" and self._locale in (*ROMANISED, "vi_VN", "tr_TR")
        return self._faker(ENGLISH if foreign else None)

    def _pick(self, words: str) -> str:
        return self.random.choice(words.split("|"))

    def _first(self) -> str:
        if self._locale == "ar_AA":
            return self._pick(names.LATIN_ARABIC[0] if self._is_english else names.ARABIC_NAMES[0])
        if self._is_english and self._locale in ROMANISED:
            return str(self._faker().romanized_name()).split()[0]
        if self._is_english and self.random.random() < 0.12:
            return self._pick(names.NICKNAMES)
        return str(self._faker().first_name())

    def _last(self) -> str:
        if self._locale == "ar_AA":
            return self._pick(names.LATIN_ARABIC[1] if self._is_english else names.ARABIC_NAMES[1])
        if self._is_english and self._locale in ROMANISED:
            return str(self._faker().romanized_name()).split()[-1]
        return str(self._faker().last_name())

    @property
    def _is_english(self) -> bool:
        return self._language == "en"

    def _person(self, variant: str) -> str:
        if variant in ("first", "last"):
            return self._first() if variant == "first" else self._last()
        if self._language in ("zh", "ja"):
            mark = " " if self._language == "ja" and self.random.random() < 0.4 else ""
            return f"{self._last()}{mark}{self._first()}"
        first, last = self._first(), self._last()
        draw = 0.0 if variant == "full" else self.random.random()
        if draw < 0.62:
            return f"{first} {last}"
        if draw < 0.74 and self._language != "ar":
            return f"{first} {self.random.choice('ABCDEJKLMRST')}. {last}"
        if draw < 0.82:
            return first
        if draw < 0.88 and self._is_english:
            return f"{last}, {first}"
        if draw < 0.94:
            return f"{first[0]}. {last}"
        return f"{first} {self._first()} {last}" if self._language != "ar" else f"{first} {last}"

    def _title(self, variant: str) -> str:
        if variant == "job":
            if self._is_english:
                own = self._pick(names.ENGLISH_PROFESSIONS)
                return own if self.random.random() < 0.7 else self._job()
            return self._pick(names.PROFESSIONS[self._language])
        return self._pick(names.HONORIFICS[self._language])

    def _job(self) -> str:
        job = str(self._faker(ENGLISH).job()).split(",")[0].split("/")[0]
        return job if self.random.random() < 0.4 else job.lower()

    def _group(self, variant: str) -> str:
        if self._is_english and variant in ("religion", "party"):
            return self._pick(names.RELIGIONS if variant == "religion" else names.PARTIES)
        return self._pick(names.GROUPS[self._language])

    def _age(self, variant: str) -> str:
        years = self.random.choice(
            (self.random.randint(1, 17), *(self.random.randint(18, 96) for _ in range(3)))
        )
        if not self._is_english or variant == "n":
            return str(years)
        adjective = (f"{years}-year-old", f"{years} year old", f"{years}yo", f"{years}-year old")
        noun = (f"{years} years old", f"{years} yrs old", f"{years} y/o", f"{years}", f"{years} yo")
        return self.random.choice(adjective if variant == "adj" else noun)

    def _place(self, variant: str) -> str:
        if self._language == "ar":
            return self._pick((names.COUNTRIES if variant else names.CITIES)["ar"])
        if self._language == "zh":
            return self._pick((names.COUNTRIES if variant == "country" else names.CITIES)["zh"])
        faker = self._latin()
        if variant == "country":
            own = self._is_english and self.random.random() < 0.6
            return self._pick(names.COUNTRIES["en"]) if own else str(self._short_country())
        if variant == "state":
            state = faker.administrative_unit() if not self._is_english else self._state()
            return str(state)
        if self._is_english and (self._locale[:2] == "en" or self._locale in ROMANISED):
            real = self.random.random() < 0.8
            return self._pick(names.CITIES["en"]) if real else str(faker.city())
        own_list = names.CITIES.get(self._locale)
        return self._pick(own_list) if own_list else str(faker.city())

    def _short_country(self) -> str:
        faker = self._faker(ENGLISH) if self._is_english else self._latin()
        return min((str(faker.country()) for _ in range(3)), key=len)

    def _state(self) -> str:
        faker = self._faker(ENGLISH)
        return str(faker.state() if self.random.random() < 0.5 else faker.state_abbr())

    def _street(self) -> str:
        number = self.random.randint(1, 299)
        if self._language == "zh":
            room = f"{self.random.randint(101, 2505)}室" if self.random.random() < 0.5 else ""
            return f"{self._pick(names.STREETS['zh'])}{number}号{room}"
        if self._language == "ar":
            return f"{number} {self._pick(names.STREETS['ar'])}"
        if self._language == "ja":
            faker = self._faker()
            return f"{faker.town()}{number % 9 + 1}-{number % 23 + 1}-{number % 17 + 1}"
        text = str(self._latin().street_address()).replace("\n", ", ")
        return text.strip(" ,.")

    def _postcode(self) -> str:
        if self._language == "ar":
            return str(self.random.randint(10_000, 99_999))
        faker = self._latin()
        if self._is_english and self._locale == ENGLISH:
            return str(faker.zipcode_plus4() if self.random.random() < 0.3 else faker.zipcode())
        return str(faker.postcode())

    def _organization(self, variant: str) -> str:
        if self._language == "ar":
            return self._pick(names.ORGANIZATIONS["ar"])
        if not self._is_english:
            return str(self._faker().company())
        shapes = {"hospital": names.CLINICS, "school": names.SCHOOLS}.get(variant, names.FIRMS)
        draw = self.random.random()
        if not variant and draw < 0.35:
            return str(self._latin().company())
        if not variant and draw < 0.5:
            return self._pick(names.KNOWN_FIRMS)
        faker = self._faker(ENGLISH)
        return self._pick(shapes).format(
            last=faker.last_name(),
            last2=faker.last_name(),
            first=faker.first_name(),
            city=self._pick(names.CITIES["en"]),
        )

    def _host(self) -> str:
        words = [_ascii(self._faker(ENGLISH).last_name()), self._faker(ENGLISH).word()]
        mark = self.random.choice(("", "-", ""))
        stem = mark.join(words[: self.random.choice((1, 2, 2))])
        head = self.random.choice(("", "", "", "www.", "mail.", "portal.", "api.", "blog."))
        return f"{head}{stem}.{self._pick(names.TOPS)}"

    def _email(self) -> str:
        latin = self._locale if self._locale not in ROMANISED else ENGLISH
        faker = self._faker(latin)
        first, last = _ascii(faker.first_name()), _ascii(faker.last_name())
        shape = self._pick(
            "{f}.{l}|{f}{l}|{i}{l}|{f}_{l}|{f}{n}|{l}.{f}|{i}.{l}|{f}+work|{f}-{l}{n}"
        )
        n = self.random.randint(1, 2010)
        local = shape.format(f=first, l=last, i=first[:1], n=n)
        host = self._pick(names.MAIL_HOSTS) if self.random.random() < 0.5 else self._host()
        return f"{local}@{host.removeprefix('www.')}"


def _ascii(name: object) -> str:
    """The letters an address would have: "Müller-Lüdenscheid" becomes "mullerludenscheid"."""
    folded = normalize("NFKD", str(name).replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    kept = "".join(c for c in folded if c.isascii() and category(c)[0] in "LN")
    return kept.lower() or "info"
