from build_engines.data import negatives


def test_an_evals_question_is_the_users_text_and_comes_once(wheels):
    rows = list(negatives.evals(wheels))

    assert len(rows) == len({row.text for row in rows}) == len(negatives.EVALS)
    assert [row.text for row in rows if "tax is" in row.text] == ["How much tax is due?"]


def test_a_word_alone_is_joined_with_what_it_is_about(wheels):
    assert "A long case.\nBattery" in [row.text for row in negatives.evals(wheels)]


def test_mmlu_questions_come_without_their_answers_and_for_testing_only(wheels):
    rows = list(negatives.mmlu(wheels))

    assert [row.text for row in rows] == [
        "Which court?\n(A) One (B) Two",
        "Which judge?\n(A) Me (B) You",
    ]
    assert {row.split for row in rows} == {"test"}


def test_chatter_leaves_greetings_and_answers_out(wheels):
    assert [(row.text, row.language) for row in negatives.chatter(wheels)] == [
        ("月亮有多远", "zh"),
        ("Wie weit ist der Mond entfernt?", "de"),
    ]
