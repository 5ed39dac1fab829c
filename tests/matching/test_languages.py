import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from orchestrator.matching.languages import CODES, SHORT, SLICE, Detector


@pytest.fixture(scope="module")
def detector():
    return Detector()


@pytest.fixture(scope="module")
def model():
    return LanguageIdentifier.from_pickled_model(MODEL_FILE)


def test_codes_are_those_of_the_model(detector):
    assert detector.codes == CODES


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(" \n\t", id="blank"),
        pytest.param("12345", id="digits"),
        pytest.param("1 + 1 = 2", id="arithmetic"),
        pytest.param("!!!", id="punctuation"),
        pytest.param("SQL", id="acronym"),
        pytest.param("kubernetes", id="name"),
        pytest.param("pizza", id="loan word"),
        pytest.param("refund", id="one word"),
    ],
)
def test_nothing_tells(detector, text):
    assert detector.detect(text) is None


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Please compare these two contracts and list the risks."),
        ("en", "def total(items): return sum(item.price for item in items)  # what is wrong here?"),
        ("es", "¿Puedes resumir este artículo en tres frases?"),
        ("es", "hola"),
        ("fr", "Résume ce document et donne-moi les points importants."),
        ("fr", "merci beaucoup"),
        ("de", "Fasse diesen Vertrag zusammen und nenne die Risiken."),
        ("it", "Riassumi questo documento e spiegami i rischi principali."),
        ("pt", "Resuma este documento e explique os principais riscos."),
        ("nl", "Vat dit document samen en noem de belangrijkste risico's."),
        ("pl", "Podsumuj ten dokument i wymień najważniejsze zagrożenia."),
        ("sv", "Sammanfatta dokumentet och lista de viktigaste riskerna."),
        ("tr", "Bu belgeyi özetle ve en önemli riskleri sırala."),
        ("vi", "Hãy tóm tắt tài liệu này và nêu các rủi ro chính."),
        ("id", "Tolong ringkas dokumen ini dan sebutkan risiko utamanya."),
        ("ru", "Кратко изложи этот документ и назови главные риски."),
        ("ru", "привет"),
        ("uk", "Стисло виклади цей документ і назви головні ризики."),
        ("ar", "لخص هذه الوثيقة واذكر المخاطر الرئيسية"),
        ("hi", "इस दस्तावेज़ का सारांश दें और मुख्य जोखिम बताएं।"),
        ("zh", "请总结这份文件并列出主要风险。"),
        ("zh", "用python写快排"),
        ("zh", "把 Kubernetes Deployment 的 replicas 改成 3"),
        ("ja", "この文書を要約して、主なリスクを挙げてください。"),
        ("ja", "東京大学の入試問題"),
        ("ko", "이 문서를 요약하고 주요 위험을 알려 주세요."),
        ("th", "สรุปเอกสารนี้และบอกความเสี่ยงหลัก"),
        ("el", "Κάνε περίληψη του εγγράφου."),
        ("he", "סכם את המסמך הזה"),
    ],
)
def test_language(detector, code, text):
    guess = detector.detect(text)

    assert guess is not None
    assert guess.code == code
    assert guess.probability >= 0.3


def test_the_words_around_a_quotation_decide(detector):
    guess = detector.detect("Please translate 你好 and 谢谢 into English for me")

    assert guess is not None
    assert guess.code == "en"


def test_capitals_are_read_as_words(detector):
    guess = detector.detect("WHY DOES MY ORDER NEVER ARRIVE ON TIME")

    assert guess is not None
    assert guess.code == "en"


def test_the_last_answer_is_kept_for_its_text_alone(detector):
    texts = ["Wie spät ist es in Berlin?", "What time is it in Berlin?"]

    found = [detector.detect(text) for text in (*texts, texts[1], *texts)]

    assert [guess.code for guess in found] == ["de", "en", "en", "de", "en"]
    assert found[1] == found[2]


def test_long_texts_cost_what_their_slices_cost(detector):
    # A change outside the slices changes nothing: it was not read.
    text = "Ceci est un texte tout à fait ordinaire, écrit en français. " * 200
    changed = text[:SLICE] + "x" + text[SLICE + 1 :]

    assert detector.detect(text) == detector.detect(changed)


@given(text=st.text("abcdefghij éñüж", min_size=SHORT + 1, max_size=3 * SLICE).map(str.strip))
@settings(max_examples=50, deadline=None)
def test_same_answer_as_the_model_itself(detector, model, text):
    # Frequent words count in short texts only, and the temperature keeps the order.
    guess = detector.detect(text)

    assert guess is None or len(text) <= SHORT or guess.code == model.classify(f" {text} ")[0]


@given(text=st.text(max_size=60))
@settings(deadline=None)
def test_any_unicode_is_no_crash(detector, text):
    guess = detector.detect(text)

    assert guess is None or (guess.code in CODES and 0 < guess.probability <= 1)
