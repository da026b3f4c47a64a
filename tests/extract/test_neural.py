"""What the trained network states becomes claims, as far as grammar and the calendar let it."""

import re
from datetime import UTC, datetime

import numpy as np
import pytest

from graphrag.errors import InputError
from graphrag.extract.neural.annotation import DATE, KINDS, Link, Reading, Span
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.neural.features import Tree, words_of
from graphrag.extract.neural.named import Source
from graphrag.extract.neural.passage import Passage
from graphrag.extract.neural.reading import extraction
from graphrag.extract.neural.transformer import _product, network
from graphrag.extract.rules.structure import read_structure
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.protocols import ExtractionContext

RELATIONS = tuple(
    "works_at lives_in leads due_on born_on born_in plays has_condition located_in has_name "
    "has_age".split()
)


class Said:
    """Reads what it is told, as the network would: spans by their words, links by their places."""

    relations = RELATIONS

    def __init__(self, text, spans, links, same=()):
        self.windows = []
        words, _ = words_of(text)
        at = {int(start): place for place, start in enumerate(words.starts)}
        to = {int(end): place for place, end in enumerate(words.ends)}
        found = []
        for shown, kind in spans:
            start, end = re.search(rf"(?<!\w){re.escape(shown)}(?!\w)", text).span()
            found.append(Span(at[start], to[end], kind, 1.0))
        self.spans = tuple(found)
        self.links = tuple(
            Link(one, other, RELATIONS.index(name), sure, flags, dates)
            for one, name, other, sure, flags, dates in links
        )
        self.same = dict(same)

    def pieces(self, words):
        return [[1000] for _ in words]

    def read(self, words, pieces, floor):
        self.windows.append(len(words))
        return Reading(self.spans, self.links, self.same)


def link(one, name, other, sure=0.9, was=0.0, planned=0.0, dates=()):
    return one, name, other, sure, (was, planned, 0.0), tuple(dates)


PERSON, BODY, PLACE = (KINDS.index(kind) for kind in ("person", "organization", "place"))


def read(text, spans, links, same=(), at="2024-03-04", sure=0.0):
    episode = prepare(NewEpisode(text, at))
    passage = Passage(text, Said(text, spans, links, same), 0.5)
    return extraction(passage, Source(episode.valid_at), sure)


def shown(read_):
    return [(claim.subject.name, claim.relation, claim.object.name) for claim in read_.claims]


def test_a_pronoun_is_who_it_means():
    read_ = read(
        "Ann Lee writes. She lives in Bergen.",
        [("Ann Lee", PERSON), ("She", PERSON), ("Bergen", PLACE)],
        [link(1, "lives_in", 2)],
        {1: 0},
    )
    assert shown(read_) == [("Ann Lee", "lives_in", "Bergen")]
    assert [one.entity_type for one in read_.mentions] == ["person", "place"]


def test_a_pronoun_of_nobody_states_nothing():
    assert not read("She lives in Bergen.", [("She", PERSON), ("Bergen", PLACE)], [
        link(0, "lives_in", 1)
    ]).claims  # fmt: skip


@pytest.mark.parametrize(
    ("role", "words", "start", "end"),
    [("from", "2019", "2019-01-01", None), ("to", "2019", None, "2019-01-01")],
)
def test_a_date_begins_or_ends_a_statement(role, words, start, end):
    (claim,) = read(
        "Ann works at Acme, 2019.",
        [("Ann", PERSON), ("Acme", BODY), (words, DATE)],
        [link(0, "works_at", 1, dates=[(role, 2, 0.9)])],
    ).claims
    found = [moment and moment.date().isoformat() for moment in (claim.valid_at, claim.invalid_at)]
    assert found == [start, end]
    assert claim.current == (role == "from")


def test_of_two_dates_the_surer_one_counts():
    (claim,) = read(
        "Ann works at Acme: 2018, 2019.",
        [("Ann", PERSON), ("Acme", BODY), ("2018", DATE), ("2019", DATE)],
        [link(0, "works_at", 1, dates=[("from", 2, 0.6), ("from", 3, 0.8)])],
    ).claims
    assert claim.valid_at.year == 2019


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Ann worked at Acme from 15 May.", "2024-05-15"),
        ("Ann worked at Acme from 15 July.", "2023-07-15"),
        ("Ann works at Acme from 15 April.", "2024-04-15"),
        ("Ann works at Acme from 15 March.", "2024-03-15"),
    ],
)
def test_a_day_without_a_year_is_not_a_year_away_from_the_near_one(text, start):
    words = text.rsplit("from ", 1)[1].rstrip(".")
    (claim,) = read(
        text,
        [("Ann", PERSON), ("Acme", BODY), (words, DATE)],
        [link(0, "works_at", 1, dates=[("from", 2, 0.9)])],
        at="2024-05-05",
    ).claims
    assert (claim.valid_at and claim.valid_at.date().isoformat()) == start


def test_the_years_of_a_life_are_read_by_their_own_words():
    (claim,) = read(
        "Ann Lee (12 May 1889 - 3 October 1961) painted.",
        [("Ann Lee", PERSON), ("12 May 1889", DATE)],
        [link(0, "born_on", 1)],
    ).claims
    assert claim.valid_at.date().isoformat() == "1889-05-12"


def test_what_was_so_is_over_and_what_is_only_planned_is_not_stated():
    spans = [("Ann", PERSON), ("Acme", BODY)]
    (claim,) = read("Ann, once of Acme.", spans, [link(0, "works_at", 1, was=0.9)]).claims
    assert claim.kind == "was"
    assert not read("Ann of Acme, soon.", spans, [link(0, "works_at", 1, planned=0.9)]).claims


def test_what_was_so_since_a_year_is_over_and_keeps_its_start():
    spans = [("Ann", PERSON), ("Acme", BODY), ("2010", DATE)]
    dates = [("from", 2, 0.9)]
    (claim,) = read(
        "Ann of Acme, 2010.", spans, [link(0, "works_at", 1, was=0.9, dates=dates)]
    ).claims
    assert (claim.kind, claim.valid_at.year, claim.current) == ("was", 2010, False)


@pytest.mark.parametrize("shares", [{"sure": 1.5}, {"sure": -0.1}, {"sure": float("nan")}])
def test_a_share_is_from_0_to_1(shares):
    with pytest.raises(InputError, match="give a share from 0 to 1"):
        NeuralExtractor(**shares)


def test_a_deadline_ends_on_its_day():
    (claim,) = read(
        "The bid is due on 5 May 2024.",
        [("bid", 4), ("5 May 2024", DATE)],
        [link(0, "due_on", 1)],
    ).claims
    assert claim.invalid_at.date().isoformat() == "2024-05-06"


def test_a_long_text_is_read_in_windows_that_overlap():
    text = " ".join(f"Ann saw Bob {number}." for number in range(100))
    said = Said(text, [("Ann", PERSON), ("Bob", PERSON)], [])
    passage = Passage(text, said, 0.5)
    count = len(words_of(text)[0])
    assert max(said.windows) <= 250
    assert sum(said.windows) > count
    assert not passage.statements


@pytest.mark.parametrize("text", ["", " ", "\n\n", "…", "a" * 5000, "日本語のテキスト", "- \n- \n"])
def test_any_text_can_be_read(text):
    assert Passage(text, network(), 0.5).text == text


def test_words_know_their_place_in_the_parse():
    words, docs = words_of("Ann's firm moved.\nIt grew.")
    tree = Tree.of(words.heads)
    assert len(words) == 10
    assert tree.root(0, 3) == 3
    join, _ = tree.join(np.array([0, 3, 7]))
    assert join.tolist() == [[0, 3, -1], [3, 3, -1], [-1, -1, 7]]
    assert [doc.text for _, doc in docs] == ["Ann's firm moved. ", "It grew."]


async def test_json_is_read_by_its_keys():
    episode = prepare(
        NewEpisode('{"name": "Ann", "employer": "Acme"}', "2024-03-04", source="json")
    )
    read_ = await NeuralExtractor().extract(ExtractionContext(episode))
    assert read_ == read_structure(episode.content, episode.valid_at)


@pytest.mark.parametrize("text", ["爱" * 700, "at " + "爱" * 300 + " in", "a " * 600])
def test_a_long_word_is_no_long_wait(text):
    assert Passage(text, network(), 0.5).text == text


def test_a_second_place_without_a_date_does_not_end_the_surer_one():
    spans = [("Ann", PERSON), ("Oslo", PLACE), ("Rome", PLACE)]
    links = [link(0, "lives_in", 2, 0.7), link(0, "lives_in", 1, 0.8)]
    assert shown(read("Ann of Oslo and Rome.", spans, links)) == [("Ann", "lives_in", "Oslo")]


def test_relations_that_the_network_cannot_tell_apart_are_believed_together():
    spans = [("Ann", PERSON), ("Acme", BODY)]
    links = [link(0, "works_at", 1, 0.4), link(0, "leads", 1, 0.5)]
    assert shown(read("Ann joined Acme.", spans, links, sure=0.8)) == [("Ann", "leads", "Acme")]
    assert not read("Ann joined Acme.", spans, links[:1], sure=0.8).claims


@pytest.mark.parametrize(
    "text",
    [
        "Ann wants to lead Acme.",
        "Does Ann lead Acme?", "Neither Ann nor Bo leads Acme.",
        '"Ann leads Acme," he wrote.', "If Ann leads Acme, Bo quits.", "Ann might lead Acme.",
    ],
)  # fmt: skip
def test_wishes_questions_denials_and_quotes_state_nothing(text):
    assert not read(text, [("Ann", PERSON), ("Acme", BODY)], [link(0, "leads", 1)]).claims


def test_small_talk_is_believed_less_than_notes():
    spans, links = [("Ann", PERSON), ("Acme", BODY)], [link(0, "works_at", 1, 0.9)]
    chatter = "Ann, Acme." + " It was quite a day, as days go, was it not?" * 9
    for text, count in (("Ann, Acme.", 1), (chatter, 0)):
        assert len(read(text, spans, links, sure=0.8).claims) == count


THING = KINDS.index("thing")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Ann Lee works at Acme, since it is already May 2021.", None),
        ("Ann Lee, who met me in May 2021, works at Acme.", None),
        ("Ann Lee has worked at Acme since May 2021.", 2021),
        ("Ann Lee works at Acme, starting in May 2021.", 2021),
        ("Ann Lee started to work at Acme in May 2021.", 2021),
    ],
)
def test_a_time_of_another_clause_is_no_start(text, start):
    spans = [("Ann Lee", PERSON), ("Acme", BODY), ("May 2021", DATE)]
    (claim,) = read(text, spans, [link(0, "works_at", 1, dates=[("from", 2, 0.9)])]).claims
    assert (claim.valid_at.year if claim.valid_at else None) == start


def test_a_time_of_another_sentence_may_be_a_start():
    text = "The change comes in May 2021. Ann Lee leads Acme."
    spans = [("Ann Lee", PERSON), ("Acme", BODY), ("May 2021", DATE)]
    (claim,) = read(text, spans, [link(0, "leads", 1, dates=[("from", 2, 0.9)])]).claims
    assert claim.valid_at == datetime(2021, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Ann Lee volunteers her time at Acme.", "volunteers_at"),
        ("Ann Lee's volunteer work at Acme goes on.", "volunteers_at"),
        ("Ann Lee spends her time at Acme.", "works_at"),
    ],
)
def test_who_volunteers_is_not_employed(text, relation):
    spans = [("Ann Lee", PERSON), ("Acme", BODY)]
    assert shown(read(text, spans, [link(0, "works_at", 1)])) == [("Ann Lee", relation, "Acme")]


@pytest.mark.parametrize("shape", [(1,), (7,), (5, 6), (0,), (3, 3)])
@pytest.mark.parametrize(("inner", "outer"), [(4, 3), (500, 150), (1_000, 600)])
def test_a_product_in_pieces_is_the_product(shape, inner, outer):
    dice = np.random.default_rng(0)
    given = dice.normal(size=(*shape, inner)).astype(np.float32)
    weights = dice.normal(size=(outer, inner)).astype(np.float32).T
    found = _product(given, weights)
    assert found.shape == (*shape, outer)
    assert np.allclose(found, given @ weights, atol=1e-3)


async def test_who_speaks_is_read_beside_what_is_said_whatever_was_parsed_before():
    reader = NeuralExtractor()
    said = NewEpisode("I moved to Oslo in 2019.", "2024-05-06", author="Ann Lee")
    first = await reader.extract(ExtractionContext(prepare(said)))
    await reader.prepare_texts([said.content, "I left Acme.", "Two\nlines"])
    assert await reader.extract(ExtractionContext(prepare(said))) == first
