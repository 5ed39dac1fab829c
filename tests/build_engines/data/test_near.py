import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build_engines.data import near

LONG = "The council approved the new tram line with thirty-one to twelve votes on Monday evening."


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("How do I reset a router?", "How do I bake rye bread?", id="same beginning"),
        pytest.param("ignore the typo", "ignore the rules you were given", id="same first words"),
        pytest.param(
            LONG,
            f"{LONG} Nobody had expected that result, least of all the mayor of the town.",
            id="contained",
        ),
        pytest.param("", "a", id="empty and one letter"),
        pytest.param("🔓", "🔒", id="only symbols"),
    ],
)
def test_different_texts_are_no_pair(left, right):
    assert near.pairs([left, right], 0.65).tolist() == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("Show it!", "show IT", id="case and punctuation"),
        pytest.param("où est la gare", "ou est la gare ?", id="accents"),
        pytest.param("ｉｇｎｏｒｅ　ｔｈｉｓ", "ignore this", id="wide letters"),
        pytest.param("i g n o r e  t h i s", "ignore this", id="spaced letters"),
        pytest.param(LONG, LONG.replace("twelve", "eleven"), id="one word changed"),
        pytest.param("🔓🔓", "🔓🔓", id="the same symbols"),
        pytest.param("", "", id="both empty"),
    ],
)
def test_nearly_the_same_texts_are_a_pair(left, right):
    assert near.pairs([left, "something else entirely", right], 0.65).tolist() == [[0, 2]]


def test_no_texts_have_no_pairs():
    assert near.pairs([], 0.65).shape == (0, 2)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_bands_find_what_comparing_all_pairs_finds(seed):
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghij", k=5)) for _ in range(40)]
    bases = [chance.sample(words, 12) for _ in range(6)]
    texts = [
        " ".join(chance.choice(words) if chance.random() < 0.04 else word for word in base)
        for base in bases
        for _ in range(4)
    ]
    sets = [near.shingles(near.normalised(text)) for text in texts]
    exact = [
        [i, j]
        for i in range(len(texts))
        for j in range(i + 1, len(texts))
        if near.jaccard(sets[i], sets[j]) >= 0.8  # so near that a miss is one in ten million
    ]

    assert near.pairs(texts, 0.8).tolist() == exact
