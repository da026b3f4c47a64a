"""What a fact rests on: the episodes that state it, with the exact characters that do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.errors import InputError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.model.values import Episode, Fact, Span
from graphrag.search.rewind import NOTHING_UNDONE, Past
from graphrag.store.store import Store
from graphrag.text.quotes import stated_in


@dataclass(frozen=True, slots=True)
class Quote:
    """A place where a fact is stated."""

    episode: Episode
    span: Span

    @property
    def removed(self) -> bool:
        """Tell whether the episode was removed; only facts that fell with it still name it."""
        return self.episode.removed_at is not None

    @property
    def text(self) -> str:
        """Return the characters of the span, exactly."""
        return self.episode.content[self.span.start : self.span.end]

    @property
    def shown(self) -> str:
        """Return them as people read them: with their speaker, or with their JSON record."""
        return stated_in(self.episode, self.span)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A fact that waits for review, with what states it."""

    fact: Fact
    sources: tuple[Quote, ...]


async def quotes_of(
    facts: Sequence[Fact], store: Store, past: Past = NOTHING_UNDONE
) -> list[list[Quote]]:
    """Return the sources of each fact as they were, in one read; erased ones are left out."""
    ids = [id_ for fact in facts for id_ in fact.episodes]
    episodes = past.rewound(await store.get(Episode, ids))
    return [
        [
            Quote(episodes[span.episode_id], span)
            for span in fact.sources
            if span.episode_id in episodes
        ]
        for fact in facts
    ]


async def waiting_facts(index: GroupIndex, store: Store, *, limit: int) -> list[Waiting]:
    """Return the first facts that wait for review, oldest first."""
    if limit < 1:
        raise InputError(f"limit is {limit}: ask for one fact or more")
    columns = index.facts
    rows = np.flatnonzero(
        columns.alive.values & columns["pending"] & (columns["retracted"] == FOREVER)
    )
    # Ids are made in the order of time.
    ids = sorted(columns.ids[row] for row in rows.tolist())[:limit]
    facts = list((await store.get(Fact, ids)).values())
    quotes = await quotes_of(facts, store)
    return [Waiting(fact, tuple(found)) for fact, found in zip(facts, quotes, strict=True)]
