"""What a search returns: hits with one score each and the reasons for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from graphrag.display.cards import fact_table, table
from graphrag.display.visible import cut, escape
from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.search.explain import Explanation
from graphrag.temporal.moment import utc_now
from graphrag.text.quotes import stated_in

if TYPE_CHECKING:
    from graphrag.search.context import Context, ContextFormat

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
        """Iterate over the facts, the usual answer."""
        return iter(self.facts)

    def __len__(self) -> int:
        """Count the hits of all scopes."""
        found = (self.facts, self.entities, self.episodes, self.communities)
        return sum(map(len, found))

    def __bool__(self) -> bool:
        """Tell whether anything was found."""
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
        from graphrag.text.split import count_tokens

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
        """Return a table for ``rich.print``."""
        from graphrag.search.frames import rich_table

        return rich_table(self)

    def __repr__(self) -> str:
        """Show the counts and the best fact."""
        best = f", best: {self.facts[0].item.text!r}" if self.facts else ""
        return (
            f"Results({self.query!r}: {len(self.facts)} facts, {len(self.entities)} entities, "
            f"{len(self.episodes)} episodes, {len(self.communities)} communities{best})"
        )

    def _repr_html_(self) -> str:

        return results_page(self)


_EXCERPT = 240
_Cells = Callable[[Any], Sequence[str]]


def results_page(results: Results) -> str:
    """Return a table for each scope that found something."""
    parts = [f"<b>{escape(results.query)}</b>"]
    if results.facts:
        sources = (results.source_of(hit.item) or hit.item.text for hit in results.facts)
        facts = (
            (hit.item, "", (cut(source, _EXCERPT), _score(hit)))
            for hit, source in zip(results.facts, sources, strict=True)
        )
        parts.append(f"<p>Facts</p>{fact_table(('source', 'score'), facts, now=utc_now())}")
    scopes: tuple[tuple[str, Sequence[Hit[Any]], Sequence[str], _Cells], ...] = (
        ("Entities", results.entities, ("name", "type", "summary"), _entity),
        ("Episodes", results.episodes, ("date", "name", "text"), _episode),
        ("Communities", results.communities, ("name", "summary"), _community),
    )
    for title, hits, header, cells in scopes:
        if hits:
            rows = (
                (_score(hit), *(cut(cell, _EXCERPT) for cell in cells(hit.item))) for hit in hits
            )
            parts.append(f"<p>{title}</p>{table(('score', *header), rows, words=True)}")
    if not results:
        parts.append("<p>nothing found</p>")
    if results.explanation is not None:
        parts.append(results.explanation._repr_html_())
    return "".join(parts)


def _entity(entity: Entity) -> Sequence[str]:
    return entity.name, entity.entity_type, entity.summary


def _episode(episode: Episode) -> Sequence[str]:
    return f"{episode.valid_at:%Y-%m-%d}", episode.name, episode.content


def _community(community: Community) -> Sequence[str]:
    return community.name, community.summary


def _score(hit: Hit[Any]) -> str:
    return f"{hit.score:.3f}"
