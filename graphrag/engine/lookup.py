"""Look up rows of a group in SurrealDB: by name, along facts, with what stands around them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphrag.index.tables import COLUMNS, Rows
from graphrag.names.key import name_key
from graphrag.schema import word_table
from graphrag.store.record import Record
from graphrag.store.store import Store
from graphrag.text.tokens import tokenize

_DEGREE = 400  # facts of an entity that are looked at for ties, and ties that are read
_COMMON = 100  # an entity that more episodes speak of leads to none: it would to all
_BESIDE = "SELECT VALUE array::concat(->occurred_after.out, <-occurred_after.in) FROM"
_SURROUNDINGS = f"""
LET $near = array::distinct(array::flatten(({_BESIDE} $texts)));
LET $nearby = array::distinct(array::concat($texts, $near, array::flatten(({_BESIDE} $near))));
LET $spoken = SELECT VALUE [in, out] FROM $nearby->mentions;
LET $of = array::distinct(array::map($spoken, |$pair| $pair[1]));
LET $linked = array::complement(array::slice(array::distinct(array::flatten((SELECT VALUE speaking
    FROM (SELECT array::slice(<-mentions.in, 0, {_COMMON + 1}) AS speaking FROM $of)
    WHERE array::len(speaking) <= {_COMMON}))), 0, $linked), $nearby);
LET $spoken = array::concat($spoken, (SELECT VALUE [in, out] FROM $linked->mentions));
LET $texts = array::concat($nearby, $linked);
LET $people = array::concat($people, array::map($spoken, |$pair| $pair[1]));
LET $passages = array::concat($passages, (SELECT VALUE {COLUMNS["passage"]} FROM passage
    WHERE episode IN $texts AND id NOT IN $passage));
"""
_HELD = """retracted_at = NONE AND (valid_at ?? $at) <= $at
    AND (invalid_at = NONE OR invalid_at > $at) AND pending != true"""
_READ = f"""
LET $around = SELECT in, out, {_HELD} AS held, id FROM $met;
LET $beside = array::distinct(array::concat($around.in, $around.out));
LET $reached = array::filter($around, |$fact| $fact.held);
LET $proposed = SELECT in, out, {COLUMNS["relates_to"]} AS row FROM $relates_to;
LET $ends = array::complement(array::distinct(array::concat($proposed.in, $proposed.out)),
    array::concat($reached.in, $reached.out));
LET $ties = set::intersect(<set>($beside<->(relates_to LIMIT {_DEGREE})),
    <set>($ends<->(relates_to LIMIT {_DEGREE})));
LET $others = SELECT in, out, {COLUMNS["relates_to"]} AS row FROM array::complement(
    array::distinct(array::concat($met, array::slice(<array>$ties, 0, {_DEGREE}))), $relates_to);
LET $passages = SELECT VALUE {COLUMNS["passage"]} FROM $passage;
LET $spoken = [];
LET $texts = array::distinct(array::concat($episode,
    array::map($passages, |$row| type::record('episode', $row[2]))));
LET $people = array::concat($entity, $proposed.in, $proposed.out, $others.in, $others.out);
%s
RETURN [
    (SELECT VALUE {COLUMNS["entity"]} FROM array::complement(array::distinct($people),
        $known_entity)),
    array::concat($proposed.row, $others.row),
    (SELECT VALUE {COLUMNS["episode"]} FROM array::complement(array::distinct($texts),
        $known_episode)),
    $passages,
    (SELECT VALUE {COLUMNS["community"]} FROM $community),
    array::map($spoken, |$pair| [record::id($pair[0]), record::id($pair[1])])
];"""


async def called(store: Store, group: str, names: Iterable[str], most: int) -> set[str]:
    """Return the ids of the entities that may be meant by some names or ids, aliases among them."""
    wanted = {*names}
    if not wanted:
        return wanted
    words = [" ".join(terms) for name in sorted(wanted) if (terms := tokenize(name))]
    table = word_table("entity", group)
    ids = await store.query(
        "SELECT VALUE record::id(id) FROM entity WITH INDEX entity_key "
        "WHERE group_id = $group AND key IN $keys;"
        + "".join(
            f"SELECT VALUE record::id(id) FROM {table} WHERE terms @@ $words{n} LIMIT {int(most)};"
            for n in range(len(words))
        ),
        group=group,
        keys=sorted({*map(name_key, wanted)} - {""}),
        **{f"words{n}": text for n, text in enumerate(words)},
    )
    return wanted.union(*ids)


async def fact_ends_at(
    store: Store, entities: Iterable[str], limit: int, relations: Collection[str] | None = None
) -> list[tuple[str, str, str]]:
    """Return id, subject and object of facts at some entities; those between two come twice."""
    along = "" if relations is None else "WHERE name IN $relations"
    [ends] = await store.query(
        "SELECT VALUE [record::id(id), record::id(in), record::id(out)] "
        f"FROM $entities<->relates_to {along} LIMIT {int(limit)};",
        entities=_records("entity", sorted(entities)),
        relations=[] if relations is None else sorted(relations),
    )
    return [(id_, subject, object_) for id_, subject, object_ in ends]


async def facts_at(store: Store, entities: Iterable[str], limit: int) -> list[str]:
    """Return the facts at some entities, as many in all: links only, no row is read."""
    sql = f"SELECT VALUE array::slice(<->relates_to, 0, {int(limit)}) FROM $entities;"
    [facts] = await store.query(sql, entities=_records("entity", sorted(entities)))
    return list(dict.fromkeys(edge.id for edges in facts for edge in edges))[:limit]


@dataclass(frozen=True, slots=True)
class Reading:
    """What is to be read."""

    rows: Mapping[str, Iterable[str]]
    """Ids by table."""
    at: datetime
    """The moment that is looked from."""
    known: Mapping[str, Iterable[str]]
    """Entities and episodes that are not read again."""
    linked: int = 0
    """How many episodes that speak of the same come along with what stands around the episodes;
    0 for nothing of it."""
    met: Iterable[str] = ()
    """Facts at the entities in question; those that tie the others to these are read, too."""


async def read_part(store: Store, reading: Reading) -> tuple[dict[str, Rows], list[Any]]:
    """Return rows by table, with the ends of facts, and pairs of episode and entity mentioned."""
    params: dict[str, Any] = {
        **{table: _records(table, reading.rows.get(table, ())) for table in COLUMNS},
        **{
            f"known_{table}": _records(table, reading.known.get(table, ()))
            for table in ("entity", "episode")
        },
        "met": _records("relates_to", reading.met),
        "at": reading.at,
        "linked": reading.linked,
    }
    surroundings = _SURROUNDINGS if reading.linked else ""
    *rows, spoken = (await store.query(_READ % surroundings, **params))[-1]
    return dict(zip(COLUMNS, rows, strict=True)), spoken


def _records(table: str, ids: Iterable[str]) -> list[Record]:
    return [Record(table, id_) for id_ in ids]
