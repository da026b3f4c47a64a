"""What the trained network states stands beside what the rules read, and never against it."""

import re
from datetime import UTC, datetime

import numpy as np
import pytest

from graphrag.errors import InputError
from graphrag.extract.neural.annotation import DATE, KINDS, Link, Reading, Span
from graphrag.extract.neural.claims import merged
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.neural.features import Tree, words_of
from graphrag.extract.neural.passage import Passage
from graphrag.extract.neural.transformer import _product, network
from graphrag.extract.rules.extractor import RulesExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.protocols import ExtractionContext

RELATIONS = tuple(
    (
        "works_at lives_in leads due_on born_on plays has_condition located_in has_name has_age"
    ).split()
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


def read(text, spans, links, same=(), rules=None, at="2024-03-04"):
    episode = prepare(NewEpisode(text, at))
    passage = Passage(text, Said(text, spans, links, same), 0.5)
    return merged(passage, rules or Extraction(), episode, 0)


def shown(extraction):
    return [(claim.subject.name, claim.relation, claim.object.name) for claim in extraction.claims]


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


def test_what_the_rules_read_of_a_pair_stands():
    ann, acme = Mention("Ann Lee", "person"), Mention("Acme", "organization")
    rules = Extraction((ann, acme), (Claim(ann, "leads", acme, "Ann Lee leads Acme.", 0, 19),))
    text = "Ann Lee leads Acme."
    spans = [("Ann Lee", PERSON), ("Acme", BODY)]
    assert read(text, spans, [link(0, "works_at", 1)], rules=rules) == rules


def test_a_short_name_is_the_long_one_that_the_rules_found():
    rules = Extraction((Mention("Ann Lee", "person"),))
    read_ = read("Lee lives in Bergen.", [("Lee", PERSON), ("Bergen", PLACE)], [
        link(0, "lives_in", 1)
    ], rules=rules)  # fmt: skip
    assert shown(read_) == [("Ann Lee", "lives_in", "Bergen")]


def test_a_title_makes_nobody_else():
    chen = Mention("Chen", "person", 4, 8)
    read_ = read("Dr. Chen lives in Bergen.", [("Dr. Chen", PERSON), ("Bergen", PLACE)], [
        link(0, "lives_in", 1)
    ], rules=Extraction((chen,)))  # fmt: skip
    assert shown(read_) == [("Chen", "lives_in", "Bergen")]


def test_a_length_gives_the_end_or_the_start_where_the_other_is_known():
    spans = [("Ann", PERSON), ("Acme", BODY), ("2010", DATE), ("six years", DATE)]
    text = "Ann works at Acme, 2010, six years."
    for role, years in (("from", (2010, 2016)), ("to", (2004, 2010))):
        dates = [(role, 2, 0.9), ("for", 3, 0.9)]
        (claim,) = read(text, spans, [link(0, "works_at", 1, dates=dates)]).claims
        assert (claim.valid_at.year, claim.invalid_at.year) == years
    dates = [("from", 2, 0.9), ("for", 3, 0.9)]
    (claim,) = read(text, spans, [link(0, "works_at", 1, dates=dates)], at="2016-05-01").claims
    assert (claim.valid_at.year, claim.invalid_at) == (2010, None)


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


@pytest.mark.parametrize(
    ("role", "words", "years"),
    [("from", "2006", (2006, 2013)), ("to", "2012", (2006, 2013)), ("on", "2006", (2006, None))],
)
def test_one_end_of_a_range_brings_the_other(role, words, years):
    (claim,) = read(
        "Ann works at Acme, 2006–2012.",
        [("Ann", PERSON), ("Acme", BODY), (words, DATE)],
        [link(0, "works_at", 1, dates=[(role, 2, 0.9)])],
    ).claims
    assert tuple(one and one.year for one in (claim.valid_at, claim.invalid_at)) == years


@pytest.mark.parametrize(
    ("sentence", "years"),
    [("Ann leads it until then.", (None, 2021)), ("Ann leads it.", (2021, None))],
)
def test_until_then_ends_at_the_time_before(sentence, years):
    text = f"Bo starts at Acme in 2021. {sentence}"
    spans = [("Ann", PERSON), ("Acme", BODY), ("2021", DATE)]
    (claim,) = read(text, spans, [link(0, "leads", 1, dates=[("from", 2, 0.9)])]).claims
    assert tuple(one and one.year for one in (claim.valid_at, claim.invalid_at)) == years


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
        ("Ann worked at Acme from 15 May.", None),
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


def test_what_the_rules_read_and_the_network_does_not_see_is_reported():
    ann, acme, bob = (Mention(name, "person") for name in ("Ann", "Acme", "Bob"))
    text = "Ann, Acme, Bob."
    doubted = Claim(ann, "friend_of", bob, text, 0, len(text))
    kept = Claim(ann, "works_at", acme, text, 0, len(text))
    rules = Extraction((ann, acme, bob), (doubted, kept))
    said = Said(text, [("Ann", PERSON), ("Acme", BODY)], [link(0, "works_at", 1)])
    episode = prepare(NewEpisode(text, "2024-03-04"))
    read_ = merged(Passage(text, said, 0.5), rules, episode, 0, doubt=0.02)
    assert read_.claims == (kept,)
    assert [line.partition(":")[0] for line in read_.dropped] == ["Ann friend_of Bob"]


def test_a_day_of_birth_is_said_once_and_with_the_place_if_that_has_it():
    ann, oslo = Mention("Ann Lee", "person"), Mention("Oslo", "place")
    day = datetime(1990, 5, 3, tzinfo=UTC)
    text = "Ann Lee was born in Oslo on 3 May 1990."
    born = Claim(ann, "born_in", oslo, text, 0, len(text), valid_at=day, kind="event")
    read_ = read(
        text,
        [("Ann Lee", PERSON), ("3 May 1990", DATE)],
        [link(0, "born_on", 1)],
        rules=Extraction((ann, oslo), (born,)),
    )
    assert read_.claims == (born,)


@pytest.mark.parametrize("shares", [{"sure": 1.5}, {"doubt": -0.1}, {"sure": float("nan")}])
def test_a_share_is_from_0_to_1(shares):
    with pytest.raises(InputError, match="give a share from 0 to 1"):
        NeuralExtractor(**shares)


def test_until_now_is_over():
    (claim,) = read(
        "Ann, until now at Acme.", [("Ann", PERSON), ("Acme", BODY)], [link(0, "works_at", 1)]
    ).claims
    assert claim.kind == "was"


def test_a_second_place_without_a_date_does_not_end_the_one_that_the_rules_read():
    ann, oslo = Mention("Ann", "person"), Mention("Oslo", "place")
    rules = Extraction((ann, oslo), (Claim(ann, "lives_in", oslo, "Ann lives in Oslo.", 0, 18),))
    spans = [("Ann", PERSON), ("Rome", PLACE)]
    assert read("Ann of Rome.", spans, [link(0, "lives_in", 1)], rules=rules) == rules


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


async def test_json_is_left_to_the_rules():
    episode = prepare(NewEpisode('{"name": "Ann", "employer": "Acme"}', "2024-03-04"))
    context = ExtractionContext(episode)
    assert await NeuralExtractor().extract(context) == await RulesExtractor().extract(context)


@pytest.mark.parametrize("text", ["爱" * 700, "at " + "爱" * 300 + " in", "a " * 600])
def test_a_long_word_is_no_long_wait(text):
    assert Passage(text, network(), 0.5).text == text


def test_small_talk_is_believed_less_than_notes():
    spans, links = [("Ann", PERSON), ("Acme", BODY)], [link(0, "works_at", 1, 0.9)]
    episode = prepare(NewEpisode("Ann, Acme.", "2024-03-04"))
    chatter = "Ann, Acme." + " It was quite a day, as days go, was it not?" * 9
    for text, count in (("Ann, Acme.", 1), (chatter, 0)):
        passage = Passage(text, Said(text, spans, links), 0.5)
        assert len(merged(passage, Extraction(), episode, 0, sure=0.8).claims) == count


THING = KINDS.index("thing")


@pytest.mark.parametrize(
    ("text", "subject", "relation", "other", "kept"),
    [
        ("Ann Lee is working on her store.", ("Ann Lee", PERSON), "works_at", "store", False),
        (
            "Ann Lee is working at her book store.",
            ("Ann Lee", PERSON),
            "works_at",
            "book store",
            True,
        ),
        ("Jon, I lost my job at Acme.", ("Jon", PERSON), "works_at", "Acme", False),
        ("I know that Jon has a job at Acme.", ("Jon", PERSON), "works_at", "Acme", True),
        ("I met Bob Ray at the Rome Fair.", ("Bob Ray", PERSON), "works_at", "Rome Fair", False),
        (
            "Acme hired Bob Ray at the Rome Mill.",
            ("Bob Ray", PERSON),
            "works_at",
            "Rome Mill",
            True,
        ),
        ("Ann Lee went hiking.", ("Ann Lee", PERSON), "plays", "hiking", False),
        ("Ann Lee plays speed chess.", ("Ann Lee", PERSON), "plays", "speed chess", True),
        ("Thanks Jon for having my back.", ("Jon", PERSON), "has_condition", "back", False),
        ("Jon is having a bad flu.", ("Jon", PERSON), "has_condition", "bad flu", True),
        ("I filed the tax form by May 31.", ("tax form", THING), "due_on", "May 31", False),
        ("The tax form is due by May 31.", ("tax form", THING), "due_on", "May 31", True),
        ("The shop is in the old mill.", ("shop", BODY), "located_in", "old mill", False),
        ("The old shop is in the Old Mill.", ("old shop", BODY), "located_in", "Old Mill", True),
        ("Oz was old. Her name was Ann.", ("Oz", PERSON), "has_name", "Ann", False),
        ("The book club is called Ann.", ("book club", THING), "has_name", "Ann", True),
    ],
)
def test_grammar_decides_where_the_network_is_sure(text, subject, relation, other, kept):
    kinds = {"due_on": DATE, "has_name": PERSON}
    spans = [subject, (other, kinds.get(relation, BODY))]
    assert bool(read(text, spans, [link(0, relation, 1)]).claims) == kept


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Ann Lee works at Acme, since it is already May 2021.", None),
        ("Ann Lee, who met me in 2021, works at Acme.", None),
        ("Ann Lee has worked at Acme since May 2021.", 2021),
        ("Ann Lee works at Acme, starting in May 2021.", 2021),
        ("Ann Lee started to work at Acme in May 2021.", 2021),
    ],
)
def test_a_time_of_another_clause_is_no_start(text, start):
    spans = [("Ann Lee", PERSON), ("Acme", BODY)]
    claim = read(text, spans, [link(0, "works_at", 1)]).claims[0]
    assert (claim.valid_at.year if claim.valid_at else None) == start


def test_a_time_of_another_sentence_may_be_a_start():
    text = "The change comes in May 2021. Ann Lee leads Acme."
    spans = [("Ann Lee", PERSON), ("Acme", BODY), ("May 2021", DATE)]
    (claim,) = read(text, spans, [link(0, "leads", 1, dates=[("from", 2, 0.9)])]).claims
    assert claim.valid_at == datetime(2021, 5, 1, tzinfo=UTC)


def test_what_the_rules_said_in_more_words_is_not_said_again():
    store, acme = Mention("Ann's old store", "organization"), Mention("Acme", "organization")
    text = "My old store leads Acme."
    rules = Extraction((store, acme), (Claim(store, "leads", acme, text, 0, len(text)),))
    spans = [("old store", BODY), ("Acme", BODY)]
    assert read(text, spans, [link(0, "leads", 1)], rules=rules) == rules


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


@pytest.mark.parametrize(
    ("text", "start"), [("Ann Lee was 54 in May 2021.", None), ("Ann Lee turned 54 in 2021.", 2021)]
)
def test_an_age_begins_on_the_day_on_which_it_was_reached(text, start):
    spans = [("Ann Lee", PERSON), ("54", THING)]
    dates = [("May 2021" if "May" in text else "2021", DATE)]
    (claim,) = read(text, spans + dates, [link(0, "has_age", 1, dates=[("on", 2, 0.9)])]).claims
    assert (claim.valid_at and claim.valid_at.year) == start


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
