import pytest

from orchestrator.inference.gathering import Gathering
from orchestrator.inference.languages import Gate, refused
from orchestrator.inference.pacing import Paced
from orchestrator.inference.tasks import Task
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from orchestrator.matching.languages import Detector


@pytest.fixture(scope="module")
def detector():
    return Detector()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("!!! 42", id="no word"),
        pytest.param("Which vaccines does a newborn need in the first year?", id="English"),
        pytest.param(
            "\u00bfCu\u00e1l es la capital de Francia y de Italia?", id="Spanish, known too"
        ),
        pytest.param("lol idk tbh u tell me", id="slang"),
        pytest.param("kubectl get pods -n kube-system", id="a command"),
        pytest.param("SELECT name FROM users WHERE id = 1", id="SQL"),
        pytest.param("Traceback (most recent call last): KeyError: 'x'", id="an error"),
        pytest.param("ok danke", id="two words"),
        pytest.param("van der Waals", id="names"),
        pytest.param("Donaudampfschifffahrtsgesellschaft", id="one long word"),
        pytest.param("\u03b1 + \u03b2 = \u03b3", id="Greek symbols"),
        pytest.param("Translate to English: \u4f60\u597d\u4e16\u754c", id="a quotation"),
        pytest.param(
            "Can you translate 'Guten Morgen, wie geht es dir heute' to English?",
            id="an order around a quotation",
        ),
        pytest.param(
            "Summarize: Die Stadt hat gestern beschlossen, dass das alte Bad geschlossen wird.",
            id="an order and what it is about",
        ),
    ],
)
def test_is_asked(detector, text):
    assert Gate(("en", "es"), detector).refusal(text) == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("Was ist die Hauptstadt von Frankreich?", "de", id="German"),
        pytest.param(
            'Wie spricht man das Wort "although" in England richtig aus?',
            "de",
            id="German with a quoted word",
        ),
        pytest.param(
            "Kannst du mir bitte sagen, wann der Zug f\u00e4hrt: um 12:30 oder um 13:15?",
            "de",
            id="a question with a colon",
        ),
        pytest.param("Quelle est la capitale de l'Italie ?", "fr", id="French"),
        pytest.param("\u6cd5\u56fd\u7684\u9996\u90fd\u662f\u54ea\u91cc\uff1f", "zh", id="Chinese"),
        pytest.param("\u4f60\u597d", "zh", id="two signs"),
        pytest.param("\u041f\u0440\u0438\u0432\u0435\u0442", "ru", id="a word in Cyrillic"),
        pytest.param("Wer darf die Wohnung in diesem Haus betreten? " * 2000, "de", id="long"),
    ],
)
def test_is_refused(detector, text, language):
    why = Gate(("en", "es"), detector).refusal(text)

    assert (why, refused(why)) == (f"unsupported_language:{language}", True)


def test_other_reasons_are_no_refusals():
    assert not any(map(refused, ("", "inference_timeout", "not_run")))


async def test_every_kind_of_inference_tells_the_languages(tmp_path):
    tasks = {"guard": Task(("a", "b")), "topic": Task(("a", "b"), languages=("en",))}
    triton = TritonInference(("127.0.0.1:1",), tasks={"m": tasks})
    trusted = TrustedInference(triton, tmp_path, ["m"])
    kinds = (triton, trusted, Gathering(trusted), Paced(trusted))

    found = [(kind.languages("m"), kind.languages("other")) for kind in kinds]
    await triton.close()

    assert found == [({"topic": ("en",)}, {})] * 4
