"""What is written when communities change: only that."""

from collections import Counter

import numpy as np
import pytest

from graphrag import NewEpisode
from graphrag.community.stored import known_tree, read_tree
from graphrag.index.group import FOREVER
from graphrag.index.load import load_group
from graphrag.store.links import read_detection
from tests.conftest import open_graph

TRIANGLES = [
    *("Ann likes Bob.", "Bob likes Cid.", "Cid likes Ann."),
    *("Eve likes Fay.", "Fay likes Gil.", "Gil likes Eve."),
]


def written(event):
    """Count what an event did by table and kind."""
    return Counter(
        (
            change.record.partition(":")[0],
            "new" if change.before is None else "gone" if change.after is None else "changed",
        )
        for change in event.changes
    )


async def tell(graph):
    await graph.add_episodes([NewEpisode(told, "2024-01-01") for told in TRIANGLES])


async def many(graph, prefix, count):
    await graph.add_episode(" ".join(f"{prefix} likes thing {n}." for n in range(count)))


async def test_one_that_joins_is_one_membership_written(graph):
    await tell(graph)
    await many(graph, "Ann", 60)
    await graph.communities.build()
    await graph.add_episode("Hal likes Eve.")
    await graph.communities.update()
    done = written((await graph.log.events())[-1])
    assert done[("has_member", "new")] == 1
    assert done[("has_member", "changed")] == 1  # Eve is tied better than before
    assert done[("community", "changed")] == 1
    assert not any(what == "gone" for _, what in done)


async def test_members_are_listed_by_what_ties_them_after_every_change(tmp_path):
    url = f"surrealkv://{tmp_path}/graph"
    async with open_graph(url) as graph:
        await tell(graph)
        await many(graph, "Ann", 60)
        await graph.communities.build()
        await graph.add_episode("Hal likes Eve. Hal knows Eve. Gil knows Eve.")
        updated = await graph.communities.update()
        assert updated == await graph.communities.list()
    async with open_graph(url) as graph:  # and the same by one who reads them anew
        assert updated == await graph.communities.list()
        await graph.add_episode("Ina likes Eve.")
        await graph.communities.update()
        assert await graph.communities.list() == await graph.communities.build()


async def test_a_community_that_falls_apart_is_gone_with_its_memberships(graph):
    await tell(graph)
    first = await graph.communities.build()
    for id_ in {fact.id for name in ("Eve", "Fay") for fact in await graph.facts(name)}:
        await graph.edit.retract(id_)
    left = await graph.communities.build()
    assert {one.id for one in left} < {one.id for one in first}
    [links] = await graph.handle.session.store.query("SELECT VALUE record::id(in) FROM has_member;")
    assert set(links) == {one.id for one in left}
    assert (await graph.health.check_all()).findings == ()


@pytest.mark.parametrize("change", ["reword", "end", "rename"])
async def test_what_is_told_otherwise_is_summarized_anew(graph, change):
    await tell(graph)
    first = {one.id: one for one in await graph.communities.build()}
    fact = (await graph.facts("Eve"))[0]
    if change == "reword":
        await graph.edit.correct(fact, text="Eve adores Fay.")
    elif change == "end":
        await graph.edit.invalidate(fact, at="2090-01-01")
    else:
        await graph.identity.merge("Eve", "Gil")
    after = {one.id: one for one in await graph.communities.update()}
    changed = [id_ for id_ in first if after[id_].fingerprint != first[id_].fingerprint]
    assert len(changed) == 1


async def test_communities_without_facts_since_are_the_same_objects_to_the_store(graph):
    await tell(graph)
    await graph.communities.build()
    events = len(await graph.log.events())
    await graph.add_episode("Nothing is said here")
    assert await graph.communities.update() == await graph.communities.list()
    assert len(await graph.log.events()) == events + 1


async def test_communities_that_were_forgotten_with_an_entity_are_made_anew(graph):
    await tell(graph)
    await graph.communities.build()
    await graph.erase.entity("Gil")
    names = [
        {(await graph.entities(id_))[0].name for id_ in one.members}
        for one in await graph.communities.update()
    ]
    assert names == [{"Ann", "Bob", "Cid"}, {"Eve", "Fay"}]


async def test_two_that_are_found_to_be_one_are_in_one_community(graph):
    await tell(graph)
    await graph.add_episode(" ".join(f"Ann likes thing {n}." for n in range(80)))
    await graph.communities.build()
    await graph.identity.merge("Cid", "Gil")
    after = await graph.communities.update()
    members = [id_ for one in after if one.level == 0 for id_ in one.members]
    assert len(members) == len(set(members))
    gone = (await graph.at(history=True).entities("Gil"))[0].id
    assert gone == (await graph.entity("Cid")).id and members.count(gone) == 1
    assert after == await graph.communities.list()


async def test_what_an_update_leaves_alone_is_as_if_all_had_been_looked_at(graph):
    random = np.random.default_rng(5)
    pairs = [
        (a, b) for a, b in random.integers(0, 150, (620, 2)).tolist() if a % 3 == b % 3 and a != b
    ]
    rows = [{"subject": f"E{a}", "relation": "knows", "object": f"E{b}"} for a, b in pairs]
    await graph.load.facts(rows)
    await graph.communities.build()
    store = graph.handle.session.store
    for a, b in random.integers(0, 150, (9, 2)).tolist():
        if a % 2:
            await graph.add_fact(f"E{a}", "likes", f"E{b} of the North")
        else:
            await graph.edit.retract((await graph.facts(f"E{a}"))[0])
        updated = await graph.communities.update()
        assert (await graph.log.events())[-1].kind == "update_communities"
        index = await graph.handle.session.catalog.group("default")
        tree = await read_tree("default", store, await read_detection("default", store))
        assert tuple(updated) == tree.communities and await known_tree(index, store) == tree
        assert {one.level for one in updated} == {0, 1}
        subjects, objects = index.ends()
        held = index.facts["retracted"] == FOREVER
        facts = Counter([*subjects[held].tolist(), *objects[held].tolist()])
        for ranks in tree.ranks.values():
            for id_, rank in ranks.items():
                assert rank == -1000 * facts[index.entities.row_of[id_]]
        anew = await load_group(store, "default", index.communities.vectors.dimension)
        assert index.communities.row_of.keys() == anew.communities.row_of.keys()
        for id_, row in index.communities.row_of.items():
            there = anew.communities.vectors.values[anew.communities.row_of[id_]]
            assert (index.communities.vectors.values[row] == there).all()
    marks, anew = (
        {(one.level, frozenset(one.members)): one.fingerprint for one in communities}
        for communities in (updated, await graph.communities.build())
    )
    alike = marks.keys() & anew.keys()
    assert len(alike) > 5 and all(marks[one] == anew[one] for one in alike)


async def test_before_the_next_update_one_of_two_that_are_one_is_a_member(tmp_path):
    url = f"surrealkv://{tmp_path}/graph"
    async with open_graph(url) as graph:
        await tell(graph)
        await graph.communities.build()
        await graph.identity.merge("Cid", "Gil")
        heir = await graph.entity("Cid")
        listed = await graph.communities.list()
    async with open_graph(url) as graph:
        assert await graph.communities.list() == listed
        assert [len(one.members) for one in listed] == [3, 3]
        assert all(heir.id in one.members for one in listed)
