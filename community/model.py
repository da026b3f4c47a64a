"""One community to look at: who is in it, what ties them, and what it is made of."""

from dataclasses import dataclass

import numpy as np

from graphrag.community.map import CommunityMap
from graphrag.community.wording import in_a_row
from graphrag.display.cards import community_card, lifetime, triple
from graphrag.display.visible import escape, flatten, visible
from graphrag.index.group import GroupIndex
from graphrag.model.values import Community, Entity, Fact
from graphrag.search.visibility import Visible

_SHOWN = 15


@dataclass(frozen=True, slots=True, repr=False)
class CommunityView:
    """A community as seen from a viewpoint."""

    community: Community
    entities: tuple[Entity, ...]
    """Its members, best tied first; as many as were asked for."""
    facts: tuple[Fact, ...]
    """Facts between its members, those of the best tied first; as many as were asked for."""
    fact_count: int
    """All facts between its members."""
    parts: tuple[Community, ...]
    """The communities one level below that it is made of, largest first."""
    parent: Community | None
    """The community that it is a part of."""
    map: CommunityMap
    """Its parts to draw, or itself if it has none."""

    @property
    def name(self) -> str:
        """Return its name."""
        return self.community.name

    @property
    def summary(self) -> str:
        """Return its summary."""
        return self.community.summary

    def __str__(self) -> str:
        """Return it as text."""
        lines = [f"{flatten(self.name)} ({len(self.community.members)} members)", self.summary]
        if self.parent is not None:
            lines.append(f"part of: {flatten(self.parent.name)}")
        lines += [f"- {triple(fact)} ({lifetime(fact)})" for fact in self.facts]
        if self.parts:
            lines += [
                "parts:",
                *(f"- {flatten(one.name)} ({len(one.members)})" for one in self.parts),
            ]
        return visible("\n".join(lines))

    def __repr__(self) -> str:
        """Show its name and the counts."""
        return (
            f"CommunityView({self.name!r}: {len(self.community.members)} members, "
            f"{self.fact_count} facts, {len(self.parts)} parts)"
        )

    def _repr_html_(self) -> str:
        members = in_a_row([one.name for one in self.entities[:_SHOWN]] or ["nobody"])
        more = len(self.community.members) - len(self.entities[:_SHOWN])
        rows = "".join(
            f"<tr><td>{escape(triple(fact))}</td><td>{escape(lifetime(fact))}</td></tr>"
            for fact in self.facts[:_SHOWN]
        )
        parts = "".join(
            f"<li>{escape(one.name)} ({len(one.members)})</li>" for one in self.parts[:_SHOWN]
        )
        above = f"<p>part of {escape(self.parent.name)}</p>" if self.parent else ""
        return (
            f"{community_card(self.community)}{above}"
            f"<p>{escape(members)}{f' … and {more} more' if more > 0 else ''}</p>"
            f"{self.map.to_svg()}<table>{rows}</table>" + (f"<ul>{parts}</ul>" if parts else "")
        )


def between(community: Community, index: GroupIndex, seen: Visible) -> list[int]:
    """Return the rows of the visible facts between members, those of the best tied first."""
    row_of = index.entities.row_of
    place = np.full(len(index.entities), -1, dtype=np.int64)
    for number, id_ in enumerate(community.members):
        if id_ in row_of:
            place[row_of[id_]] = number
    subject, object_ = (place[end] for end in seen.ends)
    rows = np.flatnonzero(seen.facts & (subject >= 0) & (object_ >= 0))
    order = np.lexsort((rows, subject[rows] + object_[rows]))
    return [int(row) for row in rows[order]]
