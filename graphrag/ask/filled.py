"""A question read by a language model: what it is shown of a graph, and its answer as a query.

It is shown what the graph can be asked, but no fact: it writes a query, and the facts answer that.
Whatever it writes is checked on the graph before it is evaluated.
"""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest
from typing import Final

from graphrag.ask.evaluate import solve
from graphrag.ask.facts import Solution, matching
from graphrag.ask.names import tokens_of
from graphrag.ask.prompts import Filled, Limit, Part
from graphrag.ask.query import Bound, Named, Order, Query, Wants
from graphrag.ask.world import CannotAnswer, FactRow, World
from graphrag.display.visible import flatten
from graphrag.extract.llm.wire import relation_name
from graphrag.names.key import name_key
from graphrag.search.near import named_entities
from graphrag.temporal.interval import Interval, Period, unit_from
from graphrag.temporal.moment import parse_moment, precision_of
from graphrag.text.split import count_tokens

_MOST, _RELATIONS, _ENDS = 12, 64, 40
"""Entities and relations that are shown, and entities whose relations a second hop may take."""
_ROOM: Final = 350
"""Tokens of all of them."""
_LONGEST: Final = 80
"""Characters of a name that are shown."""
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af・ー]+")
_SPEAKER: Final = "user"


def vocabulary(question: str, near: Sequence[int], world: World, at: datetime) -> str:
    """Return what a question may ask: entities that it may mean with their relations, and others.

    ``near`` are entities that a search finds, for names that are misspelt or of another language.
    """
    called = _called(question, world, at)
    room, lines, ends, listed = _ROOM, list[str](), list[int](), set[str]()
    for row in list(dict.fromkeys((*called, *near)))[:_MOST]:
        facts = world.rows([row])
        line = _described(row, called.get(row, ""), facts, world)
        if (room := room - count_tokens(line)) < 0:
            break
        lines.append(line)
        listed.update(fact.relation for fact in facts)
        if row in called:
            ends += [fact.subject + fact.object - row for fact in facts]  # their other ends
    far = [fact.relation for fact in world.rows(list(dict.fromkeys(ends))[:_ENDS])]
    codes = world.index.facts["relation"][: len(world.seen.facts)][world.seen.facts]
    used = (world.index.relations[code] for code, _ in Counter(codes.tolist()).most_common())
    others = list[str]()
    for name in dict.fromkeys((*far, *(world.relations.canonical(name)[0] for name in used))):
        if name not in listed and len(listed) + len(others) < _RELATIONS:
            if (room := room - count_tokens(name) - 1) < 0:
                break
            others.append(name)
    more = [f"Other relations: {', '.join(others)}"] if others else []
    return "\n".join(("Entities:", *lines, *more))


def _described(row: int, words: str, facts: Sequence[FactRow], world: World) -> str:
    """Return an entity with its relations: ``Ann Lee (person): → works_at 2; ← parent_of 1``."""
    name = flatten(world.name(row))[:_LONGEST]
    counts = Counter(("→" if fact.subject == row else "←", fact.relation) for fact in facts)
    kinds = {fact.relation: world.kind(fact.subject + fact.object - row) for fact in facts}
    sides = dict[str, list[str]]()
    for (side, relation), count in counts.most_common(_RELATIONS // 2):
        sides.setdefault(side, []).append(f"{relation} {count}{_aside(kinds[relation])}")
    known = "; ".join(f"{side} {', '.join(sides[side])}" for side in "→←" if side in sides)
    alias = f"“{words}”" if words and name_key(words) != name_key(name) else ""
    return f"{name}{_aside(world.kind(row), alias)}: {known or 'no facts'}"


def _aside(*words: str) -> str:
    kept = "; ".join(word for word in words if word not in ("", "thing", "entity"))
    return f" ({kept})" if kept else ""


def _called(question: str, world: World, at: datetime) -> dict[int, str]:
    """Return the entities that words of a question name, a few of each name first, by row."""
    index, seen = world.index, world.seen
    names: list[list[tuple[int, str]]] = []
    for small in (False, True):
        for token in tokens_of(question, index, seen, at, small=small):
            if token.named is not None and token.named.ids:
                names.append([(row, token.text) for row in world.rows_of(token.named)])
    for run in _UNSPACED.findall(question):
        for start in range(len(run)):
            for end in range(len(run), start + 1, -1):
                if ids := seen.named(run[start:end], index):
                    names.append([(index.entities.row_of[id_], run[start:end]) for id_ in ids])
                    break
    names.append([(row, "") for row in named_entities(question, index, seen)])
    names.append([(index.entities.row_of[id_], "") for id_ in seen.named(_SPEAKER, index)])
    rows: dict[int, str] = {}
    for turn in zip_longest(*names):
        for row, words in filter(None, turn):
            rows.setdefault(row, words)
    return rows


_OPEN: Final = "?"
_NOTE: Final = re.compile(r" \([^()]*\)$")
_OR: Final = re.compile(r"[,|]| or ")
_HOPS, _LIMITS, _REASON = 4, 6, 300
_TWICE: Final = "the query of the model has two conditions on one entity"
_UNRELATED: Final = "the query of the model does not say what is compared"


@dataclass(frozen=True)
class Reader:
    """The answer of a model to a question; ``CannotAnswer`` says what the graph does not know."""

    filled: Filled
    world: World
    at: datetime
    names: list[Named] = field(default_factory=list, init=False)
    """The entities that the query names."""
    _used: list[Part] = field(default_factory=list, init=False)

    def query(self, question: str) -> Query:
        """Return the answer as a query, with names and relations that the graph knows.

        Raises:
            CannotAnswer: if it is none, or speaks of what the graph does not know.
        """
        filled = self.filled
        if not filled.answerable:
            raise CannotAnswer(f"no query asks this: {flatten(filled.why)[:_REASON]}")
        if len(filled.hops) > _HOPS or len(filled.limits) > _LIMITS:
            raise CannotAnswer("the query of the model is too large")
        pattern, limits = self._pattern(filled, filled.hops), [*map(self._limit, filled.limits)]
        if any(hop not in self._used for hop in filled.hops):
            raise CannotAnswer(_TWICE)
        among = tuple(map(self._named, filled.among))
        if not {"which": len(among) > 1, "whether": True}.get(filled.wants, not among):
            raise CannotAnswer(_UNRELATED)
        wants: Wants = "until"
        if filled.wants != "ended":
            wants = "how long" if filled.wants == "how long ago" else filled.wants
        known = _period(filled.known_at)
        return replace(
            pattern,
            wants=wants,
            kind=filled.kind,
            holds=filled.holds,
            bounds=tuple(limit for limit in limits if isinstance(limit, Bound)),
            edge="end" if filled.wants == "ended" else pattern.edge,
            unit=filled.unit or None,
            without=tuple(map(self._named, filled.without)),
            among=among,
            apart=next((limit for limit in limits if isinstance(limit, Query)), None),
            ago=filled.wants == "how long ago",
            known_at=None if known is None else known.end - datetime.resolution,
            words=question,
        )

    def _limit(self, limit: Limit) -> Bound | Query | None:
        """Return a fact that bounds the answer or is measured to; check one taken for granted."""
        main, ends = {self.filled.subject, self.filled.object}, {limit.subject, limit.object}
        if _OPEN in ends and ends.isdisjoint(main - {"", _OPEN}):
            raise CannotAnswer(_TWICE)
        query, wants = self._pattern(limit, self.filled.hops), self.filled.wants
        if limit.link == "given":
            if solve(replace(query, wants="whether"), self.world).values == ["no"]:
                raise CannotAnswer(f"no such fact is known: {query.pattern}")
            return None
        if limit.link != "to" or wants == "age":  # the age at a moment is measured to it
            return Bound("while" if limit.link == "to" else limit.link, query, limit.nearest)
        if wants != "how long":
            raise CannotAnswer(_UNRELATED)
        return query

    def _pattern(self, part: Part, hops: Sequence[Part]) -> Query:
        """Return a pattern of facts, with the one bearer of each name that has such facts."""
        subject, object_ = (self._term(end, hops) for end in (part.subject, part.object))
        first, last = _period(part.earliest), _period(part.latest)
        start, end = None if first is None else first.start, None if last is None else last.end
        query = Query(
            subject,
            tuple(self._relation(name) for names in part.relation for name in _OR.split(names)),
            object_,
            interval=Interval(start, end) if start or end else None,
            order=Order(part.order, max(1, part.n)) if part.order else None,
            edge=part.edge or None,
        )
        if not query.relation and None in (subject, object_):
            raise CannotAnswer("the query of the model names no relation")
        if subject is object_ is None and part is self.filled and part.among:
            return query
        rows = matching(query, self.world, Solution())
        holder = self._bearer(subject, "subject", rows, replace(query, object=None))
        held = self._bearer(object_, "object", rows, replace(query, subject=None))
        named = isinstance(subject, Named) or isinstance(object_, Named)
        if named and not (isinstance(holder, Named) or isinstance(held, Named)):
            raise CannotAnswer(f"nothing is known: {query.pattern}")
        return replace(query, subject=holder or subject, object=held or object_)

    def _term(self, name: str, hops: Sequence[Part]) -> "Named | Query | None":
        """Return an end of a pattern: an entity, the facts that lead to it, or None if open."""
        if name and not name.startswith(_OPEN):
            return self._named(name)
        hop = next((hop for hop in hops if name in (hop.subject, hop.object)), None)
        if name in ("", _OPEN) or hop is None:
            return None
        self._used.append(hop)
        side = "subject" if hop.subject == name else "object"
        rest = [step for step in hops if step is not hop]
        return self._pattern(hop.model_copy(update={side: ""}), rest)

    def _named(self, name: str) -> Named:
        """Return the entities that a name may mean, as the model wrote it or without its type."""
        index, seen = self.world.index, self.world.seen
        for words in (name, _NOTE.sub("", name)):
            ids = tuple(seen.named(words, index))
            parts = [token.named for token in tokens_of(words, index, seen, self.at, small=True)]
            short = parts[0] if len(parts) == 1 else None
            named = Named(words, ids, full=len(ids)) if ids else short
            if named is not None and named.ids:
                self.names.append(named)
                return named
        raise CannotAnswer(f"no entity is called {flatten(name)[:_LONGEST]!r}")

    def _relation(self, given: str) -> str:
        for name in (*self.world.index.relations, *self.world.relations):
            if relation_name(name) == relation_name(given):
                return str(name)
        raise CannotAnswer(f"no relation is called {flatten(given)[:_LONGEST]!r}")

    def _bearer(
        self, term: "Named | Query | None", side: str, rows: Sequence[FactRow], alone: Query
    ) -> "Named | Query | None":
        """Return the one entity of a name that is an end of facts, of these or of any alike."""
        if not isinstance(term, Named):
            return term
        row_of = self.world.index.entities.row_of
        ends = {row.at(side) for row in rows or matching(alone, self.world, Solution())}
        own = [id_ for id_ in term.ids if row_of[id_] in ends]
        have = [id_ for id_ in own if id_ in term.ids[: term.full]] or own
        if len(have) > 1:
            names = ", ".join(self.world.name(row_of[id_]) for id_ in have)
            raise CannotAnswer(f"“{term}” may mean several: {names}")
        return Named(term.name, (have[0],)) if have else None


def _period(given: str) -> Period | None:
    """Return the day, month or year that a model writes, as ISO 8601."""
    text = given.strip()[:10]
    if text in ("", _OPEN):
        return None
    precision = precision_of(text)
    with suppress(ValueError, OverflowError):
        if precision != "exact":
            return unit_from(parse_moment(text), precision)
    raise CannotAnswer(f"no such date: {flatten(given)[:_LONGEST]!r}")
