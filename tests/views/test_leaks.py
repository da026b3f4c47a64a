"""No verb tells of one group what was told to another."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag import GraphRAGError
from tests.conftest import open_graph

GROUPS = ("zebras", "quokkas")
NAMES = ("Ann", "Bob", "Acme", "Rome")
TOLD = st.lists(
    st.tuples(
        st.sampled_from(GROUPS), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 28)
    ),
    min_size=2,
    max_size=6,
)


@settings(max_examples=8, deadline=None)
@given(TOLD)
def test_no_verb_leaks_between_groups(told):
    asyncio.run(play(told))


async def play(told):
    async with open_graph() as graph:
        since = "2020-01-01"
        for group, one, other, day in told:
            if one != other:
                # The secret of a group is in the name and in the sentence.
                text = f"{one} knows {other} {group}."
                await graph.add_episode(text, reference_time=f"2024-01-{day:02}", group=group)
        for group in GROUPS:
            await graph.build_communities(group=group)
        other_of = dict(zip(GROUPS, reversed(GROUPS), strict=True))
        for group in await graph.groups():
            for view in (graph.at(), graph.at(history=True), graph.at(valid_at="2024-01-15")):
                found = [
                    await view.search("who knows Ann or Rome?", group=group),
                    await view.communities(group=group),
                    await view.most_connected(group=group),
                    await view.changes(since, group=group),
                    await view.changes(since, axis="world", group=group),
                    await view.facts_of("knows", group=group),
                    await view.contradictions(group=group),
                    await view.orphans(group=group),
                    await graph.cleanup(group=group),
                    await graph.log(group=group),
                    await graph.merge_candidates(group=group),
                ]
                for name in (*NAMES, *(f"{name} {group}" for name in NAMES)):
                    found.append(await view.entities(name, group=group))
                    try:
                        found.append(await view.facts(name, group=group))
                        found.append(await view.timeline(name, group=group))
                        found.append(await view.facts_about(name, group=group))
                    except GraphRAGError as error:
                        found.append(error)
                assert other_of[group] not in "".join(map(everything, found))
                stats = await view.stats(group=group)
                assert stats.episodes <= sum(told[0] == group for told in told)


def everything(value):
    """Write all that a value holds."""
    if hasattr(value, "__slots__") or hasattr(value, "__dict__"):
        names = [*getattr(value, "__slots__", ()), *getattr(value, "__dict__", {})]
        return repr(value) + "".join(everything(getattr(value, name)) for name in names)
    if isinstance(value, list | tuple):
        return "".join(map(everything, value))
    return repr(value)
