import pytest
from PIL import Image

from build_engines.live.chart import draw

RED, BLUE = (214, 39, 40), (31, 119, 180)


def document(*cosines, rows="images", vector="end_to_end"):
    return {
        "summary": {vector: {}, "probabilities": {}},
        "tolerance": {vector: 0.9999},
        rows: [{"name": f"{at}.png", vector: {"cosine": one}} for at, one in enumerate(cosines)],
    }


def drawn(path, *arguments, **options):
    draw(document(*arguments, **options), path)
    with Image.open(path) as picture:
        return picture.convert("RGB")


def marks(picture, colour, column):
    """Rows in which a mark of this colour lies, below the words; a dash has one row, a mark six."""
    left = 84 + 16 * column
    rows = {
        y
        for y in range(25, picture.height)
        if sum(picture.getpixel((left + x, y)) == colour for x in range(6)) >= 3
    }
    return [y for y in rows if y + 1 in rows]


def test_the_further_off_the_higher(tmp_path):
    picture = drawn(tmp_path / "a.png", 1.0, 0.99999, 0.9, 0.0, -1.0)

    heights = [min(marks(picture, RED, column)) for column in range(5)]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 5


@pytest.mark.parametrize("count", [0, 1, 300], ids=str)
def test_any_number_of_rows(tmp_path, count):
    assert drawn(tmp_path / "a.png", *[0.5] * count).width >= 480


def test_texts_have_the_colour_of_their_vector(tmp_path):
    picture = drawn(tmp_path / "a.png", 0.5, rows="texts", vector="forward_only")

    assert marks(picture, BLUE, 0)
