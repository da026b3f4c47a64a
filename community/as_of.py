"""Communities of a group at another moment, and their columns for search.

In system time they are read back from the log. In world time they are detected from the facts that
held and described without a model; one that continues a stored community has its id, others an id
derived from their members, so ids are stable.

Stored ones have words and vectors in the index. Of others a search embeds only those that share
words with the question or have members about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from graphrag.community.describe import AtMoment, Describer
from graphrag.community.detect import detected
from graphrag.community.draft import Draft, by_facts, drafts, finished, id_from, lasting
from graphrag.community.stored import Tree, in_order, merged, with_members
from graphrag.community.ties import Ties
from graphrag.index.bm25 import BM25Index
from graphrag.index.group import GroupIndex
from graphrag.index.lazy import AsideColumn
from graphrag.index.merged import Heirs
from graphrag.index.scope import COMMUNITIES, Scope
from graphrag.index.texts import community_text
from graphrag.model.values import Community
from graphrag.protocols import Embedder, Matrix
from graphrag.search.rank_communities import Made
from graphrag.search.rewind import Past
from graphrag.search.visibility import Visible
from graphrag.store.links import ends_of, read_ranked
from graphrag.store.record import Record
from graphrag.store.rows import unplain
from graphrag.store.store import Store


async def communities_then(group: str, store: Store, past: Past, heirs: Heirs) -> Tree:
    """Return the communities as they were stored, their members seen through the heirs."""
    stored, ranks = await read_ranked(group, store)
    rows = {row["id"].id: row for row in stored}
    for id_ in past.later("community"):
        rows.pop(id_, None)
    for id_, image in past.images("community"):
        if id_ in rows or "created_at" in image:  # else it was erased, with what it spoke of
            old = {column: unplain(column, item) for column, item in image.items()}
            rows[id_] = {**rows.get(id_, {}), **old}
    for id_ in past.later("has_member"):
        community, member = ends_of(id_)
        ranks.get(community, {}).pop(member, None)
    for id_, image in past.images("has_member"):
        community, member = ends_of(id_)
        if "rank" in image:
            ranks.setdefault(community, {})[member] = image["rank"]
    ranks = {id_: merged(ranks.get(id_, {}), heirs) for id_ in rows}
    communities = (
        with_members({**row, "id": Record("community", id_)}, ranks[id_])
        for id_, row in rows.items()
    )
    return Tree(tuple(in_order(communities)), ranks)


async def communities_of(
    index: GroupIndex, store: Store, seen: Visible, past: Past, stored: Tree, at: datetime
) -> list[Community]:
    """Return the communities that the visible facts make, whatever is stored."""
    subject, object_ = seen.ends
    held = seen.facts & seen.entities[subject] & seen.entities[object_]
    ties = await Ties.read(index, store, held, seen, past=past)
    clusters = await detected(ties.subjects, ties.objects, ties.weights)
    times = seen.valid, seen.invalid, index.facts["observed"]
    moment = AtMoment(lambda id_: past.name(id_, index), seen.ends, *times)
    made = await drafts(clusters, ties, index, moment, ties.strengths(len(index.entities)))
    known = lasting(stored.communities, made)
    descriptions = await by_facts(made, {}, Describer(index, moment), set())
    return in_order(finished(made, descriptions, known, index.group_id, at, _id))


def _id(draft: Draft) -> str:
    return id_from(str(draft.level), draft.members)


_EACH = 50
"""Communities that are embedded for their words, and for their members."""
_MEMBERS = 8
"""Members by which a community is judged before it is embedded."""
_ALWAYS = 1 << 62
"""Number of an event that does not come: what is in memory alone stays as it is."""


@dataclass(frozen=True, slots=True)
class Then:
    """The communities of a group at another moment."""

    index: GroupIndex
    past: Past
    communities: Sequence[Community]
    anew: bool
    """Made of the facts of then, not stored."""


async def made_of(groups: Sequence[Then], query: str, vector: Matrix, embedder: Embedder) -> Made:
    """Return the communities of some groups to be ranked by a question."""
    found: list[tuple[Community, str, Matrix | None]] = []
    for then in groups:
        texts = [
            community_text(community.name, community.summary) for community in then.communities
        ]
        known = [None if then.anew else _stored(community, then) for community in then.communities]
        for place in _likely(then, texts, query, vector):
            found.append((then.communities[place], texts[place], known[place]))
    new = [text for _, text, stored in found if stored is None]
    fresh = iter(await embedder.embed(new, purpose="document") if new else ())
    rows = Scope(embedder.dimension, COMMUNITIES)
    if found:
        vectors = [next(fresh) if stored is None else stored for _, _, stored in found]
        ids = [community.id for community, _, _ in found]
        rows.extend(ids, np.stack(vectors), [text for _, text, _ in found], {})
    for name in ("created_at", "group_id"):
        column = rows.aside[name] = AsideColumn(name, _ALWAYS)
        for row, (one, _, _) in enumerate(found):
            column.put(row, getattr(one, name))
    return Made(rows, {community.id: community for community, _, _ in found})


def _stored(one: Community, then: Then) -> Matrix | None:
    """Return the vector that the index has of what was said of it then."""
    rows = then.index.communities
    known = one.id in rows.row_of and then.past.knew("community", one.id)
    if not known or then.past.image("community", one.id):
        return None
    vector: Matrix = rows.vectors.rows([rows.row_of[one.id]])[0]
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
