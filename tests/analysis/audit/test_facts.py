"""Facts by entity and by relation, and how a graph grew."""

import pytest

from graphrag import QueryError, Relation, Relations
from graphrag.temporal.moment import utc_now
from tests.conftest import day, open_graph


async def tell(graph):
    for text, when in (
        ("Alice works_at Acme from 2020.", "2020-02-01"),
        ("Bob works_at Acme. Bob knows Alice from 2019.", "2021-02-01"),
        ("Alice works_at Globex from 2023.", "2023-02-01"),
    ):
        await graph.add_episode(text, reference_time=when)


def people(facts):
    return [(fact.subject, fact.object) for fact in facts]


async def test_facts_of_a_relation_come_by_their_start_unknown_starts_first(graph):
    await tell(graph)
    await graph.add_fact("Eve", "works_at", "Beta")
    assert people(await graph.facts(relation="works_at")) == [
        ("Eve", "Beta"),
        ("Bob", "Acme"),
        ("Alice", "Globex"),
    ]
    assert people(await graph.at(valid_at="2022").facts(relation="works_at")) == [
        ("Eve", "Beta"),
        ("Alice", "Acme"),
        ("Bob", "Acme"),
    ]
    assert people(await graph.at(history=True).facts(relation="works at"))[1] == ("Alice", "Acme")
    assert await graph.facts(relation="never_used") == []


async def test_a_relation_that_is_nearly_a_known_one_is_hinted_at(graph, caplog):
    await tell(graph)
    assert await graph.facts(relation="work_at") == []
    assert await graph.neighbors("Alice", relations=["works at", "workat"]) != []
    assert await graph.facts(relation="never_used") == await graph.facts(relation="lives_in") == []
    assert [record.getMessage() for record in caplog.records] == [
        f"no fact of group 'default' has the relation {name!r}: did you mean 'works_at'?"
        for name in ("work_at", "workat")
    ]


async def test_a_hint_names_no_relation_that_was_not_known_then(graph, caplog):
    await graph.add_fact("Eve", "mentors", "Bob")
    await graph.add_fact("Eve", "manages", "Bob")
    first = (await graph.log.events(limit=1, after=0))[0]
    assert await graph.at(known_at=first.at).facts(relation="manage") == []
    assert not caplog.records


async def test_pages_of_a_relation_make_the_whole(graph):
    await tell(graph)
    view = graph.at(history=True)
    whole = await view.facts(relation="works_at")
    pages = [await view.facts(relation="works_at", limit=2, offset=start) for start in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 1, 0]
    assert [fact for page in pages for fact in page] == whole


async def test_a_relation_is_asked_for_from_either_end():
    own = Relations().having(Relation("mentors"), Relation("mentored_by", inverse_of="mentors"))
    async with open_graph(relations=own) as graph:
        await graph.add_fact("Ann", "mentors", "Bob")
        await graph.add_fact("Cid", "mentored_by", "Ann")
        told = [("Ann", "Bob"), ("Ann", "Cid")]
        assert people(await graph.facts(relation="mentors")) == told
        assert people(await graph.facts(relation="mentored_by")) == told
        near = await graph.neighbors("Ann", relations=["mentored_by"])
        assert {one.entity.name for one in near} == {"Bob", "Cid"}
        await tell(graph)
        assert await graph.facts(relation="employs") == await graph.facts(relation="works_at") != []


async def test_facts_about_an_entity_are_its_own_and_those_that_point_to_it(graph):
    await tell(graph)
    about = await graph.facts("Alice")
    assert people(about.outgoing) == [("Alice", "Globex")]
    assert people(about.incoming) == [("Bob", "Alice")]
    assert list(about) == [*about.incoming, *about.outgoing]  # by their start
    then = await graph.at(valid_at="2022").facts(about.entity, relation="employs")
    assert people(then) == [("Alice", "Acme")]
    assert repr(about) == "FactList('Alice': 1 out, 1 in)"
    assert "Bob knows Alice" in str(about) and "Bob knows Alice" in about._repr_html_()


async def test_facts_about_a_merged_entity_are_those_of_its_heir(graph):
    await tell(graph)
    await graph.add_fact("Ally", "likes", "tea")
    ally = await graph.entity("Ally")
    await graph.identity.merge("Alice", "Ally")
    about = await graph.facts(ally)
    assert about.entity.name == "Alice"
    assert [fact.relation for fact in about.outgoing] == ["likes", "works_at"]


@pytest.mark.parametrize("asked", [{"limit": 0}, {"limit": 10**6}, {"offset": -1}, {"limit": True}])
async def test_impossible_pages_are_refused(graph, asked):
    with pytest.raises(QueryError, match=str(next(iter(asked.values())))):
        await graph.facts(relation="works_at", **asked)


async def test_nobody_and_nowhere_are_refused(graph):
    with pytest.raises(QueryError, match="'Nobody'"):
        await graph.facts("Nobody")
    gone = graph.group("gone", strict=True)
    for read in (gone.facts(relation="likes"), gone.audit.orphans(), gone.audit.contradictions(),
                 gone.audit.growth(), gone.health.cleanup()):  # fmt: skip
        with pytest.raises(QueryError, match="'gone'"):
            await read
    empty = graph.group("gone")
    assert await empty.facts(relation="likes") == [] and not await empty.audit.orphans()
    assert not await empty.audit.contradictions() and not (await empty.audit.growth()).periods
    assert (await empty.health.cleanup()).removed == ()


async def test_growth_counts_what_was_told_in_each_period(graph):
    await tell(graph)
    before = utc_now()
    await graph.add_fact("Eve", "likes", "tea")
    [month] = await graph.audit.growth()
    assert (month.start.day, month.episodes, month.entities, month.facts) == (1, 3, 6, 5)
    assert sum(one.facts for one in await graph.at(known_at=before).audit.growth("day")) == 4
    week = (await graph.audit.growth("week")).periods[0].start
    assert week.weekday() == 0 and (await graph.audit.growth("year")).periods[0].start.month == 1
    growth = await graph.audit.growth("day")
    assert list(growth.to_dataframe()["facts"]) == [5] or len(growth) == 2
    assert "episodes" in str(growth) and "<table>" in growth._repr_html_()
    with pytest.raises(QueryError, match="'hour'"):
        await graph.audit.growth("hour")


async def test_stats_count_by_relation_and_by_type(graph):
    await tell(graph)
    known = await graph.facts(relation="knows")
    await graph.edit.retract(known[0])
    stats = await graph.stats()
    assert list(stats.relations.items()) == [("works_at", 3)]
    assert list(stats.types.items()) == [("organization", 2), ("person", 2)]
    assert day("2020-02-01") == stats.first
