import pytest
from PIL import Image
from rich.console import Console

from orchestrator.errors import ConfigError
from orchestrator.labelled.heat_map import draw, print_to
from orchestrator.labelled.inversion import judge
from tests.labelled.test_inversion import GROUPS, looked, right

ROWS = looked([0.9, 0.1, 0.2, 0.3], [0.7, 0.1, 0.0, 0.3], known=[1, 0.25])
REPORT = judge(ROWS, GROUPS, right("a", "b"))


@pytest.fixture
def lines(capsys):
    print_to(Console(width=80), REPORT)
    return capsys.readouterr().out.splitlines()


def test_a_row_for_each_picture_and_brackets_around_the_right_group(lines):
    assert lines[0].split() == ["picture", "known", "margin", "1", "2", "3"]
    assert lines[1].split() == ["0.png", "1.00", "+0.600", "[0.90]", "0.20", "0.30"]
    assert lines[2].split() == ["1.png", "0.25", "-0.700", "0.70", "[0.00]", "0.30"]
    assert lines[3] == "1 a  2 b  3 c"


def test_names_that_look_like_markup_stay(capsys):
    report = judge(looked([0.9, 0.1, 0.2, 0.3]), {"[/b]": ("a1",), "b": ("b1",)}, {})

    print_to(Console(width=80), report)

    assert "1 [/b]  2 b" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "ink"),
    [
        pytest.param(looked(*ROWS.cosines, known=[1, 1]), (200, 30, 30), id="one is inverted"),
        pytest.param(ROWS, (140, 150, 170), id="one is unknown"),
    ],
)
def test_the_picture_has_a_cell_for_each_text(tmp_path, rows, ink):
    path = tmp_path / "map.png"

    draw(path, rows, judge(rows, GROUPS, right("a", "b")), GROUPS)

    with Image.open(path) as picture:
        colours = {colour for _, colour in picture.convert("RGB").getcolors(99_999)}
        assert picture.format == "PNG"
    assert {(8, 64, 129), (247, 251, 255), ink} <= colours  # most, least, a name


def test_equal_scores_have_a_colour_too(tmp_path):
    same = looked([0.5] * 4)

    draw(tmp_path / "map.png", same, judge(same, GROUPS, {}), GROUPS)

    assert (tmp_path / "map.png").stat().st_size > 0


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot write .*absent/map.png: No such file"):
        draw(tmp_path / "absent" / "map.png", ROWS, REPORT, GROUPS)
