"""Import of another memory: its entities, then its episodes word for word, then its facts.

A fact is one statement of each episode that states it there, with the times that it has there, so
removing an episode later takes its statement back. The same import again finds every statement,
and changes nothing; a later export of the same memory adds what is new, such as an end.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

import numpy as np

from graphrag.errors import ExtractionError, InputError, TimeError
from graphrag.index.group import BEGINNING
from graphrag.ingest.episode_intake import add_episode, add_known, keep_unread
from graphrag.ingest.fact_writer import FactWriter
from graphrag.ingest.given import End, given_fact
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.intake import known
from graphrag.ingest.plan import SkippedRow
from graphrag.ingest.read_episode import read
from graphrag.io.batches import Loadable, load
from graphrag.io.memories import NAMES, LeftOut, Link, MemoryReport, Node, Portable, Text, joined
from graphrag.io.memories.recognise import end_of, groups_of, key_of, leave_unfit, prepared
from graphrag.model.assertion import FOREVER
from graphrag.model.checks import shown
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Episode
from graphrag.temporal.moment import to_micros

_NODES = 1000  # entities of one transaction, as facts


async def bring(
    found: Portable, ingestion: Ingestion, group: str, *, one_group: bool, judge: bool
) -> MemoryReport:
    """Write what an export holds, and say what became of it."""
    began = time.perf_counter()
    groups = groups_of(found, group, one_group=one_group)
    leave_unfit(found, groups)
    arrivals = [_Arrival(found, ingestion, name, judge) for name in dict.fromkeys(groups.values())]
    for arrival in arrivals:
        own = {theirs for theirs, ours in groups.items() if ours == arrival.group}
        await arrival.nodes([node for node in found.nodes.values() if node.group in own])
        texts = [text for text in found.texts.values() if text.group in own]
        await arrival.texts(sorted(texts, key=lambda text: text.at))
        await arrival.links([link for link in found.links.values() if link.group in own])
    return MemoryReport(
        found.of,
        tuple(arrival.group for arrival in arrivals),
        found.records,
        episodes=sum(arrival.new_episodes for arrival in arrivals),
        entities=sum(arrival.new_entities for arrival in arrivals),
        facts=sum(arrival.new_facts for arrival in arrivals),
        repeated=sum(arrival.repeated for arrival in arrivals),
        left_out=tuple(found.left_out),
        notes=(*found.notes, *joined(found)),
        seconds=time.perf_counter() - began,
    )


@dataclass(slots=True)
class _Arrival:
    found: Portable
    ingestion: Ingestion
    group: str
    judge: bool
    new_episodes: int = 0
    new_entities: int = 0
    new_facts: int = 0
    repeated: int = 0
    _id_of: dict[str, str] = field(default_factory=dict)
    """Ids of entities here, by those of nodes there."""
    _stored: dict[str, Episode] = field(default_factory=dict)  # episodes here, by their ids there
    _removed: set[str] = field(default_factory=set)
    """Ids there of episodes that somebody took out here: what only they state stays out."""

    def _writer(self) -> FactWriter:
        return FactWriter(
            self.ingestion,
            self.group,
            "import_memory",
            judge=self.judge,
            once=True,
            summarize=False,
            skip=True,
        )

    async def nodes(self, nodes: Sequence[Node]) -> None:
        """Make entities of nodes; two of one name and type are one."""
        rest = iter(nodes)
        while batch := list(islice(rest, _NODES)):
            try:
                await self._make(batch)
            except InputError:
                for node in batch:
                    try:
                        await self._make([node])
                    except InputError as error:
                        self.found.leave(node.place, f"entity {shown(node.name)}", str(error))
        first: dict[str, Node] = {}
        for node in nodes:
            if (id_ := self._id_of.get(node.id)) is None:
                continue
            other = first.setdefault(id_, node)
            if other is not node:
                self.found.notes.append(
                    f"{node.place}: entity {shown(node.name)} is one with {shown(other.name)} of "
                    f"{other.place}: identity.split() parts them"
                )

    async def _make(self, nodes: Sequence[Node]) -> None:
        plan = await self._writer().write([], [*map(end_of, nodes)])
        self.new_entities += len(plan.entities)
        self._id_of.update(zip((node.id for node in nodes), plan.extra, strict=True))

    async def texts(self, texts: Iterable[Text]) -> None:
        """Add episodes; those whose facts came with them are not read again."""
        index = await self.ingestion.catalog.group(self.group)
        removed = np.asarray(index.episodes.columns["removed"].values, dtype=np.int64)
        ids = [index.episodes.ids[row] for row in np.flatnonzero(removed < FOREVER)]
        gone = (await self.ingestion.store.get(Episode, ids)).values()
        for text in texts:
            what = f"episode {shown(text.name or text.content)}"
            try:
                if any(
                    episode.key == key_of(text, self.found.of) or text.is_version(episode)
                    for episode in gone
                ):
                    self._removed.add(text.id)
                    raise InputError("it was removed here: log.revert() of that brings it back")
                await self._add(text)
            except (InputError, TimeError, ExtractionError) as error:
                why = "; ".join((str(error), *getattr(error, "__notes__", ())))
                self.found.leave(text.place, what, why)

    async def _version(self, text: Text, episode: Episode) -> Episode | None:
        """Return the version of a memory that has another key: one with its history, one not."""
        index = await self.ingestion.catalog.group(self.group)
        ids = index.timeline.known(episode.content_hash, to_micros(text.at, BEGINNING))
        known = (await self.ingestion.store.get(Episode, ids)).values()
        return next((version for version in known if text.is_version(version)), None)

    async def _add(self, text: Text) -> None:
        ingestion = self.ingestion
        episode = prepared(text, self.found.of, self.group)
        stored = await self._version(text, episode) or await known(ingestion, episode)
        if stored is not None:
            self._stored[text.id] = (await add_known(ingestion, stored, episode)).episode
            self.repeated += 1
            return
        if text.read or not self.found.links:
            try:
                extraction = _ended(await read(ingestion, episode), text.until)
            except ExtractionError as error:
                await keep_unread(ingestion, episode, error)
                raise
        else:
            extraction = Extraction(mentions=tuple(self._mentions(text, episode.content)))
        added = await add_episode(ingestion, episode, extraction)
        self._stored[text.id] = added.episode
        self.new_episodes += added.new
        self.new_entities += len(added.entities)
        self.new_facts += len(added.facts)

    def _mentions(self, text: Text, content: str) -> Iterator[Mention]:
        lower = content.casefold()
        for node_id in text.mentions:
            id_ = self._id_of.get(node_id)
            if id_ is None:
                continue
            node = self.found.nodes[node_id]
            at = lower.find(node.name.casefold()) if len(lower) == len(content) else -1
            start, end = (at, at + len(node.name)) if at >= 0 else (0, 0)
            yield Mention(node.name, node.entity_type, start, end, entity_id=id_)

    async def links(self, links: Sequence[Link]) -> None:
        """Tell facts, each as often as episodes state it."""
        if not links:
            return
        statements = [statement for link in links for statement in self._statements(link)]
        report = await load(statements, self._writer(), batch=_NODES, total=len(statements))
        self.new_facts += report.facts
        self.new_entities += report.entities
        self.repeated += report.repeated
        for row in report.skipped:
            why = str(row.error).removeprefix(f"{row.place}: ")
            self.found.left_out.append(LeftOut(row.place, "fact", why))

    def _statements(self, link: Link) -> Iterator[Loadable]:
        ids = [self._id_of.get(node) for node in (link.source, link.target)]
        place = f"{link.place}: "
        if None in ids:
            yield SkippedRow(link.place, InputError("an entity of it is not in the graph"))
            return
        if link.episodes and self._removed.issuperset(link.episodes):
            yield SkippedRow(link.place, InputError("its episodes were removed here"))
            return
        ends = [
            End(Mention(self.found.nodes[node].name), id_)
            for node, id_ in zip((link.source, link.target), ids, strict=True)
        ]
        episodes = [self._stored[episode] for episode in link.episodes if episode in self._stored]
        for missing in (episode for episode in link.episodes if episode not in self._stored):
            note = f"{link.place}: fact {shown(link.text)}: its episode {missing} is not here"
            self.found.notes.append(note)
        stating: list[Episode | None] = [*episodes] or [None]
        for episode in stating:
            at = episode.valid_at if episode else None if link.valid_at else link.known_at
            try:
                fact = given_fact(
                    ends[0],
                    link.relation,
                    ends[1],
                    valid_at=link.valid_at,
                    invalid_at=link.invalid_at,
                    reference_time=at,
                    text=link.text,
                    attributes=link.attributes,
                    source=None if episode else NAMES[self.found.of],
                    origin="stated",
                    place=place,
                )
            except InputError as error:
                yield SkippedRow.at(place, error)
                return
            trust = self.ingestion.trust.of(
                episode.source_description if episode else NAMES[self.found.of]
            )
            said = replace(
                fact.assertion, trust=trust, reason=link.reason if fact.assertion.until else ""
            )
            if episode is not None:
                # Its words if they are there, else all of the episode states it.
                start = episode.content.find(link.text) if link.text else -1
                end = start + len(link.text) if start >= 0 else len(episode.content)
                at = None if said.since else said.at  # a text that gives a start speaks of that
                said = replace(said, source=episode.id, start=max(0, start), end=end, at=at)
            yield replace(fact, assertion=said)


def _ended(extraction: Extraction, until: datetime | None) -> Extraction:
    """Return what was read in a text that was replaced or deleted then: it ends by then."""
    if until is None:
        return extraction

    def ended(claim: Claim) -> Claim:
        runs = claim.kind == "state" and not claim.ends and claim.invalid_at is None
        if not runs or (claim.valid_at is not None and claim.valid_at >= until):
            return claim
        return replace(claim, invalid_at=until)

    return replace(extraction, claims=tuple(map(ended, extraction.claims)))
