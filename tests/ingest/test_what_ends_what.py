"""What ends what: stories of a few dated sentences, heard in two orders, and what holds when.

A sentence is ``Ann works_at Acme, 2015-2018, told 2019, WORD``: stated start and end, reference
time (default: the start), and what it says: ``ends``, ``corrects``, ``was``, ``event``, ``planned``,
``cancelled``, ``still`` (it holds when told). What is asked is ``Ann works_at 2016 = Acme``.
"""

# ruff: noqa: E501 - a story is a line

import re
from itertools import count

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.temporal.moment import parse_moment, precision_of
from graphrag.testing import ScriptedExtractor
from tests.conftest import open_graph

JOBS = """
Ann works_at Acme, 2015; Ann works_at Globex, 2018 > Ann works_at 2016 = Acme | 2019 = Globex
Ann works_at Acme, 2015; Ann employed_by Globex, 2018 > Ann works_at 2016 = Acme | 2019 = Globex
Ann employed_by Acme, 2015; Globex employs Ann, 2018 > Ann works_at 2016 = Acme | 2019 = Globex
Acme employs Ann, 2015; Acme employs Bob, 2018 > Ann works_at 2019 = Acme
Ann works_at Acme, 2015; Ann works_at Globex, 2018; Ann works_at Acme, 2020 > Ann works_at 2016 = Acme | 2019 = Globex | 2021 = Acme
Ann works_at Acme, 2015; Ann works_at Acme, told 2017, ends > Ann works_at 2016 = Acme | 2018 =
Ann works_at Acme, 2015; Ann works_at ?, told 2017, ends > Ann works_at 2016 = Acme | 2018 =
Ann works_at Acme, 2015-2018; Ann works_at Globex, 2016-2017 > Ann works_at 2015 = Acme | 2016 = Acme Globex | 2017 = Acme | 2019 =
Ann works_at Acme, 2015; Ann works_at Globex, 2016-2017 > Ann works_at 2015 = Acme | 2016 = Globex | 2018 =
Ann works_at Acme, 2019-2024; Ann works_at Globex, 2021 > Ann works_at 2020 = Acme | 2022 = Acme Globex | 2025 = Globex
Ann works_at Acme, 2018; Ann works_at Beta, 2020; Ann works_at Acme, 2022, told 2023, ends > Ann works_at 2019 = Acme | 2021 = Acme Beta | 2023 = Beta
Ann works_at Beta, 2020; Ann works_at Acme, 2022, told 2023, ends > Ann works_at 2019 = Acme | 2021 = Acme Beta | 2023 = Beta
Ann works_at Acme, 2018; Ann works_at Beta, 2020; Ann works_at Acme, told 2022, ends > Ann works_at 2019 = Acme | 2021 = Beta | 2023 = Beta
Ann works_at Acme, told 2015; Ann works_at Globex, told 2018 > Ann works_at 2016 = Acme | 2019 = Globex
Ann works_at Acme, told 2021; Ann works_at Globex, 2020, told 2022, still > Ann works_at 2020 = Globex | 2023 = Globex
Ann works_at Acme, told 2021; Ann works_at Globex, 2022 > Ann works_at 2021 = Acme | 2023 = Globex
Ann works_at Acme, told 2023, was; Ann works_at Globex, told 2022 > Ann works_at 2024 = Globex
Ann works_at Acme, told 2023, was > Ann works_at 2024 =
Ann works_at Acme, 2015; Ann works_at Globex, told 2018, corrects > Ann works_at 2016 = Globex | 2019 = Globex
Ann works_at Acme, 2025, told 2024; Ann works_at Acme, told 2024-06, cancelled > Ann works_at 2026 =
Ann works_at Acme, 2020; Ann works_at Globex, 2025, told 2024 > Ann works_at 2024 = Acme | 2026 = Globex
Ann works_at Acme, 2015; Ann works_at Acme, 2015-06-10 > Ann works_at 2015-03 = | 2015-07 = Acme
Ann works_at Acme, 1988-1989; Ann works_at Acme, 1991-1993 > Ann works_at 1988 = Acme | 1990 = | 1992 = Acme | 1994 =
Ann works_at Acme, 2012; Ann works_at Acme, 2011 > Ann works_at 2011 = Acme | 2013 = Acme
"""
HOMES = """
Ann lives_in Rome, 2011; Ann lives_in Oslo, 2012; Ann lives_in Rome, 2013 > Ann lives_in 2011 = Rome | 2012 = Oslo | 2014 = Rome
Ann lives_in Rome, told 2021; Ann lives_in Oslo, 2020, told 2022, still > Ann lives_in 2023 = Oslo
Ann lives_in Rome, 2011; Bob lives_in Oslo, 2012 > Ann lives_in 2013 = Rome
Ann lives_in Rome, 2011-2013 > Ann lives_in 2012 = Rome | 2014 =
Ann lives_in Rome, 2011; Ann lives_in Rome, told 2013, ends; Ann lives_in Oslo, 2015 > Ann lives_in 2012 = Rome | 2014 = | 2016 = Oslo
Acme located_in Rome, 2011; Acme located_in Oslo, 2014 > Acme located_in 2012 = Rome | 2015 = Oslo
Ann lives_in Rome, told 2010, was; Ann lives_in Oslo, told 2010 > Ann lives_in 2011 = Oslo
Ann visited Rome, 2011; Ann visited Oslo, 2012 > Ann visited 2013 = Oslo Rome
Ann visited Rome, 2011-05-03, event > Ann visited 2011-05-03 = Rome | 2011-05-04 = | 2013 =
Ann born_in Leeds, 1980-05-03; Ann lives_in Oslo, 2012 > Ann born_in 1979 = Leeds | 2013 = Leeds
Ann born_in Leeds, told 2001; Ann born_in Leeds, told 2011 > Ann born_in 1990 = Leeds | 2013 = Leeds
Ann born_in Leeds, told 2001; Ann lives_in Leeds, told 2001; Ann lives_in Oslo, told 2005 > Ann born_in 2006 = Leeds; Ann lives_in 2006 = Oslo
"""
PAIRS = """
Ann married_to Bob, 2010; Ann married_to Cid, 2015 > Ann married_to 2012 = Bob | 2016 = Cid
Ann married_to Bob, 2010; Cid married_to Ann, 2015 > Ann married_to 2012 = Bob | 2016 = Cid; Bob married_to 2016 =
Ann married_to Bob, 2010; Bob spouse_of Ann, 2010 > Bob married_to 2012 = Ann
Ann married_to Bob, 2010; Ann divorced_from Bob, 2014, event > Ann married_to 2012 = Bob | 2015 =; Bob married_to 2015 =
Ann married_to Bob, 2010; Bob divorced_from Ann, 2014, event > Ann married_to 2012 = Bob | 2015 =
Ann married_to Bob, 2010; Ann divorced_from Cid, 2014, event > Ann married_to 2015 = Bob
Ann married_to Bob, 2010; Ann married_to Bob, told 2014, ends > Ann married_to 2012 = Bob | 2015 =; Bob married_to 2015 =
Ann engaged_to Bob, 2009; Ann married_to Bob, 2010 > Ann engaged_to 2009-06 = Bob | 2011 =; Ann married_to 2011 = Bob
Ann engaged_to Bob, 2009; Bob married_to Ann, 2010 > Ann engaged_to 2011 =
Ann engaged_to Bob, 2009; Ann married_to Cid, 2010 > Ann engaged_to 2011 =; Bob engaged_to 2011 =
Ann engaged_to Bob, 2009; Cid married_to Ann, 2010 > Ann engaged_to 2011 =
Ann engaged_to Bob, 2009; Cid married_to Dan, 2010 > Ann engaged_to 2011 = Bob
Ann engaged_to Bob, 2009; Ann engaged_to Cid, 2011 > Ann engaged_to 2010 = Bob | 2012 = Cid
Ann married_to Bob, 2010-2014; Ann married_to Cid, 2012-2016 > Ann married_to 2011 = Bob | 2013 = Bob Cid | 2015 = Cid
Ann married_to Bob, told 2020, was; Ann married_to Cid, told 2019 > Ann married_to 2021 = Cid
Ann married_to Bob, 2010; Ann friend_of Cid, 2011 > Ann married_to 2012 = Bob
Ann sibling_of Bob, told 2010; Ann sibling_of Cid, told 2015 > Ann sibling_of 2000 = Bob Cid | 2016 = Bob Cid
Ann friend_of Bob, 2010; Cid friend_of Ann, 2011 > Ann friend_of 2012 = Bob Cid
"""
DEATHS = """
Ann works_at Acme, 2010; Ann died_in Rome, 2015, event > Ann works_at 2012 = Acme | 2016 =
Ann lives_in Oslo, 2010; Ann died_in Rome, 2015, event > Ann lives_in 2012 = Oslo | 2016 =
Ann married_to Bob, 2010; Ann died_in Rome, 2015, event > Ann married_to 2012 = Bob | 2016 =; Bob married_to 2016 =
Ann married_to Bob, 2010; Bob died_in Rome, 2015, event > Ann married_to 2016 =
Ann leads Acme, 2010; Ann died_in Rome, 2015, event > Ann leads 2012 = Acme | 2016 =
Ann works_at Acme, 2010; Bob died_in Rome, 2015, event > Ann works_at 2016 = Acme
Ann reports_to Bob, 2010; Bob died_in Rome, 2015, event > Ann reports_to 2012 = Bob | 2016 =
Ann born_in Leeds, told 2010; Ann died_in Rome, 2015, event > Ann born_in 2016 = Leeds
Ann parent_of Bob, told 2010; Ann died_in Rome, 2015, event > Ann parent_of 2016 = Bob
Ann died_in Rome, 2015, event; Ann works_at Acme, 2010-2012 > Ann works_at 2011 = Acme | 2013 =
Ann works_at Acme, 2010; Ann died_of Flu, 2015, event > Ann works_at 2016 =
Ann plays_for Rovers, 2010; Ann died_in Rome, 2015, event > Ann plays_for 2016 =
Ann works_at Acme, 2010; Ann died_on 2015, 2015, event > Ann works_at 2012 = Acme | 2016 =
Ann works_at Acme, 2010; Ann vital_status dead, told 2015 > Ann works_at 2012 = Acme | 2016 =
Ann vital_status dead, 2015; Ann works_at Acme, 2010 > Ann works_at 2012 = Acme | 2016 =
Ann works_at Acme, 2010; Ann vital_status alive, told 2015 > Ann works_at 2016 = Acme
"""
PROPERTY = """
Mill owned_by Ann, 2010; Mill owned_by Bob, 2015 > Mill owned_by 2012 = Ann | 2016 = Bob
Ann owns Mill, 2010; Bob owns Mill, 2015 > Mill owned_by 2012 = Ann | 2016 = Bob
Ann owns Mill, 2010; Mill owned_by Bob, 2015 > Ann owns 2012 = Mill | 2016 =
Ann owns Mill, 2010; Ann owns Barn, 2015 > Ann owns 2016 = Barn Mill
Mill owned_by Ann, 2010; Mill owned_by Ann, told 2015, ends > Mill owned_by 2012 = Ann | 2016 =
Ann owns Mill, 2010; Ann owns Mill, told 2015, ends > Mill owned_by 2016 =
Mill owned_by Ann, 2010-2012; Mill owned_by Bob, 2011-2013 > Mill owned_by 2011 = Ann Bob
Ann leads Acme, 2010; Bob leads Acme, 2015 > Acme led_by 2012 = Ann | 2016 = Bob
Ann leads Acme, 2010; Acme led_by Bob, 2015 > Ann leads 2012 = Acme | 2016 =
Ann leads Acme, 2019-2022; Cy leads Acme, 2021 > Acme led_by 2020 = Ann | 2021 = Ann Cy | 2023 = Cy
Ann leads Acme, 2010; Ann leads Globex, 2015 > Ann leads 2016 = Acme Globex
Ann leads Acme, 2010; Ann leads Acme, told 2015, ends > Ann leads 2012 = Acme | 2016 =
Ann leads Acme, 2010; Bob leads Acme, 2015, told 2014; Bob leads Acme, told 2014-06, cancelled > Acme led_by 2016 = Ann
Ann reports_to Bob, 2010; Ann reports_to Cid, 2015 > Ann reports_to 2012 = Bob | 2016 = Cid
Bob manages Ann, 2010; Ann reports_to Cid, 2015 > Ann reports_to 2012 = Bob | 2016 = Cid
Bob manages Ann, 2010; Bob manages Dan, 2011 > Bob manages 2012 = Ann Dan
"""
SEVERAL = """
Ann likes Tea, 2010; Ann likes Chess, 2012 > Ann likes 2013 = Chess Tea
Ann likes Tea, 2010; Ann dislikes Tea, 2012 > Ann likes 2011 = Tea | 2013 =; Ann dislikes 2013 = Tea
Ann dislikes Tea, 2010; Ann likes Tea, 2012 > Ann dislikes 2013 =
Ann likes Tea, 2010; Ann dislikes Chess, 2012 > Ann likes 2013 = Tea
Ann likes Tea, 2010; Ann likes Tea, told 2012, ends > Ann likes 2011 = Tea | 2013 =
Ann plays_for Rovers, 2010; Ann plays_for Norway, 2012 > Ann plays_for 2013 = Norway Rovers
Ann plays_for Rovers, 2010-2014; Ann plays_for Norway, 2012-2013 > Ann plays_for 2012 = Norway Rovers | 2015 =
Ann plays_for Rovers, 2010; Ann plays_for Rovers, told 2012, ends > Ann plays_for 2013 =
Ann has_role Chemist, 2010; Ann has_role Mother, 2012 > Ann has_role 2013 = Chemist Mother
Ann knows Bob, 2010; Ann knows Cid, 2012 > Ann knows 2013 = Bob Cid
Ann speaks Norse, told 2010; Ann speaks Welsh, told 2012 > Ann speaks 2013 = Norse Welsh
Ann studies_at Ulm, 2010; Ann studies_at Bonn, 2012 > Ann studies_at 2011 = Ulm | 2013 = Bonn
Ann studies_at Ulm, 2010; Ann works_at Acme, 2012 > Ann studies_at 2013 = Ulm; Ann works_at 2013 = Acme
Ann has_status Ill, 2010; Ann has_status Well, 2012 > Ann has_status 2011 = Ill | 2013 = Well
Ann joined Acme, 2010-03-01, event; Ann joined Globex, 2012-03-01, event > Ann joined 2010-03-01 = Acme | 2013 =
Ann moves_to Oslo, 2030, told 2024; Ann moves_to ?, told 2025, cancelled > Ann moves_to 2031 =
Ann uses Vim, 2010; Ann uses Emacs, told 2012, corrects > Ann uses 2011 = Emacs | 2013 = Emacs
Ann uses Vim, told 2010; Ann uses Nano, told 2012-05-01; Ann uses Emacs, told 2012-05-02, corrects > Ann uses 2013 = Emacs Vim
Ann uses Vim, told 2010; Ann uses Nano, told 2011; Ann uses Emacs, told 2013, corrects > Ann uses 2014 = Emacs Nano Vim
Ann works_at Acme, 2015-01; Ann works_at Acme, 2015-02, told 2016, corrects > Ann works_at 2015-01-15 = | 2015-03 = Acme
Ann works_at Acme, 2015; Ann works_at Acme, 2018, told 2017, ends; Ann works_at Acme, told 2017-06, corrects > Ann works_at 2019 = Acme
Ann works_at Acme, 2015; Ann works_at Acme, told 2017, ends; Ann works_at Acme, told 2019, corrects, ends > Ann works_at 2018 = Acme | 2020 =
Ann member_of Choir, told 2012, was > Ann member_of 2013 =
"""
WORDS = re.compile(r"(?P<subject>\w+) (?P<relation>\w+) (?P<object>\w+|\?)$")
TIMES = re.compile(r"(?P<start>\d{4}(?:-\d\d-\d\d|-\d\d(?!\d))?)(?:-(?P<end>\d{4}))?$")
ASKED = re.compile(r"(?:(\w+) (\w+) )?([\d-]+) =(.*)")
STORIES = [
    line for part in (JOBS, HOMES, PAIRS, DEATHS, PROPERTY, SEVERAL) for line in part.split("\n")
    if line
]  # fmt: skip


def read(sentence, text):
    """Return the reference time and the claim of a sentence."""
    words, *rest = sentence.split(", ")
    ends = WORDS.match(words.strip())
    told, start, end, says = None, None, None, set()
    for part in rest:
        if part.startswith("told "):
            told = part.removeprefix("told ")
        elif times := TIMES.match(part):
            start, end = times["start"], times["end"]
        else:
            says.add(part)
    if "ends" in says and start is not None:  # it is the end that has the date
        start, end = None, start
    kind = next(iter(says & {"was", "event", "planned", "cancelled"}), "state")
    claim = Claim(
        Mention(ends["subject"]),
        ends["relation"],
        None if ends["object"] == "?" else Mention(ends["object"]),
        text,
        0,
        len(text),
        valid_at=start and parse_moment(start),
        invalid_at=end and parse_moment(end),
        ends="ends" in says,
        corrects="corrects" in says,
        current="still" in says,
        kind=kind,
        valid_precision=precision_of(start) if start else "exact",
        invalid_precision=precision_of(end) if end else "exact",
    )
    return told or start, claim


def asked(questions):
    """Yield what is asked: subject, relation, moment, and who or what holds."""
    for about in questions.split(";"):
        subject = relation = None
        for part in about.strip().split("|"):
            found = ASKED.match(part.strip())
            subject, relation = found[1] or subject, found[2] or relation
            yield subject, relation, found[3], found[4].split()


@pytest.mark.parametrize("backwards", [False, True], ids=["as it was", "backwards"])
@pytest.mark.parametrize("story", STORIES)
async def test_a_story_holds_at_every_moment(story, backwards):
    sentences, questions = story.split(" > ")
    numbers = count()
    told = [(f"{next(numbers)}: {one.strip()}", one) for one in sentences.split(";")]
    claims = {text: read(sentence.strip(), text) for text, sentence in told}
    said = {text: Extraction(claims=(claim,)) for text, (_, claim) in claims.items()}
    corrects = any(claim.corrects for _, claim in claims.values())
    order = list(claims.items())
    if backwards and not corrects:  # what is corrected was said before
        order.reverse()
    async with open_graph(extractor=ScriptedExtractor(said)) as graph:
        for text, (moment, _) in order:
            await graph.add_episode(text, reference_time=moment)
        for subject, relation, moment, names in asked(questions):
            facts = await graph.at(valid_at=moment).facts(subject, relation=relation)
            other = {one.object if one.subject == subject else one.subject for one in facts}
            assert sorted(other) == names, (subject, relation, moment)
        assert not (await graph.health.check()).findings


async def test_a_thing_that_is_dead_and_a_person_who_is_alive_lose_nothing():
    life = "Ann Lee works at Vardo Bank."
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_episode(life, reference_time="2023-01-01")
        await graph.add_fact("Ann Lee", "vital_status", "alive")
        await graph.add_fact("Old mill", "has_status", "dead")
        assert await graph.facts(relation="works_at")
        assert {fact.relation for fact in await graph.facts()} == {"works_at", "has_status"}


async def test_a_plan_without_a_date_waits_for_a_person():
    text = "Acme will merge with Globex."
    plan = Claim(
        Mention("Acme"), "merged_with", Mention("Globex"), text, 0, len(text), kind="planned"
    )
    extractor = ScriptedExtractor({text: Extraction(claims=(plan,))})
    async with open_graph(extractor=extractor) as graph:
        added = await graph.add_episode(text, reference_time="2024-05-01")
        assert not await graph.facts("Acme")
        assert added.dropped == ()
        [waiting] = await graph.edit.pending()
        assert (waiting.fact.object, waiting.fact.confidence) == ("Globex", 1.0)


async def test_a_claim_that_names_no_object_is_no_fact_and_is_said():
    text = "Acme merged."
    claim = Claim(Mention("Acme"), "merged_with", None, text, 0, len(text))
    extractor = ScriptedExtractor({text: Extraction(claims=(claim,))})
    async with open_graph(extractor=extractor) as graph:
        added = await graph.add_episode(text, reference_time="2024-05-01")
        assert not await graph.facts("Acme")
        assert added.dropped == ("the fact 'Acme merged_with', which names no object",)


@pytest.mark.parametrize("object_", [Mention("Acme"), None])
async def test_a_denial_changes_no_fact_and_is_said(object_):
    text, ann = "Ann never worked at Acme.", Mention("Ann", "person")
    denial = Claim(ann, "works_at", object_, text, 0, 25, kind="cancelled", corrects=True)
    extractor = ScriptedExtractor({text: Extraction(claims=(denial,))})
    async with open_graph(extractor=extractor) as graph:
        await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
        added = await graph.add_episode(text, reference_time="2024-05-01")
        assert [fact.object for fact in await graph.facts("Ann")] == ["Acme"]
        about = "Ann works_at Acme" if object_ else "Ann works_at"
        [note] = added.dropped
        assert note.startswith(f"the denial of {about!r}, which calls off no plan: edit.retract")


async def test_a_denial_of_a_plan_calls_it_off_and_nothing_is_dropped():
    text = "Ann does not join Acme."
    denial = Claim(
        Mention("Ann"), "works_at", Mention("Acme"), text, 0, 23, kind="cancelled", corrects=True
    )
    extractor = ScriptedExtractor({text: Extraction(claims=(denial,))})
    async with open_graph(extractor=extractor) as graph:
        await graph.add_fact(
            "Ann", "works_at", "Acme", kind="planned", valid_at="2030", reference_time="2024"
        )
        added = await graph.add_episode(text, reference_time="2024-05-01")
        assert [fact.closed_as for fact in added.changed] == ["cancelled"]
        assert not added.dropped


def test_the_table_is_as_long_as_it_should_be():
    assert len(STORIES) >= 95


@pytest.mark.parametrize("backwards", [False, True])
async def test_what_was_planned_for_after_a_death_never_comes_about(backwards):
    told = [
        ("Torleif Berg will join Vardo Bank on 1 May.", "2024-04-02"),
        ("Ida Moen will join Vardo Bank on 1 May.", "2024-04-02"),
        ({"name": "Torleif Berg", "died": "2024-04-20"}, "2024-04-22"),
    ]
    async with open_graph(extractor=NeuralExtractor()) as graph:
        for text, moment in reversed(told) if backwards else told:
            await graph.add_episode(text, reference_time=moment)
        later = await graph.at(valid_at="2024-06-01").facts(relation="works_at")
        assert [fact.subject for fact in later] == ["Ida Moen"]
        assert not (await graph.health.check()).findings


async def test_a_record_of_the_dead_says_what_was_so_until_then():
    record = {"name": "Wanda Sieber", "died": "2023-05-01", "city": "Kiel", "employer": "Acme"}
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_episode(record, reference_time="2023-06-01")
        await graph.add_episode({"name": "Sven Ott", "employer": "Acme"}, reference_time="2022")
        await graph.add_episode({"name": "Sven Ott", "status": "deceased"}, reference_time="2023")
        now = {(fact.subject, fact.relation) for fact in await graph.facts()}
        assert now == {("Wanda Sieber", "vital_status"), ("Sven Ott", "vital_status")}
        past = {
            fact.relation for fact in await graph.at(valid_at="2023-01-15").facts("Wanda Sieber")
        }
        assert past == {"lives_in", "works_at"}
