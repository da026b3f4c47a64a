"""What an entity has to itself: a fact where its relation allows that, else a skipped row."""

import pytest

from graphrag import InputError, Relation, Relations
from tests.conftest import open_graph

ROWS = [
    {"subject": "Ann", "relation": "consults", "object": "Bob", "valid_at": "2020"},
    {"subject": "Board", "relation": "consults", "object": "Board", "valid_at": "2021"},
    {"subject": "Bob", "relation": "consults", "object": "Board", "valid_at": "2022"},
]
LOOP = ("Board", "consults", "Board")


def triples(facts):
    return sorted({(fact.subject, fact.relation, fact.object) for fact in facts})


async def test_rows_of_events_keep_who_acts_on_themselves():
    async with open_graph() as graph:
        report = await graph.load.facts(ROWS, batch=1)
        assert (report.rows, report.facts, report.skipped) == (3, 3, ())
        assert LOOP in triples(await graph.facts("Board"))
        assert (await graph.load.facts(ROWS)).facts == 0
        await graph.add_fact("Board", "consults", "the Board", valid_at="2021")
        assert len(await graph.facts("Board")) == 2
        assert not (await graph.health.check_all()).findings


@pytest.mark.parametrize("relation", ["parent_of", "married_to", "spouse_of", "employs", "part_of"])
async def test_what_nobody_is_to_themselves_is_a_skipped_row_with_its_number(relation):
    rows = [*ROWS, {"subject": "Zoe", "relation": relation, "object": "Zoe"}, ROWS[0]]
    async with open_graph() as graph:
        with pytest.raises(InputError, match=r"row 4: .Zoe. .* .Zoe.: both ends are the") as caught:
            await graph.load.facts(rows)
        assert 'with on_error="skip" (--on-error skip)' in caught.value.__notes__[0]
        [skipped] = (await graph.load.facts(rows, on_error="skip")).skipped
        assert skipped.place == "row 4"
        assert not [entity for entity in await graph.entities() if entity.name == "Zoe"]


async def test_a_declared_relation_says_itself_whether_it_may_be_a_loop():
    own = Relations().having(
        Relation("parent_of", irreflexive=False), Relation("consults", irreflexive=True)
    )
    async with open_graph(relations=own) as graph:
        await graph.add_fact("Amoeba", "parent_of", "Amoeba")
        with pytest.raises(InputError, match="both ends are the same entity"):
            await graph.add_fact("Board", "consults", "Board")


async def test_two_names_of_one_entity_make_no_loop():
    async with open_graph() as graph:
        await graph.add_entity("Alice", aliases=["Ally"])
        with pytest.raises(InputError, match="both ends are the same entity"):
            await graph.add_fact("Alice", "consults", "Ally")


async def test_a_merge_takes_back_what_it_made_a_loop_and_keeps_what_was_one():
    async with open_graph() as graph:
        await graph.load.facts(ROWS)
        await graph.add_fact("Council", "consults", "Board", valid_at="2023")
        await graph.add_fact("Council", "consults", "Council", valid_at="2019")
        before = {name: triples(await graph.facts(name)) for name in ("Board", "Council")}
        merge = await graph.identity.merge("Board", "Council")
        facts = await graph.facts("Board")
        assert triples(facts) == [LOOP, ("Bob", "consults", "Board")]
        [loop] = [fact for fact in facts if fact.subject == fact.object]
        assert f"{loop.valid_at:%Y}" == "2019"
        assert not (await graph.health.check_all()).findings
        await graph.identity.unmerge(merge)
        after = {name: triples(await graph.facts(name)) for name in ("Board", "Council")}
        assert after == before
        assert not (await graph.health.check_all()).findings


async def test_a_loop_survives_reopening_and_can_be_retracted_and_reverted(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await graph.load.facts(ROWS)
    async with open_graph(url) as graph:
        [fact] = [one for one in await graph.facts("Board") if one.subject == one.object]
        await graph.edit.retract(fact)
        assert LOOP not in triples(await graph.facts("Board"))
        await graph.log.revert((await graph.log.events())[-1])
        assert LOOP in triples(await graph.facts("Board"))
        assert not (await graph.health.check_all()).findings


async def test_reads_walks_and_pictures_take_a_loop(tmp_path):
    async with open_graph() as graph:
        await graph.load.facts(ROWS)
        await graph.load.facts([{"subject": "Solo", "relation": "reviews", "object": "Solo"}])
        built = await graph.communities.build()
        assert built
        await graph.communities.map()
        hits = await graph.search("Board consults Board")
        assert LOOP in triples(hit.item for hit in hits.facts)
        near = [neighbor.entity.name for neighbor in await graph.neighbors("Board")]
        assert "Bob" in near
        assert len(near) == len(set(near))
        path = await graph.path("Ann", "Board")
        assert len(path.facts) == 2
        assert not await graph.paths("Ann", "Solo")
        subgraph = await graph.subgraph("Solo")
        for thing in (path, subgraph, await graph.profile("Solo"), await graph.show()):
            assert thing._repr_mimebundle_() if hasattr(thing, "_repr_mimebundle_") else repr(thing)
        assert (await graph.export.networkx()).number_of_edges() == 4
        assert len((await graph.export.pandas()).facts) == 4
        for name in ("g.jsonl", "g.graphml", "g.ttl"):
            await graph.export.file(tmp_path / name)
        assert "Solo" in str((await graph.export.atlas())._repr_html_())
        copy = graph.group("copy")
        await copy.load.facts(await graph.export.networkx())
        assert triples(await copy.facts("Solo")) == [("Solo", "reviews", "Solo")]
        assert LOOP in triples(await copy.facts("Board"))
        assert not (await graph.health.check_all()).findings
    async with open_graph() as restored:
        await restored.load.group(tmp_path / "g.jsonl")
        assert LOOP in triples(await restored.facts("Board"))


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Who consults Board?", {"Board", "Bob"}),
        ("By whom is Board consulted?", {"Board", "Bob"}),
        ("Who consulted Board in 2021?", {"Board"}),
        ("Who does Board consult?", {"Board"}),
        ("How many consult Board?", {"2"}),
        ("Does Board consult Board?", {"yes"}),
        ("Is Board consulted by Board?", {"yes"}),
    ],
)
async def test_questions_find_a_loop_at_either_end(question, values):
    async with open_graph() as graph:
        await graph.load.facts(ROWS)
        answer = await graph.ask(question)
        assert {*answer.values} == values
        if values != {"yes"}:
            facts = {(fact.subject, fact.relation, fact.object) for fact in answer.facts}
            assert LOOP in facts
