"""What walking verbs should find, in plain Python over the rows as they are stored.

A ``Snapshot`` copies the rows at one moment of system time; nothing of the log, of views in time or
of the columns in memory is used, so it can judge what is worked out from those.
"""

from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from datetime import datetime

from graphrag.store.record import unlinked
from graphrag.temporal.moment import utc_now


@dataclass(frozen=True)
class Told:
    """One fact, about the entities that its ends speak through."""

    id: str
    subject: str
    relation: str
    object: str
    start: datetime | None
    end: datetime | None
    hidden: bool
    retracted: bool
    cost: float

    @property
    def ends(self):
        return {self.subject, self.object}

    def holds(self, at):
        begun = self.start is None or self.start <= at
        return begun and (self.end is None or at < self.end) and not (self.hidden or self.retracted)

    def other(self, here):
        return self.object if here == self.subject else self.subject


class Snapshot:
    """All rows of a group at a moment."""

    def __init__(self, taken, entities, facts, episodes, mentions):
        self.taken = taken
        self.into = {row["id"].id: row.get("merged_into") for row in entities}
        self.there = {
            row["id"].id
            for row in entities
            if row.get("merged_into") is None and row.get("removed_at") is None
        }
        self.facts = [
            Told(
                row["id"].id,
                self.heir(row["in"].id),
                row["name"],
                self.heir(row["out"].id),
                row.get("valid_at"),
                row.get("invalid_at"),
                bool(row.get("pending")),
                row.get("retracted_at") is not None,
                2 - row["confidence"],
            )
            for row in facts
        ]
        self.episodes = {
            row["id"].id: row["valid_at"] for row in episodes if row.get("removed_at") is None
        }
        self.mentions = [(row["in"].id, self.heir(row["out"].id)) for row in mentions]

    @classmethod
    async def of(cls, graph):
        store = graph.handle.session.store
        rows = await store.query(
            "SELECT * FROM entity; SELECT * FROM relates_to; SELECT * FROM episode; "
            "SELECT * FROM mentions;"
        )
        return cls(utc_now(), *([*map(unlinked, table)] for table in rows))

    def heir(self, id_):
        while self.into[id_] is not None:
            id_ = self.into[id_]
        return id_

    def at(self, moment):
        """Return what holds at a moment of world time."""
        facts = [fact for fact in self.facts if fact.holds(moment) and fact.ends <= self.there]
        return Graph(self, moment, facts)


class Graph:
    """The facts that hold at one moment."""

    def __init__(self, snapshot, moment, facts):
        self.snapshot = snapshot
        self.moment = moment
        self.facts = facts

    def distances(self, starts, depth, relations=None):
        near = defaultdict(set)
        for fact in self.facts:
            if relations is None or fact.relation in relations:
                near[fact.subject].add(fact.object)
                near[fact.object].add(fact.subject)
        found = dict.fromkeys(starts, 0)
        waiting = deque(starts)
        while waiting:
            here = waiting.popleft()
            if found[here] < depth:
                for there in near[here] - found.keys():
                    found[there] = found[here] + 1
                    waiting.append(there)
        return found

    def neighbors(self, start, depth, relations=None):
        """Return distance and facts that lead nearer, by entity."""
        far = self.distances([start], depth, relations)
        return {
            one: (
                distance,
                {
                    fact.id
                    for fact in self.facts
                    if one in fact.ends
                    and (relations is None or fact.relation in relations)
                    and far.get(fact.other(one), -1) == distance - 1
                },
            )
            for one, distance in far.items()
            if distance
        }

    def ways(self, start, end, longest):
        """Return the cost and the entities of every path, cheapest first."""
        cheapest = {}
        for fact in self.facts:
            if fact.subject != fact.object:
                for pair in ((fact.subject, fact.object), (fact.object, fact.subject)):
                    cheapest[pair] = min(fact.cost, cheapest.get(pair, fact.cost))

        def walk(path, cost):
            if path[-1] == end:
                yield round(cost, 6), path
            elif len(path) <= longest:
                for here, there in cheapest:
                    if here == path[-1] and there not in path:
                        yield from walk((*path, there), cost + cheapest[here, there])

        return sorted(walk((start,), 0.0), key=lambda way: (way[0], len(way[1])))

    def degrees(self):
        return Counter(end for fact in self.facts for end in fact.ends)

    def edges(self, inside):
        return Counter(
            (fact.subject, fact.relation, fact.object) for fact in self.facts if fact.ends <= inside
        )

    def about(self, entity):
        return {fact.id for fact in self.facts if entity in fact.ends}

    def ended(self, entity):
        """Return when the facts about an entity ended, by id."""
        return {
            fact.id: fact.end
            for fact in self.snapshot.facts
            if entity in fact.ends
            and not (fact.hidden or fact.retracted)
            and fact.end is not None
            and fact.end <= self.moment
        }

    def spoken(self, entities, until):
        return {
            episode
            for episode, entity in self.snapshot.mentions
            if entity in entities
            and episode in self.snapshot.episodes
            and (until is None or self.snapshot.episodes[episode] <= until)
        }

    def within(self, starts, hops, relations, until):
        """Return entities, facts and episodes within some hops."""
        far = self.distances(starts, hops, relations)
        inner = {one for one, distance in far.items() if distance < hops}
        facts = {
            fact.id
            for fact in self.facts
            if fact.ends & inner and (relations is None or fact.relation in relations)
        }
        return set(far), facts, self.spoken(inner, until)

    def visible(self, start, through, hops, until):
        """Return entities, facts and episodes that an entity can know."""
        known = set(self.distances([start], hops, through))
        facts = {
            fact.id
            for fact in self.snapshot.facts
            if fact.ends & known
            and not (fact.hidden or fact.retracted)
            and (fact.start is None or fact.start <= self.moment)
        }
        return known, facts, self.spoken(known, until)
