"""Communities for a question: ranking at a past moment, and a report within a token budget.

Stored communities have their words and vectors in the index. For others, a search embeds only those
that share words with the question or have relevant members.

For a report, communities are ranked as in any search (in Edge et al., 2024, a model reads each of
them). A community whose subcommunities answer better is replaced by them. The remaining budget goes
to the largest communities, so that the report covers the whole graph.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphrag.display.cards import episode_title, lifetime, triple
from graphrag.display.visible import escape, flatten, visible
from graphrag.index.bm25 import BM25Index
from graphrag.index.group import GroupIndex
from graphrag.index.scope import COMMUNITIES, AsideColumn, ScopeIndex
from graphrag.index.texts import community_text
from graphrag.model.checks import checked_number
from graphrag.model.values import Community, Episode, Fact
from graphrag.protocols import Embedder, Matrix, in_turns
from graphrag.search.context import Citation, Context, numbered
from graphrag.search.rank import Made
from graphrag.search.results import Results
from graphrag.search.rewind import Rewind

_FACTS = 4  # facts that a community is shown with, at most
_EVIDENCE = 12  # facts, the best found, by which communities are judged beside their own words
_HOLDS, _MOSTLY = 0.25, 0.75
"""Share of a community's evidence at which a part is shown instead of it, if all those parts
together hold most of it."""
_SAYS = 0.05  # by how much the words of a part must answer more for it to be shown instead
_ANSWERS = 0.2  # worth below which a community does not answer, and counts by its size
_PATIENCE = 3  # communities in a row without room after which none is tried any more


@dataclass(frozen=True, slots=True, repr=False)
class GlobalContext(Context):
    """Context for a question, made of community summaries and facts, within a token budget."""

    question: str
    communities: tuple[Community, ...]
    """The communities in the text, in its order."""

    def __repr__(self) -> str:
        return (
            f"GlobalContext({self.question!r}: {len(self.communities)} communities, "
            f"{self.tokens} tokens, {self.left_out} left out)"
        )

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{escape(self.text)}</pre>'


@dataclass(frozen=True, slots=True)
class _CommunityBlock:
    community: Community
    within: str  # name of the community that it is a part of
    facts: tuple[Fact, ...] = ()


async def assembled(
    results: Results,
    communities: Sequence[Community],
    relevance: Mapping[str, float],
    *,
    max_tokens: int,
    count: Callable[[str], int],
) -> GlobalContext:
    """Write what communities say about a question, in at most ``max_tokens``.

    ``results`` are the facts that answer it best; ``relevance`` is how much each community answers,
    by id, 0 to 1.
    """
    checked_number("max_tokens", max_tokens, least=1)
    names = {community.id: community.name for community in communities}
    selected = _selected(communities, relevance, results)
    facts = _by_community(results, selected)
    episodes = {passage.id: passage for passage in results.passages}
    shown: list[_CommunityBlock] = []
    text, failed = "", 0
    async for community in in_turns(selected):
        within = names.get(community.parent or "", "").partition(":")[0]
        block = _CommunityBlock(community, within, facts[community.id])
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
    """Return the communities to show: those that answer best first, then the largest."""
    parts: dict[str | None, list[Community]] = defaultdict(list)
    for community in communities:
        parts[community.parent].append(community)
    evidence = _evidence(communities, results)

    def walked(community: Community) -> Iterator[Community]:
        here, said = evidence[community.id], relevance.get(community.id, 0.0) + _SAYS
        answering = [
            part
            for part in parts[community.id]
            if (here and evidence[part.id] >= _HOLDS * here) or relevance.get(part.id, 0.0) >= said
        ]
        if answering and sum(evidence[part.id] for part in answering) >= _MOSTLY * here:
            for part in answering:
                yield from walked(part)
        else:
            yield community

    def worth(community: Community) -> tuple[float, int, str]:
        answers = relevance.get(community.id, 0.0) + evidence[community.id]
        return (-answers if answers >= _ANSWERS else 0.0, -len(community.members), community.id)

    return sorted((community for top in parts[None] for community in walked(top)), key=worth)


def _evidence(communities: Sequence[Community], results: Results) -> dict[str, float]:
    """Return the share of the best found facts that lie inside each community."""
    best = results.facts[:_EVIDENCE]
    whole = sum(hit.relevance for hit in best) or 1.0
    shares = {}
    for community in communities:
        members = frozenset(community.members)
        shares[community.id] = sum(
            hit.relevance / whole
            for hit in best
            if hit.item.subject_id in members and hit.item.object_id in members
        )
    return shares


def _by_community(
    results: Results, communities: Sequence[Community]
) -> dict[str, tuple[Fact, ...]]:
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


def _numbers(blocks: Sequence[_CommunityBlock], episodes: Mapping[str, Episode]) -> dict[str, int]:
    """Return the number of each source, in order of first use."""
    facts = (fact for block in blocks for fact in block.facts)
    return numbered(id_ for fact in facts for id_ in fact.episodes if id_ in episodes)


def _text(blocks: Sequence[_CommunityBlock], episodes: Mapping[str, Episode]) -> str:
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


_EACH = 50  # communities that are embedded for their words, and for their members
_MEMBERS = 8  # members by which a community is judged before it is embedded
_ALWAYS = 1 << 62  # number of an event that does not come: what is in memory alone stays as it is


@dataclass(frozen=True, slots=True)
class Then:
    """The communities of a group at another moment."""

    index: GroupIndex
    past: Rewind
    communities: Sequence[Community]
    anew: bool  # detected in the facts of that moment, not stored


async def made_of(groups: Sequence[Then], query: str, vector: Matrix, embedder: Embedder) -> Made:
    """Return the communities of some groups as rows to rank for a question."""
    chosen: list[tuple[Community, str, Matrix | None]] = []
    for then in groups:
        texts = [community_text(each.name, each.summary) for each in then.communities]
        for place in _likely(then, texts, query, vector):
            community = then.communities[place]
            chosen.append((community, texts[place], _stored(community, then)))
    new = [text for _, text, stored in chosen if stored is None]
    fresh = iter(await embedder.embed(new, purpose="document") if new else ())
    rows = ScopeIndex(embedder.dimension, COMMUNITIES)
    if chosen:
        vectors = [next(fresh) if stored is None else stored for _, _, stored in chosen]
        ids = [community.id for community, _, _ in chosen]
        rows.extend(ids, np.stack(vectors), [text for _, text, _ in chosen], {})
    for name in ("created_at", "group_id"):
        values = [getattr(community, name) for community, _, _ in chosen]
        column = rows.aside[name] = AsideColumn(name, _ALWAYS)
        column.fill(range(len(values)), values)
    return Made(rows, {community.id: community for community, _, _ in chosen})


def _stored(community: Community, then: Then) -> Matrix | None:
    """Return the vector that the index has for the name and summary of then."""
    rows = then.index.communities
    known = community.id in rows.row_of and then.past.knew("community", community.id)
    if then.anew or not known or then.past.image("community", community.id):
        return None
    vector: Matrix = rows.vectors.rows([rows.row_of[community.id]])[0]
    return vector


def _likely(then: Then, texts: Sequence[str], query: str, vector: Matrix) -> Sequence[int]:
    """Return the places of the communities that may answer: all, if they are few."""
    if len(texts) <= 2 * _EACH:
        return range(len(texts))
    row_of = then.index.entities.row_of
    best = [
        [row_of[id_] for id_ in community.members[:_MEMBERS] if id_ in row_of]
        for community in then.communities
    ]
    sizes = np.array([len(rows) for rows in best])
    cosines = then.index.entities.vectors.compare(vector).at(np.concatenate(best).astype(np.intp))
    places = np.repeat(np.arange(len(best)), sizes)
    near = np.bincount(places, weights=cosines, minlength=len(best)) / np.maximum(sizes, 1)
    words = BM25Index(texts).scores(query)
    chosen = {
        int(place)
        for scores in (near, words)
        for place in np.argsort(-scores, kind="stable")[:_EACH]
    }
    return sorted(chosen)
