"""What is kept between reads is what would be worked out anew, after every change of a group."""

from dataclasses import fields
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from graphrag.index import group as groups
from graphrag.index.edges import LevelWalk, edge_distance, edges_reached
from graphrag.index.group import GroupIndex
from graphrag.index.load import change_values
from graphrag.model.values import Entity, Episode, Fact
from graphrag.search import visibility as module
from graphrag.search.near import walk
from graphrag.search.rewind import NO_REWIND
from graphrag.search.visibility import visible
from graphrag.temporal.interval import Viewpoint
from tests.conftest import enter

START = datetime(2024, 1, 1, tzinfo=UTC)
VIEWS = (
    Viewpoint(),
    Viewpoint(history=True),
    Viewpoint(valid_at=START + timedelta(days=4)),
    Viewpoint(known_at=START + timedelta(days=2)),
)
DAYS = st.none() | st.integers(0, 9)
ROWS = st.integers(0, 30)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), ROWS, ROWS, DAYS, DAYS),
        st.tuples(st.just("change"), ROWS, DAYS, DAYS, st.booleans()),
        st.tuples(st.just("meet")),
        st.tuples(st.just("merge"), ROWS, ROWS),
        st.tuples(st.just("split"), ROWS),
        st.tuples(st.just("remove"), ROWS),
        st.tuples(st.just("forget"), ROWS),
        st.tuples(st.just("hear"), st.integers(0, 9)),
        st.tuples(st.just("unhear"), ROWS),
        st.tuples(st.just("wait")),
    ),
    max_size=25,
)


class History:
    """A group that changes, and a clock that never goes back."""

    def __init__(self):
        self.index = GroupIndex("default", 2)
        self.now = START
        self.do("meet")
        self.do("meet")

    def do(self, verb, *given):
        getattr(self, verb)(*given)
        self.now += timedelta(hours=7)

    def pick(self, scope, number):
        return scope.ids[number % len(scope.ids)]

    def moment(self, day):
        return None if day is None else START + timedelta(days=day)

    def fact(self, id_, subject, object_, valid, invalid, pending=False):
        ends = {"subject_id": subject, "object_id": object_, "subject": "A", "object": "B"}
        times = {"valid_at": self.moment(valid), "invalid_at": self.moment(invalid)}
        told = {"relation": "knows", "text": "x", "group_id": "default", "created_at": START}
        return Fact(id_, **ends, **times, **told, pending=pending)

    def meet(self):
        id_ = f"e{len(self.index.entities):03}"
        entity = Entity(id_, "default", START, f"Name {id_}", "person")
        enter(self.index, [entity])

    def tell(self, subject, object_, valid, invalid):
        entities = self.index.entities
        ends = self.pick(entities, subject), self.pick(entities, object_)
        fact = self.fact(f"f{len(self.index.facts):03}", *ends, valid, invalid)
        enter(self.index, [fact])

    def change(self, number, valid, invalid, pending):
        if self.index.facts.row_of:
            id_ = sorted(self.index.facts.row_of)[number % len(self.index.facts.row_of)]
            ends = self.index.ends_of(self.index.facts.row_of[id_])
            change_values(self.index, [self.fact(id_, *ends, valid, invalid, pending)])

    def merge(self, one, other):
        one, other = (self.pick(self.index.entities, number) for number in (one, other))
        if self.index.heirs.of(other) != one and one not in self.index.heirs:
            self.index.heirs.redirect(one, other)

    def split(self, number):
        self.index.heirs.redirect(self.pick(self.index.entities, number), None)

    def remove(self, number):
        self.index.entities.replace(self.pick(self.index.entities, number), removed=1)

    def forget(self, number):
        if self.index.facts.row_of:
            known = sorted(self.index.facts.row_of)
            self.index.facts.leave([known[number % len(known)]])

    def hear(self, day):
        id_ = f"p{len(self.index.episodes):03}"
        episode = Episode(id_, "default", START, "", "text", "text", self.moment(day), id_)
        enter(self.index, [episode])

    def unhear(self, number):
        if len(self.index.episodes):
            self.index.episodes.replace(self.pick(self.index.episodes, number), removed=1)

    def wait(self):
        self.now += timedelta(days=1)


def same(one, other):
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, tuple):
        return all(map(same, one, other))
    return one is other or one == other


@pytest.fixture(autouse=True)
def _every_walk_asks_for_the_facts_at_a_few(monkeypatch):
    monkeypatch.setattr(groups, "_FEW_FACTS", 0)
    monkeypatch.setattr(groups, "_WALKED", 1)


@given(CHANGES)
@settings(max_examples=60, phases=[Phase.explicit, Phase.generate])
def test_a_kept_view_is_the_one_that_would_be_made_now(changes):
    history = History()
    for change in changes:
        history.do(*change)
        index, now = history.index, history.now
        for view in VIEWS:
            for _ in range(2):
                seen = visible(index, view, NO_REWIND, now=now)
                fresh = module._visible(index, view, NO_REWIND, now=now)
                assert all(
                    same(getattr(seen, one.name), getattr(fresh, one.name)) for one in fields(fresh)
                )


@given(CHANGES, st.lists(ROWS, min_size=1, max_size=3))
@settings(max_examples=60, phases=[Phase.explicit, Phase.generate])
def test_a_walk_from_a_few_is_that_over_all_facts(changes, starts):
    history = History()
    index = history.index
    for change in changes:
        history.do(*change)
        seen = visible(index, VIEWS[0], NO_REWIND, now=history.now)
        seeds = sorted({start % len(index.entities) for start in starts})
        plain = LevelWalk(*seen.ends, len(seen.entities), seeds, alive=seen.facts).within(3)
        far = walk(seen, seeds)
        assert far.within(1).tolist() == np.where(plain > 1, -1, plain).tolist()
        assert far.within(3).tolist() == plain.tolist()
        assert far.within(1).max() <= 1
        edges = edge_distance(plain, *seen.ends)
        rows, hops_of = edges_reached(plain, *seen.ends, seen.facts, seen.facts_at)
        assert rows.tolist() == np.flatnonzero((edges >= 0) & seen.facts).tolist()
        assert hops_of.tolist() == edges[rows].tolist()
        farthest = LevelWalk(*seen.ends, len(seen.entities), seeds, alive=seen.facts).within(127)
        assert far.of(*seen.ends).tolist() == edge_distance(farthest, *seen.ends).tolist()


def test_a_view_is_kept_until_a_fact_begins_or_ends():
    history = History()
    history.do("tell", 0, 1, 2, 4)
    index, kept = history.index, []
    for day in (1, 1.5, 2, 3.9, 4, 5):
        now = START + timedelta(days=day)
        kept.append(visible(index, Viewpoint(), NO_REWIND, now=now))
    assert [view.facts.tolist() for view in kept] == [[False]] * 2 + [[True]] * 2 + [[False]] * 2
    assert kept[0] is kept[1] and kept[2] is kept[3] and kept[4] is kept[5]


def test_what_is_kept_cannot_be_changed_by_who_reads_it():
    seen = visible(History().index, Viewpoint(), NO_REWIND, now=START)
    with pytest.raises(ValueError, match="read-only"):
        seen.entities[0] = False
