from random import Random

import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from faker import Faker

from build_engines.pictures import zone


@pytest.mark.parametrize(
    ("text", "digit"),
    [
        # The specimen of ICAO 9303 part 4, appendix B.
        pytest.param("L898902C3", "6", id="number"),
        pytest.param("740812", "2", id="date of birth"),
        pytest.param("120415", "9", id="date of expiry"),
        pytest.param("ZE184226B<<<<<", "1", id="personal number"),
        pytest.param("L898902C3674081221204159ZE184226B<<<<<1", "0", id="all of them"),
    ],
)
def test_check_digits_are_those_of_the_specimen(text, digit):
    assert zone.check(text) == digit


@pytest.mark.parametrize(
    ("lines", "width"), [pytest.param(2, 44, id="passport"), pytest.param(3, 30, id="card")]
)
def test_every_line_of_a_zone_has_its_width(lines, width):
    found = zone.zone(lines, "UTO", Faker("en_US"), Random(1))
    assert [len(line) for line in found] == [width] * lines


def test_a_document_without_a_zone_has_no_lines():
    assert zone.zone(0, "UTO", Faker("en_US"), Random(1)) == []


def test_the_last_digit_of_a_passport_covers_the_whole_line():
    line = zone.zone(2, "D", Faker("de_DE"), Random(7))[1]
    assert line[43] == zone.check(line[:10] + line[13:20] + line[21:43])


def test_names_lose_what_the_zone_cannot_say():
    assert zone.latin("Müller-Łuk") == "MULLER<UK"
