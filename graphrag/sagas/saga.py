"""A saga as seen from a viewpoint: its episodes, their entities and facts, and a summary."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np

from graphrag.analysis.timeline import Stage, read_stages, stages_table
from graphrag.display.cards import episode_title, lifetime, table, triple
from graphrag.display.lists import some
from graphrag.display.visible import escape, flatten, visible
from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.index.tables import source_episodes
from graphrag.model.checks import checked_number
from graphrag.model.values import Entity, Episode, Fact, Saga
from graphrag.sagas.compose import composed
from graphrag.sagas.order import after_watermark, in_order, mask_of, missing, saga_list
from graphrag.search.context import Citation, Context, excerpt
from graphrag.search.rewind import Rewind, rewound_mentions
from graphrag.search.visibility import VisibleRows
from graphrag.store.links import mentions
from graphrag.store.store import Store
from graphrag.text.split import count_tokens

_MISSES = 8  # items in a row without room after which no further one is tried
_UNTRUE = ("overruled", "never true")


@dataclass(frozen=True, repr=False)
class SagaView:
    """A saga as seen from a viewpoint, with its episodes, entities, facts and summary."""

    name: str
    episodes: tuple[Episode, ...]
    """Episodes in the order of their reference times."""
    entities: tuple[Entity, ...]
    """Entities mentioned in its episodes, in most episodes first."""
    facts: tuple[Fact, ...]
    """Visible facts that its episodes state, in order of their starts."""
    timeline: tuple[Stage, ...]
    """Facts of all times that its episodes state, by their starts, with what ended each."""
    at: datetime
    """World time of the view."""
    written: str = ""
    """Summary by a language model, see ``sagas.summarize``; empty if there is none, or if it covers
    an episode that is not visible here."""
    summarized_until: datetime | None = None
    """System time: ``written`` covers the episodes added by then."""

    @cached_property
    def summary(self) -> str:
        """Return the summary by the model, or else one made of sentences of the episodes."""
        if self.written:
            return self.written
        facts = [stage.fact for stage in self.timeline if stage.status not in _UNTRUE]
        taken = [stage.fact for stage in self.timeline if stage.status in _UNTRUE]
        return composed(self.episodes, self.entities, facts, self.facts, taken)

    @property
    def unsummarized(self) -> int:
        """Return the number of episodes that the summary does not cover yet."""
        until = self.summarized_until if self.written else None
        return sum(until is not None and episode.created_at > until for episode in self.episodes)

    def context(
        self, max_tokens: int = 2000, *, count: Callable[[str], int] | None = None
    ) -> Context:
        """Return the summary, the facts and the latest episodes as a block of text for a prompt.

        If the budget is short, facts that hold precede ended ones, and the latest episodes others.
        The text is in chronological order, and its numbers cite episodes.

        Args:
            max_tokens: Maximum number of tokens of the block.
            count: Returns the number of tokens of a text; default: an estimate from the characters.

        Raises:
            QueryError: for a budget below 1.
        """
        checked_number("max_tokens", max_tokens, least=1)
        count = count or count_tokens
        known = [stage for stage in self.timeline if stage.status not in _UNTRUE]
        known.sort(key=lambda stage: stage.status != "holds")
        wanted = [stage.fact.id for stage in known]
        wanted += [episode.id for episode in reversed(self.episodes)]
        shown: set[str] = set()
        for summary in (self.summary, self.summary.partition("\n")[0], ""):
            text = self._text(summary, shown)
            if count(text) <= max_tokens:
                break
        else:
            return Context("", (), 0, len(wanted))
        misses = 0
        for id_ in wanted:
            longer = self._text(summary, shown | {id_})
            if count(longer) <= max_tokens:
                text, misses = longer, 0
                shown.add(id_)
            elif (misses := misses + 1) == _MISSES:
                break
        citations = tuple(
            Citation(number, episode.id, episode_title(episode), episode.valid_at)
            for number, episode in enumerate(self.episodes, start=1)
            if f"[{number}]" in text
        )
        return Context(text, citations, count(text), len(wanted) - len(shown))

    def _text(self, summary: str, shown: Collection[str]) -> str:
        numbers = {episode.id: number for number, episode in enumerate(self.episodes, start=1)}
        lines = [f"Saga: {flatten(self.name)}", *filter(None, (summary,))]
        facts = [stage.fact for stage in self.timeline if stage.fact.id in shown]
        lines += ["Facts:"] if facts else []
        for fact in facts:
            cited = "".join(f" [{numbers[id_]}]" for id_ in fact.episodes if id_ in numbers)
            lines.append(f"- {triple(fact)} ({lifetime(fact)}){cited}")
        episodes = [episode for episode in self.episodes if episode.id in shown]
        lines += ["Excerpts:"] if episodes else []
        for episode in episodes:
            title = ", ".join(filter(None, (f"{episode.valid_at:%Y-%m-%d}", flatten(episode.name))))
            lines.append(f"- [{numbers[episode.id]}] {title}: {excerpt(episode, self.name)}")
        return visible("\n".join(lines))

    def __iter__(self) -> Iterator[Episode]:
        return iter(self.episodes)

    def __len__(self) -> int:
        return len(self.episodes)

    def __repr__(self) -> str:
        ends = (*self.episodes[:1], *self.episodes[-1:])
        days = [f"{episode.valid_at:%Y-%m-%d}" for episode in ends]
        late = f", {self.unsummarized} not in the summary" if self.unsummarized else ""
        return (
            f"SagaView({self.name!r}: {some(len(self), 'episode')} from {' to '.join(days)}, "
            f"{some(len(self.entities), 'entity', 'entities')}, "
            f"{some(len(self.facts), 'fact')}{late})"
        )

    def __str__(self) -> str:
        return f"{flatten(self.name)}\n{visible(self.summary)}"

    def _repr_html_(self) -> str:
        rows = (
            (f"{episode.valid_at:%Y-%m-%d}", episode.name or episode.content[:100])
            for episode in self.episodes
        )
        lines = "<br>".join(map(escape, self.summary.splitlines()))
        episodes = table(("when", "what"), rows, words=True)
        return (
            f"<b>{escape(self.name)}</b><p>{lines}</p>"
            f"<details><summary>{some(len(self), 'episode')}</summary>{episodes}</details>"
            f"{stages_table(self.timeline, self.at)}"
        )


async def read_saga(
    name: str,
    index: GroupIndex,
    store: Store,
    seen: VisibleRows,
    ever: VisibleRows,
    past: Rewind,
    at: datetime,
) -> SagaView:
    """Return one saga; ``ever`` is what is visible of all times.

    The sources of the facts must have been read (``read_sources``) before visibility is worked out:
    an index may grow while something is awaited.
    """
    rows = in_order(np.flatnonzero(mask_of(name, index, seen, past)), index).tolist()
    if not rows:
        raise QueryError(missing(name, index.group_id, saga_list(index, seen, past).names))
    ids = [index.episodes.ids[row] for row in rows]
    stated = stated_by(rows, index, past)
    stated = stated[ever.facts[stated]]
    stored = await store.get(Episode, ids)
    episodes = tuple(past.rewind(episode) for episode in stored.values())
    shown = seen.shown(await _mentioned(ids, index.group_id, store, past), index)
    entities = (await store.get(Entity, shown)).values()
    stages = await read_stages(stated, index, store, past, at=at)
    row_of = index.facts.row_of
    saga = await stored_saga(name, index, store, past)
    additions = [(episode.created_at, episode.id) for episode in episodes]
    by_model = saga.summarized_by == "model" and after_watermark(saga, additions) is not None
    return SagaView(
        name,
        episodes,
        tuple(past.rewind(entity) for entity in entities),
        tuple(stage.fact for stage in stages if seen.facts[row_of[stage.fact.id]]),
        stages,
        at,
        saga.summary if by_model else "",
        saga.summarized_until if by_model else None,
    )


async def stored_saga(name: str, index: GroupIndex, store: Store, past: Rewind) -> Saga:
    """Return the row of a saga of this group as it was then."""
    id_ = index.sagas[name]
    return past.rewind((await store.get(Saga, [id_]))[id_])


def stated_by(
    episodes: list[int], index: GroupIndex, past: Rewind
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the rows of the facts that some episodes state, as it was then."""
    sources = index.episodes.sources
    assert sources is not None
    _, facts = sources.of_left(episodes)
    stated = np.zeros(len(index.facts), dtype=np.bool_)
    stated[facts] = True
    ids = {index.episodes.ids[row] for row in episodes}
    for id_, image in past.images("relates_to"):
        if "sources" in image and id_ in index.facts.row_of:
            stated[index.facts.row_of[id_]] = not ids.isdisjoint(source_episodes(image))
    return np.flatnonzero(stated)


async def _mentioned(episodes: list[str], group: str, store: Store, past: Rewind) -> list[str]:
    links = rewound_mentions(await mentions(store, group, episodes), past)
    pairs = {(episode, entity) for episode, entity in links.values() if episode in {*episodes}}
    counts = Counter(entity for _, entity in pairs)
    return sorted(counts, key=lambda id_: (-counts[id_], id_))
