"""Knowledge updates: is what was said first closed, and does what was said last rank first?

``FOLDER`` holds ``corpus.jsonl`` (messages: id, group, speaker, time, text) and ``queries.jsonl``
(questions: text, group, and the ids of the old and of the new messages, ``gold_old`` and
``gold_new``), as made from BEAM. Messages of one day are told a second apart, in their order.

A fact counts for a message if the message states it. A question counts as closed if a fact of an
old message was ended or replaced by one of a new message; facts that both state count for neither,
and a question whose old and new messages are the same is left out.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from graphrag import Fact, GraphRAG, NewEpisode
from graphrag.temporal.moment import parse_moment
from tests.benchmarks.report import Report, Section

_DEPTH = 1000
Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, with the ranks of the old and the new; 0 for none."""

    old_facts: int
    new_facts: int
    closed: bool
    closed_by_any: bool
    fact_ranks: tuple[int, int]
    episode_ranks: tuple[int, int]


async def measure(report: Report, folder: Path) -> None:
    """Tell every conversation that has such questions, and ask them."""
    corpus: dict[str, list[Line]] = defaultdict(list)
    for message in _lines(folder / "corpus.jsonl"):
        corpus[message["group"]].append(message)
    questions: dict[str, list[Line]] = defaultdict(list)
    for question in _lines(folder / "queries.jsonl"):
        old, new = (set(question.get(key, ())) for key in ("gold_old", "gold_new"))
        if old - new and new - old:
            questions[question["group"]].append(question)
    asked: list[Asked] = []
    rows = []
    for group, some in questions.items():
        async with GraphRAG.open("mem://") as graph:
            done = await graph.add_episodes(_episodes(corpus[group]))
            found = [await _ask(graph, question) for question in some]
            sound = (await graph.health.check_all()).sound
            stats = await graph.stats()
        asked += found
        rows.append(
            {
                "conversation": group,
                "messages": stats.episodes,
                "facts": stats.facts,
                "ended": stats.facts_ended,
                "seconds": done.seconds,
                "sound": str(sound),
                "questions": len(some),
                "closed": sum(one.closed for one in found),
                "fact ranks old/new": " ".join(f"{o}/{n}" for o, n in _pairs(found, "fact")),
                "message ranks old/new": " ".join(f"{o}/{n}" for o, n in _pairs(found, "episode")),
            }
        )
        report.say(str(rows[-1]))
    report.add(Section("conversations (rank 0: not found)", rows))
    report.add(Section(f"{len(asked)} knowledge updates", list(_summary(asked))))


async def _ask(graph: GraphRAG, question: Line) -> Asked:
    old, new = (set(question[key]) for key in ("gold_old", "gold_new"))
    old, new = old - new, new - old
    names = await _names(graph)
    every = await _facts(graph)
    stated = {fact.id: {names[id_] for id_ in fact.episodes} for fact in every}
    only_old = {id_ for id_, by in stated.items() if by & old and not by & new}
    only_new = {id_ for id_, by in stated.items() if by & new and not by & old}
    ended = [fact for fact in every if fact.id in only_old and fact.expired_at]
    ended += [fact for fact in every if fact.id in only_old and fact.retracted_at]
    results = await graph.search(question["text"], limit=_DEPTH)
    facts = [hit.item.id for hit in results.facts]
    episodes = [names[hit.item.id] for hit in results.episodes]
    return Asked(
        len(only_old),
        len(only_new),
        any(fact.invalidated_by in only_new for fact in ended),
        bool(ended),
        (_rank(facts, only_old), _rank(facts, only_new)),
        (_rank(episodes, old), _rank(episodes, new)),
    )


async def _names(graph: GraphRAG) -> dict[str, str]:
    [rows] = await graph.handle.session.store.query(
        "SELECT record::id(id) AS id, name FROM episode;"
    )
    return {row["id"]: row["name"] for row in rows}


async def _facts(graph: GraphRAG) -> list[Fact]:
    ingestion = graph.handle.session
    index = await ingestion.catalog.group("default")
    return list((await ingestion.store.get(Fact, index.facts.ids)).values())


def _episodes(messages: Sequence[Line]) -> Iterable[NewEpisode]:
    told: dict[datetime, int] = defaultdict(int)
    for message in messages:
        day = parse_moment(message["time"])
        when = day + timedelta(seconds=told[day])
        told[day] += 1
        yield NewEpisode(f"{message['speaker']}: {message['text']}", when, name=message["id"])


def _summary(asked: Sequence[Asked]) -> Iterable[dict[str, str | float]]:
    def row(what: str, count: int, of: int) -> dict[str, str | float]:
        return {"what": what, "questions": count, "of": of}

    yield row("the old message states a fact", sum(one.old_facts > 0 for one in asked), len(asked))
    yield row("the new message states a fact", sum(one.new_facts > 0 for one in asked), len(asked))
    yield row("an old fact was closed by a new one", sum(one.closed for one in asked), len(asked))
    yield row("an old fact was closed by any", sum(one.closed_by_any for one in asked), len(asked))
    for what, which in (("fact", "fact"), ("message", "episode")):
        ranks = _pairs(asked, which)
        both = [(old, new) for old, new in ranks if old and new]
        yield row(f"a {what} of the old and of the new is found", len(both), len(asked))
        yield row(f"the new {what} ranks above the old", _above(both), len(both))
        only = sum(bool(new) and not old for old, new in ranks)
        yield row(f"only the new {what} is found", only, len(asked))
        for depth in (1, 5, 10):
            near = sum(0 < new <= depth for _, new in ranks)
            yield row(f"a new {what} is among the first {depth}", near, len(asked))
            far = sum(0 < old <= depth for old, _ in ranks)
            yield row(f"an old {what} is among the first {depth}", far, len(asked))


def _above(ranks: Iterable[tuple[int, int]]) -> int:
    return sum(new < old for old, new in ranks)


def _pairs(asked: Iterable[Asked], which: str) -> list[tuple[int, int]]:
    return [one.fact_ranks if which == "fact" else one.episode_ranks for one in asked]


def _rank(ranking: Sequence[str], wanted: set[str]) -> int:
    return next((place for place, id_ in enumerate(ranking, 1) if id_ in wanted), 0)


def _lines(path: Path) -> Iterable[Line]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
