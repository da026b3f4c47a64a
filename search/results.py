"""Search results: hits with their scores, the rankings behind them, and the steps of the search.

Quotes are the evidence of a fact: the episodes that state it, with the exact characters.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from graphrag.display.cards import table
from graphrag.model.values import Community, Entity, Episode, Fact, Span
from graphrag.protocols import Tracer
from graphrag.search.rewind import NO_REWIND, Rewind
from graphrag.store.store import Store
from graphrag.text.split import count_tokens, stated_in

if TYPE_CHECKING:
    from graphrag.search.context import Context, ContextFormat


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a search."""

    name: str
    """Name of the step, such as ``embed``, ``facts: graph`` or ``read``."""
    ms: float
    found: int | None = None
    """The number of candidates or rows that the step returned; None if it counts none."""
    note: str = ""
    """A description of the step's work."""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The steps of one search in order, for ``print`` or a notebook."""

    steps: tuple[Step, ...]

    @property
    def ms(self) -> float:
        """Return the total time of all steps in milliseconds."""
        return sum(step.ms for step in self.steps)

    @property
    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [
            (step.name, f"{step.ms:.2f}", "" if step.found is None else str(step.found), step.note)
            for step in (*self.steps, Step("all", self.ms))
        ]

    def __repr__(self) -> str:
        rows = [_HEADER, *self._rows]
        wide = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            f"{name:<{wide[0]}}  {ms:>{wide[1]}}  {found:>{wide[2]}}  {note}".rstrip()
            for name, ms, found, note in rows
        )

    def _repr_html_(self) -> str:
        return table(_HEADER, self._rows)


_HEADER = ("step", "ms", "found", "note")


class Trace:
    """Collect the steps of a search; one that is off costs a test of a flag a step."""

    __slots__ = ("_last", "_steps", "on", "tracer")

    def __init__(self, *, on: bool = False, tracer: Tracer | None = None) -> None:
        self.on = on
        self.tracer = tracer
        self._steps: list[Step] = []
        self._last = perf_counter()

    def step(self, name: str, found: int | None = None, note: str = "") -> None:
        """Note the step that has just ended: it began where the last one ended."""
        if self.on:
            now = perf_counter()
            self._steps.append(Step(name, 1000 * (now - self._last), found, note))
            self._last = perf_counter()

    def explanation(self) -> Explanation | None:
        """Return what was noted, None if nothing was to be."""
        return Explanation(tuple(self._steps)) if self.on else None


Item = TypeVar("Item", Fact, Entity, Episode, Community, covariant=True)


@dataclass(frozen=True, slots=True)
class Why:
    """The rank and score that one method gave to a hit."""

    method: str
    """Name of the method, such as ``"vector"``."""
    rank: int
    """Position in the ranking of the method, from 1."""
    score: float
    """Score of the method, on its own scale."""


@dataclass(frozen=True, slots=True)
class Hit(Generic[Item]):
    """One search hit: an item with its score, and the methods that ranked it."""

    item: Item
    score: float
    """Fused score, comparable only within one scope of one search."""
    why: tuple[Why, ...]
    """Methods that found it, best rank first, followed by the rerankers."""
    relevance: float = 0.0
    """Share of the query that the item answers, from 0 to 1; comparable across searches."""


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """Everything that one search found, by scope, best first."""

    query: str
    facts: tuple[Hit[Fact], ...] = ()
    entities: tuple[Hit[Entity], ...] = ()
    episodes: tuple[Hit[Episode], ...] = ()
    communities: tuple[Hit[Community], ...] = ()
    passages: tuple[Episode, ...] = ()
    """The episodes that the found facts come from."""
    explanation: Explanation | None = None
    """The steps of the search with their times; None without ``explain=True``."""

    def __iter__(self) -> Iterator[Hit[Fact]]:
        return iter(self.facts)

    def __len__(self) -> int:
        return sum(map(len, (self.facts, self.entities, self.episodes, self.communities)))

    def __bool__(self) -> bool:
        return len(self) > 0

    def source_of(self, fact: Fact) -> str | None:
        """Return the text that states a found fact, with its speaker or its JSON record."""
        episodes = {episode.id: episode for episode in self.passages}
        for span in fact.sources:
            if episode := episodes.get(span.episode_id):
                return stated_in(episode, span)
        return None

    def context(
        self,
        max_tokens: int = 2000,
        format: "ContextFormat" = "text",
        *,
        count: Callable[[str], int] | None = None,
    ) -> "Context":
        """Return the best hits as a block of text for a prompt, with dates and citations.

        Args:
            max_tokens: Maximum number of tokens of the block.
            format: ``text``, ``xml`` or ``json``.
            count: Returns the number of tokens of a text; default: an estimate from the characters.

        Raises:
            QueryError: for an unknown format or a budget below 1.
        """
        from graphrag.search.context import assemble

        return assemble(self, max_tokens=max_tokens, format=format, count=count or count_tokens)

    def to_dataframe(self, scope: str = "facts") -> Any:
        """Return the hits of one scope as a pandas data frame, best first.

        The columns are ``score``, ``relevance`` and the fields of the items. Facts also have
        ``source``, the text that states them.

        Raises:
            QueryError: for an unknown scope.
            MissingExtraError: if pandas is not installed.
        """
        from graphrag.search.frames import frame

        return frame(self, scope)

    def __rich__(self) -> Any:
        from graphrag.search.frames import rich_table

        return rich_table(self)

    def __repr__(self) -> str:
        best = f", best: {self.facts[0].item.text!r}" if self.facts else ""
        return (
            f"Results({self.query!r}: {len(self.facts)} facts, {len(self.entities)} entities, "
            f"{len(self.episodes)} episodes, {len(self.communities)} communities{best})"
        )

    def _repr_html_(self) -> str:
        from graphrag.search.frames import results_page

        return results_page(self)


@dataclass(frozen=True, slots=True)
class Quote:
    """A span of an episode that states a fact."""

    episode: Episode
    span: Span

    @property
    def removed(self) -> bool:
        """Tell whether the episode was removed; only facts retracted with it still refer to it."""
        return self.episode.removed_at is not None

    @property
    def text(self) -> str:
        """Return the exact characters of the span."""
        return self.episode.content[self.span.start : self.span.end]

    @property
    def shown(self) -> str:
        """Return the span for people to read, with its speaker or its JSON record."""
        return stated_in(self.episode, self.span)


async def quotes_of(
    facts: Sequence[Fact], store: Store, past: Rewind = NO_REWIND
) -> list[list[Quote]]:
    """Return the sources of each fact as they were, in one read; erased ones are left out."""
    ids = [id_ for fact in facts for id_ in fact.episodes]
    episodes = past.rewound(await store.get(Episode, ids))
    known = ([span for span in fact.sources if span.episode_id in episodes] for fact in facts)
    return [[Quote(episodes[span.episode_id], span) for span in spans] for spans in known]
