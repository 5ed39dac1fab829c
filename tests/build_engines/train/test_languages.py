import numpy as np
import pytest

from build_engines.data import Example
from build_engines.train.languages import FEWEST_TEXTS, LEAST_ACCURACY, trusted

ENOUGH = FEWEST_TEXTS
JUST = round(LEAST_ACCURACY * ENOUGH)


def texts(language, count):
    return [Example(f"{language} {at}", "a", "written", f"{at}", language) for at in range(count)]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param({}, None, id="no texts"),
        pytest.param({"de": (ENOUGH - 1, ENOUGH - 1)}, None, id="a text too few"),
        pytest.param({"de": (ENOUGH, JUST - 1)}, (), id="one mistake too many"),
        pytest.param({"de": (ENOUGH, JUST)}, ("de",), id="just enough of both"),
        pytest.param(
            {"zh": (40, 0), "es": (40, 40), "en": (400, 380), "ja": (5, 5)},
            ("en", "es"),
            id="each by itself, sorted",
        ),
    ],
)
def test_languages(counts, expected):
    examples, right = [], []
    for language, (count, good) in counts.items():
        examples += texts(language, count)
        right += [True] * good + [False] * (count - good)
    mixed = np.random.default_rng(1).permutation(len(examples))

    found = trusted([examples[at] for at in mixed], np.array(right, bool)[mixed])

    assert found == expected


def test_there_is_a_mark_for_each_text():
    with pytest.raises(ValueError, match="shorter"):
        trusted(texts("en", 2), [True])
