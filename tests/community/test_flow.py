"""Communities through time: the same in all slices, and what becomes of them."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from xml.etree import ElementTree

import anyio
import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from graphrag import InputError, MissingExtraError, QueryError
from graphrag.community.draft import Ties
from graphrag.community.evolution import evolve, evolved, sliced, slices
from graphrag.temporal.moment import to_micros
from tests.conftest import open_graph

ANNS = "Ann Abe Ada Alf Amy".split()
BOBS = "Bob Bea Ben Bo Bud".split()
CIDS = "Cid Cal Coy Cy Che".split()
DEES = "Dee Dan Di Don Dot".split()
EVES = "Eve Ed Eli Ema Ern".split()


def friends(names, start="2018-01-01", end=None):
    """Everybody knows everybody."""
    return [fact(one, other, start, end) for one, other in combinations(names, 2)]


def between(some, others, start, end):
    return [fact(one, other, start, end) for one in some for other in others]


def fact(one, other, start, end):
    row = {"subject": one, "relation": "knows", "object": other, "valid_at": start}
    return row if end is None else {**row, "invalid_at": end}


HISTORY = [
    *friends(ANNS),
    *friends(BOBS),
    *between(ANNS, BOBS, "2021-01-01", "2023-01-01"),
    *friends(CIDS, "2018-01-01", "2020-01-01"),
    *friends(DEES, "2022-01-01"),
    *friends(EVES),
]


@pytest.fixture
async def town(graph):
    await graph.load.facts(HISTORY)
    return graph


def who(flow, place):
    """Return the names in each community of a slice, by community."""
    return {
        one.id: sorted(flow.names[id_] for id_ in one.members[place])
        for one in flow.communities
        if one.members[place]
    }


def happened(flow):
    return [(one.kind, f"{one.at:%Y}") for one in flow.events]


async def test_groups_that_merge_split_come_and_go_are_told_with_their_years(town):
    flow = await town.communities.over_time(end="2026-01-01")
    assert flow.labels() == [str(year) for year in range(2018, 2026)]
    assert happened(flow) == [
        ("died", "2020"), ("merged", "2021"), ("born", "2022"), ("split", "2023"),
    ]  # fmt: skip
    assert sorted(who(flow, 4).values()) == sorted(
        [sorted(ANNS + BOBS), sorted(DEES), sorted(EVES)]
    )
    merged, split = flow.events[1], flow.events[3]
    assert len(merged.before) == 2 and merged.after == split.before and len(split.after) == 2


async def test_who_stays_together_keeps_an_id_and_a_name(town):
    flow = await town.communities.over_time(end="2026-01-01")
    eves = next(one for one in flow if one.name.split(":")[0] in EVES)
    assert eves.sizes == (5,) * 8
    homes = [who(flow, place) for place in range(8)]
    assert {id_ for home in homes for id_, some in home.items() if "Eve" in some} == {eves.id}


async def test_a_group_that_gains_and_loses_members_grows_and_shrinks(graph):
    some = [*friends(ANNS), *friends(BOBS), *friends(EVES)]
    more = ["Cid", "Cal", "Coy"]
    joined = [*between(ANNS, more, "2020-01-01", "2022-01-01")]
    await graph.load.facts([*some, *joined])
    flow = await graph.communities.over_time(end="2024-01-01")
    assert happened(flow) == [("grew", "2020"), ("shrank", "2022")]
    assert "grew from 5 to 8" in str(flow) and "shrank from 8 to 5" in str(flow)
    assert not (await graph.communities.over_time(end="2024-01-01", change=0.7)).events


async def test_a_stored_community_keeps_its_id_through_time(town):
    stored = await town.communities.build()
    flow = await town.communities.over_time()
    members = {frozenset(one.members): one.id for one in stored if one.level == 0}
    last = {frozenset(one.members[-1]): one.id for one in flow if one.members[-1]}
    assert last == members


async def test_a_resolution_finds_small_groups_that_modularity_does_not_tell_apart(graph):
    rows = [*friends(ANNS), *friends(BOBS), fact("Ann", "Bob", "2018-01-01", None)]
    chain = [[f"{name} {place}" for name in CIDS] for place in range(20)]
    rows += [row for some in chain for row in friends(some)]
    rows += [fact(one[0], other[1], "2018-01-01", None) for one, other in pairwise(chain)]
    rows.append(fact(chain[-1][0], chain[0][1], "2018-01-01", None))
    await graph.load.facts(rows)
    coarse = await graph.communities.over_time(start="2018", end="2020")
    fine = await graph.communities.over_time(start="2018", end="2020", resolution=0.3)
    assert len(coarse) < len(fine) == 22


async def test_empty_slices_and_absent_entities_end_nothing_for_good(graph):
    for start, end in (("2018-01-01", "2019-01-01"), ("2021-01-01", "2022-01-01")):
        await graph.load.facts(friends(ANNS, start, end))
    flow = await graph.communities.over_time(end="2023-01-01")
    (anns,) = flow
    assert anns.sizes == (5, 0, 0, 5, 0)
    assert happened(flow) == [("died", "2019"), ("born", "2021"), ("died", "2022")]


async def test_a_fact_holds_in_the_slices_that_it_overlaps_whose_ends_it_does_not_reach(graph):
    await graph.add_fact("Ann", "knows", "Bob", valid_at="2020-01-01", invalid_at="2022-01-01")
    await graph.add_fact("Cid", "knows", "Dee", invalid_at="2021-01-01")
    await graph.add_fact("Eve", "knows", "Fay", valid_at="2021-12-31")
    flow = await graph.communities.over_time(start="2019", end="2023")
    homes = [who(flow, place).values() for place in range(4)]
    there = [sorted(name for some in home for name in some) for home in homes]
    assert there == [
        ["Cid", "Dee"],
        ["Ann", "Bob", "Cid", "Dee"],
        ["Ann", "Bob", "Eve", "Fay"],
        ["Eve", "Fay"],
    ]


async def test_retracted_facts_are_not_counted_and_known_at_looks_back(graph):
    await graph.add_fact("Ann", "knows", "Bob", valid_at="2020-01-01")
    wrong = (await graph.add_fact("Cid", "knows", "Dee", valid_at="2020-01-01")).fact
    await graph.edit.retract(wrong)
    now = await graph.communities.over_time(end="2022-01-01")
    assert set(now.names.values()) == {"Ann", "Bob"}
    first, second, _ = [event.at for event in await graph.log.events()]
    before = await graph.at(known_at=second).communities.over_time(end="2022-01-01")
    assert set(before.names.values()) == {"Ann", "Bob", "Cid", "Dee"}
    earliest = await graph.at(known_at=first).communities.over_time(end="2022-01-01")
    assert set(earliest.names.values()) == {"Ann", "Bob"}


async def test_slices_are_steps_of_the_calendar_or_of_a_length(town):
    async def labels(every, start, end):
        flow = await town.communities.over_time(every, start=start, end=end)
        return flow.labels()

    assert await labels("quarter", "2020-02-01", "2021-01-01") == [
        "2020-02", "2020-04", "2020-07", "2020-10",
    ]  # fmt: skip
    assert await labels("month", "2020-11-15", "2021-01-01") == ["2020-11", "2020-12"]
    assert await labels("decade", "2018-01-01", "2025-01-01") == ["2018", "2020"]
    assert await labels(timedelta(days=7), "2020-01-01", "2020-01-17") == [
        "2020-01-01", "2020-01-08", "2020-01-15",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"every": "eon"}, "choose from month, quarter, year, decade"),
        ({"every": timedelta(0)}, "at least an hour"),
        ({"start": "2020", "end": "2019"}, "not after start"),
        ({"every": "month", "start": "1900"}, "more than 240 slices"),
        ({"resolution": 0.0}, "more than 0"),
        ({"coupling": -1.0}, "0 or more"),
        ({"share": 0.0}, "more than 0, up to 1"),
        ({"change": 2.0}, "0 to 1"),
    ],
)
async def test_what_cannot_be_is_refused(town, asked, said):
    with pytest.raises(QueryError, match=said):
        await town.communities.over_time(**asked)


async def test_a_group_without_facts_has_no_communities_at_any_time(graph):
    flow = await graph.communities.over_time()
    assert str(flow) == "no communities" and not flow.events and not len(flow)
    assert "no communities" in flow.to_svg() and flow._repr_html_()


async def test_a_flow_is_a_table_a_text_and_a_picture(town, tmp_path):
    flow = await town.communities.over_time(end="2026-01-01")
    frame = flow.to_dataframe()
    assert list(frame.columns) == [
        "start", "end", "community_id", "community", "entity_id", "entity",
    ]  # fmt: skip
    assert len(frame) == sum(sum(one.sizes) for one in flow.communities)
    root = ElementTree.fromstring(flow.to_svg(theme="light"))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"2018", "2025"} <= set(texts)
    assert flow.save(tmp_path / "flow.svg").read_text() == flow.to_svg(theme="light")
    assert flow.save(tmp_path / "flow.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError):
        flow.save(tmp_path / "flow.txt")
    assert "merged into" in flow._repr_html_()
    assert repr(flow) == "CommunityFlow('default': 6 communities, 8 slices, 4 events)"


async def test_words_of_the_picture_do_not_cover_each_other(town):
    flow = await town.communities.over_time(end="2026-01-01")
    root = ElementTree.fromstring(flow.to_svg(theme="light"))
    boxes = []
    for node in root.iter("{http://www.w3.org/2000/svg}text"):
        half = len(node.text) * float(node.get("font-size")) * 0.29
        x, y = float(node.get("x")), float(node.get("y"))
        boxes.append((x - half, y - float(node.get("font-size")), x + half, y))
    for one, other in combinations(boxes, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_without_the_extra_the_package_works_and_says_what_to_install():
    code = (
        "import sys; sys.modules['leidenalg'] = None; import graphrag\n"
        "from graphrag.community.evolution import _solver\n"
        "try: _solver()\n"
        "except graphrag.MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'surreal-graphrag[temporal]'" in done.stdout
    assert issubclass(MissingExtraError, ImportError)


def _ties(subjects, objects):
    rows = np.arange(len(subjects))
    return Ties(rows, np.array(subjects), np.array(objects), np.ones(len(rows)))


def test_the_same_is_sought_as_by_leidenalg_itself():
    import igraph
    import leidenalg

    random = np.random.default_rng(3)
    start = datetime(2020, 1, 1, tzinfo=UTC)
    parts = slices("year", start, datetime(2024, 1, 1, tzinfo=UTC))
    pairs = [
        (one, other)
        for one, other in combinations(range(24), 2)
        if random.random() < (0.7 if one // 6 == other // 6 else 0.05)
    ]
    subjects, objects = zip(*pairs, strict=True)
    valid = np.full(len(pairs), to_micros(start, 0))
    invalid = np.full(len(pairs), to_micros(datetime(2030, 1, 1, tzinfo=UTC), 0))
    cut = sliced(_ties(subjects, objects), valid, invalid, parts)
    found = evolve(cut, np.arange(24))
    graphs = []
    for _ in parts:
        graph = igraph.Graph(n=24, edges=pairs)
        graph.vs["id"] = list(range(24))
        graphs.append(graph)
    theirs, _ = leidenalg.find_partition_temporal(
        graphs, leidenalg.RBConfigurationVertexPartition, n_iterations=-1, seed=0
    )
    labels = [label for some in theirs for label in some]
    assert igraph.compare_communities(found.labels.tolist(), labels, method="nmi") == 1


def _blocks():
    random = np.random.default_rng(2)
    start = datetime(2020, 1, 1, tzinfo=UTC)
    parts = slices("year", start, datetime(2023, 1, 1, tzinfo=UTC))
    subjects = random.integers(0, 400, 4000)
    objects = (subjects // 20 * 20 + random.integers(0, 20, 4000)) % 400
    kept = subjects != objects
    ties = _ties(subjects[kept], objects[kept])
    valid = np.full(len(ties), to_micros(start, 0))
    invalid = np.full(len(ties), to_micros(datetime(2030, 1, 1, tzinfo=UTC), 0))
    return sliced(ties, valid, invalid, parts)


def test_a_large_graph_starts_from_small_parts_and_finds_the_known_blocks(monkeypatch):
    import igraph

    monkeypatch.setattr("graphrag.community.evolution._LARGE", 100)
    found = evolve(_blocks(), np.arange(400))
    truth = (found.entities // 20).tolist()
    assert igraph.compare_communities(found.labels.tolist(), truth, method="nmi") > 0.99


async def _evolved(cut, **how):
    return await evolved(cut, np.arange(400), **{"resolution": None, "coupling": 1.0, **how})


@pytest.mark.parametrize("how", [{}, {"resolution": 0.02, "coupling": 0.5}])
async def test_a_large_graph_is_looked_at_by_a_process_and_the_loop_goes_on(monkeypatch, how):
    cut, turns = _blocks(), 0
    here = await _evolved(cut, **how)
    monkeypatch.setattr("graphrag.community.evolution._LONG", 100)

    async def turn():
        nonlocal turns
        while True:
            await anyio.sleep(0.01)
            turns += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(turn)
        there = await _evolved(cut, **how)
        tasks.cancel_scope.cancel()
    for name in ("slices", "entities", "labels", "strengths"):
        assert np.array_equal(getattr(here, name), getattr(there, name))
    assert turns > 5


@pytest.mark.parametrize("python", ["", "/no/such/python", sys.executable + " -c no"])
async def test_where_no_process_can_be_started_it_is_done_here(monkeypatch, caplog, python):
    cut = _blocks()
    here = await _evolved(cut)
    monkeypatch.setattr("graphrag.community.evolution._LONG", 100)
    monkeypatch.setattr(sys, "executable", python)
    there = await _evolved(cut)
    assert np.array_equal(here.labels, there.labels)
    assert "no process can be started" in caplog.text


NAMES = "Ann Bob Cid Dee Eve Fay Gil Hal".split()
FACTS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.integers(2015, 2020),
        st.none() | st.integers(1, 4),
        st.sampled_from((1.0, 0.5)),
    ).filter(lambda fact: fact[0] != fact[1]),
    min_size=1,
    max_size=12,
    unique_by=lambda fact: fact[:2],
)


@settings(max_examples=8, phases=[Phase.explicit, Phase.generate])
@given(FACTS, st.randoms(use_true_random=False))
def test_everybody_with_facts_is_in_one_community_whatever_order_facts_came_in(facts, random):
    async def found(rows):
        async with open_graph(review_below=0) as graph:
            for one, other, start, years, sure in rows:
                end = None if years is None else f"{start + years}-01-01"
                await graph.add_fact(
                    one, "knows", other, valid_at=f"{start}-01-01", invalid_at=end, confidence=sure
                )
            flow = await graph.communities.over_time(start="2015", end="2022")
            again = await graph.communities.over_time(start="2015", end="2022")
            assert flow == again
            return flow, [sorted(who(flow, place).values()) for place in range(7)]

    async def check():
        flow, inside = await found(facts)
        for place, part in enumerate(flow.slices):
            year = part.start.year
            there = {
                name
                for one, other, start, years, _ in facts
                if start <= year and (years is None or year < start + years)
                for name in (one, other)
            }
            assert sorted(name for some in inside[place] for name in some) == sorted(there)
        mixed = [*facts]
        random.shuffle(mixed)
        other, same = await found(mixed)
        # What happens to two communities of one size at one moment is told in no order.
        assert same == inside and sorted(happened(other)) == sorted(happened(flow))
        assert [one.name for one in other.communities] == [one.name for one in flow.communities]

    anyio.run(check)
