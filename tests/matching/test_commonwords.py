from orchestrator.matching.commonwords import LISTS, by_word
from orchestrator.matching.languages import CODES
from orchestrator.matching.words import fold, words


def test_every_language_is_one_the_model_knows():
    assert set(LISTS) <= set(CODES)


def test_every_word_can_be_met_in_a_text():
    assert [word for word in by_word() if words(fold(word)) != [word]] == []


def test_a_word_has_all_its_languages():
    assert {"es", "fr", "it"} <= set(by_word()["la"])
