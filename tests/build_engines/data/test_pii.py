import hashlib
import re
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

pytest.importorskip("faker", reason="needs the engines environment: make test-engines")

from build_engines.data import pii_languages
from build_engines.data.pii import FILLS, LABELS, LANGUAGES, examples
from build_engines.data.pii_organisations import organisation
from build_engines.data.pii_places import COUNTRIES, city, postcode, region, street
from build_engines.data.pii_templates import read
from build_engines.data.pii_values import LOCALES, Writer
from build_engines.data.pii_words import FOLDER, words
from build_engines.data.splits import assign
from orchestrator.matching.personal import Personal

STRUCTURED = (
    "CREDIT_CARD",
    "EMAIL_ADDRESS",
    "IBAN_CODE",
    "IP_ADDRESS",
    "PHONE_NUMBER",
    "US_SSN",
)


def fingerprint(rows=None):
    return hashlib.sha256(repr(rows or list(examples())).encode()).hexdigest()


@pytest.fixture(scope="module")
def rows():
    return list(examples())


@pytest.mark.parametrize("seed", ["1", "2"])
def test_rows_are_the_same_in_each_process(rows, seed):
    """Whatever the order of its sets."""
    code = "from tests.build_engines.data.test_pii import fingerprint; print(fingerprint())"
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )

    assert process.stdout.strip() == fingerprint(rows)


def test_no_text_occurs_twice(rows):
    assert 13_000 < len({row.text for row in rows}) == len(rows)


def test_spans_are_exact(rows):
    for row in rows:
        last = 0
        for span in row.spans:
            value = row.text[span.start : span.stop]
            assert value and value == value.strip(), (row.text, span)
            assert last <= span.start < span.stop <= len(row.text)
            assert span.label in LABELS
            last = span.stop


def test_a_group_is_the_template_and_not_its_place():
    """So that a line added above moves no other between the splits."""
    for template in read("en", "en"):
        assert template.group == "pii/" + template.text.replace("\n", "\\n").replace("\t", "\\t")


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
@pytest.mark.parametrize("label", ["GPE", "ORGANIZATION", "STREET_ADDRESS", "TITLE", "ZIP_CODE"])
def test_values_of_other_languages_are_whole(language, label):
    writer = Writer(5)
    for _ in range(300):
        writer.meet(language)
        value = writer.value(label, "")
        assert value and not set("{}") & set(value)


@pytest.mark.parametrize("locale", ["de_AT", "es_AR", "es_CO", "fr_BE", "fr_CH"])
def test_a_place_is_of_the_country_of_the_text(locale):
    cities = words(locale[:2])[f"city {locale}"]

    assert locale in LOCALES[locale[:2]]
    assert all(pii_languages.place(Random(n), locale, "") in cities for n in range(50))


@pytest.mark.parametrize(
    ("language", "mark"),
    [("de", r"\d,\d\d|\d (€|Euro)|\d Franken"), ("ja", r"[円¥]"), ("zh", r"[元块¥]")],
)
def test_prices_are_written_as_in_the_language(language, mark):
    prices = [pii_languages.price(Random(n), language) for n in range(60)]

    assert all(re.search(mark, price) for price in prices)


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_word_lists_have_no_empty_words(name):
    lists = words(name)

    assert lists
    assert all(word.strip() for own in lists.values() for word in own)


def test_every_country_has_cities_streets_and_postcodes():
    random = Random(3)
    for country in set(COUNTRIES):
        values = [make(random, country) for make in (city, region, street, postcode)]
        assert all(value and "{" not in value for value in values), values


@pytest.mark.parametrize("kind", ["", *words("organisations")])
def test_organisations_of_every_kind_are_whole(kind):
    random = Random(4)

    assert all("{" not in organisation(random, kind) for _ in range(200))


def test_no_slot_is_left_open(rows):
    for row in rows:
        assert not any(f"{{{label}" in row.text.upper() for label in (*LABELS, "~"))


def test_a_value_carries_its_own_shape(rows):
    """Not shifted by one: an address holds its "@", a card nothing but digits."""
    for row in rows:
        for span in row.spans:
            value = row.text[span.start : span.stop]
            if span.label == "EMAIL_ADDRESS":
                assert value.count("@") == 1
            if span.label in ("CREDIT_CARD", "US_SSN"):
                assert value.replace(" ", "").replace("-", "").isdigit()
            if span.label == "AGE":
                assert value[0].isdigit()


def test_groups_have_one_language_and_no_split(rows):
    languages = {row.group: row.language for row in rows}

    assert all(row.language == languages[row.group] and row.split is None for row in rows)
    assert set(languages.values()) == set(LANGUAGES)


def test_there_is_enough_of_everything(rows):
    spans = Counter(span.label for row in rows for span in row.spans)
    kinds = Counter(row.kind for row in rows)

    assert set(spans) == set(LABELS)
    assert min(spans.values()) >= 200
    assert kinds["negative"] > 1000 and kinds["long positive"] > 700
    assert all(300 <= len(row.text.split()) for row in rows if row.kind.startswith("long"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_templates_are_distinct_and_many(language):
    texts = [template.text for template in read(language, language)]

    assert len(set(texts)) == len(texts) >= (900 if language in FILLS else 60)


def test_every_split_gets_its_share_and_every_label(rows):
    """Long texts must not tie the groups of different splits together."""
    splits = assign("pii", rows)
    shares = Counter(splits)

    assert None not in shares
    assert 0.7 < shares["train"] / len(rows) < 0.9
    for split in ("validation", "test"):
        found = {
            s.label
            for row, own in zip(rows, splits, strict=True)
            if own == split
            for s in row.spans
        }
        assert found == set(LABELS)


def test_validators_find_structured_types_in_new_texts():
    """Span-F1 over texts of another seed: at least 0.98 over all, and 0.96 for each."""
    personal, writer = Personal(), Writer(77)
    hits, false, missed = Counter(), Counter(), Counter()
    for name in [*LANGUAGES, *(f"negative_{language}" for language in LANGUAGES)]:
        for template in read(name, name[-2:]):
            for _ in range(3):
                text, spans = template.fill(writer)
                gold = {(s.start, s.stop, s.label) for s in spans if s.label in STRUCTURED}
                found = {
                    (f.start, f.stop, f.label) for f in personal.find(text) if f.label in STRUCTURED
                }
                hits.update(label for *_, label in gold & found)
                false.update(label for *_, label in found - gold)
                missed.update(label for *_, label in gold - found)
    wrong = {label: false[label] + missed[label] for label in STRUCTURED}
    f1 = {label: 2 * hits[label] / (2 * hits[label] + wrong[label]) for label in STRUCTURED}

    assert min(f1.values()) >= 0.96, f1
    assert 2 * hits.total() / (2 * hits.total() + sum(wrong.values())) >= 0.98
