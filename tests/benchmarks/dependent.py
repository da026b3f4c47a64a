"""Facts that depend on facts: is what rested on a fact right after that fact has changed?

``FOLDER`` holds ``corpus.jsonl`` (episodes with what they mean as operations), ``queries.jsonl``,
``rules.jsonl`` and ``relations.json``, as ``dependent_worlds.py`` writes them. Every world is told
twice: as operations through ``add_fact`` and ``edit``, and as text with a recorded reading. To
forget is to retract whatever was said of a subject and a relation, either way.

A question is right if exactly the expected objects are given; one is stale if an object is given
that holds no longer. Summaries, communities and sagas are searched for facts that do not hold now.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from graphrag import Derives, Ends, GraphRAG, Models, Needs, Relation, Relations, Rules
from graphrag.errors import QueryError
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.ontology.standing import StandingRule
from graphrag.protocols import ExtractionContext
from graphrag.temporal.moment import parse_moment, utc_now
from graphrag.testing import HashEmbedder
from tests.benchmarks.report import Report, Section

Line = dict[str, Any]
_DOORS = ("operations", "texts")


@dataclass(slots=True)
class World:
    """One group."""

    relations: Mapping[str, Line]
    episodes: list[Line] = field(default_factory=list)
    rules: list[Line] = field(default_factory=list)
    queries: list[Line] = field(default_factory=list)

    def standing(self) -> tuple[StandingRule, ...]:
        """Return the rules as the library takes them."""
        return tuple(map(_rule, self.rules))


@dataclass(frozen=True, slots=True)
class Recorded:
    """An extractor that reads what was recorded for a text."""

    world: World

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return the reading of an episode, by its name."""
        episode = context.episode
        [line] = [one for one in self.world.episodes if one["id"] == episode.name]
        end = len(episode.content)
        claims = []
        for op in line["ops"]:
            if op["op"] == "delete":
                continue
            kinds = self.world.relations[op["relation"]]
            subject, object_ = (Mention(op[part], kinds[part]) for part in ("subject", "object"))
            ends = op["op"] == "end"
            date = parse_moment(op["at" if ends else "valid_from"])
            since = {"invalid_at": date, "ends": True} if ends else {"valid_at": date}
            claims.append(Claim(subject, op["relation"], object_, episode.content, 0, end, **since))
        return Extraction((), tuple(claims))


async def measure(report: Report, folder: Path) -> None:
    """Tell every world through both doors, and ask."""
    worlds = _worlds(folder)
    totals: dict[str, dict[str, list[tuple[bool, bool]]]] = {}
    texts = []
    for door in _DOORS:
        totals[door] = defaultdict(list)
        stale = [0, 0, 0]
        unsound = 0
        for world in worlds.values():
            async with GraphRAG.open(
                "mem://",
                models=Models(embedder=HashEmbedder(), extractor=Recorded(world)),
                rules=Rules(relations=_relations(world), standing=world.standing()),
            ) as graph:
                moments = await _tell(graph, world, door)
                for query in world.queries:
                    given = await _ask(graph, query, moments)
                    gold, old = set(query["gold"]), set(query["stale"])
                    right = {_plain(one) for one in gold} == {_plain(one) for one in given}
                    wrong = {_plain(one) for one in old} & {_plain(one) for one in given}
                    totals[door][query["category"]].append((right, bool(wrong)))
                unsound += not (await graph.health.check_all()).sound
                for place, count in enumerate(await _stale_sentences(graph)):
                    stale[place] += count
        names = ("summaries", "communities", "sagas")
        found: Line = dict(zip(names, stale, strict=True))
        texts.append({"door": door, **found, "worlds that check() finds fault with": unsound})
    for door, by_category in totals.items():
        rows = [
            {
                "category": category,
                "questions": len(some),
                "right %": 100 * sum(right for right, _ in some) / len(some),
                "stale %": 100 * sum(wrong for _, wrong in some) / len(some),
            }
            for category, some in sorted(by_category.items())
        ]
        report.add(Section(f"told as {door}, {len(worlds)} worlds", rows))
    report.add(Section("sentences that present what is over as current", texts))


async def _tell(graph: GraphRAG, world: World, door: str) -> list[tuple[str, datetime]]:
    """Tell a world; return when each day of telling was over."""
    moments = []
    for episode in world.episodes:
        if door == "texts":
            await graph.add_episode(
                episode["text"],
                name=episode["id"],
                reference_time=episode["time"],
                saga=episode["group"],
            )
        for op in episode["ops"]:
            if op["op"] == "delete":
                await _forget(graph, op)
            elif door == "operations":
                await _operate(graph, op, world)
        moments.append((episode["time"], utc_now()))
    return moments


async def _operate(graph: GraphRAG, op: Line, world: World) -> None:
    kinds = world.relations[op["relation"]]
    if op["op"] == "assert":
        await graph.add_fact(
            op["subject"],
            op["relation"],
            op["object"],
            valid_at=op["valid_from"],
            subject_type=kinds["subject"],
            object_type=kinds["object"],
        )
        return
    for fact in await graph.at(history=True).facts(op["subject"], relation=op["relation"]):
        same = _plain(fact.object) == _plain(op["object"]) and not fact.derived_from
        if same and fact.invalid_at is None and fact.retracted_at is None:
            await graph.edit.invalidate(fact, op["at"])


async def _forget(graph: GraphRAG, op: Line) -> None:
    for fact in await graph.at(history=True).facts(op["subject"], relation=op["relation"]):
        about = _plain(fact.subject) == _plain(op["subject"]) and not fact.derived_from
        if about and fact.retracted_at is None:
            await graph.edit.retract(fact, "forgotten")


async def _ask(graph: GraphRAG, query: Line, moments: Sequence[tuple[str, datetime]]) -> list[str]:
    known = max((at for day, at in moments if day <= query["asked_at"]), default=None)
    everything = query["mode"] == "all"
    valid_at = None if everything else query["as_of"]
    known_at = None if known == moments[-1][1] else known
    view = graph.at(valid_at=valid_at, known_at=known_at, history=everything)
    try:
        facts = await view.facts(query["subject"], relation=query["relation"])
    except QueryError:
        return []
    subject = _plain(query["subject"])
    return [fact.object for fact in facts if _plain(fact.subject) == subject]


async def _stale_sentences(graph: GraphRAG) -> tuple[int, int, int]:
    """Count the clauses that present a fact as current that is not."""
    every = await graph.at(history=True).facts(limit=10_000)
    now = {_words(fact) for fact in every if fact.invalid_at is None and not fact.retracted_at}
    over = {_words(fact) for fact in every} - now
    await graph.communities.build()
    counts = [0, 0, 0]
    for entity in await graph.entities(limit=10_000):
        counts[0] += _current(entity.summary, over)
    for community in await graph.communities.list():
        counts[1] += _current(community.summary, over)
    for saga in await graph.sagas.list():
        told = await graph.sagas.summarize(saga.name)
        counts[2] += _current(told.summary, over)
    return counts[0], counts[1], counts[2]


def _current(text: str, over: set[str]) -> int:
    """Count the clauses of a text that say what is over, without saying until when."""
    clauses = [one.strip(" .") for one in text.replace("\n", ";").split(";")]
    bare = [one for one in clauses if " to " not in one and "until" not in one]
    return sum(any(words in one for words in over) for one in bare)


def _words(fact: Any) -> str:
    return f"{fact.relation.replace('_', ' ')} {fact.object}"


def _worlds(folder: Path) -> dict[str, World]:
    relations = json.loads((folder / "relations.json").read_text(encoding="utf-8"))
    queries = _lines(folder / "queries.jsonl")
    domain_of = {query["group"]: query["domain"] for query in queries}
    worlds = {group: World(relations[domain]) for group, domain in domain_of.items()}
    for episode in _lines(folder / "corpus.jsonl"):
        worlds[episode["group"]].episodes.append(episode)
    for rule in _lines(folder / "rules.jsonl"):
        worlds[rule["group"]].rules.append(rule)
    for query in queries:
        worlds[query["group"]].queries.append(query)
    return worlds


def _relations(world: World) -> Relations:
    return Relations(
        Relation(name, single_valued=one["functional"] and not one["derived"])
        for name, one in world.relations.items()
    )


def _rule(line: Line) -> StandingRule:
    match line["type"]:
        case "ends":
            return Ends(line["id"], when=tuple(line["trigger"]), ends=tuple(line["pattern"]))
        case "needs":
            support = tuple(map(tuple, line["support"]))
            return Needs(line["id"], fact=tuple(line["pattern"]), support=support)
        case _:
            body, unless = (tuple(map(tuple, line.get(name, ()))) for name in ("body", "unless"))
            return Derives(line["id"], head=tuple(line["head"]), body=body, unless=unless)


def _lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())
