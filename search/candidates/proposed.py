"""Rows that SurrealDB proposes of a group, by meaning, words and steps, in one request.

The nearest come from its index of vectors, those with the words of the query from its own BM25, of
the rarest words in a large group, and facts from a walk of two steps from the entities in question.
What is read of them is ordered by ``rank``; the order here decides what is read.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphrag.errors import StoreError, StoreIndexError
from graphrag.index.entries import Statistics
from graphrag.names.key import name_key
from graphrag.protocols import Matrix
from graphrag.search.candidates.limits import Limits
from graphrag.search.near import LONGEST, WORD
from graphrag.search.request import Request
from graphrag.store.record import Record
from graphrag.store.search_tables import WORDS, vector_table, word_table
from graphrag.store.store import Store
from graphrag.text.tokens import tokenize

TABLES = {
    "facts": "relates_to",
    "entities": "entity",
    "episodes": "episode",
    "communities": "community",
}
_SIZES = {"relates_to": "facts", "entity": "entities", "episode": "episodes"}
_LARGE = 5_000
"""Rows from which only the rarest words are looked up."""
_RAREST = 3
_HUGE = 50_000
"""Facts from which twice as many of the nearest are proposed."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """Rows of one scope by id, each with what a method gives it."""

    vector: float
    """Weight of meaning."""
    fulltext: float
    """Weight of words."""
    cosines: Mapping[str, float]
    """The nearest first."""
    words: Mapping[str, float]
    more: bool
    """There may be others beyond them."""

    def best(
        self, ids: Iterable[str], hops: Mapping[str, int] | None = None, graph: float = 0.0
    ) -> list[str]:
        """Return some rows, those first that promise most.

        Args:
            ids: The rows.
            hops: How far some of them are from what the question names.
            graph: Weight of being near.
        """
        near = self.vector / max(next(iter(self.cosines.values()), 0.0), 1e-9)
        said = self.fulltext / max(max(self.words.values(), default=0.0), 1e-9)
        far = hops or {}

        def promise(id_: str) -> tuple[float, str]:
            close = graph / (1 + far[id_]) if id_ in far else 0.0
            meant, found = self.cosines.get(id_, 0.0), self.words.get(id_, 0.0)
            return -(near * meant + said * found + close), id_

        return sorted(ids, key=promise)

    def ranked(
        self, limits: Limits, hops: Mapping[str, int] | None = None, graph: float = 0.0
    ) -> list[str]:
        """Return the rows that are proposed, those first that promise most.

        Before them come the best of each method: what the others have is measured by these.
        """
        said = sorted(self.words, key=lambda id_: (-self.words[id_], id_))
        far = hops or {}
        close = sorted(far, key=lambda id_: (far[id_], -self.cosines.get(id_, 0.0), id_))
        heads = (id_ for ids in (self.cosines, said, close) for id_ in [*ids][: limits.heads])
        every = {*self.cosines, *self.words, *far}
        return [*dict.fromkeys((*heads, *self.best(every, hops, graph)))]


@dataclass(frozen=True, slots=True)
class Proposals:
    """What the first request tells of a group."""

    seq: int
    sagas: Mapping[str, str]
    merged: list[tuple[str, str]]
    """Each merged entity with the one that it was merged into."""
    rows: Mapping[str, int]
    """How many rows the group has, by table; of communities and passages nobody counts."""
    statistics: Mapping[str, Statistics]
    """By table: the rows, no lengths, and how many have each word of the query."""
    scopes: Mapping[str, Proposed]
    named: frozenset[str]
    """Entities that go by a name in the query, or by one that was given."""
    spread: float | None
    """Standard deviation of the cosines of the passages that are near."""
    hops: Mapping[str, int]
    """0 for each fact at the entities in question."""


class Frequencies:
    """In how many rows words occur, as far as searches have counted them."""

    LIMIT = 50_000
    _MOST = 2_000
    """Rows that are counted; a word that more have tells little."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}

    def statement(self, table: str, term: str, name: str) -> str:
        """Return the expression that counts the rows of a word table with a term."""
        if (count := self._known.get((table, term))) is not None:
            return str(count)
        return f"count(SELECT VALUE id FROM {table} WHERE terms @@ ${name} LIMIT {self._MOST})"

    def note(self, table: str, counts: Mapping[str, int]) -> None:
        """Keep what was counted."""
        if len(self._known) > self.LIMIT:
            self._known.clear()
        self._known.update({(table, term): count for term, count in counts.items()})


async def propose(
    store: Store,
    request: Request,
    vector: Matrix,
    scopes: Iterable[str],
    limits: Limits,
    frequencies: Frequencies,
    *,
    wider: int = 1,
) -> Proposals:
    """Return what is proposed of each scope, ``wider`` times as many rows as usual.

    Raises:
        StoreIndexError: if an index is missing.
    """
    asked = [*scopes]
    terms = Counter(tokenize(request.query))
    params: dict[str, Any] = {
        "info": [Record("group_info", request.group)],
        "group": request.group,
        "vector": vector.tolist(),
        "names": sorted({*map(name_key, _names(request))} - {""}),
        "given": [*request.centers],
        **{f"term{place}": term for place, term in enumerate(terms)},
    }
    lines = [*_head(request.group), *_lines(request, asked, [*terms], limits, frequencies, wider)]
    sql = "".join(f"LET ${name} = {what};\n" for name, what in lines)
    given = ", ".join(f"{name}: ${name}" for name, _ in lines if not name.startswith("_"))
    try:
        found = (await store.query(f"{sql}RETURN {{ {given} }};", **params))[-1]
    except StoreError as error:
        if "does not exist" not in str(error) or request.group not in await store.groups():
            raise
        raise StoreIndexError(
            f"a search table of group {request.group!r} is missing: 'surreal-graphrag index "
            "build', or health.build_indexes(), makes it"
        ) from None
    return _read(request, asked, [*terms], found, frequencies, limits, wider)


def _names(request: Request) -> Iterable[str]:
    """Yield the words that may name an entity: those given, and every few words in a row."""
    yield from request.centers
    words = WORD.findall(request.query)[:200]
    for start in range(len(words)):
        for length in range(1, LONGEST + 1):
            yield " ".join(words[start : start + length])


def _head(group: str) -> Iterable[tuple[str, str]]:
    yield "known", "SELECT * FROM $info"
    yield "sagas", "SELECT VALUE [name, record::id(id)] FROM saga WHERE group_id = $group"
    yield (
        "merged",
        "SELECT VALUE [record::id(id), record::id(merged_into)] FROM entity "
        "WITH INDEX entity_merged WHERE group_id = $group AND merged_into > NONE",
    )


def _lines(
    request: Request,
    scopes: list[str],
    terms: list[str],
    limits: Limits,
    frequencies: Frequencies,
    wider: int,
) -> Iterable[tuple[str, str]]:
    """Yield what is asked: names, and expressions that may use the names before."""
    group = request.group
    for table in _near_tables(scopes):
        most = wider * limits.near_of(table, request.recipe.pool_of("facts"))
        name = vector_table(table, group)
        near, far = (
            f"SELECT VALUE [vector::distance::knn(), record::id(id)] FROM {name} "
            f"WHERE vector <|{count},{count + 30}|> $vector"
            for count in (most, 2 * most)
        )
        huge = f"IF ($known[0].facts ?? 0) >= {_HUGE} {{ {far} }} ELSE {{ {near} }}"
        yield f"near_{table}", huge if table == "relates_to" else near
    for table in (TABLES[scope] for scope in scopes):
        if not terms or table not in WORDS:
            yield f"said_{table}", "[]"
            continue
        name = word_table(table, group)
        counts = [
            frequencies.statement(name, term, f"term{place}") for place, term in enumerate(terms)
        ]
        pairs = ", ".join(f"{{ t: $term{n}, n: {count} }}" for n, count in enumerate(counts))
        yield f"counts_{table}", f"[{pairs}]"
        size = f"$known[0].{_SIZES.get(table, 'none')} ?? 0"
        few = f"IF ({size}) >= {_LARGE} {{ {_RAREST} }} ELSE {{ 99 }}"
        yield (
            f"_rare_{table}",
            f"array::join(array::map((SELECT t, n FROM $counts_{table} WHERE n > 0 ORDER BY n "
            f"LIMIT ({few})), |$one| $one.t), ' ')",
        )
        yield (
            f"said_{table}",
            "SELECT * FROM (SELECT record::id(id) AS id, search::score(1) AS score, keys "
            f"FROM {name} WHERE terms @1,OR@ $_rare_{table}) "
            f"ORDER BY score DESC LIMIT {wider * limits.words}",
        )
    if "facts" in scopes and request.recipe.walks:
        yield from _walk(request, limits)


def _near_tables(scopes: list[str]) -> list[str]:
    found = [TABLES[scope] for scope in scopes]
    return [*found, "passage"] if "episode" in found else found


def _walk(request: Request, limits: Limits) -> Iterable[tuple[str, str]]:
    """Yield the facts at the entities in question: given, named, or the nearest."""
    yield (
        "named",
        "SELECT VALUE id FROM $said_entity WHERE keys ANYINSIDE $names",
    )
    yield (
        "_seeds",
        "array::distinct(array::concat($given, $named, "
        "IF array::len($given) + array::len($named) > 0 { [] } ELSE { "
        f"array::map(array::slice(array::sort($near_entity), 0, {request.recipe.seeds}), "
        "|$row| $row[1]) }))",
    )
    yield (
        "_family",
        "array::distinct(array::concat($_seeds, array::flatten(array::filter($merged, "
        "|$pair| $pair[0] IN $_seeds OR $pair[1] IN $_seeds))))",
    )
    yield (
        "met",
        "array::distinct(array::flatten((SELECT VALUE "
        f"array::slice(<->relates_to, 0, {limits.walk}) "
        "FROM array::map($_family, |$id| type::record('entity', $id)))))",
    )


def _read(
    request: Request,
    scopes: list[str],
    terms: list[str],
    found: Mapping[str, Any],
    frequencies: Frequencies,
    limits: Limits,
    wider: int,
) -> Proposals:
    known = found["known"][0] if found["known"] else {}
    rows = {table: known.get(name) or 0 for table, name in _SIZES.items()}
    statistics: dict[str, Statistics] = {}
    for table in WORDS:
        counts = {row["t"]: row["n"] for row in found.get(f"counts_{table}", ())}
        frequencies.note(word_table(table, request.group), counts)
        statistics[table] = Statistics(rows.get(table, 0), 0, counts)
    proposed: dict[str, Proposed] = {}
    near = {table: _cosines(table, found[f"near_{table}"]) for table in _near_tables(scopes)}
    for scope in scopes:
        table, weights = TABLES[scope], getattr(request.recipe, scope)
        cosines = near[table]
        if scope == "episodes":
            cosines = _with_passages(cosines, near["passage"])
        said = {row["id"]: row["score"] for row in found[f"said_{table}"]}
        # Entities are looked for in any case: a walk sets out from those that a question names.
        own = scope == "entities"
        meaning = weights.vector * (1 if own else request.recipe.vector)
        words = weights.fulltext * (1 if own else request.recipe.fulltext)
        least = wider * min(limits.words, limits.near_of(table, 0))
        proposed[scope] = Proposed(
            meaning,
            words,
            cosines if meaning else {},
            said if words else {},
            max(len(cosines), len(said)) >= least,
        )
    passages = [*near.get("passage", {}).values()]
    mean = sum(passages) / max(1, len(passages))
    spread = (sum((one - mean) ** 2 for one in passages) / max(1, len(passages))) ** 0.5
    met = {edge.id: 0 for edge in found.get("met", ())}
    return Proposals(
        known.get("seq") or 0,
        dict(found["sagas"]),
        [(merged, heir) for merged, heir in found["merged"]],
        rows,
        statistics,
        proposed,
        frozenset(found.get("named", ())),
        spread if passages else None,
        met,
    )


def _cosines(table: str, rows: list[list[Any]]) -> dict[str, float]:
    """Return the nearest by id, nearest first.

    Raises:
        StoreIndexError: without an index, where SurrealDB gives every row and no distance.
    """
    if any(distance is None for distance, _ in rows):
        raise StoreIndexError(
            f"the vectors of {table} have no index: it is being built, or run 'surreal-graphrag "
            "index build', or health.build_indexes()"
        )
    return {id_: 1 - distance for distance, id_ in sorted(rows)}


def _with_passages(episodes: dict[str, float], passages: dict[str, float]) -> dict[str, float]:
    """Return the cosine of each episode, or that of its best passage."""
    found = dict(episodes)
    for id_, cosine in passages.items():
        episode = id_.rpartition(":")[0]
        found[episode] = max(cosine, found.get(episode, -1.0))
    return dict(sorted(found.items(), key=lambda one: -one[1]))
