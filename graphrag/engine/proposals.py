"""Rows that SurrealDB proposes of a group, by meaning, words and steps, in one request.

The nearest come from its index of vectors, those with the words of a query from its own BM25, of a
large group by the rarest words, and facts from the entities that the query is about.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphrag.errors import StoreError, StoreIndexError
from graphrag.index.bm25 import Statistics
from graphrag.schema import vector_table, word_table
from graphrag.store.record import Record
from graphrag.store.store import Store

_SIZES = {"relates_to": "facts", "entity": "entities", "episode": "episodes"}
_LARGE, _RAREST, _RARE = 5_000, 3, 4
"""Rows from which only so few of the rarest words are looked up; so many where there are less."""
_KNOWN_WORDS = 50_000
_COUNTED, _COUNTED_PART = 4_000, 5
"""Rows with a word that are counted, or such a part of a group: a more common word tells little."""
Frequencies = dict[tuple[str, str], int]
"""In how many rows of a word table a term occurs, as far as searches have counted it."""


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """What is asked of a group."""

    group: str
    vector: Sequence[float]
    terms: Sequence[str]
    """The words of the query, each once."""
    near: Mapping[str, int]
    """How many of the nearest rows, by table."""
    worded: Sequence[str]
    """Tables whose rows are looked for by words."""
    words: int
    """How many rows with those words."""
    names: Sequence[str] = ()
    """Keys of what may name an entity in the query."""
    given: Sequence[str] = ()
    """Ids of entities that the query is about."""
    seeds: int = 0
    """Entities that a walk starts from where none is named; 0: no walk."""
    walk: int = 0
    """Facts of an entity that a walk meets."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """What a group answers."""

    seq: int
    sagas: Mapping[str, str]
    merged: Sequence[tuple[str, str]]
    """Each merged entity with the one that it was merged into."""
    rows: Mapping[str, int]
    """How many rows the group has, by table; of communities and passages nobody counts."""
    statistics: Mapping[str, Statistics]
    """By table: its rows, no lengths, and how many have each word."""
    near: Mapping[str, Mapping[str, float]]
    """Cosines by table and id, the nearest first."""
    worded: Mapping[str, Mapping[str, float]]
    """Scores of BM25 by table and id."""
    named: Sequence[str]
    """Entities that go by one of the names."""
    met: Sequence[str]
    """Facts at the entities that the query is about."""


async def propose(
    store: Store, wanted: ProposalRequest, frequencies: Frequencies
) -> Proposals | None:
    """Ask for everything in one request; None if nobody wrote to the group."""
    params: dict[str, Any] = {
        "info": [Record("group_info", wanted.group)],
        "group": wanted.group,
        "vector": wanted.vector,
        "names": wanted.names,
        "given": wanted.given,
        **{f"term{place}": term for place, term in enumerate(wanted.terms)},
    }
    lines = [*_about(), *_near(wanted), *_worded(wanted, frequencies), *_met(wanted)]
    # Without its index a table gives no row for any word, and no error.
    sql = "".join(f"INFO FOR TABLE {word_table(table, wanted.group)};" for table in wanted.worded)
    sql += "".join(f"LET ${name} = {what};\n" for name, what in lines)
    given = ", ".join(f"{name}: ${name}" for name, _ in lines if not name.startswith("_"))
    try:
        *infos, answer = await store.query(f"{sql}RETURN {{ {given} }};", **params)
    except StoreError as error:
        if "does not exist" not in str(error):
            raise
        if wanted.group not in await store.groups():
            return None
        raise _unbuilt(f"a search table of group {wanted.group!r} is missing") from None
    for table, info in zip(wanted.worded, infos, strict=False):
        if "words" not in info["indexes"]:
            raise _unbuilt(f"the words of {table} have no index")
    known = answer["known"][0] if answer["known"] else {}
    rows = {table: known.get(name) or 0 for table, name in _SIZES.items()}
    statistics: dict[str, Statistics] = {}
    for table in wanted.worded:
        counts = {row["t"]: row["n"] for row in answer[f"counts_{table}"]}
        name = word_table(table, wanted.group)
        if len(frequencies) > _KNOWN_WORDS:
            frequencies.clear()
        frequencies.update({(name, term): count for term, count in counts.items()})
        statistics[table] = Statistics(rows.get(table, 0), 0, counts)
    return Proposals(
        known.get("seq") or 0,
        dict(answer["sagas"]),
        [(merged, heir) for merged, heir in answer["merged"]],
        rows,
        statistics,
        {table: _cosines(table, answer[f"near_{table}"]) for table in wanted.near},
        {
            table: {row["id"]: row["score"] for row in answer[f"worded_{table}"]}
            for table in wanted.worded
        },
        answer["named"],
        [edge.id for edge in answer["met"]],
    )


Lines = Iterator[tuple[str, str]]
"""Names, and expressions that may use the names before; one with ``_`` is not given back."""


def _about() -> Lines:
    yield "known", "SELECT * FROM $info"
    yield "sagas", "SELECT VALUE [name, record::id(id)] FROM saga WHERE group_id = $group"
    yield (
        "merged",
        "SELECT VALUE [record::id(id), record::id(merged_into)] FROM entity "
        "WITH INDEX entity_merged WHERE group_id = $group AND merged_into > NONE",
    )


def _near(wanted: ProposalRequest) -> Lines:
    for table, most in wanted.near.items():
        name = vector_table(table, wanted.group)
        yield (
            f"near_{table}",
            f"SELECT VALUE [vector::distance::knn(), record::id(id)] FROM {name} "
            f"WHERE vector <|{int(most)},{int(most) + 30}|> $vector",
        )


def _worded(wanted: ProposalRequest, frequencies: Frequencies) -> Lines:
    most = max(_COUNTED, frequencies.get((wanted.group, ""), 0) // _COUNTED_PART)
    for table in wanted.worded:
        name = word_table(table, wanted.group)
        counted = f"count(SELECT VALUE id FROM {name} WHERE terms @@ $term%d LIMIT {most})"
        counts = ", ".join(
            f"{{ t: $term{place}, n: {frequencies.get((name, term), counted % place)} }}"
            for place, term in enumerate(wanted.terms)
        )
        size = f"$known[0].{_SIZES.get(table, 'none')} ?? 0"
        yield f"counts_{table}", f"[{counts}]"
        yield (
            f"_rare_{table}",
            f"array::join(array::map((SELECT t, n FROM $counts_{table} WHERE n > 0 ORDER BY n "
            f"LIMIT (IF ({size}) >= {_LARGE} {{ {_RAREST} }} ELSE {{ {_RARE} }})), "
            "|$word| $word.t), ' ')",
        )
        yield (
            f"worded_{table}",
            "SELECT * FROM (SELECT record::id(id) AS id, search::score(1) AS score "
            f"FROM {name} WHERE terms @1,OR@ $_rare_{table}) "
            f"ORDER BY score DESC LIMIT {int(wanted.words)}",
        )


def _met(wanted: ProposalRequest) -> Lines:
    """Yield the facts at the entities in question: given, named, or else the nearest."""
    table = word_table("entity", wanted.group)
    named = f"SELECT VALUE record::id(id) FROM {table} WHERE keys CONTAINSANY $names"
    yield "named", named if wanted.names else "[]"
    near = "array::sort($near_entity)" if "entity" in wanted.near else "[]"
    yield (
        "_seeds",
        "array::distinct(array::concat($given, $named, "
        "IF array::len($given) + array::len($named) > 0 { [] } ELSE { "
        f"array::map(array::slice({near}, 0, {int(wanted.seeds)}), |$row| $row[1]) }}))",
    )
    yield (
        "_family",
        "array::distinct(array::concat($_seeds, array::flatten(array::filter($merged, "
        "|$pair| $pair[0] IN $_seeds OR $pair[1] IN $_seeds))))",
    )
    entities = "array::map($_family, |$id| type::record('entity', $id))"
    facts = f"array::distinct({entities}<->(relates_to LIMIT {int(wanted.walk)}))"
    yield "met", facts if wanted.seeds else "[]"


def _cosines(table: str, rows: Iterable[tuple[float | None, str]]) -> dict[str, float]:
    """Return the nearest by id, nearest first; without an index all rows come, with no distance."""
    near = [(distance, id_) for distance, id_ in rows if distance is not None]
    if len(near) < len([*rows]):
        raise _unbuilt(f"the vectors of {table} have no index, or it is being built")
    return {id_: 1 - distance for distance, id_ in sorted(near)}


def _unbuilt(what: str) -> StoreIndexError:
    return StoreIndexError(f"{what}: 'surreal-graphrag index build', or health.build_indexes()")
