"""Read rows of a group with what stands around them, in one request."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphrag.index.tables import COLUMNS, Rows
from graphrag.store.record import Record
from graphrag.store.store import Store

_DEGREE = 400
"""Facts of an entity that are looked at for ties, and ties that are read."""
_COMMON = 100
"""An entity that more episodes speak of leads to none: it would to all."""
_BESIDE = "SELECT VALUE array::concat(->occurred_after.out, <-occurred_after.in) FROM"
_SURROUNDINGS = f"""
LET $near = array::distinct(array::flatten(({_BESIDE} $texts)));
LET $nearby = array::distinct(array::concat($texts, $near, array::flatten(({_BESIDE} $near))));
LET $spoken = SELECT VALUE [in, out] FROM $nearby->mentions;
LET $of = array::distinct(array::map($spoken, |$pair| $pair[1]));
LET $linked = array::complement(array::slice(array::distinct(array::flatten((SELECT VALUE told
    FROM (SELECT array::slice(<-mentions.in, 0, {_COMMON + 1}) AS told FROM $of)
    WHERE array::len(told) <= {_COMMON}))), 0, $linked), $nearby);
LET $spoken = array::concat($spoken, (SELECT VALUE [in, out] FROM $linked->mentions));
LET $texts = array::concat($nearby, $linked);
LET $people = array::concat($people, array::map($spoken, |$pair| $pair[1]));
LET $passages = array::concat($passages, (SELECT VALUE {COLUMNS["passage"]} FROM passage
    WHERE episode IN $texts AND id NOT IN $passage));
"""
_READ = """
LET $ends = array::distinct(array::flatten((SELECT VALUE [in, out] FROM $best)));
LET $beside = array::distinct(array::flatten((SELECT VALUE [in, out] FROM $met)));
LET $ties = set::intersect(
    <set>array::flatten((SELECT VALUE array::slice(<->relates_to, 0, {degree}) FROM $ends)),
    <set>array::flatten((SELECT VALUE array::slice(<->relates_to, 0, {degree}) FROM $beside)));
LET $facts = SELECT VALUE {relates_to} FROM array::distinct(
    array::concat($relates_to, $met, array::slice(<array>$ties, 0, {degree})));
LET $passages = SELECT VALUE {passage} FROM $passage;
LET $spoken = [];
LET $texts = array::distinct(array::concat($episode,
    array::map($passages, |$row| type::record('episode', $row[2]))));
LET $people = array::concat($entity, array::flatten(
    array::map($facts, |$row| [type::record('entity', $row[2]), type::record('entity', $row[3])])));
{surroundings}
RETURN [
    (SELECT VALUE {entity} FROM array::complement(array::distinct($people), $known_entity)),
    $facts,
    (SELECT VALUE {episode} FROM array::complement(array::distinct($texts), $known_episode)),
    $passages,
    (SELECT VALUE {community} FROM $community),
    array::map($spoken, |$pair| [record::id($pair[0]), record::id($pair[1])])
];"""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is to be read."""

    rows: Mapping[str, Iterable[str]]
    """Ids by table."""
    known: Mapping[str, Iterable[str]]
    """Entities and episodes that are not read again."""
    linked: int = 0
    """How many episodes that speak of the same come along with what stands around the episodes;
    0 for nothing of it."""
    best: Iterable[str] = ()
    """Facts whose ties to those that were met are read, too."""
    met: Iterable[str] = ()


async def read_part(store: Store, reading: Reading) -> tuple[dict[str, Rows], list[Any]]:
    """Return rows by table, with the ends of facts, and pairs of episode and entity mentioned."""
    params: dict[str, Any] = {
        **{table: _records(table, reading.rows.get(table, ())) for table in COLUMNS},
        **{f"known_{table}": _records(table, ids) for table, ids in reading.known.items()},
        "best": _records("relates_to", reading.best),
        "met": _records("relates_to", reading.met),
        "linked": reading.linked,
    }
    surroundings = _SURROUNDINGS if reading.linked else ""
    sql = _READ.format(**COLUMNS, surroundings=surroundings, degree=_DEGREE)
    *found, spoken = (await store.query(sql, **params))[-1]
    return dict(zip(COLUMNS, found, strict=True)), spoken


def _records(table: str, ids: Iterable[str]) -> list[Record]:
    return [Record(table, id_) for id_ in ids]
