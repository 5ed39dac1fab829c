import itertools

import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures import SPLITS, fonts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("Total 12.50", "Total 12.50", id="latin stays"),
        pytest.param("مصر", "\ufeae\ufebc\ufee3", id="arabic joins and turns"),
        pytest.param("رقم 120", "120 \ufee2\ufed7\ufead", id="numbers keep their order"),
    ],
)
def test_text_is_put_in_the_order_it_is_seen(text, shown):
    assert fonts.joined(text) == shown


@pytest.mark.parametrize(
    "shelf", [pytest.param(fonts.HAND, id="hands"), pytest.param(fonts.MONO, id="typewriters")]
)
def test_no_font_of_a_split_stands_in_another(shelf):
    for left, right in itertools.combinations(SPLITS, 2):
        assert not set(shelf[left]) & set(shelf[right])


def test_a_bold_face_is_wider(archives):
    shelf = fonts.Fonts(archives)
    light, bold = (shelf.get("noto_sans", 30, bold=one).getlength("wide") for one in (False, True))
    assert bold > light
