"""Why something was not found: is the stage that lost it the one that is named?

Misses of every stage are made on purpose over a generated graph, each by what causes it: a fact of
another group, a search with another filter, a moment before it began. What is told of their ranks
is compared with a search that returns all of them.
"""

import random
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from graphrag import (
    Episode,
    ExtractionContext,
    Fact,
    Field,
    GraphRAG,
    Models,
    Placement,
    Recipe,
    Rules,
    Within,
)
from graphrag.display.cards import triple
from graphrag.model.extraction import Extraction
from graphrag.testing import HashEmbedder
from graphrag.view.view import View
from tests.benchmarks.report import Report, Section

PEOPLE, FIRMS, TOWNS, THINGS = 60, 12, 8, 30


class Nothing:
    """An extractor that reads nothing."""

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return nothing."""
        return Extraction()


@dataclass(frozen=True, slots=True)
class Miss:
    """Something that is not found, and why."""

    stage: str
    view: View
    query: str
    item: Fact | Episode | Any
    options: dict[str, Any] = field(default_factory=dict)
    rank: int | None = None

    async def explained(self) -> Placement:
        """Return what is said of it."""
        return await self.view.explain(self.query, self.item, **self.options)

    def right(self, said: Placement) -> bool:
        """Tell whether the stage is named, and the rank, if there is one."""
        return said.stage == self.stage and self.rank in (None, said.rank)


async def measure(report: Report, count: int = 200) -> None:
    """Explain so many misses."""
    asked, right = Counter[str](), Counter[str]()
    wrong = []
    async for miss in misses(count):
        said = await miss.explained()
        asked[miss.stage] += 1
        right[miss.stage] += miss.right(said)
        if not miss.right(said):
            wrong.append(f"{miss.stage}: said {said!r}, rank {said.rank} for {miss.rank}")
    rows = [{"stage": one, "misses": asked[one], "named": right[one]} for one in sorted(asked)]
    share = 100 * right.total() / asked.total()
    rows.append({"stage": f"all ({share:.1f} %)", "misses": asked.total(), "named": right.total()})
    report.add(Section("Misses whose stage is named", rows, wrong[:10]))


def opened() -> GraphRAG:
    """Return a graph without models of language."""
    models = Models(embedder=HashEmbedder(), extractor=Nothing())
    return GraphRAG.open("mem://", models=models, rules=Rules(trust={"register": 1, "forum": -1}))


async def misses(count: int, *, seed: int = 7) -> AsyncIterator[Miss]:
    """Yield so many misses, the same number of every stage but for one."""
    rng = random.Random(seed)
    async with opened() as graph:
        await _tell(graph, rng)
        makers = [
            make(graph, rng)
            for make in (
                _never_stored, _of_other_groups, _untimely, _later, _retracted, _overruled,
                _waiting, _filtered, _out_of_reach, _merged, _merged_facts, _unproposed, _below,
                _irrelevant, _cut, _episodes,
            )
        ]  # fmt: skip
        made = 0
        while makers and made < count:
            for maker in list(makers):
                if (miss := await anext(maker, None)) is None:
                    makers.remove(maker)
                elif made < count:
                    made += 1
                    yield miss


async def _tell(graph: GraphRAG, rng: random.Random) -> None:
    rows = []
    for at in range(PEOPLE):
        start = rng.randint(1990, 2010)
        rows += [
            _row(f"Person{at}", "works_at", f"Firm{rng.randrange(FIRMS)}", start, start + 5),
            _row(f"Person{at}", "works_at", f"Firm{rng.randrange(FIRMS)}", start + 6),
            _row(f"Person{at}", "lives_in", f"Town{rng.randrange(TOWNS)}", start),
            _row(f"Person{at}", "enjoys", f"Thing{rng.randrange(THINGS)}", start),
        ]
    rows += [_row(f"Ship{at}", "sails_to", f"Island{at}", 2000) for at in range(30)]
    await graph.load.facts(rows, judge=False)
    for at in range(30):
        text = f"Letter {at}: the weather in Town{at % TOWNS} was mild, wrote Person{at}."
        await graph.add_episode(text, reference_time=f"{2000 + at % 20}-03-01")


def _row(subject: str, relation: str, object_: str, start: int, end: int | None = None) -> Any:
    row = {"subject": subject, "relation": relation, "object": object_, "valid_at": str(start)}
    return row | ({} if end is None else {"invalid_at": str(end)})


async def _facts(graph: GraphRAG, relation: str, rng: random.Random) -> list[Fact]:
    found = list(await graph.facts(relation=relation, limit=1000))
    rng.shuffle(found)
    return found


def _asks(fact: Fact) -> str:
    return f"What {fact.relation.replace('_', ' ')} of {fact.subject}?"


async def _never_stored(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for fact in await _facts(graph, "works_at", rng):
        yield Miss("never stored", graph, _asks(fact), fact.id[:-4] + f"{rng.randrange(16**4):04x}")


async def _of_other_groups(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    other = graph.group("others")
    await other.load.facts([_row(f"Person{at}", "works_at", "Elsewhere", 2001) for at in range(20)])
    for fact in await _facts(other, "works_at", rng):
        yield Miss("other group", graph, _asks(fact), fact)


async def _untimely(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    every = graph.at(history=True)
    for fact in await every.facts(relation="works_at", limit=1000):
        if fact.invalid_at is not None and fact.valid_at is not None:
            yield Miss("not valid then", graph, _asks(fact), fact)
            early = graph.at(valid_at=f"{fact.valid_at.year - 1}-06-01")
            yield Miss("not valid then", early, _asks(fact), fact)


async def _later(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    [last] = await graph.log.events(limit=1)
    rows = [_row(f"Person{at}", "collects", f"Stamp{at}", 2001) for at in range(20)]
    await graph.load.facts(rows)
    then = graph.at(known_at=last.at)
    for fact in await _facts(graph, "collects", rng):
        yield Miss("not known then", then, _asks(fact), fact)


async def _retracted(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for fact in (await _facts(graph, "enjoys", rng))[:20]:
        await graph.edit.retract(fact, reason="a slip")
        yield Miss("retracted", graph, _asks(fact), fact)


async def _overruled(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for at in range(20):
        said = {"valid_at": "2001", "reference_time": "2020"}
        await graph.add_fact(f"Judge{at}", "lives_in", "Town1", source="register", **said)
        await graph.add_fact(f"Judge{at}", "lives_in", "Town2", source="forum", **said)
        facts = await graph.at(history=True).facts(f"Judge{at}")
        for fact in facts:
            if fact.closed_as == "overruled":
                yield Miss("overruled", graph, _asks(fact), fact)


async def _waiting(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for at in range(20):
        await graph.add_fact(f"Person{at}", "rumoured_in", f"Town{at % TOWNS}", confidence=0.3)
    for one in await graph.edit.pending(limit=1000):
        if one.fact.relation == "rumoured_in":
            yield Miss("waits for review", graph, _asks(one.fact), one.fact)


async def _filtered(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    where = Field.relation == "lives_in"
    for fact in await _facts(graph, "works_at", rng):
        yield Miss("filtered out", graph, _asks(fact), fact, {"where": where, "scopes": ["facts"]})


async def _out_of_reach(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for fact in await _facts(graph, "sails_to", rng):
        within = {"within": Within("Person1", hops=1), "scopes": ["facts"]}
        yield Miss("filtered out", graph, _asks(fact), fact, within)


async def _merged(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for at in range(20):
        await graph.add_fact(f"Captain{at}", "commands", f"Ship{at}", valid_at="2001")
        await graph.add_fact(f"Skipper{at}", "commands", f"Ship{at}", valid_at="2001")
        kept, given_up = [await graph.entity(f"{name}{at}") for name in ("Captain", "Skipper")]
        assert kept is not None and given_up is not None
        await graph.identity.merge(kept, given_up, reason="one and the same")
        yield Miss("merged", graph, f"Who commands Ship{at}?", given_up)


async def _merged_facts(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for at in range(20):
        await graph.add_fact(f"Pilot{at}", "guides", f"Ship{at}", valid_at="2001")
        await graph.add_fact(f"Guide{at}", "guides", f"Ship{at}", valid_at="2001")
        [twin] = await graph.facts(f"Guide{at}")
        await graph.identity.merge(f"Pilot{at}", f"Guide{at}", reason="one and the same")
        yield Miss("merged", graph, f"Who guides Ship{at}?", twin)


async def _unproposed(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    asked = await _facts(graph, "lives_in", rng)
    few = {"recipe": Recipe(pool=1), "limit": 1, "scopes": ["facts"]}
    for fact, other in zip(await _facts(graph, "sails_to", rng), asked, strict=False):
        yield Miss("no candidate", graph, _asks(other), fact, few)


async def _below(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for fact in (await _facts(graph, "lives_in", rng))[:25]:
        query = f"Who lives in {fact.object}?"
        hits = (await graph.search(query, scopes=["facts"], limit=60)).facts
        place = rng.randrange(1, len(hits))
        options = {"scopes": ["facts"], "limit": rng.randint(1, place)}
        yield Miss("below the limit", graph, query, hits[place].item, options, place + 1)


async def _irrelevant(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for fact in (await _facts(graph, "lives_in", rng))[:25]:
        query = f"Who lives in {fact.object}?"
        hits = (await graph.search(query, scopes=["facts"])).facts
        hit = rng.choice(hits)
        recipe = Recipe(min_score=min(1.0, hit.relevance + 0.01))
        options = {"scopes": ["facts"], "recipe": recipe}
        yield Miss("too little relevance", graph, query, hit.item, options)


async def _cut(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for fact in (await _facts(graph, "lives_in", rng))[:25]:
        query = f"Who lives in {fact.object}?"
        results = await graph.search(query, scopes=["facts"])
        text = results.context(60).text
        options = {"scopes": ["facts"], "max_tokens": 60}
        for hit in results.facts[-1:]:
            assert triple(hit.item) not in text
            yield Miss("cut by the budget", graph, query, hit.item, options)


async def _episodes(graph: GraphRAG, rng: random.Random) -> AsyncIterator[Miss]:
    for episode in await graph.episodes(limit=1000):
        query = f"What was the weather, {episode.content.split()[-1]}"
        early = graph.at(valid_at=f"{episode.valid_at.year - 1}-01-01")
        yield Miss("not valid then", early, query, episode)
        hits = (await graph.search(query, scopes=["episodes"], limit=60)).episodes
        options = {"scopes": ["episodes"], "limit": len(hits) - 1}
        last = hits[-1].item
        yield Miss("below the limit", graph, query, last, options, len(hits))
