"""Report of communities on a question about the whole, as prompt text within a budget.

Communities are ranked as in any search (Edge et al., 2024, have a model read every one). One whose
parts answer more than it does is replaced by them; the remaining budget goes to the largest, so
that the whole is covered.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graphrag.display.cards import episode_title, lifetime, triple
from graphrag.display.visible import escape, flatten, visible
from graphrag.model.values import Community, Episode, Fact
from graphrag.protocols import in_turns
from graphrag.search.context import Citation, Context
from graphrag.search.results import Results
from graphrag.search.within import checked_number

_FACTS = 4
"""Facts that a community is shown with, at most."""
_EVIDENCE = 12
"""Facts, the best found, by which communities are judged beside their own words."""
_HOLDS, _MOSTLY = 0.25, 0.75
"""Share of a community's evidence at which a part is shown instead of it, if all those parts
together hold most of it."""
_SAYS = 0.05
"""By how much the words of a part must answer more for it to be shown instead."""
_ANSWERS = 0.2
"""Worth below which a community does not answer, and counts by its size."""
_PATIENCE = 3
"""Communities in a row without room after which none is tried any more."""


@dataclass(frozen=True, slots=True, repr=False)
class GlobalContext(Context):
    """What communities say of a question; those that had no room are counted."""

    question: str
    communities: tuple[Community, ...]
    """Those that the text tells of, in its order."""

    def __repr__(self) -> str:
        """Show the question and the counts."""
        return (
            f"GlobalContext({self.question!r}: {len(self.communities)} communities, "
            f"{self.tokens} tokens, {self.left_out} left out)"
        )

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{escape(self.text)}</pre>'


@dataclass(frozen=True, slots=True)
class _Block:
    """One community as it is shown."""

    community: Community
    within: str
    """Name of the community that it is a part of."""
    facts: tuple[Fact, ...] = ()


async def assembled(
    results: Results,
    communities: Sequence[Community],
    relevance: Mapping[str, float],
    *,
    max_tokens: int,
    count: Callable[[str], int],
) -> GlobalContext:
    """Put what communities say of a question into a text of at most ``max_tokens``.

    Args:
        results: The facts that answer the question best, with their sources.
        communities: All of them.
        relevance: How much each answers, by id, 0 to 1.
        max_tokens: What the text may take.
        count: Counts tokens.

    Raises:
        QueryError: for a budget below 1.
    """
    checked_number("max_tokens", max_tokens, least=1)
    names = {community.id: community.name for community in communities}
    selected = _selected(communities, relevance, results)
    facts = _by_community(results, selected)
    episodes = {passage.id: passage for passage in results.passages}
    shown: list[_Block] = []
    text, failed = "", 0
    async for community in in_turns(selected):
        block = _Block(
            community, names.get(community.parent or "", "").partition(":")[0], facts[community.id]
        )
        for facts_shown in sorted({len(block.facts), min(1, len(block.facts)), 0}, reverse=True):
            version = replace(block, facts=block.facts[:facts_shown])
            longer = _text([*shown, version], episodes)
            if count(longer) <= max_tokens:
                shown.append(version)
                text, failed = longer, 0
                break
        else:
            failed += 1
            if failed == _PATIENCE:
                break
    citations = tuple(
        Citation(number, id_, episode_title(episodes[id_]), episodes[id_].valid_at)
        for id_, number in _numbers(shown, episodes).items()
    )
    used = tuple(block.community for block in shown)
    left_out = len(selected) - len(shown)
    return GlobalContext(text, citations, count(text), left_out, results.query, used)


def _selected(
    communities: Sequence[Community], relevance: Mapping[str, float], results: Results
) -> list[Community]:
    """Return the communities to show, what answers best first, then the largest."""
    parts: dict[str | None, list[Community]] = defaultdict(list)
    for one in communities:
        parts[one.parent].append(one)
    evidence = _evidence(communities, results)

    def walked(one: Community) -> Iterator[Community]:
        here, said = evidence[one.id], relevance.get(one.id, 0.0) + _SAYS
        answering = [
            part
            for part in parts[one.id]
            if (here and evidence[part.id] >= _HOLDS * here) or relevance.get(part.id, 0.0) >= said
        ]
        if answering and sum(evidence[part.id] for part in answering) >= _MOSTLY * here:
            for part in answering:
                yield from walked(part)
        else:
            yield one

    def worth(one: Community) -> tuple[float, int, str]:
        answers = relevance.get(one.id, 0.0) + evidence[one.id]
        return (-answers if answers >= _ANSWERS else 0.0, -len(one.members), one.id)

    return sorted((community for top in parts[None] for community in walked(top)), key=worth)


def _evidence(communities: Sequence[Community], results: Results) -> dict[str, float]:
    """Return the share of the best found facts that lie inside each community."""
    best = results.facts[:_EVIDENCE]
    whole = sum(hit.relevance for hit in best) or 1.0
    found = {}
    for community in communities:
        members = frozenset(community.members)
        found[community.id] = sum(
            hit.relevance / whole
            for hit in best
            if hit.item.subject_id in members and hit.item.object_id in members
        )
    return found


def _by_community(
    results: Results, communities: Sequence[Community]
) -> dict[str, tuple[Fact, ...]]:
    """Return the found facts of each community: those between its members, else at one of them."""
    homes = {member: community.id for community in communities for member in community.members}
    inside: dict[str, list[Fact]] = defaultdict(list)
    at: dict[str, list[Fact]] = defaultdict(list)
    for hit in results.facts:
        ends = [homes.get(end) for end in (hit.item.subject_id, hit.item.object_id)]
        if ends[0] is not None and ends[0] == ends[1]:
            inside[ends[0]].append(hit.item)
        elif (home := ends[0] or ends[1]) is not None:
            at[home].append(hit.item)
    return {
        community.id: tuple((inside[community.id] + at[community.id])[:_FACTS])
        for community in communities
    }


def _numbers(blocks: Sequence[_Block], episodes: Mapping[str, Episode]) -> dict[str, int]:
    """Return the number of each source, in order of first use."""
    cited = dict.fromkeys(
        id_ for block in blocks for fact in block.facts for id_ in fact.episodes if id_ in episodes
    )
    return {id_: number for number, id_ in enumerate(cited, start=1)}


def _text(blocks: Sequence[_Block], episodes: Mapping[str, Episode]) -> str:
    numbers = _numbers(blocks, episodes)
    lines = ["Groups:"]
    for block in blocks:
        community = block.community
        within = f", part of {flatten(block.within)}" if block.within else ""
        lines.append(
            f"- {flatten(community.name)} ({len(community.members)} members{within}): "
            f"{community.summary}"
        )
        for fact in block.facts:
            marks = "".join(f" [{numbers[id_]}]" for id_ in fact.episodes if id_ in numbers)
            lines.append(f"  - {triple(fact)} ({lifetime(fact)}){marks}")
    if numbers:
        lines.append("Sources:")
    for id_, number in numbers.items():
        episode = episodes[id_]
        lines.append(f"[{number}] {episode.valid_at:%Y-%m-%d}, {episode_title(episode)}")
    return visible("\n".join(lines))
