"""A view laid out to be looked at; ``export.atlas`` and ``show`` say what the arguments mean."""

from dataclasses import replace

from graphrag.explorer.atlas import Atlas, atlas_of, sourced
from graphrag.model.values import Entity, Fact
from graphrag.search.sources import quotes_of
from graphrag.search.within import checked_number
from graphrag.temporal.moment import utc_now
from graphrag.view.communities import CommunityReads
from graphrag.view.lens import MOST, Lens

_PAGE = 2000


async def atlas(lens: Lens, *, limit: int, history: bool, quotes: bool) -> Atlas:
    """Lay out a view: its facts of all times, or only those that hold at its moment."""
    checked_number("limit", limit, least=1, most=MOST)
    index, past, seen = await lens.scene(history=history)
    view = lens.viewpoint
    stored = replace(lens, viewpoint=replace(view, valid_at=None, history=False))
    communities = await CommunityReads(stored).list(level=0)
    found = await atlas_of(
        index,
        past,
        seen,
        communities,
        limit=limit,
        at=view.valid_at,
        known_at=view.known_at,
        now=utc_now(),
    )
    if not quotes:
        return found
    said, about = [], []
    for first in range(0, len(found.facts["id"]), _PAGE):
        ids = found.facts["id"][first : first + _PAGE]
        facts = past.facts(await lens.store.get(Fact, ids), index)
        some = [facts[id_] for id_ in ids]
        pairs = zip(some, await quotes_of(some, lens.store, past), strict=True)
        said += [sourced(fact, quoted) for fact, quoted in pairs]
    for first in range(0, len(found.nodes["id"]), _PAGE):
        ids = found.nodes["id"][first : first + _PAGE]
        entities = past.rewound(await lens.store.get(Entity, ids))
        about += [[list(entities[id_].aliases), entities[id_].summary] for id_ in ids]
    return replace(found, quotes=said, about=about)
