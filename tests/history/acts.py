"""Whatever can be done to a graph, as values that hypothesis draws, and what a view shows of it."""

from itertools import combinations

from hypothesis import strategies as st

from graphrag import Fact, Relations
from graphrag.ingest.lifetimes.rivalry import exclusion, overlap
from tests.edit.faint import open_unsure
from tests.ingest.meeting import ends_as_told, equal_evidence

PEOPLE = ("Alice", "Bob", "Carol")
NAMES = (*PEOPLE, "Acme", "Beta", "Globex", "Dan", "tea")
WORLD = "2022-06-01"
QUERIES = ("Alice works at Acme", "who likes tea")

_years = st.integers(2018, 2025)
_picks = st.integers(0, 30)
_people = st.sampled_from(PEOPLE)
_clauses = st.sampled_from(
    ["works_at Acme", "works_at Globex", "ends:works_at Acme", "likes tea", "leads Acme"]
)
TELLING = st.tuples(st.sampled_from(["tell", "tell", "doubt", "queue"]), _people, _clauses, _years)
DEEDS = (
    *("invalidate", "retract", "correct", "start", "reword", "confirm", "reject", "drain"),
    *("fact", "import", "table", "seed", "entity", "merge", "merge", "unmerge", "split"),
    *("revert", "revert", "revert", "remove", "cleanup", "apart", "rename"),
)
DOING = st.tuples(st.sampled_from(DEEDS), _picks, _picks, _years)
STEPS = st.lists(st.one_of(TELLING, DOING, DOING), min_size=1, max_size=10)
FIRST = "Alice works_at Acme from 2020. Bob works_at Globex from 2021. Carol likes tea."
"""What is told before anything else, so that there is something to do things to."""


def open_any(**options):
    return open_unsure(workers=0, **options)


async def act(graph, step, number):
    """Do one thing; a GraphRAGError means that nothing was done."""
    kind, one, other, year = step
    if kind in ("tell", "doubt", "queue"):
        since = "" if other.startswith("ends") else f" from {year}"
        text = f"{'?? ' if kind == 'doubt' else ''}{one} {other}{since}."
        when = f"{year}-{number % 12 + 1:02}-02"
        await graph.add_episode(text, reference_time=when, wait=kind != "queue")
        return
    index = await graph.handle.session.catalog.group("default")
    facts, episodes = sorted(index.facts.row_of), sorted(index.episodes.row_of)
    person, job = PEOPLE[one % 3], ("Acme", "Globex", "Beta")[other % 3]
    row = {"subject": person, "relation": "works_at", "object": job, "valid_at": str(year)}
    match kind:
        case "invalidate" if facts:
            await graph.edit.invalidate(facts[one % len(facts)], str(year))
        case "retract" if facts:
            await graph.edit.retract(facts[one % len(facts)])
        case "correct" if facts:
            await graph.edit.correct(facts[one % len(facts)], object=("Beta", "Acme")[other % 2])
        case "start" if facts:
            await graph.edit.correct(facts[one % len(facts)], valid_at=str(year))
        case "reword" if facts:
            await graph.edit.correct(facts[one % len(facts)], text=f"It was so in {year}.")
        case "confirm" if waiting := await graph.edit.pending():
            await graph.edit.confirm(waiting[one % len(waiting)].fact)
        case "reject" if waiting := await graph.edit.pending():
            await graph.edit.reject(waiting[one % len(waiting)].fact)
        case "drain":
            await graph.queue.drain_all()
        case "fact":
            await graph.add_fact(
                person,
                "works_at",
                job,
                valid_at=str(year) if other % 2 else None,
                confidence=0.4 if one > 20 else 1.0,
            )
        case "import":
            rows = [row, {**row, "subject": "Dan", "relation": "knows", "object": person}]
            await graph.load.facts(rows)
        case "table":
            await graph.load.facts([row, {**row, "object": "Acme"}], judge=False)
        case "seed":
            await graph.load.seed({person: {"likes": ["tea", "chess"], "works_at": job}})
        case "entity":
            await graph.add_entity(
                person,
                entity_type="person",
                aliases=[f"{person[0]}{other % 3}"],
                attributes={"age": year},
            )
        case "merge":
            await graph.identity.merge(PEOPLE[one % 3], (*PEOPLE, "Dan")[other % 4])
        case "unmerge" if index.seq:
            merges = [event for event in await graph.log.events() if event.kind == "merge"]
            if merges:
                await graph.identity.unmerge(merges[one % len(merges)])
        case "split" if facts:
            moving = {facts[one % len(facts)], facts[other % len(facts)]}
            await graph.identity.split(person, name=f"{person} {number}", facts=moving)
        case "revert" if index.seq:
            await graph.log.revert(index.seq - one % index.seq, force=bool(other % 2))
        case "cleanup":
            await graph.health.cleanup(["entities", "episodes"][: one % 2 + 1], dry_run=False)
        case "rename":
            await graph.identity.rename(person, f"{person[0]}{other % 3}")
        case "apart":
            await graph.identity.keep_apart(PEOPLE[one % 3], (*PEOPLE, "Dan")[other % 4])
        case "remove" if episodes:
            await graph.log.remove_episode(episodes[one % len(episodes)])


async def shown(view):
    """Return all that a view shows: every hit with its score, so that the order is compared too."""
    seen = {"stats": await view.stats()}
    for name in NAMES:
        entities = await view.entities(name)
        seen[name] = [(entity, await view.facts(entity)) for entity in entities]
    for query in QUERIES:
        found = await view.search(query, limit=50)
        for scope in ("facts", "entities", "episodes"):
            hits = {hit.item.id: (hit.item, Score(hit.score)) for hit in getattr(found, scope)}
            seen[query, scope] = hits
        seen[query, "passages"] = sorted(found.passages, key=lambda one: one.id)
    return seen


async def one_at_a_time(graph):
    """Assert that nobody works at two places, and nothing has two leaders, at any one moment."""
    index = await graph.handle.session.catalog.group("default")
    stored = await graph.handle.session.store.get(Fact, sorted(index.facts.row_of))
    facts = index.heirs.follow(stored, index.entity_name).values()
    for fact in facts:
        over = fact.invalid_at is not None or fact.retracted_at is not None
        assert over == (fact.closed_as is not None), fact
    held = [fact for fact in facts if fact.retracted_at is None and not fact.pending]
    for one, other in combinations(held, 2):
        free = set(one.episodes) & set(other.episodes)
        free = free or one.as_given or other.as_given
        # Of equal evidence all hold, and what is told to end later goes on until then.
        free = free or equal_evidence(one, other, facts) or ends_as_told(one, other)
        if not free and exclusion(one, other, Relations()):
            assert not overlap(one, other), (one, other)


class Score(float):
    """A score that is equal to those that differ by rounding only."""

    def __eq__(self, other):
        return abs(self - other) < 1e-4

    __hash__ = None


async def views(graph, known_at=None):
    return [
        await shown(graph.at(known_at=known_at)),
        await shown(graph.at(known_at=known_at, valid_at=WORLD)),
        await shown(graph.at(known_at=known_at, history=True)),
    ]
