"""What was so at some time before, through every door: no view of a moment shows it."""

import pytest

from graphrag import Field
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.ontology.relations import Relations
from graphrag.ontology.standing import Derives
from graphrag.testing import ScriptedExtractor
from tests.conftest import open_graph

WHO, WHERE = Mention("Ann", "person"), Mention("Acme", "organization")


def once(text):
    return Claim(WHO, "works_at", WHERE, text, 0, len(text), kind="was")


@pytest.fixture
async def graph():
    texts = ("Ann used to work at Acme.", "Ann once worked at Acme.")
    script = {text: Extraction(claims=(once(text),)) for text in texts}
    async with open_graph(extractor=ScriptedExtractor(script)) as opened:
        await opened.add_episode(texts[0], reference_time="2023-05-01")
        yield opened


async def past(graph):
    [fact] = await graph.at(history=True).facts("Ann")
    return fact


async def held(graph, *moments):
    return [[fact.object for fact in await graph.at(valid_at=at).facts("Ann")] for at in moments]


async def sound(graph):
    assert (await graph.health.check_all()).findings == ()


async def test_no_moment_shows_it_and_the_history_does(graph):
    assert await held(graph, "2000", "2023-04-30", "2023-05-01", "2024") == [[]] * 4
    fact = await past(graph)
    assert (fact.valid_at, fact.closed_as) == (None, "past")
    assert repr(fact) == "Fact(Ann works at Acme, at some time before 2023-05-01)"
    [stage] = await graph.timeline("Ann")
    assert stage.status == "ended"
    assert not await graph.changes("2000", "2030", axis="world")


async def test_an_earlier_text_that_says_so_too_is_one_more_source(graph):
    await graph.add_episode("Ann once worked at Acme.", reference_time="2021-05-01")
    fact = await past(graph)
    assert (fact.invalid_at.year, len(fact.episodes)) == (2021, 2)
    await sound(graph)


async def test_a_person_can_date_it_and_take_that_back(graph):
    await graph.edit.correct(await past(graph), valid_at="2018")
    assert await held(graph, "2017", "2019", "2024") == [[], ["Acme"], []]
    await graph.log.revert((await graph.log.events())[-1])
    assert await held(graph, "2019") == [[]]
    await graph.edit.invalidate(await past(graph), "2020")
    assert await held(graph, "2019", "2021") == [["Acme"], []]
    await sound(graph)


async def test_another_relation_for_it_holds_at_no_moment_either(graph):
    await graph.edit.correct(await past(graph), relation="studies_at")
    assert await held(graph, "2019", "2024") == [[], []]
    await sound(graph)


async def test_questions_that_look_back_find_it_and_others_do_not(graph):
    assert (await graph.ask("Did Ann ever work at Acme?")).values == ("yes",)
    assert (await graph.ask("When did Ann work at Acme?")).values == ("before 2023-05-01",)
    for question in ("Where does Ann work?", "How long did Ann work at Acme?"):
        assert not (await graph.ask(question)).values
    absent = await graph.audit.absence("Ann", "works_at")
    assert absent.since is None
    assert "at some time before 2023-05-01" in str(absent)


async def test_it_has_no_start_to_filter_by_in_either_profile(graph):
    view = graph.at(history=True)
    for where, count in ((Field.valid_at >= "2000", 0), (Field.invalid_at >= "2023", 1)):
        found = await view.search("Acme", where=where, scopes=["facts"])
        assert len(found.facts) == count


async def test_a_table_that_it_was_exported_to_brings_it_back(graph, tmp_path):
    file = tmp_path / "facts.csv"
    await graph.at(history=True).export.file(file)
    async with open_graph() as other:
        await other.load.facts(file)
        assert await held(other, "2019", "2024") == [[], []]
        assert (await past(other)).closed_as == "past"


async def test_a_standing_rule_infers_nothing_from_it():
    rule = Derives(
        "boss", head=("?p", "knows", "?q"), body=[("?p", "works_at", "?t"), ("?q", "leads", "?t")]
    )
    for order in (0, 1):
        async with open_graph(relations=Relations(), standing=[rule]) as graph:
            given = [
                ("Ann", "works_at", "Acme", {"kind": "was", "reference_time": "2023"}),
                ("Bob", "leads", "Acme", {"valid_at": "2010"}),
            ]
            for subject, relation, object_, times in given[:: 1 - 2 * order]:
                await graph.add_fact(subject, relation, object_, **times)
            assert [fact.relation for fact in await graph.facts(limit=9)] == ["leads"]
            await sound(graph)
