import itertools
from random import Random

import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from faker import Faker
from PIL import Image, ImageDraw

from build_engines.pictures import SPLITS, consoles, glass, screens, terminal
from build_engines.pictures.studio import Studio

SESSIONS = dict.fromkeys((*consoles.SESSIONS, *consoles.KINDS))


def test_no_colours_of_a_split_stand_in_another():
    both = {split: {*glass.SCHEMES[split], *terminal.SCHEMES[split]} for split in SPLITS}
    for left, right in itertools.combinations(SPLITS, 2):
        assert not both[left] & both[right]


@pytest.mark.parametrize("light", [pytest.param(True, id="light"), pytest.param(False, id="dark")])
def test_a_ground_is_as_light_as_asked_for(light, archives):
    studio = Studio.of("train", archives)
    for seed in range(20):
        ground = glass.scheme(studio, Random(seed), light=light)[0]
        assert (sum(ground) > 384) is light


@pytest.mark.parametrize("session", SESSIONS, ids=lambda one: one.__name__)
def test_a_session_has_lines_in_known_colours(session):
    people = Faker("en_US")
    people.seed_instance(3)
    lines = session(Random(3), people)
    assert any(text.strip() for line in lines for text, _ in line)
    assert all(0 <= colour <= 8 for line in lines for _, colour in line)


@pytest.mark.parametrize(
    ("bottom", "count"),
    [
        pytest.param(20, 0, id="no room"),
        pytest.param(60, 3, id="some"),
        pytest.param(400, 5, id="all"),
    ],
)
def test_lines_below_the_bottom_are_left_out(bottom, count, archives):
    image = Image.new("RGB", (200, 200))
    font = Studio.of("train", archives).fonts.get("fira_code", 10)
    colours = glass.palette(glass.SCHEMES["train"][0])
    lines: list[screens.Line] = [[("word", 0)]] * 5
    below = glass.write(ImageDraw.Draw(image), lines, colours, font, (4, 10), bottom)
    assert below == 10 + 13 * count
