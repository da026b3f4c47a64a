from datetime import UTC, datetime

import pytest

from graphrag.extract.rules.extractor import RulesExtractor
from graphrag.model.values import Episode
from graphrag.protocols import ExtractionContext

SAID = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday


async def extract(text, source="text", previous=()):
    def episode(content):
        return Episode("e", "g", SAID, "", content, source, SAID, "")

    return await RulesExtractor().extract(
        ExtractionContext(episode(text), tuple(map(episode, previous)))
    )


async def told(text, source="text", previous=()):
    """Each claim as words, an ending marked by a minus sign."""
    read = await extract(text, source, previous)
    return {
        f"{'-' if claim.ends else ''}{claim.subject.name} {claim.relation} {claim.object.name}"
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
    ("Alice Berg joined Acme Corp.", {"Alice Berg works_at Acme Corp"}),
    ("Acme Corp hired Alice Berg.", {"Alice Berg works_at Acme Corp"}),
    ("Alice Berg is a nurse at Mercy Hospital.",
     {"Alice Berg works_at Mercy Hospital", "Alice Berg has_role nurse"}),
    ("Alice Berg, a nurse at Mercy Hospital, was late.",
     {"Alice Berg works_at Mercy Hospital", "Alice Berg has_role nurse"}),
    ("Alice Berg leads Acme Corp.", {"Alice Berg leads Acme Corp"}),
    ("Acme Corp is led by Alice Berg.", {"Alice Berg leads Acme Corp"}),
    ("Bob Ray is the mayor of Dunmarle.", {"Bob Ray leads Dunmarle"}),
    ("Bob Ray was elected mayor of Dunmarle.", {"Bob Ray leads Dunmarle"}),
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
    ("Anna lives in Rome and is married to Erik Holm.",
     {"Anna lives_in Rome", "Anna married_to Erik Holm"}),
    ("Alice Berg is engaged to Bob Ray.", {"Alice Berg engaged_to Bob Ray"}),
    ("Alice Berg divorced Bob Ray.", {"-Alice Berg married_to Bob Ray"}),
    ("Alice Berg is Bob Ray's sister.", {"Alice Berg sibling_of Bob Ray"}),
    ("Bob Ray's wife, Alice Berg, slept.", {"Alice Berg married_to Bob Ray"}),
    # firms and things
    ("Globex Corp acquired Initech Inc.", {"Globex Corp acquired Initech Inc"}),
    ("Josiah Hill founded Hill Bank.", {"Josiah Hill founded Hill Bank"}),
    ("Hill Bank was founded by Josiah Hill.", {"Josiah Hill founded Hill Bank"}),
    ("Bob Ray owns the Tannery Mill.", {"Tannery Mill owned_by Bob Ray"}),
    ("The Tannery Mill belongs to Bob Ray.", {"Tannery Mill owned_by Bob Ray"}),
    ("Alice Berg left Acme Corp.", {"-Alice Berg works_at Acme Corp"}),
    ("Alice Berg no longer works at Acme Corp.", {"-Alice Berg works_at Acme Corp"}),
    ("Alice Berg does not work at Acme Corp anymore.", {"-Alice Berg works_at Acme Corp"}),
    ("Alice Berg resigned from Acme Corp.", {"-Alice Berg works_at Acme Corp"}),
    # several at once, and who is meant
    ("Alice Berg and Bob Ray work at Acme Corp.",
     {"Alice Berg works_at Acme Corp", "Bob Ray works_at Acme Corp"}),
    ("Alice Berg lives in Oslo. She works at Acme Corp.",
     {"Alice Berg lives_in Oslo", "Alice Berg works_at Acme Corp"}),
    ("Alice Berg, who lives in Oslo, works at Acme Corp.",
     {"Alice Berg lives_in Oslo", "Alice Berg works_at Acme Corp"}),
    ("Alice Berg visited the museum.", set()),
    ("Alice Berg likes painting.", {"Alice Berg likes painting"}),
    ("Alice Berg carried a bucket of water.", set()),
    ("Alice Berg is a painter.", {"Alice Berg has_role painter"}),
]  # fmt: skip

UNSTATED = [
    "Does Alice Berg work at Acme Corp?",
    "Alice Berg does not work at Acme Corp.",
    "Alice Berg never worked at Acme Corp.",
    "Since April Petter Vang has had no creamery to direct.",
    "Alice Berg owns no house.",
    "Alice Berg is no member of Acme Corp.",
    "Alice Berg likes neither Acme Corp nor Bob Stone.",
    "Alice Berg may work at Acme Corp.",
    "Alice Berg would work at Acme Corp.",
    "If Alice Berg works at Acme Corp, she is rich.",
    "Alice Berg wants to work at Acme Corp.",
    "Alice Berg denied that she works at Acme Corp.",
    "Bob Ray thinks that Alice Berg works at Acme Corp.",
    "Alice Berg almost joined Acme Corp.",
    "Alice Berg or Bob Ray works at Acme Corp.",
    "Neither Alice Berg nor Bob Ray works at Acme Corp.",
    "Alice Berg used to want a dog.",
    "There was a queue at the bank.",
    "He works at Acme Corp.",
    "Alice Berg met Cora Vine. They work at Acme Corp and he is late.",
    '"Alice Berg works at Acme Corp," said nobody in particular.',
]


@pytest.mark.parametrize(("text", "facts"), STATED, ids=[text for text, _ in STATED])
async def test_states(text, facts):
    assert await told(text) == facts


@pytest.mark.parametrize("text", UNSTATED)
async def test_claims_no_job_that_is_not_stated(text):
    assert not [claim for claim in await told(text) if "works_at" in claim or "is_a" in claim]


@pytest.mark.parametrize(
    ("text", "fact", "life"),
    [
        ("Alice Berg joined Acme Corp on 3 May 2021.", "works_at Acme Corp", ("2021-05-03", "")),
        ("Alice Berg has worked at Acme Corp since 2019.", "works_at Acme Corp",
         ("2019-01-01", "")),
        ("Alice Berg has worked at Acme Corp since 2016, from May 2019 as a pilot.",
         "works_at Acme Corp", ("2016-01-01", "")),
        ("Alice Berg left Acme Corp in March 2020.", "works_at Acme Corp", ("", "2020-03-01")),
        ("Alice Berg joined Acme Corp yesterday.", "works_at Acme Corp", ("2024-05-14", "")),
        ("Alice Berg moved to Oslo last year.", "lives_in Oslo", ("2023-01-01", "")),
        ("From 1 June Alice Berg will work at Acme Corp.", "works_at Acme Corp",
         ("2024-06-01", "")),
        ("Alice Berg worked at Acme Corp until 2018.", "works_at Acme Corp", ("", "2019-01-01")),
        ("Alice Berg works at Acme Corp.", "works_at Acme Corp", ("", "")),
        ("Josiah Hill founded Hill Bank in 1898.", "founded Hill Bank", ("1898-01-01", "")),
    ],
)  # fmt: skip
async def test_dates_what_is_dated(text, fact, life):
    assert (await dates(text))[fact] == life


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ann: I work at Acme Corp.", {"Ann works_at Acme Corp"}),
        ("Ann: I moved to Oslo.\nBob: I live in Paris.",
         {"Ann lives_in Oslo", "Bob lives_in Paris"}),
        ("Ann: You play clarinet, Bob.\nBob: Yes!", {"Bob plays clarinet"}),
        ("Ann: We went to the beach and went camping.", set()),
        ("Ann: I love painting.", {"Ann likes painting"}),
        ("Ann: My kids love dinosaurs.", {"Ann's kids likes dinosaurs"}),
        ("Ann: My brother Tom lives in Oslo.", {"Tom sibling_of Ann", "Tom lives_in Oslo"}),
        ("Ann: Bob, after a week I got a letter.\nBob: Nice!", set()),
    ("Ann: I saved money so I could get a prize.", set()),
    ("Ann: I have played since I was a kid.", set()),
    ("Ann: Have you seen Oslo?", set()),
        ("Ann: I might move to Oslo.", set()),
        ("Ann: I'm so happy for you!", set()),
    ],
)  # fmt: skip
async def test_messages_speak_of_their_speakers(text, facts):
    assert await told(text, "message") == facts


async def test_you_is_the_other_speaker_of_the_episodes_before():
    assert await told("Ann: You play clarinet.", "message", ["Bob: Hello."]) == {
        "Bob plays clarinet"
    }


async def test_a_renaming_gives_an_alias():
    read = await extract("Quarrie Engineering was renamed Keystone Works.")
    assert {(mention.name, mention.aliases) for mention in read.mentions} >= {
        ("Quarrie Engineering", ("Keystone Works",))
    }


async def test_a_name_in_another_script_is_an_alias():
    read = await extract("Chen Meiling (陈美玲), a cook at Acme Corp, was born in Kunming.")
    assert ("Chen Meiling", ("陈美玲",)) in {(name.name, name.aliases) for name in read.mentions}
    assert {claim.relation for claim in read.claims} == {"works_at", "born_in", "has_role"}


async def test_a_correction_is_marked():
    read = await extract("Correction: Alice Berg works at Acme Corp.")
    assert [claim.corrects for claim in read.claims] == [True]


async def test_a_heading_states_nothing():
    text = "Chapter One The Rescue of Tom Vine\n\nAlice Berg lives in Oslo."
    read = await extract(text)
    assert "Tom" not in " ".join(mention.name for mention in read.mentions)
    assert [text[claim.start : claim.end] for claim in read.claims] == ["Alice Berg lives in Oslo."]


async def test_spans_lead_to_the_words_in_the_episode():
    text = "First “things” first — 你好.\n\nBob Ray slept.\nAlice Berg works at Acme Corp."
    read = await extract(text)
    [claim] = read.claims
    assert text[claim.start : claim.end] == "Alice Berg works at Acme Corp."
    spans = {mention.name: text[mention.start : mention.end] for mention in read.mentions}
    assert all(name == span for name, span in spans.items())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ann Lee moved. Her brother Oduya stays behind in Pellow Cross.", "Oduya"),
        ("Zarko clapped. He claps at everything.", "Zarko"),
    ],
    ids=["kinship", "pronoun"],
)
async def test_who_is_somebody_to_somebody_or_called_he_is_a_person(text, name):
    read = await extract(text)
    assert {one.entity_type for one in read.mentions if one.name == name} == {"person"}


async def test_a_numbered_place_is_no_task_of_whoever_is_in_it():
    assert await told("Room 12: Mr Bell, home on Friday. Room 14: Mrs Dahl, new.") == set()
