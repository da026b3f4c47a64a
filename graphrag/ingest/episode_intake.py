"""Episodes added to a graph: known again or new, read or kept for later, planned and written.

If a model fails, the text stays in the graph as ``failed``, with the reason, and is read when it is
added again or by ``queue.retry``.
"""

import logging
import re
import time
from dataclasses import dataclass, field, replace

from graphrag.errors import BudgetExceededError, GraphRAGError, InputError, LLMError
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.intake import known
from graphrag.ingest.plan import EpisodeRows, Plan, new_saga
from graphrag.ingest.planning import Planning, without_effect
from graphrag.ingest.read_episode import fitted, read, ruled
from graphrag.ingest.reports import Added
from graphrag.ingest.statements import mentions_of, state
from graphrag.model.extraction import Extraction, Mention
from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.protocols import Ruling, in_turns, traced
from graphrag.resolve.mentions import resolve
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now

_LOG = logging.getLogger("graphrag")
_COUNTED = ("entities", "facts", "changed", "dropped")
_LONGEST = 500
_SECRET = re.compile(
    r"(?i)\b(?:sk|pk|key|ghp)[-_][\w-]{8,}"
    r"|(?<=bearer )\S+"
    r"|(?<=://)[^/\s@]+@"
    r"|(?<=key=)\S+|(?<=token=)\S+|(?<=password=)\S+"
)


async def add_episode(
    ingestion: Ingestion,
    episode: Episode,
    extraction: Extraction | None = None,
    *,
    waited: bool = False,
) -> Added:
    """Read an episode, unless it is read already, and write it, in one transaction.

    With ``waited`` the episode is in the store already and is finished, unless it was finished or
    removed meanwhile. If a model fails, the text is stored before the error is raised.
    """
    group, tracer = episode.group_id, ingestion.tracer
    try:
        with traced(tracer, "ingest", group=group, text=episode.content) as note:
            extraction = extraction or await read(ingestion, episode)
            added = await _write(ingestion, episode, extraction, waited=waited)
            counts = {name: len(getattr(added, name)) for name in _COUNTED}
            note({"episode": added.episode.id, "new": added.new, **counts})
            return added
    except LLMError as error:
        if not waited:
            await keep_unread(ingestion, episode, error)
        raise


async def add_known(
    ingestion: Ingestion, stored: Episode, given: Episode, *, wait: bool = True
) -> Added:
    """Return a stored episode that is given again, after reading it if that failed before."""
    joined = await _join(ingestion, stored, given)
    if joined is None:  # another writer gave it a saga meanwhile
        return await add_episode(ingestion, given)
    if joined.status != "failed" or not wait:
        return Added(joined, new=False)
    return await add_episode(ingestion, replace(joined, status="done", error=None), waited=True)


async def put_unread(ingestion: Ingestion, episode: Episode, kind: str) -> Episode | None:
    """Store an episode without facts, with its vectors; return the one that it repeats, if any."""
    text = EpisodeRows(episode)
    plan = Plan(group=episode.group_id, kind=kind, text=text)
    await plan.embed(ingestion.embedder)
    repeated: list[Episode | None] = []

    async def build(index: GroupIndex) -> ChangeSet:
        repeated.append(await known(ingestion, episode))
        if repeated[-1] is not None:
            return ChangeSet(episode.group_id, kind)
        text.place(index)
        return plan.changes()

    await ingestion.writer.commit(episode.group_id, build, enter=plan.enter)
    return repeated[-1]


async def keep_unread(ingestion: Ingestion, episode: Episode, error: GraphRAGError) -> None:
    """Store a text that a model could not read as failed, for a retry; note that in the error.

    A spent budget is no failure of the text: whoever adds it again, with more, has lost nothing.
    """
    if not isinstance(error, LLMError) or isinstance(error, BudgetExceededError):
        return
    failed = replace(episode, status="failed", error=described(error))
    try:
        await put_unread(ingestion, failed, "add_episode")
    except GraphRAGError as second:
        _LOG.warning("the text of episode %r could not be kept: %s", episode.name, second)
        return
    error.add_note("its text is stored and can be searched; queue.retry() reads it again")


def described(error: Exception) -> str:
    """Return an error in words that may be stored: short, and without what looks like a secret."""
    text = _SECRET.sub("***", f"{type(error).__name__}: {error}")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


async def _write(
    ingestion: Ingestion, episode: Episode, extraction: Extraction, *, waited: bool
) -> Added:
    trust = ingestion.trust.of(episode.source_description)
    extraction, violations = await fitted(ingestion, episode, extraction)
    # Asked before the lock: a model takes seconds, and what it rules is judged again anyway.
    extraction, ruling = await ruled(ingestion, episode, extraction)
    write = EpisodeWrite(ingestion, episode, extraction, ruling, trust, waited)
    while True:
        await ingestion.writer.commit(episode.group_id, write.build, enter=write.enter)
        if write.plan is not None:
            added = Added.by(write.plan, extraction, violations, write.seconds)
            ingestion.losses.add(episode, added.dropped, added.adjusted)
            return replace(added, usage=ingestion.spent_on(episode.id))
        repeated = write.repeated or episode
        joined = repeated if waited else await _join(ingestion, repeated, episode)
        if joined is not None:  # else it is no longer the same: look again
            return Added(joined, new=False)


async def _join(ingestion: Ingestion, stored: Episode, given: Episode) -> Episode | None:
    """Give a stored episode its new saga and key; None if it changed meanwhile."""
    if stored.saga is not None and given.saga not in (None, stored.saga):
        raise InputError(
            f"episode {stored.id} is in the graph as part of saga {stored.saga!r}, not "
            f"{given.saga!r}: an episode belongs to one saga"
        )
    joined = replace(stored, saga=stored.saga or given.saga, key=stored.key or given.key)
    if joined == stored:
        return stored

    async def build(index: GroupIndex) -> ChangeSet:
        changes = ChangeSet(stored.group_id, kind="join_episode")
        current = (await ingestion.store.get(Episode, [stored.id])).get(stored.id)
        if current == stored:
            if (saga := new_saga(joined, index)) is not None:
                changes.insert(saga)
            changes.change(stored, joined)
        return changes

    return joined if await ingestion.writer.commit(stored.group_id, build) else None


@dataclass(slots=True)
class EpisodeWrite:
    """An episode with what was read in it; planned anew whenever another writer was faster."""

    ingestion: Ingestion
    episode: Episode
    extraction: Extraction
    ruling: Ruling
    trust: float
    waited: bool
    """It is in the store already, and is finished unless it was finished or removed meanwhile."""
    plan: Plan | None = None
    repeated: Episode | None = None
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
        claims, named, unused = extraction.claims, planning.named, list[str]()
        ruling, trust = self.ruling, self.trust
        statements = state(
            claims, episode, entity_of, named, now=now, ruling=ruling, trust=trust, unused=unused
        )
        new = [fact async for fact in in_turns(statements)]
        with traced(ingestion.tracer, "judge", group=group) as note:
            ledger = await planning.judge(new)
            note({"stated": len(new), "facts": len(plan.facts), "changed": len(plan.changed_facts)})
        lost = dict.fromkeys(without_effect(new, ledger))  # a death is more than one fact
        plan.notes = (*extraction.dropped, *unused, *lost)
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
