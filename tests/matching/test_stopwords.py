from orchestrator.matching.stopwords import ENGLISH


def test_subject_words_are_kept():
    assert not ENGLISH & {"code", "urgent", "machine", "not working"}


def test_function_words_are_dropped():
    assert {"the", "of", "how", "don't", "you've", "myself"} <= ENGLISH
