"""Who is named close together in long texts belongs together, also where no fact says so."""

import pytest

from tests.conftest import open_graph

RAIN = "It rained upon the hills all day and nobody came by. " * 14


def scene(*people, evenings=20):
    """Return a passage that states one fact about each of some people, and names them together."""
    facts = " ".join(f"{one} likes the {one} cup." for one in people)
    first, second, *others = people
    told = f"That evening {first} and {second} sat at the fire with {' and '.join(others)}. "
    return f"{facts} {told * evenings}"


BOOK = f"{scene('Ann', 'Bob', 'Cid')}{RAIN}{scene('Eve', 'Fay', 'Gil')}"
NEXT = f"{scene('Eve', 'Gil', 'Fay', 'Hal')}{RAIN}{scene('Ann', 'Joe', 'Bob')}"


def casts(communities, names):
    """Return the people in each community of the coarsest level."""
    found = [{names[id_] for id_ in one.members} for one in communities if one.level == 0]
    return {"".join(sorted(name[0] for name in some if " " not in name)) for some in found}


async def names_of(graph):
    index = await graph.handle.session.catalog.group("default")
    return {id_: index.entity_name(id_) for id_ in index.entities.row_of}


async def test_those_of_one_scene_are_a_community_told_by_the_text(graph):
    await graph.add_episode(BOOK, reference_time="2020-01-01")
    built = await graph.communities.build()
    assert casts(built, await names_of(graph)) == {"ABC", "EFG"}
    assert built == await graph.communities.build()
    for one in built:
        assert one.name.partition(":")[0] in ("Ann", "Bob", "Cid", "Eve", "Fay", "Gil")
        assert one.summary.startswith("That evening ")
        assert one.summary.count("That evening ") == 1


async def test_short_texts_tie_by_their_facts_alone(graph):
    await graph.add_episode(scene("Ann", "Bob", "Cid"))
    built = await graph.communities.build()
    assert casts(built, await names_of(graph)) == {"A", "B", "C"}


async def test_an_update_takes_in_another_chapter_as_building_does(graph):
    await graph.load.facts(
        [{"subject": "Zed", "relation": "likes", "object": f"thing {n}"} for n in range(320)]
    )
    await graph.add_episode(BOOK, reference_time="2020-01-01")
    await graph.communities.build()
    added = await graph.add_episode(NEXT, reference_time="2021-01-01")
    updated = await graph.communities.update()
    assert (await graph.log.events())[-1].kind == "update_communities"
    assert casts(updated, await names_of(graph)) == {"ABCJ", "EFGH", "Z"}
    assert updated == await graph.communities.build()
    await graph.log.remove_episode(added.episode)
    left = await graph.communities.update()
    assert (await graph.log.events())[-1].kind == "update_communities"
    assert casts(left, await names_of(graph)) == {"ABC", "EFG", "Z"}
    assert left == await graph.communities.build()


async def test_chapters_that_come_later_are_not_in_an_earlier_view(graph):
    await graph.add_episode(BOOK, reference_time="2020-01-01")
    await graph.add_episode(NEXT, reference_time="2021-01-01")
    names = await names_of(graph)
    then = await graph.at(valid_at="2020-06-01").communities.list()
    assert casts(then, names) == {"ABC", "EFG"}
    now = await graph.at(valid_at="2022-01-01").communities.list()
    assert casts(now, names) == {"ABCJ", "EFGH"}


async def test_two_whose_facts_have_ended_are_not_tied_by_a_text():
    async with open_graph(review_below=0) as graph:
        await graph.add_episode(f"{scene('Ann', 'Bob')}{RAIN}", reference_time="2020-01-01")
        names = await names_of(graph)
        assert casts(await graph.communities.build(), names) == {"AB"}
        fact = await graph.add_fact("Ann", "married_to", "Bob", valid_at="2020-02-01")
        await graph.communities.build()
        await graph.edit.invalidate(fact.fact, at="2020-03-01")
        assert casts(await graph.communities.build(), names) == {"A", "B"}


async def test_two_that_are_one_are_named_as_one(graph):
    await graph.add_episode(BOOK, reference_time="2020-01-01")
    await graph.add_episode(NEXT, reference_time="2021-01-01")
    await graph.identity.merge("Eve", "Joe")
    built = await graph.communities.build()
    names = await names_of(graph)
    gone = next(id_ for id_, name in names.items() if name == "Joe")
    assert all(gone not in one.members for one in built)
    assert sum("E" in cast for cast in casts(built, names)) == 1


@pytest.mark.parametrize("text", ["", RAIN], ids=["short", "long"])
async def test_texts_without_scenes_tie_nobody_by_themselves(graph, text):
    await graph.add_episode(f"Ann likes Bob. {text}")
    members = [len(one.members) for one in await graph.communities.build()]
    assert members == [2]
