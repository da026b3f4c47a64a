"""Plain English in one or two sentences: what the network reads in it, and what gives nothing."""

from datetime import UTC, datetime

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.model.values import Episode
from graphrag.protocols import ExtractionContext
from tests.conftest import open_graph

SAID = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday


async def extract(text, source="text", author=None):
    episode = Episode("e", "g", SAID, "", text, source, SAID, "", author=author)
    return await NeuralExtractor().extract(ExtractionContext(episode))


async def told(text, source="text", author=None):
    """Each claim as words, what is over marked by a minus sign."""
    read = await extract(text, source, author)
    return {
        f"{'-' if claim.kind == 'was' else ''}"
        f"{claim.subject.name} {claim.relation} {claim.object.name}"
        for claim in read.claims
    }


async def dates(text, source="text"):
    def shown(moment):
        return str(moment.date()) if moment else ""

    read = await extract(text, source)
    return {
        f"{claim.relation} {claim.object.name}": (shown(claim.valid_at), shown(claim.invalid_at))
        for claim in read.claims
    }


STATED = [
    # work
    ("Alice Berg works at Acme Corp.", {"Alice Berg works_at Acme Corp"}),
    ("Alice Berg works at the Old Sawmill.", {"Alice Berg works_at Old Sawmill"}),
    ("Alice Berg joined Acme Corp as an engineer.",
     {"Alice Berg works_at Acme Corp", "Alice Berg has_role engineer"}),
    ("Acme Corp hired Alice Berg.", {"Alice Berg works_at Acme Corp"}),
    ("Alice Berg is a nurse at Mercy Hospital.",
     {"Alice Berg works_at Mercy Hospital", "Alice Berg has_role nurse"}),
    ("Alice Berg, a nurse at Mercy Hospital, sings.",
     {"Alice Berg works_at Mercy Hospital", "Alice Berg has_role nurse"}),
    ("Alice Berg leads Acme Corp.", {"Alice Berg leads Acme Corp"}),
    ("Acme Corp is led by Alice Berg.", {"Alice Berg leads Acme Corp"}),
    ("Bob Ray is the mayor of Dunmarle.", {"Bob Ray leads Dunmarle", "Bob Ray has_role mayor"}),
    ("Bob Ray was elected mayor of Dunmarle.",
     {"Bob Ray leads Dunmarle", "Bob Ray has_role mayor"}),
    ("Alice Berg is a painter.", {"Alice Berg has_role painter"}),
    ("Ann Lee plays for Dunmarle Rovers.", {"Ann Lee plays_for Dunmarle Rovers"}),
    ("Ann Lee is a student at Hill College.", {"Ann Lee studies_at Hill College"}),
    # homes
    ("Alice Berg lives in Oslo.", {"Alice Berg lives_in Oslo"}),
    ("Alice Berg moved from Oslo to Paris.",
     {"Alice Berg lives_in Paris", "-Alice Berg lives_in Oslo"}),
    ("Alice Berg was born in Paris.", {"Alice Berg born_in Paris"}),
    ("Acme Corp is based in Oslo.", {"Acme Corp located_in Oslo"}),
    ("Acme Corp, a firm based in Oslo, grew.", {"Acme Corp located_in Oslo"}),
    # family
    ("Alice Berg married Bob Ray.", {"Alice Berg married_to Bob Ray"}),
    ("Alice Berg and Bob Ray got married.", {"Alice Berg married_to Bob Ray"}),
    ("Alice Berg and Bob Ray became engaged.", {"Alice Berg engaged_to Bob Ray"}),
    ("Alice Berg is engaged to Bob Ray.", {"Alice Berg engaged_to Bob Ray"}),
    ("Anna lives in Rome and is married to Erik Holm.",
     {"Anna lives_in Rome", "Anna married_to Erik Holm"}),
    ("Alice Berg's brother is Bob Ray.", {"Alice Berg sibling_of Bob Ray"}),
    ("Bob Ray's wife, Alice Berg, slept.", {"Bob Ray married_to Alice Berg"}),
    # firms and things
    ("Globex bought Initech in 2020.", {"Globex owns Initech"}),
    ("Josiah Hill founded Hill Bank.", {"Josiah Hill founded Hill Bank"}),
    ("Hill Bank was founded by Josiah Hill.", {"Josiah Hill founded Hill Bank"}),
    ("Bob Ray owns the Tannery Mill.", {"Bob Ray owns Tannery Mill"}),
    ("Alice Berg likes painting.", {"Alice Berg likes painting"}),
    # names
    ("Initech, formerly known as Globex, grew.", {"-Initech formerly_known_as Globex"}),
    ("Quarrie Engineering was renamed Keystone Works.",
     {"Quarrie Engineering renamed_to Keystone Works"}),
    # what is over
    ("Alice Berg divorced Bob Ray.", {"-Alice Berg married_to Bob Ray"}),
    ("Alice Berg left Acme Corp.", {"-Alice Berg works_at Acme Corp"}),
    ("Alice Berg no longer works at Acme Corp.", {"-Alice Berg works_at Acme Corp"}),
    ("Alice Berg does not work at Acme Corp anymore.", {"-Alice Berg works_at Acme Corp"}),
    ("Alice Berg resigned from Acme Corp.", {"-Alice Berg works_at Acme Corp"}),
    ("Alice Berg was once a nurse.", {"-Alice Berg has_role nurse"}),
    # several at once, and who is meant
    ("Alice Berg and Bob Ray work at Acme Corp.",
     {"Alice Berg works_at Acme Corp", "Bob Ray works_at Acme Corp"}),
    ("Alice Berg lives in Oslo. She works at Acme Corp.",
     {"Alice Berg lives_in Oslo", "Alice Berg works_at Acme Corp"}),
    ("Alice Berg, who lives in Oslo, works at Acme Corp.",
     {"Alice Berg lives_in Oslo", "Alice Berg works_at Acme Corp"}),
    ("Bob Ray bought Anna Holm's bakery. Cora Vine bought Bob Ray's bakery.",
     {"Bob Ray owns Anna Holm's bakery", "Cora Vine owns Bob Ray's bakery"}),
]  # fmt: skip

NOTHING = [
    # asked, wished, imagined, denied, or said by others
    "Does Alice Berg work at Acme Corp?",
    "When does Alice Berg start at Acme Corp",
    "Alice Berg does not work at Acme Corp.",
    "Alice Berg never worked at Acme Corp.",
    "Alice Berg owns no house.",
    "Alice Berg may work at Acme Corp.",
    "If Alice Berg works at Acme Corp, she is rich.",
    "If Alice Berg leaves Globex and joins Acme Corp, Bob Ray stays.",
    "Alice Berg wants to leave Globex and join Acme Corp.",
    "Alice Berg did not leave Globex and join Acme Corp.",
    "Alice Berg wants to work at Acme Corp.",
    "Alice Berg denied that she works at Acme Corp.",
    "Bob Ray thinks that Alice Berg works at Acme Corp.",
    "Alice Berg almost joined Acme Corp.",
    "Neither Alice Berg nor Bob Ray works at Acme Corp.",
    '"Alice Berg works at Acme Corp," said nobody in particular.',
    "Rumour has it that Alice Berg works at Acme Corp.",
    "Imagine Alice Berg works at Acme Corp.",
    "In my novel, Alice Berg works at Acme Corp.",
    "People write that Mia Holt trained in Prague.",
    # of nobody who is named
    "He works at Acme Corp.",
    "There was a queue at the bank.",
    "Music plays in Rome.",
    "Staff like Rome.",
    # of a moment
    "Alice Berg visited the museum.",
    "Alice Berg carried a bucket of water.",
    "Alice Berg attended the Berlin Summit.",
    "Alice Berg is on tour from Berlin to Rome.",
    "Alice Berg had dinner in Leeds, with Rachael.",
    "Bo Lind opened the meeting. Treasurer of Oak Club absent.",
    "Alice Berg entered the Throne Room.",
    "Alice Berg helped Bob Ray up.",
    "Bob Ray began to use his axe.",
    "The four travelers met in the Throne Room.",
    "The River Tarn joins the Garonne near Moissac.",
    "Joan Bell had no children, Rhys Owen told the court.",
    "Patient: Tom Hale, seen today. Allergies: nil known. Medication: declined.",
    "The jury awarded 5 million dollars to Globex in damages.",
    "npm run lint && npm run test",
]


@pytest.mark.parametrize(("text", "facts"), STATED, ids=[text for text, _ in STATED])
async def test_what_is_stated_is_read(text, facts):
    assert await told(text) == facts


@pytest.mark.parametrize("text", NOTHING)
async def test_what_only_looks_like_a_fact_is_none(text):
    assert not await told(text)


@pytest.mark.parametrize(
    ("text", "fact", "life"),
    [
        ("Alice Berg joined Acme Corp as a cook on 3 May 2021.", "works_at Acme Corp",
         ("2021-05-03", "")),
        ("Alice Berg has worked at Acme Corp since 2019.", "works_at Acme Corp",
         ("2019-01-01", "")),
        ("Alice Berg left Acme Corp in March 2020.", "works_at Acme Corp", ("", "2020-03-01")),
        ("Alice Berg moved to Oslo last year.", "lives_in Oslo", ("2023-01-01", "")),
        ("Alice Berg has lived in Rome since New Year.", "lives_in Rome", ("2024-01-01", "")),
        ("From 1 June Alice Berg will work at Acme Corp.", "works_at Acme Corp",
         ("2024-06-01", "")),
        ("Alice Berg said that she starts at Pennant Mills on 1 October.",
         "works_at Pennant Mills", ("2024-10-01", "")),
        ("Alice Berg worked at Acme Corp until 2018.", "works_at Acme Corp", ("", "2019-01-01")),
        ("Alice Berg met Bob Hale, mayor of Bonn from 2010 to 2014.", "leads Bonn",
         ("2010-01-01", "2015-01-01")),
        ("Alice Berg left Acme in June 2018. Since then she has worked at Bolt.",
         "works_at Bolt", ("2018-06-01", "")),
        ("Alice Berg works at Acme Corp.", "works_at Acme Corp", ("", "")),
        ("Josiah Hill founded Hill Bank in 1898.", "founded Hill Bank", ("1898-01-01", "")),
        ("Ann Lee (12 May 1889 - 3 October 1961) was a painter.", "died_on 3 October 1961",
         ("1961-10-03", "")),
    ],
)  # fmt: skip
async def test_what_is_dated_has_its_dates(text, fact, life):
    assert (await dates(text))[fact] == life


async def test_a_new_name_is_an_alias():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        text = "Quarrie Engineering was renamed Keystone Works."
        await graph.add_episode(text, reference_time="2024-05-15")
        [entity] = await graph.entities()
        assert {entity.name, *entity.aliases} == {"Quarrie Engineering", "Keystone Works"}


async def test_a_name_in_another_script_is_an_alias():
    read = await extract("Chen Meiling (陈美玲), a cook at Acme Corp, was born in Kunming.")
    assert ("Chen Meiling", ("陈美玲",)) in {(name.name, name.aliases) for name in read.mentions}
    assert {claim.relation for claim in read.claims} == {"works_at", "born_in", "has_role"}


@pytest.mark.parametrize("what", ["Project Aurora", "Operation Maria", "Team Falcon"])
async def test_what_the_word_for_an_undertaking_opens_is_nobodys_name(what):
    read = await extract(f"Ida Berg leads {what}.")
    assert "person" not in {it.entity_type for it in read.mentions if it.name == what}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The board of directors met. A member resigned.", set()),
        ("The Chairman met Ann Lee.", {"Ann Lee"}),
        ("Imagine Ann Lee slept.", {"Ann Lee"}),
    ],
)
async def test_what_is_no_name_is_no_entity(text, names):
    assert {mention.name for mention in (await extract(text)).mentions} == names


async def test_a_heading_states_nothing():
    text = "Chapter One The Rescue of Tom Vine\n\nAlice Berg lives in Oslo."
    read = await extract(text)
    assert [text[claim.start : claim.end] for claim in read.claims] == ["Alice Berg lives in Oslo."]


async def test_spans_lead_to_the_words_in_the_episode():
    text = "First “things” first — 你好.\n\nBob Ray slept.\nAlice Berg works at Acme Corp."
    read = await extract(text)
    [claim] = read.claims
    assert text[claim.start : claim.end] == "Alice Berg works at Acme Corp."
    spans = {mention.name: text[mention.start : mention.end] for mention in read.mentions}
    assert all(name == span for name, span in spans.items())


NAMES = (
    "Ann Lee,Mei,Fatima Zahra,Bjørn,Siobhán,Kwame,Priya Nair,Dmitri,Yuki,Aroha,Zoltán,"
    "Thandiwe,Iñigo,Nguyen,Ayşe,Rose,Pat,Amir"
).split(",")


@pytest.mark.parametrize("name", NAMES)
async def test_of_two_sentences_about_one_name_both_are_read(name):
    stated = {f"{name} works_at Acme Corp", f"{name} lives_in Rome"}
    assert await told(f"{name} works at Acme Corp. {name} lives in Rome.") == stated


async def test_odd_texts_are_read_without_an_error():
    for text in ("For Arsenal, Bo Lind has played since 2020.", "...", "Pt", "PT Astra", "Of."):
        for author in ("?", "...", None):
            await extract(text, author=author)
