"""The graph as of a moment, made anew from the images of its log in plain Python."""

from itertools import combinations

from graphrag import Entity, Episode, Fact, Relations
from graphrag.analysis.timeline import status
from graphrag.health.snapshot import replayed
from graphrag.ingest.lifetimes.rivalry import exclusion, overlap
from graphrag.store.rows import from_row, row_of

KINDS = {"relates_to": Fact, "entity": Entity, "episode": Episode}
RELATIONS = Relations()


class Reference:
    """All records of a group after some of its events."""

    def __init__(self, events):
        state = replayed(events)
        self.values = {kind: {} for kind in KINDS}
        self.mentions = set()
        self.sagas = set()
        for record, image in state.items():
            table, _, id_ = record.partition(":")
            if table in KINDS:
                self.values[table][id_] = from_row(KINDS[table], row_of(record, image))
            elif table == "mentions":
                self.mentions.add(tuple(image[end].partition(":")[2] for end in ("in", "out")))
            elif table == "saga":
                self.sagas.add(id_)

    @property
    def entities(self):
        return self.values["entity"]

    @property
    def facts(self):
        return self.values["relates_to"].values()

    def heir(self, id_):
        while (into := self.entities[id_].merged_into) is not None:
            id_ = into
        return id_

    def ends(self, fact):
        return self.heir(fact.subject_id), self.heir(fact.object_id)

    def shown(self, *, at, history=False):
        """Return the facts that a view of this moment of world time shows, by their start."""
        found = [fact for fact in self.facts if not fact.pending]
        if not history:
            found = [fact for fact in found if status(fact, at) == "holds"]
        return sorted(found, key=lambda one: (one.valid_at is not None, one.valid_at, one.id))

    def facts_of(self, relation, **view):
        stored = RELATIONS.straight(relation) or relation
        return [
            self.line(fact)
            for fact in self.shown(**view)
            if (RELATIONS.straight(fact.relation) or fact.relation) == stored
        ]

    def facts_about(self, entity, **view):
        about = [fact for fact in self.shown(**view) if entity in self.ends(fact)]
        outgoing = [self.line(fact) for fact in about if self.ends(fact)[0] == entity]
        incoming = [self.line(fact) for fact in about if self.ends(fact)[0] != entity]
        return outgoing, incoming

    def timeline(self, entity, *, at):
        about = [fact for fact in self.shown(at=at, history=True) if entity in self.ends(fact)]
        about.sort(key=lambda one: (one.valid_at is not None, one.valid_at, one.created_at, one.id))
        return [(self.line(fact), status(fact, at), fact.invalidated_by) for fact in about]

    def contradictions(self):
        """Return what stands against what, as (fact, other, outcome)."""
        told = {fact.id: self.followed(fact) for fact in self.facts}
        found = set()
        for fact in told.values():
            repeats = fact.retracted_at is not None and fact.closed_as == "superseded"
            if fact.invalidated_by and not repeats:
                gone = "corrected" if fact.closed_as == "corrected" else "replaced"
                found.add((fact.id, fact.invalidated_by, gone if fact.retracted_at else "ended"))
        live = [fact for fact in told.values() if fact.retracted_at is None]
        for one, other in combinations(live, 2):
            if one.pending and other.pending:
                continue
            if overlap(one, other) and exclusion(one, other, RELATIONS):
                one, other = sorted(
                    (one, other), key=lambda it: (not it.pending, it.created_at, it.id)
                )
                both = set(one.episodes) & set(other.episodes)
                outcome = "waiting" if one.pending else "both" if both else "open"
                found.add((one.id, other.id, outcome))
        return found

    def orphans(self):
        """Return the ids of entities and of episodes that nothing leads to."""
        standing = {
            id_ for id_, episode in self.values["episode"].items() if episode.removed_at is None
        }
        live = [fact for fact in self.facts if fact.retracted_at is None]
        held = {end for fact in live for end in self.ends(fact)}
        held |= {self.heir(entity) for episode, entity in self.mentions if episode in standing}
        entities = {
            id_
            for id_, entity in self.entities.items()
            if entity.merged_into is None and entity.removed_at is None and id_ not in held
        }
        telling = {episode for episode, _ in self.mentions}
        telling |= {episode for fact in live for episode in fact.episodes}
        read = {id_ for id_ in standing if self.values["episode"][id_].status == "done"}
        return entities, read - telling

    def followed(self, fact):
        subject, object_ = self.ends(fact)
        return Fact(
            **{
                **{name: getattr(fact, name) for name in fact.__slots__},
                "subject_id": subject,
                "object_id": object_,
            }
        )

    def line(self, fact):
        return (fact.id, *self.ends(fact), fact.valid_at, fact.invalid_at, fact.retracted_at)


def line(fact):
    """Return what is compared of a fact that the library returned."""
    ends = fact.subject_id, fact.object_id
    return (fact.id, *ends, fact.valid_at, fact.invalid_at, fact.retracted_at)
