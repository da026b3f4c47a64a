"""The write of one episode: planned under the lock of its group, committed, and reported."""

import time
from dataclasses import dataclass, field, replace

from graphrag.errors import InputError
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.effects import left_out, without_effect
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.plan import EpisodeRows, Plan
from graphrag.ingest.planning import Planning
from graphrag.ingest.statements import mentions_of, state
from graphrag.ingest.succession import Successions
from graphrag.model.extraction import Extraction, Mention
from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.protocols import Ruling, in_turns, traced
from graphrag.resolve.mentions import resolve
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import to_micros, utc_now

_SHOWN = 60
"""Characters of a text in an error."""


async def known(ingestion: Ingestion, episode: Episode) -> Episode | None:
    """Return the stored episode that this one tells again, if any.

    That is the one with its key; else one of the same content, reference time and group, if not
    both have a key, and not both a saga of their own; by its author, if it has one.

    Raises:
        InputError: if the one with its key says something else.
    """
    index = await ingestion.catalog.group(episode.group_id)
    if episode.key is not None and (id_ := index.episode_keyed(episode.key)) is not None:
        stored = (await ingestion.store.get(Episode, [id_]))[id_]
        if stored.content_hash != episode.content_hash:
            raise InputError(
                f"key {episode.key!r} is that of episode {id_}, which says "
                f"{stored.content[:_SHOWN]!r}, not {episode.content[:_SHOWN]!r}: give another "
                "key, or remove_episode() that one first"
            )
        return stored
    ids = index.episodes_known(episode.content_hash, to_micros(episode.valid_at, BEGINNING))
    alike = [
        stored
        for stored in (await ingestion.store.get(Episode, ids)).values()
        if episode.author in (None, stored.author)
        and (episode.key is None or stored.key is None)
        and (episode.saga is None or stored.saga in (None, episode.saga))
    ]
    return min(alike, key=lambda stored: (stored.saga != episode.saga, stored.id), default=None)


@dataclass(slots=True)
class EpisodeWrite:
    """An episode with what was read in it; planned anew whenever another writer was faster."""

    ingestion: Ingestion
    episode: Episode
    extraction: Extraction
    ruling: Ruling
    trust: float
    """Of its source."""
    waited: bool
    """It is in the store already, and is finished unless it was finished or removed meanwhile."""
    plan: Plan | None = None
    repeated: Episode | None = None
    """The stored episode that this one repeats, if it does."""
    seconds: dict[str, float] = field(default_factory=dict)
    _began: float = 0.0

    async def build(self, index: GroupIndex) -> ChangeSet:
        """Plan it against the group as it is now; nothing if the graph has it."""
        episode, began = self.episode, time.perf_counter()
        self.plan = self.repeated = None
        # Asked again under the lock: the same episode may have been added meanwhile.
        if self.waited:
            stored = (await self.ingestion.store.get(Episode, [episode.id])).get(episode.id)
            unread = stored is not None and stored.status != "done" and stored.removed_at is None
        else:
            stored = await known(self.ingestion, episode)
            unread = stored is None
        if not unread:
            self.repeated = stored
            return ChangeSet(episode.group_id, kind="add_episode")
        text = EpisodeRows(episode, stored)
        kind = "finish_episode" if self.waited else "add_episode"
        self.plan = plan = Plan(group=episode.group_id, kind=kind, text=text)
        await self._fill(plan, text, index)
        plan.note = "; ".join((*plan.notes, *self.extraction.adjusted)) or None
        self._began = time.perf_counter()
        self.seconds["resolve"] = self._began - began - self.seconds["embed"]
        return plan.changes()

    def enter(self, index: GroupIndex, seq: int) -> None:
        """Put what was committed into the index."""
        assert self.plan is not None, "only a plan is committed"
        entering = time.perf_counter()
        self.seconds["store"] = entering - self._began
        self.plan.enter(index, seq)
        self.seconds["index"] = time.perf_counter() - entering

    async def _fill(self, plan: Plan, text: EpisodeRows, index: GroupIndex) -> None:
        """Work out what it changes: two reads of the store at most, one batch of vectors."""
        ingestion, episode, extraction = self.ingestion, self.episode, self.extraction
        group, now = episode.group_id, utc_now()
        with traced(ingestion.tracer, "resolve", group=group) as note:
            resolution = resolve(
                mentions_of(extraction),
                index,
                created_at=now,
                ruling=self.ruling,
                stated_at=episode.valid_at,
                source=episode.id,
                identifiers=ingestion.ontology.identifiers,
            )
            note({"mentions": len(resolution.entity_of), "entities": len(resolution.created)})
        plan.entities, entity_of = resolution.created, resolution.entity_of
        text.entity_of = entity_of
        text.place(index)
        planning = Planning(plan, index, ingestion, now)
        said = ((self._with_alias(mention), id_) for mention, id_ in entity_of.items())
        await planning.enrich(said, episode.valid_at, episode.id)
        claims = Successions(
            extraction.claims, resolution, index, ingestion.relations, episode.valid_at
        )
        statements = state(
            (*extraction.claims, *claims.posts()),
            episode,
            entity_of,
            planning.named,
            now=now,
            ruling=self.ruling,
            trust=self.trust,
        )
        new = [fact async for fact in in_turns(statements)]
        with traced(ingestion.tracer, "judge", group=group) as note:
            ledger = await planning.judge(new)
            note({"stated": len(new), "facts": len(plan.facts), "changed": len(plan.changed_facts)})
        lost = dict.fromkeys(without_effect(new, ledger))  # a death is more than one fact
        plan.notes = (*extraction.dropped, *left_out(extraction.claims, entity_of), *lost)
        started = time.perf_counter()
        await planning.finish()
        self.seconds["embed"] = time.perf_counter() - started

    def _with_alias(self, mention: Mention) -> Mention:
        """Return a mention that gives its own name to the entity that an arbiter found it to mean.

        A lone first name is no alias: next time it may mean another person of that name.
        """
        lone = mention.entity_type == "person" and " " not in name_key(mention.name)
        if lone or mention not in self.ruling.entity_of:
            return mention
        return replace(mention, aliases=(*mention.aliases, mention.name))
