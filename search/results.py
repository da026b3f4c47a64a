"""What a search returns: hits with one score each, the reasons for it, and the steps taken.

What a fact rests on are quotes: the episodes that state it, with the exact characters that do.
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
    """Such as ``embed``, ``facts: graph`` or ``read``."""
    ms: float
    found: int | None = None
    """How many candidates or rows it gave."""
    note: str = ""
    """What it did, in words."""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The steps of one search in order; print it, or show it in a notebook."""

    steps: tuple[Step, ...]

    @property
    def ms(self) -> float:
        """Return the time of all steps."""
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
    """How one ranking method saw a hit."""

    method: str
    """The method's name, such as ``"vector"``."""
    rank: int
    """Place in that method's ranking, from 1."""
    score: float
    """The method's own score, on its own scale."""


@dataclass(frozen=True, slots=True)
class Hit(Generic[Item]):
    """One found item."""

    item: Item
    score: float
    """Fused score: comparable inside one scope of one search only."""
    why: tuple[Why, ...]
    """The methods that found it, best rank first, then what reranked it."""
    relevance: float = 0.0
    """How much of the query it answers, from 0 to 1: comparable across searches."""


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """Everything one search found, by scope, best first."""

    query: str
    facts: tuple[Hit[Fact], ...] = ()
    entities: tuple[Hit[Entity], ...] = ()
    episodes: tuple[Hit[Episode], ...] = ()
    communities: tuple[Hit[Community], ...] = ()
    passages: tuple[Episode, ...] = ()
    """The episodes that the found facts come from."""
    explanation: Explanation | None = None
    """Every step of the search with its time, if ``explain=True`` asked for it."""

    def __iter__(self) -> Iterator[Hit[Fact]]:
        return iter(self.facts)

    def __len__(self) -> int:
        return sum(map(len, (self.facts, self.entities, self.episodes, self.communities)))

    def __bool__(self) -> bool:
        return len(self) > 0

    def source_of(self, fact: Fact) -> str | None:
        """Return the words that state a found fact: with their speaker, or their JSON record."""
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
            max_tokens: What the whole block may take.
            format: ``text``, ``xml`` or ``json``.
            count: Your model's tokeniser; default: an estimate from the characters.

        Raises:
            QueryError: for an unknown format or a budget below 1.
        """
        from graphrag.search.context import assemble

        return assemble(self, max_tokens=max_tokens, format=format, count=count or count_tokens)

    def to_dataframe(self, scope: str = "facts") -> Any:
        """Return the hits of one scope as a pandas data frame, best first.

        Columns are ``score``, ``relevance`` and the fields of the items; of facts also ``source``,
        the words that state them.

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


async def quotes_of(
    facts: Sequence[Fact], store: Store, past: Rewind = NO_REWIND
) -> list[list[Quote]]:
    """Return the sources of each fact as they were, in one read; erased ones are left out."""
    ids = [id_ for fact in facts for id_ in fact.episodes]
    episodes = past.rewound(await store.get(Episode, ids))
    known = ([span for span in fact.sources if span.episode_id in episodes] for fact in facts)
    return [[Quote(episodes[span.episode_id], span) for span in spans] for spans in known]
