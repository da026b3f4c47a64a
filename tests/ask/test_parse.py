"""Questions as grammar reads them, without a graph: names are marked, the rest is structure."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.ask.clause import Token
from graphrag.ask.parse import read
from graphrag.ask.query import Named, Order
from graphrag.ask.senses import senses_of, stem_of, stems_of
from graphrag.search.query_time import times_in

NOW = datetime(2024, 5, 1, tzinfo=UTC)


def asked(text):
    """Parse a question in which every name is one capital letter."""
    times = {place: said for _, place, said in times_in(text, NOW)}
    starts = {start: (end, said) for start, end, said in times_in(text, NOW)}
    assert len(starts) == len(times)
    tokens, place = [], 0
    while place < len(text):
        if place in starts:
            end, said = starts[place]
            tokens.append(Token(text[place:end], "T", said=said))
        elif text[place] == " ":
            end = place + 1
        elif not text[place].isalnum():
            end = place + (2 if text.startswith("'s", place) else 1)
            tokens.append(Token(text[place:end], text[place:end]))
        else:
            end = next((at for at in range(place, len(text)) if not text[at].isalnum()), len(text))
            word = text[place:end]
            name = Named(word, (word,)) if len(word) == 1 and word.isupper() else None
            tokens.append(Token(word, "E" if name else word.lower(), name))
        place = end
    return read(text, tuple(tokens))


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("Who led A?", "entities"),
        ("When did A meet B?", "when"),
        ("Since which year has A led B?", "since"),
        ("When did A stop leading B?", "until"),
        ("How long did A lead B?", "how long"),
        ("How many days did A lead B?", "how long"),
        ("How many firms did A lead?", "how many"),
        ("How often did A visit B?", "how often"),
        ("Did A lead B in 1999?", "whether"),
        ("Which was earlier for A, B or C?", "which"),
    ],
)
def test_question_word_says_what_is_wanted(text, wants):
    assert asked(text).wants == wants


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Who was the first head of A?", Order("first")),
        ("Who led A most recently?", Order("last")),
        ("Who was the 12th head of A?", Order("first", 12)),
        ("Who was the last but one head of A?", Order("last", 2)),
        ("Who led A for the longest time?", Order("longest")),
        ("Who led A?", None),
    ],
)
def test_ordinals_and_superlatives_order(text, order):
    assert asked(text).main.order == order


def test_clause_of_time_is_divided_from_what_is_asked():
    for text in ("Who led A while B lived in C?", "While B lived in C, who led A?"):
        question = asked(text)
        [condition] = question.conditions
        assert (str(question.main).lower(), condition.link) == ("who led a", "while")
        assert [name.name for name in condition.clause.names] == ["B", "C"]


def test_neighbor_and_all_on_one_side_differ():
    assert asked("Which firm did A lead right before B?").conditions[0].nearest
    assert asked("Which firm did A lead before B?").conditions[0].nearest
    assert not asked("Which firms did A lead before B?").conditions[0].nearest


def test_time_of_knowledge_is_not_the_time_asked_of():
    question = asked("As far as was known on 3 May 1999, who led A in 1998?")
    assert question.known.interval.end == datetime(1999, 5, 4, tzinfo=UTC)
    assert question.main.during.interval.start == datetime(1998, 1, 1, tzinfo=UTC)
    assert asked("What is A known for in 1999?").known is None


def test_order_in_the_other_clause_stays_there():
    question = asked("Whom did A call next after B first met C?")
    assert question.main.order is None
    assert question.conditions[0].clause.order == Order("first")


@given(
    st.lists(
        st.sampled_from(
            "who which when did was A B C before after while first last 's of , ? in 1999 and or "
            "between how long many days recorded on".split()
        ),
        max_size=14,
    )
)
def test_any_words_are_read_without_failing(words):
    assert repr(asked(" ".join(words).replace(" 's", "'s") or "who"))


@given(st.text(max_size=60))
def test_any_text_has_stems_and_senses(text):
    assert isinstance(stem_of(text), str)
    assert isinstance(stems_of(text), tuple)
    assert isinstance(senses_of(text), frozenset)


def test_forms_of_a_word_share_a_stem():
    for one, other in (("won", "wins"), ("criticised", "criticize"), ("sue", "sued")):
        assert stem_of(one) == stem_of(other)
    assert senses_of(stem_of("spouse")) & senses_of(stem_of("married"))
