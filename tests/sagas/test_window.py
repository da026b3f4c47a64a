"""What was told around an episode: the order of a plain sorted list, whatever came and went."""

import random

import pytest

from graphrag import QueryError
from graphrag.temporal.moment import parse_moment, utc_now
from tests.conftest import open_graph

DAYS = [f"2020-01-{day:02}" for day in range(1, 9)]


async def around(view, id_, before, after, across):
    window = await view.sagas.window(id_, before=before, after=after, across=across)
    assert window.episode.id == id_ and len(window) == len([*window])
    return [one.id for one in window.before], [one.id for one in window.after]


def beside(order, id_, before, after):
    place = order.index(id_)
    return order[max(0, place - before) : place], order[place + 1 : place + 1 + after]


async def chained(graph):
    """Return the episodes as the links between them say, and as their times say."""
    links, rows = await graph.handle.session.store.query(
        "SELECT VALUE [record::id(out), record::id(in)] FROM occurred_after;"
        "SELECT VALUE [valid_at, record::id(id)] FROM episode;"
    )
    following, order = dict(links), []
    assert len(following) == len(links)
    at = next((id_ for _, id_ in rows if id_ not in following.values()), None)
    while at is not None:
        order.append(at)
        at = following.get(at)
    return order, [id_ for _, id_ in sorted(rows)]


@pytest.mark.parametrize("seed", range(2))
async def test_windows_and_links_are_those_of_a_sorted_list_at_any_time(seed):
    dice = random.Random(seed)
    async with open_graph() as graph:
        told, known = {}, []
        for number in range(30):
            if told and dice.random() < 0.2:
                await graph.log.remove_episode(gone := dice.choice(sorted(told)))
                del told[gone]
            else:
                added = await graph.add_episode(
                    f"Ann likes tea{number}.",
                    reference_time=dice.choice(DAYS),
                    saga=dice.choice((None, "one", "two")),
                )
                told[added.episode.id] = added.episode
            known.append((utc_now(), dict(told)))
        by_links, by_time = await chained(graph)
        assert by_links == by_time
        forgotten = dice.choice(sorted(told))
        await graph.erase.entity(
            told[forgotten].content.removeprefix("Ann likes ").removesuffix(".")
        )
        by_links, by_time = await chained(graph)
        assert by_links == by_time and forgotten not in by_time
        day = dice.choice(DAYS)
        dated = {id_: one for id_, one in told.items() if one.valid_at <= parse_moment(day)}
        views = [(graph.at(known_at=at), then) for at, then in known[::9]]
        views += [(graph.at(), told), (graph.at(valid_at=day), dated)]
        for view, there in views:
            there = {id_: one for id_, one in there.items() if id_ != forgotten}
            for id_, one in [*there.items()][::3]:
                order = sorted(there, key=lambda key: (there[key].valid_at, key))
                before, after = dice.randrange(4), dice.randrange(4)
                assert await around(view, id_, before, after, "group") == beside(
                    order, id_, before, after
                )
                if one.saga is not None:
                    order = [key for key in order if there[key].saga == one.saga]
                assert await around(view, id_, before, after, "saga") == beside(
                    order, id_, before, after
                )


async def test_a_window_is_of_one_saga_and_of_one_group(graph):
    for group in ("default", "other"):
        for day, saga in zip(DAYS, ("a", "b", "a", None, "a", "b"), strict=False):
            await graph.group(group).add_episode(f"Ann likes {day}.", reference_time=day, saga=saga)
    third = (await graph.sagas.get("a")).episodes[1]
    window = await graph.sagas.window(third)
    assert [one.valid_at.day for one in window] == [1, 3, 5]
    assert {one.group_id for one in window} == {"default"}
    window = await graph.sagas.window(third.id, before=1, after=9, across="group")
    assert [one.valid_at.day for one in window] == [2, 3, 4, 5, 6]
    assert repr(window).startswith("EpisodeWindow(2020-01-03")
    assert "<b>Ann likes 2020-01-03.</b>" in window._repr_html_()


async def test_an_impossible_window_says_why(graph):
    added = await graph.add_episode("Ann likes tea.", reference_time="2020-01-01")
    with pytest.raises(QueryError, match="there is no episode 'nothing'"):
        await graph.sagas.window("nothing")
    with pytest.raises(QueryError, match="not visible in"):
        await graph.at(valid_at="2019").sagas.window(added.episode)
    with pytest.raises(QueryError, match="before -1"):
        await graph.sagas.window(added.episode, before=-1)
    with pytest.raises(QueryError, match="across 'all': choose"):
        await graph.sagas.window(added.episode, across="all")
