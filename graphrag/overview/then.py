"""The communities of another moment as searches rank them: by what was to be said of them then.

Of the stored ones the index has words and vectors; of others a search makes them. An embedder takes
its time, so of many only those are embedded that have words of the question, or members that are
about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.index.aside import AsideColumn
from graphrag.index.group import GroupIndex
from graphrag.index.postings import Postings
from graphrag.index.scope import COMMUNITIES, Scope
from graphrag.index.texts import community_text
from graphrag.models import Community
from graphrag.protocols import Embedder, Matrix
from graphrag.search.communities import Made
from graphrag.search.visible import Past

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
        texts = [community_text(one.name, one.summary) for one in then.communities]
        known = [None if then.anew else _stored(one, then) for one in then.communities]
        for place in _likely(then, texts, query, vector):
            found.append((then.communities[place], texts[place], known[place]))
    new = [text for _, text, stored in found if stored is None]
    fresh = iter(await embedder.embed(new, purpose="document") if new else ())
    rows = Scope(embedder.dimension, COMMUNITIES)
    if found:
        vectors = [next(fresh) if stored is None else stored for _, _, stored in found]
        ids = [one.id for one, _, _ in found]
        rows.extend(ids, np.stack(vectors), [text for _, text, _ in found], {})
    for name in ("created_at", "group_id"):
        column = rows.aside[name] = AsideColumn(name, _ALWAYS)
        for row, (one, _, _) in enumerate(found):
            column.put(row, getattr(one, name))
    return Made(rows, {one.id: one for one, _, _ in found})


def _stored(one: Community, then: Then) -> Matrix | None:
    """Return the vector that the index has of what was said of it then."""
    rows = then.index.communities
    if one.id not in rows.row_of or f"community:{one.id}" in then.past.before:
        return None
    vector: Matrix = rows.vectors.rows([rows.row_of[one.id]])[0]
    return vector


def _likely(then: Then, texts: Sequence[str], query: str, vector: Matrix) -> Sequence[int]:
    """Return the places of the communities that may answer: all, if they are few."""
    if len(texts) <= 2 * _EACH:
        return range(len(texts))
    row_of = then.index.entities.row_of
    best = [
        [row_of[id_] for id_ in one.members[:_MEMBERS] if id_ in row_of] for one in then.communities
    ]
    sizes = np.array([len(rows) for rows in best])
    cosines = then.index.entities.vectors.compare(vector).at(np.concatenate(best).astype(np.intp))
    places = np.repeat(np.arange(len(best)), sizes)
    near = np.bincount(places, weights=cosines, minlength=len(best)) / np.maximum(sizes, 1)
    words = Postings(texts).scores(query)
    chosen = {
        int(place)
        for scores in (near, words)
        for place in np.argsort(-scores, kind="stable")[:_EACH]
    }
    return sorted(chosen)
