"""Sagas as seen from a view, and what was told around an episode."""

from dataclasses import replace
from typing import Literal, get_args

from graphrag.errors import QueryError
from graphrag.index.read_sources import read_sources
from graphrag.models import DEFAULT_GROUP, Episode
from graphrag.sagas.listing import Sagas, saga_list
from graphrag.sagas.order import beside, sagas_then
from graphrag.sagas.view import SagaView, read_saga
from graphrag.sagas.window import EpisodeWindow
from graphrag.search.visible import Mask, visible
from graphrag.temporal.moment import utc_now
from graphrag.views import Views

Across = Literal["saga", "group"]

_WIDEST = 1000


class SagaReads(Views):
    """Named runs of episodes, and the order of episodes."""

    __slots__ = ()

    async def saga(self, name: str, *, group: str = DEFAULT_GROUP) -> SagaView:
        """Return a saga: its episodes in order, what they tell of, and its summary.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
        """
        index, store = await self._group(group), self._reading.store
        past = await self._past(group)
        await read_sources(store, index)
        now = utc_now()
        seen = visible(index, self.viewpoint, past, now=now)
        ever = visible(index, replace(self.viewpoint, history=True), past, now=now)
        return await read_saga(name, index, store, seen, ever, past, self._now())

    async def sagas(self, *, group: str = DEFAULT_GROUP) -> Sagas:
        """Return the sagas of a group with their sizes and dates, in order of their beginnings."""
        await self._group(group)
        index, past, seen = await self._view(group)
        return saga_list(index, seen, past)

    async def episode_window(
        self,
        episode: Episode | str,
        *,
        before: int = 3,
        after: int = 3,
        across: Across = "saga",
    ) -> EpisodeWindow:
        """Return an episode with those just before and after it, by reference time.

        Args:
            episode: An episode or its id.
            before: How many before it, at most 1,000.
            after: How many after it, at most 1,000.
            across: ``saga``: of its saga, of the whole group if it is in none. ``group``: of all.

        Raises:
            QueryError: if the episode is not there, or for an impossible number or range.
        """
        for what, number in (("before", before), ("after", after)):
            if (
                isinstance(number, bool)
                or not isinstance(number, int)
                or not 0 <= number <= _WIDEST
            ):
                raise QueryError(f"{what} {number!r}: a whole number from 0 to {_WIDEST}")
        if across not in get_args(Across):
            raise QueryError(f"across {across!r}: choose 'saga' or 'group'")
        store = self._reading.store
        id_ = episode if isinstance(episode, str) else episode.id
        known = (await store.get(Episode, [id_])).get(id_)
        if known is None:
            raise QueryError(f"there is no episode {id_!r}: pass one from a search, or its id")
        index, past, seen = await self._view(known.group_id)
        row = index.episodes.row_of.get(id_)
        if row is None or not seen.episodes[row]:
            raise QueryError(f"episode {id_} ({known.name!r}) is not visible in {self.viewpoint!r}")
        mask: Mask = seen.episodes
        sagas = sagas_then(index, past)
        if across == "saga" and sagas[row] >= 0:
            mask = mask & (sagas == sagas[row])
        earlier, later = beside(row, mask, index, before=before, after=after)
        ids = [index.episodes.ids[one] for one in (*earlier, row, *later)]
        found = [past.rewind(one) for one in (await store.get(Episode, ids)).values()]
        place = len(earlier)
        return EpisodeWindow(tuple(found[:place]), found[place], tuple(found[place + 1 :]))
