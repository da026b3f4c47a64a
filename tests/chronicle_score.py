"""How well the graph of the demo chronicle agrees with its ground truth."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from graphrag import GraphRAG
from graphrag.model.values import Fact
from graphrag.names.key import name_key
from tests.demo_truth import Truth, TruthFact

_SYMMETRIC = {"married_to", "engaged_to", "sibling_of", "friend_of", "merged_with"}
_TOLERANCE = {"day": 3, "month": 32, "year": 367, "observed": 120}
"""Days by which a start may differ, by how precisely the text gives it."""


@dataclass(slots=True)
class Score:
    """Counts over the relations that the truth uses."""

    stored: int = 0
    right: int = 0
    true: int = 0
    found: int = 0
    dated: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    misdated: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of the stored facts that are true."""
        return self.right / self.stored if self.stored else 0.0

    @property
    def recall(self) -> float:
        """Share of the true facts that are stored."""
        return self.found / self.true if self.true else 0.0


async def stored_facts(graph: GraphRAG) -> list[Fact]:
    store = graph.handle.session.store
    [ids] = await store.query("SELECT VALUE record::id(id) FROM relates_to;")
    return [fact for fact in (await store.get(Fact, ids)).values() if not fact.retracted_at]


async def score_facts(graph: GraphRAG, truth: Truth) -> Score:
    names: dict[str, set[str]] = {}
    for entity in truth.entities:
        for form in (entity.name, *entity.aliases):
            names.setdefault(name_key(form), set()).add(entity.name)
    store = graph.handle.session.store
    facts = await stored_facts(graph)
    aliases = {}
    [rows] = await store.query("SELECT record::id(id) AS id, name, aliases FROM entity;")
    for row in rows:
        aliases[row["id"]] = [row["name"], *(row["aliases"] or ())]
    relations = {fact.relation for fact in truth.facts}
    score = Score(true=sum(not fact.implied for fact in truth.facts))
    hit: set[int] = set()
    for fact in facts:
        if fact.relation not in relations:
            continue
        score.stored += 1
        subjects = set().union(*(names.get(name_key(n), {n}) for n in aliases[fact.subject_id]))
        objects = set().union(*(names.get(name_key(n), {n}) for n in aliases[fact.object_id]))
        matches = [
            (number, true)
            for number, true in enumerate(truth.facts)
            if true.relation == fact.relation and _meet(true, subjects, objects)
        ]
        label = f"{fact.subject} {fact.relation} {fact.object} {_span(fact)} <- {fact.text[:110]}"
        if not matches:
            score.wrong.append(label)
        else:
            score.right += 1
            near = [number for number, true in matches if _dates_agree(fact, true)]
            score.dated += bool(near)
            if not near:
                score.misdated.append(f"{label} | true {[_span(t) for _, t in matches]}")
            hit |= set(near) or {matches[0][0]}
        for no in truth.not_facts:
            if no.relation == fact.relation and no.subject in subjects and no.object in objects:
                score.forbidden.append(label)
    score.found = sum(number in hit for number, fact in enumerate(truth.facts) if not fact.implied)
    score.missed = [
        f"{fact.subject} {fact.relation} {fact.object} {_span(fact)} {fact.episodes}"
        for number, fact in enumerate(truth.facts)
        if number not in hit and not fact.implied
    ]
    return score


async def answers_in_top(graph: GraphRAG, truth: Truth, k: int = 3) -> tuple[int, list[str]]:
    names = {entity.name: entity for entity in truth.entities}
    hits, missed = 0, []
    for question in truth.questions:
        view = graph.at(valid_at=question.at) if question.at else graph.at()
        results = await view.search(question.question, limit=k)
        accepted = {
            name_key(form)
            for answer in question.answers
            for form in (answer, *names[answer].aliases)
        }
        found = {name_key(end) for hit in results for end in (hit.item.subject, hit.item.object)}
        asked = name_key(question.question)
        if any(form in found for form in accepted if form not in asked):
            hits += 1
        else:
            asked_at = f"{question.question} at {question.at}"
            missed.append(f"{question.id} {asked_at} -> {question.answers}")
    return hits, missed


async def merged_entities(graph: GraphRAG, truth: Truth) -> Counter[str]:
    """Count true entities by how many stored entities bear one of their names."""
    counts: Counter[str] = Counter()
    for entity in truth.entities:
        found = {
            e.id for form in (entity.name, *entity.aliases) for e in await graph.at().entities(form)
        }
        counts["missing" if not found else "one" if len(found) == 1 else "split"] += 1
    return counts


def _meet(true: TruthFact, subjects: set[str], objects: set[str]) -> bool:
    straight = true.subject in subjects and true.object in objects
    return straight or (
        true.relation in _SYMMETRIC and true.subject in objects and true.object in subjects
    )


def _dates_agree(fact: Fact, true: TruthFact) -> bool:
    return _near(fact.valid_at, true.valid_at, true.granularity) and (
        (fact.invalid_at is None) == (true.invalid_at is None)
        and _near(fact.invalid_at, true.invalid_at, "month")
    )


def _near(one: datetime | None, other: datetime | None, granularity: str) -> bool:
    if one is None or other is None:
        return one is other or granularity == "observed"
    return abs(one - other) <= timedelta(days=_TOLERANCE[granularity])


def _span(fact: Fact | TruthFact) -> str:
    start, end = (at and at.date() for at in (fact.valid_at, fact.invalid_at))
    return f"[{start}..{end})"
