"""A filtered search returns what a plain Python filter over the values leaves, at any moment."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.model.values import Entity, Episode, Fact, Span
from graphrag.search.filters import Compare, Every, Not, Some
from graphrag.search.masks import narrowed, prepare
from graphrag.search.rewind import read_rewind
from graphrag.search.visibility import visible
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import edge
from graphrag.temporal.interval import Viewpoint
from graphrag.temporal.moment import utc_now
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph

VECTOR = np.eye(1, HashEmbedder().dimension, dtype=np.float32)[0]
KNOWN = st.integers(2018, 2024).map(lambda year: datetime(year, 1, 1, tzinfo=UTC))
MOMENTS = st.none() | KNOWN
JSONS = st.sampled_from([None, True, False, 0, 1, 30, 30.5, "30", "Rome", ["Rome", 1], {"a": 1}])
BAGS = st.dictionaries(st.sampled_from(["age", "city"]), JSONS, max_size=2)
SAGAS = st.sampled_from([None, "one", "two"])
TOLD = st.integers(0, 1)
"""Numbers of episodes."""
CONFIDENCES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def facts(draw, ends, number):
    start, end = draw(MOMENTS), draw(MOMENTS)
    if start and end and end <= start:
        end = start + timedelta(days=1)
    return Fact(
        f"f{number}", "default", draw(KNOWN), *ends, "a", draw(st.sampled_from(["knows", "likes"])),
        "b", "a fact", start, end, draw(MOMENTS), None, draw(MOMENTS), draw(st.booleans()),
        draw(CONFIDENCES), draw(st.sampled_from(["stated", "inferred", "manual"])),
        draw(st.booleans()), attributes=draw(BAGS),
        sources=tuple(Span(f"t{one}", 0, 1) for one in sorted(draw(st.sets(TOLD)))),
        provenance=draw(st.sampled_from([(), ("hr",), ("hr", "x")])),
    )  # fmt: skip


@st.composite
def entities(draw, number):
    kind = draw(st.sampled_from(["person", "place"]))
    labels = tuple(draw(st.lists(st.sampled_from(["vip", "old"]), max_size=2, unique=True)))
    return Entity(
        f"e{number}", "default", draw(KNOWN), f"N{number}", f"n{number}", kind, labels,
        attributes=draw(BAGS),
    )  # fmt: skip


@st.composite
def episodes(draw, number):
    source = draw(st.sampled_from(["message", "text", "json"]))
    return Episode(
        f"t{number}", "default", draw(KNOWN), f"t{number}", f"words {number}", source, draw(KNOWN),
        f"hash{number}", metadata=draw(BAGS), saga=draw(SAGAS),
    )  # fmt: skip


@st.composite
def graphs(draw):
    who = [draw(entities(number)) for number in range(3)]
    ends = st.permutations([one.id for one in who]).map(lambda ids: ids[:2])
    told = [draw(facts(draw(ends), number)) for number in range(draw(st.integers(1, 4)))]
    return {
        "facts": told,
        "entities": who,
        "episodes": [draw(episodes(number)) for number in range(2)],
        "mentions": draw(st.sets(st.tuples(TOLD, st.integers(0, 2)))),
    }


def several(values):
    return st.lists(values, max_size=3).map(tuple)


def ordered(field, values):
    return st.one_of(
        st.builds(
            Compare, st.just(field), st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), values
        ),
        st.builds(Compare, st.just(field), st.just("in"), several(values)),
    )


def plain(field, values):
    return st.one_of(
        st.builds(Compare, st.just(field), st.sampled_from(["==", "!="]), values),
        st.builds(Compare, st.just(field), st.just("in"), several(values)),
    )


def bag(field):
    path = st.sampled_from([("age",), ("city",), ("city", "a")])
    value = st.sampled_from([True, False, 0, 1, 30, 30.5, "30", "Rome"])
    op = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "contains"])
    return st.one_of(
        st.builds(Compare, st.just(field), op, value, path),
        st.builds(Compare, st.just(field), st.just("in"), several(value), path),
        st.builds(Compare, st.just(field), st.just("exists"), st.none(), path),
        st.just(Compare(field, "exists")),
    )


MOMENT_FIELDS = ("valid_at", "invalid_at", "created_at", "expired_at", "reference_time")
LEAVES = st.one_of(
    *(ordered(field, KNOWN) for field in MOMENT_FIELDS),
    *(st.just(Compare(field, "exists")) for field in MOMENT_FIELDS),
    plain("relation", st.sampled_from(["knows", "likes", "never"])),
    plain("origin", st.sampled_from(["stated", "inferred", "manual", "structural"])),
    plain("source", st.sampled_from(["message", "text", "json", "fact"])),
    plain("saga", st.sampled_from(["one", "two", "three"])),
    plain("group", st.sampled_from(["default", "other"])),
    *(
        plain(field, st.sampled_from(["person", "place", "thing"]))
        for field in ("entity_type", "subject_type", "object_type")
    ),
    ordered("confidence", CONFIDENCES),
    *(
        st.builds(Compare, st.just(field), st.sampled_from(["==", "!="]), st.booleans())
        for field in ("confirmed", "observed")
    ),
    *(bag(field) for field in ("attributes", "fact_attributes", "metadata")),
    st.builds(Compare, st.just("labels"), st.just("contains"), st.sampled_from(["vip", "new"])),
    st.builds(Compare, st.just("provenance"), st.just("contains"), st.sampled_from(["hr", "x"])),
    *(st.just(Compare(field, "exists")) for field in ("labels", "provenance")),
)
FILTERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Every(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Some(tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=6,
)

# -- the plain Python filter ----------------------------------------------------------------------

SCOPE_OF = {Fact: "facts", Entity: "entities", Episode: "episodes"}
NAMES = {
    ("fact_attributes", "facts"): "attributes",
    ("group", "facts"): "group_id",
    ("group", "entities"): "group_id",
    ("group", "episodes"): "group_id",
    ("reference_time", "episodes"): "valid_at",
}
NOT_OF = {("attributes", "facts"), ("valid_at", "entities"), ("labels", "facts")}
ABSENT = object()


def sagas_of(value, values):
    """Return the sagas of the episodes that state a fact or mention an entity."""
    told = {one.id: one.saga for one in values["episodes"]}
    if isinstance(value, Fact):
        return {told[id_] for id_ in value.episodes}
    return {told[f"t{one}"] for one, entity in values["mentions"] if value.id == f"e{entity}"}


def value_of(field, value, types):
    """Return what an item has under a field's name, or ABSENT."""
    scope = SCOPE_OF[type(value)]
    if field in ("subject_type", "object_type"):
        return types[getattr(value, field[:-5] + "_id")] if scope == "facts" else ABSENT
    if (field, scope) in NOT_OF:
        return ABSENT
    return getattr(value, NAMES.get((field, scope), field), ABSENT)


def kind(value):
    return (
        "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
    )


def fits(where, value, types, values):
    """True, False, or None if the filter says nothing of this kind of item."""
    match where:
        case Not(part):
            inner = fits(part, value, types, values)
            return None if inner is None else not inner
        case Every(parts) | Some(parts):
            found = (fits(part, value, types, values) for part in parts)
            said = [one for one in found if one is not None]
            join = all if isinstance(where, Every) else any
            return join(said) if said else None
        case Compare("saga", op, wanted) if not isinstance(value, Episode):
            wanted = set(wanted) if op == "in" else {wanted}
            return wanted.isdisjoint(sagas_of(value, values)) == (op == "!=")
        case Compare(field, op, wanted, path):
            found = value_of(field, value, types)
            if found is ABSENT:
                return None
            for key in path:
                found = found[key] if isinstance(found, dict) and key in found else None
            same = [one for one in (wanted if op == "in" else [wanted])
                    if kind(one) == kind(found) and one == found]  # fmt: skip
            comparable = found is not None and kind(found) == kind(wanted)
            return {
                "==": lambda: bool(same),
                "in": lambda: bool(same),
                "!=": lambda: not same,
                "exists": lambda: found not in (None, {}, [], ()),
                "contains": lambda: (
                    isinstance(found, list | tuple)
                    and any(kind(one) == kind(wanted) and one == wanted for one in found)
                ),
                "<": lambda: comparable and found < wanted,
                "<=": lambda: comparable and found <= wanted,
                ">": lambda: comparable and found > wanted,
                ">=": lambda: comparable and found >= wanted,
            }[op]()


def expected(where, values):
    types = {one.id: one.entity_type for one in values["entities"]}
    return {
        scope: {one.id for one in values[scope] if fits(where, one, types, values) is not False}
        for scope in SCOPE_OF.values()
    }


async def left(graph, where, viewpoint):
    """Return the ids that the masks leave, by scope."""
    ingestion = graph.handle.session
    index = await ingestion.catalog.group("default")
    past = await read_rewind(ingestion.store, "default", viewpoint)
    await prepare(where, index, ingestion.store)
    seen = visible(index, viewpoint, past, now=utc_now())
    kept = narrowed(where, index, seen, past)
    scopes = {"facts": index.facts, "entities": index.entities, "episodes": index.episodes}
    return {
        scope: {id_ for id_, row in rows.row_of.items() if getattr(kept, scope)[row]}
        for scope, rows in scopes.items()
    }


async def write(graph, values, before=None):
    """Store values as they are, or what differs from before, past the rules of writing."""
    changes = ChangeSet("default", "test")
    for scope in ("episodes", "entities", "facts"):
        for number, value in enumerate(values[scope]):
            if before is None:
                changes.insert(value, VECTOR)
            else:
                changes.change(before[scope][number], value)
    for one, entity in values["mentions"] if before is None else ():
        ends = ("episode", f"t{one}"), ("entity", f"e{entity}")
        row = edge("mentions", f"m{one}{entity}", *ends, group_id="default", start=0, end=1)
        changes.insert_row("mentions", row)
    ingestion = graph.handle.session
    index = await ingestion.catalog.group("default")
    if changes:
        await ingestion.store.apply(changes, after=index.seq)
        await ingestion.catalog.catch_up("default")


@st.composite
def histories(draw):
    """Draw a graph and what it becomes; some fields of a row stay for life."""
    first = draw(graphs())
    told = [
        replace(
            draw(facts((one.subject_id, one.object_id), one.id[1:])),
            created_at=one.created_at,
            relation=one.relation,
        )
        for one in first["facts"]
    ]
    who = [replace(draw(entities(one.id[1:])), created_at=one.created_at)
           for one in first["entities"]]  # fmt: skip
    heard = [replace(draw(episodes(one.id[1:])), created_at=one.created_at, valid_at=one.valid_at)
             for one in first["episodes"]]  # fmt: skip
    mentions = first["mentions"]
    return first, {"facts": told, "entities": who, "episodes": heard, "mentions": mentions}


@settings(max_examples=10)
@given(histories(), st.lists(FILTERS, min_size=1, max_size=8))
def test_masks_leave_what_a_plain_filter_leaves(history, wheres):
    asyncio.run(compare(*history, wheres))


async def compare(first, second, wheres):
    everything = Viewpoint(history=True)
    async with open_graph() as graph:
        await write(graph, first)
        for where in wheres[::2]:  # some columns are read before the change, others after it
            assert await left(graph, where, everything) == expected(where, first)
        then = Viewpoint(known_at=utc_now(), history=True)
        await write(graph, second, first)
        for where in wheres:
            assert await left(graph, where, everything) == expected(where, second)
            assert await left(graph, where, then) == expected(where, first)
