"""The demo chronicle and its truth agree with each other."""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from datetime import UTC, datetime
from itertools import combinations

import pytest

from graphrag.cli.demo_world import ChronicleEpisode, chronicle
from graphrag.ontology.relations import Relations
from tests.demo_truth import Truth, TruthFact, truth

ONE_OBJECT = {
    "works_at",
    "lives_in",
    "married_to",
    "engaged_to",
    "owned_by",
    "studies_at",
    "has_status",
    "located_in",
    "born_in",
}
SEVERAL = {
    "leads",
    "parent_of",
    "sibling_of",
    "friend_of",
    "founded",
    "acquired",
    "merged_with",
    "part_of",
    "member_of",
    "plays_for",
    "likes",
}
KINDS = {
    "works_at": ("person", "organization"),
    "leads": ("person", "organization place"),
    "lives_in": ("person", "place"),
    "located_in": ("organization place", "place"),
    "owned_by": ("organization place thing", "person organization"),
    "has_status": ("place thing", "thing"),
    "founded": ("person", "organization"),
    "acquired": ("organization", "organization"),
    "merged_with": ("organization", "organization"),
    "part_of": ("organization place", "organization place"),
    "studies_at": ("person", "organization"),
    "member_of": ("person", "organization"),
    "plays_for": ("person", "organization"),
    "born_in": ("person", "place"),
    "likes": ("person", "thing"),
}
LAST = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def episodes() -> tuple[ChronicleEpisode, ...]:
    return chronicle()


@pytest.fixture(scope="module")
def world() -> Truth:
    return truth()


def holds(fact: TruthFact, at: datetime | None = None) -> bool:
    """Tell whether a fact is true at a moment; without one, after the last episode."""
    if at is None:  # ends that the chronicle announces for later than 2027 still lie ahead
        return fact.invalid_at is None or fact.invalid_at >= datetime(2028, 1, 1, tzinfo=UTC)
    started = fact.valid_at is None or fact.valid_at <= at
    return started and (fact.invalid_at is None or at < fact.invalid_at)


def written(episode: ChronicleEpisode) -> str:
    if isinstance(episode.content, str):
        return episode.content
    return json.dumps(episode.content, ensure_ascii=False)


def names_of(world: Truth) -> dict[str, tuple[str, ...]]:
    return {entity.name: (entity.name, *entity.aliases) for entity in world.entities}


def occurs(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def overlap(one: TruthFact, other: TruthFact) -> bool:
    floor, ceiling = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    start = max(one.valid_at or floor, other.valid_at or floor)
    return start < min(one.invalid_at or ceiling, other.invalid_at or ceiling)


def test_counts(episodes, world):
    kinds = Counter(episode.source for episode in episodes)
    assert 145 <= len(episodes) <= 160
    assert 0.45 <= kinds["text"] / len(episodes) <= 0.55
    assert 0.28 <= kinds["message"] / len(episodes) <= 0.38
    assert 0.13 <= kinds["json"] / len(episodes) <= 0.20
    assert 150 <= len(world.facts) <= 250
    assert len(world.questions) == 40
    assert len(world.not_facts) >= 20
    types = Counter(entity.type for entity in world.entities)
    assert types["person"] >= 20
    assert types["organization"] >= 8


def test_episodes_are_told_once_and_shaped_by_their_source(episodes):
    assert len({episode.id for episode in episodes}) == len(episodes)
    assert len({written(episode) for episode in episodes}) == len(episodes)
    for episode in episodes:
        assert episode.reference_time.tzinfo is not None
        assert datetime(2021, 1, 1, tzinfo=UTC) <= episode.reference_time < LAST
        assert episode.name and episode.source_description
        if episode.source == "json":
            assert isinstance(episode.content, dict | list)
        else:
            assert isinstance(episode.content, str)
        if episode.source == "message":
            lines = episode.content.splitlines()
            assert 1 <= len(lines) <= 5
            assert all(re.match(r"[\w. ]+: \S", line) for line in lines), episode.id


def test_some_old_reports_arrive_late(episodes):
    told = [episode.reference_time for episode in episodes]
    late = [n for n, moment in enumerate(told) if n and moment < max(told[:n])]
    assert 2 <= len(late) <= 6
    assert any((max(told[:n]) - told[n]).days > 365 for n in late)


def test_facts_name_entities_episodes_and_relations_that_exist(episodes, world):
    assert len({entity.name for entity in world.entities}) == len(world.entities)
    types = {entity.name: entity.type for entity in world.entities}
    ids = {episode.id for episode in episodes}
    for fact in world.facts:
        assert fact.relation in ONE_OBJECT | SEVERAL, fact
        subject, object_ = KINDS.get(fact.relation, ("person", "person"))
        assert types[fact.subject] in subject.split(), fact
        assert types[fact.object] in object_.split(), fact
        assert fact.episodes and set(fact.episodes) <= ids, fact
        assert list(fact.episodes) == sorted(set(fact.episodes)), fact
    keys = [(*fact.triple, fact.valid_at) for fact in world.facts]
    assert len(set(keys)) == len(keys)


def test_each_side_of_a_fact_is_named_where_it_is_stated(episodes, world):
    names = names_of(world)
    text = {episode.id: written(episode) for episode in episodes}
    for fact in world.facts:
        told = [text[id_] for id_ in fact.episodes]
        for side in (fact.subject, fact.object):
            assert any(occurs(name, content) for name in names[side] for content in told), fact


def test_starts_and_ends(episodes, world):
    spoken = {episode.id: episode.reference_time for episode in episodes}
    for fact in world.facts:
        if fact.valid_at is not None and fact.invalid_at is not None:
            assert fact.valid_at < fact.invalid_at, fact
        if fact.granularity == "observed":
            assert fact.valid_at in (None, min(spoken[id_] for id_ in fact.episodes)), fact
        else:
            assert fact.valid_at is not None, fact
            assert (fact.valid_at.hour, fact.valid_at.minute) == (0, 0), fact
        if fact.granularity in {"month", "year"}:
            assert fact.valid_at.day == 1, fact
        if fact.granularity == "year":
            assert fact.valid_at.month == 1, fact
        if fact.invalid_at is not None and fact.invalid_at > LAST:
            assert fact.invalid_at > datetime(2028, 1, 1, tzinfo=UTC), fact
    assert any(fact.invalid_at and fact.invalid_at > LAST for fact in world.facts)


def test_one_value_at_a_time(world):
    claims = defaultdict(list)
    for fact in world.facts:
        if fact.relation in ONE_OBJECT:
            claims[fact.subject, fact.relation].append(fact)
        if fact.relation in {"married_to", "engaged_to"}:
            claims[fact.object, fact.relation].append(fact)
        if fact.relation == "leads":
            claims["leader of", fact.object].append(fact)
    for facts in claims.values():
        for one, other in combinations(facts, 2):
            assert not overlap(one, other), (one, other)


def test_the_default_relations_agree():
    relations = Relations()
    assert {name for name in ONE_OBJECT if relations[name].single_valued} == ONE_OBJECT
    assert not any(relations[name].single_valued for name in SEVERAL)
    assert relations["leads"].single_holder


def test_traps_are_not_facts(world):
    names = names_of(world)
    facts = {fact.triple for fact in world.facts}
    for trap in world.not_facts:
        assert trap.subject in names and trap.object in names, trap
        assert trap.relation in ONE_OBJECT | SEVERAL, trap
        assert trap.triple not in facts, trap
        assert (trap.object, trap.relation, trap.subject) not in facts, trap
        assert trap.why


def test_questions_have_their_answers(world):
    names = names_of(world)
    assert len({question.id for question in world.questions}) == 40
    for question in world.questions:
        assert question.answers and set(question.answers) <= set(names), question
        assert {question.fact[0], question.fact[2]} & set(question.answers), question
        matching = [fact for fact in world.facts if fact.triple == question.fact]
        assert any(holds(fact, question.at) for fact in matching), question
        assert not any(answer in question.question for answer in question.answers), question


def test_a_third_of_the_questions_are_about_the_past(world):
    past = [question for question in world.questions if question.kind == "past"]
    assert 3 * len(past) >= 40
    for question in past:
        assert question.at is not None and question.at < LAST, question
        assert not any(holds(f) for f in world.facts if f.triple == question.fact), question
    assert {q.kind for q in world.questions} == {"now", "past", "unchanging", "hop"}
    assert all(q.at is None for q in world.questions if q.kind == "now")


def test_every_name_is_used(episodes, world):
    text = "\n".join(map(written, episodes))
    for entity in world.entities:
        for name in (entity.name, *entity.aliases):
            assert occurs(name, text), name


def test_every_entity_is_in_a_fact_or_a_trap(world):
    used = {name for fact in (*world.facts, *world.not_facts) for name in fact.triple}
    assert {entity.name for entity in world.entities} <= used


def test_two_people_share_a_name(world):
    owners = defaultdict(set)
    for entity in world.entities:
        for name in (entity.name, *entity.aliases):
            owners[name].add(entity.name)
    shared = {name: sorted(who) for name, who in owners.items() if len(who) > 1}
    assert shared == {"David Marsh": ["David K. Marsh", "David R. Marsh"]}


def test_other_scripts(world):
    letters = "".join(name for all_names in names_of(world).values() for name in all_names)
    scripts = {unicodedata.name(letter, "").split()[0] for letter in letters if letter.isalpha()}
    assert {"LATIN", "CYRILLIC", "CJK"} <= scripts
    assert "Łukasz Wróbel" in names_of(world)


def test_every_relation_is_used(world):
    assert {fact.relation for fact in world.facts} == ONE_OBJECT | SEVERAL
