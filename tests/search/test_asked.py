import pytest

from graphrag.search.question import asked_types


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
