import pytest

from graphrag.search.question import asked_types, is_of_oneself


@pytest.mark.parametrize(
    ("query", "types"),
    [
        ("Who travels with Dorothy?", {"person"}),
        ("To whom is Ann engaged?", {"person"}),
        ("In which town does Ann live?", {"place"}),
        ("What company does Ann work for?", {"organization"}),
        ("Where does Ann work?", {"place", "organization"}),
        ("Who lives where Ann lives?", {"person"}),
        ("What does Ann like?", set()),
        ("Ann and the whole story", set()),
        ("", set()),
    ],
)
def test_a_question_word_says_what_kind_of_thing_answers(query, types):
    assert asked_types(query) == types


@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("When did I move to Lund?", True),
        ("Can you tell me where my keys are?", True),
        ("Where do you think I should work?", True),
        ("What did you tell me about Lund?", False),
        ("What was your advice on my resume?", False),
        ("When did Ann move?", False),
        ("", False),
    ],
)
def test_my_asks_for_what_one_said_oneself_and_your_for_what_the_other_said(query, own):
    assert is_of_oneself(query) == own
