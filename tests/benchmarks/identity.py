"""Which records are one: pair recall and F1 where the answers are known, and what a name costs.

``FOLDER`` holds folders with ``records_a.jsonl``, perhaps ``records_b.jsonl``, and pairs ``a``,
``b`` of record ids in ``matches.jsonl``, as made from DBLP-ACM and Febrl. A publication is known by
its title, a person by given name and surname; nothing else is compared, except attributes if so
said.

``merged`` are pairs that the write path makes one entity of without asking, ``asked`` the ones that
it leaves to an arbiter as they come, ``proposed`` those of ``identity.candidates``.
"""

import asyncio
import json
import random
import string
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.index.load import enter_values
from graphrag.model.extraction import Mention
from graphrag.model.ids import new_id
from graphrag.model.values import Entity
from graphrag.names.key import name_key
from graphrag.resolve.duplicates import likely_pairs
from graphrag.resolve.mentions import resolve
from graphrag.temporal.moment import utc_now
from tests.benchmarks.cutoffs import by_likeness, by_meaning
from tests.benchmarks.registers import registers
from tests.benchmarks.report import Report, Section, p50, p95

_SIZES = (1_000, 10_000, 100_000)
_ASKED = 400
_DIMENSION = 64
"""Of vectors that mean nothing: names and attributes are measured."""
_NAMED = frozenset({"id", "title", "name", "given_name", "surname"})
Record = dict[str, Any]
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Records:
    """A list of records and which of them are one."""

    name: str
    mentions: dict[str, Mention]
    described: dict[str, Mention]
    gold: frozenset[Pair]
    sides: dict[str, int]
    """Which list a record is in; only records of different lists are compared, if there are two."""


def measure(report: Report, folder: Path | None) -> None:
    """Measure the records, if they are there, and the cost of a name in groups of growing size."""
    made_up = [Records(name, one[0], one[0], *one[1:]) for name, one in registers()]
    rows = [row for records in made_up for row in _quality(records)]
    report.add(Section("Pairs of records that were made up", rows))
    if folder is None:
        report.say("no folder of records: give --records FOLDER to measure recall and F1")
    else:
        rows = [row for name in _folders(folder) for row in _quality(_read(folder / name))]
        report.add(Section("Pairs of records", rows, [__doc__.split("\n\n")[2].replace("\n", " ")]))
        cut = [row for name in _folders(folder) for row in _cut_offs(_read(folder / name))]
        report.add(Section("Pairs by likeness of their names", cut))
    report.add(Section("Pairs by meaning of their names", asyncio.run(by_meaning())))
    report.add(Section("Resolving one name", [_cost(size) for size in _SIZES]))


def _folders(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob("*/matches.jsonl"))


def _quality(records: Records) -> Iterator[dict[str, str | float]]:
    kinds = [("name", _bare(records.mentions))]
    if any(mention.attributes for mention in records.described.values()):
        kinds.append(("name and attributes", records.described))
    for known_by, mentions in kinds:
        began = time.perf_counter()
        same, asked, proposed = found_pairs(mentions)
        seconds = time.perf_counter() - began
        for what, found in (
            ("merged", same),
            ("merged or asked", same | asked),
            ("merged or proposed", same | proposed),
        ):
            pairs = {pair for pair in found if len({records.sides[id_] for id_ in pair}) == 2}
            if len(set(records.sides.values())) == 1:
                pairs = found
            hits = len(pairs & records.gold)
            precision, recall = hits / max(len(pairs), 1), hits / len(records.gold)
            yield {
                "records": records.name,
                "known by": known_by,
                "pairs": what,
                "found": len(pairs),
                "wrong": len(pairs) - hits,
                "precision": precision,
                "pair recall": recall,
                "F1": 2 * precision * recall / max(precision + recall, 1e-9),
                "seconds": seconds,
            }


def _bare(mentions: dict[str, Mention]) -> dict[str, Mention]:
    return {id_: Mention(one.name, one.entity_type) for id_, one in mentions.items()}


def _cut_offs(records: Records) -> Iterator[dict[str, str | float]]:
    return by_likeness(records.name, records.mentions, records.gold, records.sides)


def found_pairs(mentions: dict[str, Mention]) -> tuple[set[Pair], set[Pair], set[Pair]]:
    """Tell the records one by one; return the pairs made one, those asked about, and proposed."""
    index = GroupIndex("records", _DIMENSION)
    chance = np.random.default_rng(0)
    bearers: dict[str, list[str]] = {}
    asked: set[Pair] = set()
    for record, mention in mentions.items():
        resolution = resolve([mention], index, created_at=utc_now(), doubts=True)
        index_of = resolution.entity_of.get(mention)
        if index_of is None:
            continue
        for entity in resolution.created.values():
            vector = chance.standard_normal(_DIMENSION).astype(np.float32)
            enter_values(index, [entity], {entity.id: vector / np.linalg.norm(vector)})
        for doubt in resolution.doubts:
            for candidate in doubt.candidates:
                asked |= {frozenset((record, other)) for other in bearers[candidate.id]}
        bearers.setdefault(index_of, []).append(record)
    same = {frozenset(two) for ids in bearers.values() for two in combinations(ids, 2)}
    likely = asyncio.run(likely_pairs(index, {}))
    proposed = {
        frozenset(pair) for one, other in likely for pair in product(bearers[one], bearers[other])
    }
    return same, asked, proposed


def _read(folder: Path) -> Records:
    mentions: dict[str, Mention] = {}
    described: dict[str, Mention] = {}
    sides: dict[str, int] = {}
    for side, name in enumerate(("records_a.jsonl", "records_b.jsonl")):
        if (folder / name).is_file():
            for row in _lines(folder / name):
                mention = _mention(row)
                mentions[row["id"]] = mention
                attributes = {key: row[key] for key in row if key not in _NAMED and row[key]}
                described[row["id"]] = Mention(
                    mention.name, mention.entity_type, attributes=attributes
                )
                sides[row["id"]] = side
    gold = frozenset(frozenset((row["a"], row["b"])) for row in _lines(folder / "matches.jsonl"))
    return Records(folder.name, mentions, described, gold, sides)


def _mention(row: Record) -> Mention:
    if "title" in row:
        return Mention(row["title"], "work")
    # Febrl has no capitals; a text has, and the rules tell names from phrases by them.
    name = f"{row.get('given_name', '')} {row.get('surname', '')}"
    return Mention(name.strip().title(), "person")


def _lines(path: Path) -> Iterator[Record]:
    for text in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(text)


def _cost(size: int) -> dict[str, str | float]:
    """Resolve names in a group of people: half of them misspelt, half new."""
    chance = random.Random(size)
    names = list(_people(chance, size))
    index = GroupIndex("people", 2)
    now = utc_now()
    people = [Entity(new_id(), "people", now, name, name_key(name), "person") for name in names]
    began = time.perf_counter()
    enter_values(index, people, dict.fromkeys((entity.id for entity in people), np.ones(2)))
    entered = time.perf_counter() - began
    began = time.perf_counter()
    index.names.like("nobody at all")
    filed = time.perf_counter() - began
    asked = [_misspelt(chance.choice(names), chance) for _ in range(_ASKED)]
    asked += _people(chance, _ASKED)
    return {
        "entities": size,
        "rules p50 µs": p50(_times(asked, index, doubts=False)),
        "rules p95 µs": p95(_times(asked, index, doubts=False)),
        "with look-alikes p50 µs": p50(_times(asked, index, doubts=True)),
        "with look-alikes p95 µs": p95(_times(asked, index, doubts=True)),
        "entering s": entered,
        "filing look-alikes s": filed,
    }


def _times(names: Iterable[str], index: GroupIndex, *, doubts: bool) -> Sequence[float]:
    times = []
    for name in names:
        began = time.perf_counter()
        resolve([Mention(name, "person")], index, created_at=utc_now(), doubts=doubts)
        times.append(1e6 * (time.perf_counter() - began))
    return times


def _people(chance: random.Random, count: int) -> Iterator[str]:
    syllables = [a + b for a in "bcdfgklmnprstvw" for b in "aeiou"]
    given = ["".join(chance.choices(syllables, k=3)).title() for _ in range(3_000)]
    family = ["".join(chance.choices(syllables, k=3)).title() + "n" for _ in range(20_000)]
    for _ in range(count):
        yield f"{chance.choice(given)} {chance.choice(family)}"


def _misspelt(name: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(name))
    return name[:place] + chance.choice(string.ascii_lowercase) + name[place + 1 :]
