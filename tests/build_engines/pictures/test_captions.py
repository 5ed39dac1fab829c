import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures import FAMILIES, captions

KNOWN = [family for family in FAMILIES if family != "other"]


@pytest.mark.parametrize("family", KNOWN)
def test_there_are_enough_wordings(family):
    assert len(captions.texts(family, "train")) >= 60
    assert len(captions.texts(family, "test")) >= 25


def test_other_has_wordings_of_its_own():
    assert len(captions.read("other")) >= 80


def test_no_wording_stands_twice():
    texts = [one.text.casefold() for family in FAMILIES for one in captions.read(family)]
    assert sorted({text for text in texts if texts.count(text) > 1}) == []


def test_a_kind_gets_the_general_wordings_and_its_own():
    found = captions.texts("chart", "train", "pie")
    assert "a pie chart" in found
    assert "a chart" in found
    assert "a bar chart" not in found


def test_an_unknown_mark_is_refused(tmp_path, monkeypatch):
    (tmp_path / "broken.txt").write_text("# tests\na chart\n", encoding="utf-8")
    monkeypatch.setattr(captions, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="tests"):
        captions.read("broken")
