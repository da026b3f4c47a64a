"""Communities through time: who was in which of them when, and what became of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from graphrag.community.detect import LEAST
from graphrag.display.cards import table
from graphrag.display.picture import Drawing, Picture
from graphrag.display.visible import flatten
from graphrag.search.frames import table_of
from graphrag.temporal.interval import Interval

_COLUMNS = ("start", "end", "community_id", "community", "entity_id", "entity")
_SHOWN = 40  # communities, and events, in a notebook


EventKind = Literal["born", "died", "grew", "shrank", "merged", "split"]


@dataclass(frozen=True, slots=True)
class CommunityEvent:
    """Something that happened to communities at the turn of two slices."""

    kind: EventKind
    at: datetime
    """Where the later slice begins."""
    before: tuple[str, ...]
    """Ids of those in the earlier slice that it happened to, largest first; none for a birth."""
    after: tuple[str, ...]
    """Ids of those in the later slice that came of it, largest first; none for a death."""


@dataclass(frozen=True, slots=True, repr=False)
class DynamicCommunity:
    """A community that lasts: the same in all slices of time in which it has members."""

    id: str
    """The id of the stored community that it continues, if there is one."""
    name: str
    members: tuple[tuple[str, ...], ...]
    """Ids of its entities by slice, best connected first; none where it is not there."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many members it has in each slice."""
        return tuple(map(len, self.members))

    def __repr__(self) -> str:
        return f"DynamicCommunity({self.name!r}, {'-'.join(map(str, self.sizes))})"


@dataclass(frozen=True, slots=True, repr=False)
class CommunityFlow(Picture):
    """The communities of a group in slices of world time, to draw; a notebook does."""

    group: str
    slices: tuple[Interval, ...]
    communities: tuple[DynamicCommunity, ...]
    """Those with most members at once first; includes entities that are alone in all slices."""
    events: tuple[CommunityEvent, ...]
    """What became of them, in order."""
    names: Mapping[str, str]
    """Names of entities by id."""

    def __iter__(self) -> Iterator[DynamicCommunity]:
        return (community for community in self.communities if max(community.sizes) >= LEAST)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return (
            f"CommunityFlow({self.group!r}: {len(self)} communities, {len(self.slices)} slices, "
            f"{len(self.events)} events)"
        )

    def __str__(self) -> str:
        if not len(self):
            return "no communities"
        heads = self.labels()
        wide = [max(len(head), 4) for head in heads]
        lines = [" ".join(head.rjust(room) for head, room in zip(heads, wide, strict=True))]
        lines += [
            " ".join((str(size) if size else "").rjust(room) for size, room in row)
            + f"  {flatten(community.name)}"
            for community in self
            for row in [zip(community.sizes, wide, strict=True)]
        ]
        return "\n".join([*lines, *self.sentences()])

    def labels(self) -> list[str]:
        """Return what each slice is called: its year, month or day."""
        starts = [_start(part) for part in self.slices][1:] or [
            _start(part) for part in self.slices
        ]
        forms = ("%Y", lambda at: (at.month, at.day)), ("%Y-%m", lambda at: (1, at.day))
        form = next((form for form, part in forms if all(part(at) == (1, 1) for at in starts)), "")
        return [_start(part).strftime(form or "%Y-%m-%d") for part in self.slices]

    def moves(self, number: int) -> Counter[tuple[str, str]]:
        """Count members by their communities in slice ``number``, from 0, and in the next one."""
        home = {
            id_: community.id for community in self.communities for id_ in community.members[number]
        }
        return Counter(
            (home[id_], community.id)
            for community in self.communities
            for id_ in community.members[number + 1]
            if id_ in home
        )

    def sentences(self) -> list[str]:
        """Return what became of communities, a line each, with the day."""
        called = {community.id: flatten(community.name) for community in self.communities}
        label = {_start(part): number for number, part in enumerate(self.slices)}
        sizes = {community.id: community.sizes for community in self.communities}
        lines = []
        for event in self.events:
            before, after = (
                " and ".join(called[id_] for id_ in ids) for ids in (event.before, event.after)
            )
            match event.kind:
                case "merged":
                    sentence = f"{before} merged into {after}"
                case "split":
                    sentence = f"{before} split into {after}"
                case "grew" | "shrank":
                    was, now = (sizes[event.after[0]][label[event.at] + step] for step in (-1, 0))
                    sentence = f"{after} {event.kind} from {was} to {now}"
                case _:
                    sentence = f"{before or after} {event.kind}"
            lines.append(f"{event.at:%Y-%m-%d}  {sentence}")
        return lines

    def to_dict(
        self, *, limit: int | None = None, events: int | None = None, details: bool = True
    ) -> dict[str, Any]:
        """Return it as JSON can carry it, communities and entities in members by number.

        Args:
            limit: Communities at most, the largest; default: all.
            events: Events at most, the latest of these communities; default: all.
            details: Whether to tell who was in which when, and who went where.
        """
        shown = list(self)[:limit]
        place = {community.id: number for number, community in enumerate(shown)}
        happened = [
            {
                "at": event.at.isoformat(),
                "kind": event.kind,
                "said": sentence.partition("  ")[2],
                "before": list(event.before),
                "after": list(event.after),
            }
            for event, sentence in zip(self.events, self.sentences(), strict=True)
            if any(id_ in place for id_ in (*event.before, *event.after))
        ]
        kept = happened if events is None else happened[max(0, len(happened) - events) :]
        ids = dict.fromkeys(
            id_ for community in shown for inside in community.members for id_ in inside
        )
        numbers = {id_: number for number, id_ in enumerate(ids)} if details else {}
        moved = sorted(
            (number, place[source], place[target], count)
            for number in range(len(self.slices) - 1 if details else 0)
            for (source, target), count in self.moves(number).items()
            if source in place and target in place
        )
        slices = []
        for label, part in zip(self.labels(), self.slices, strict=True):
            slices.append({"label": label})
            if part.start is not None:
                slices[-1]["start"] = part.start.isoformat()
            if part.end is not None:
                slices[-1]["end"] = part.end.isoformat()
        return {
            "slices": slices,
            "communities": [
                {
                    "id": community.id,
                    "name": community.name,
                    "sizes": list(community.sizes),
                    "members": [[numbers[id_] for id_ in inside] for inside in community.members]
                    if details
                    else [],
                }
                for community in shown
            ],
            "events": kept,
            "left_out": len(self) - len(shown),
            "earlier": len(happened) - len(kept),
            "entities": {"id": list(numbers), "name": [self.names[id_] for id_ in numbers]},
            "moves": {
                name: [row[column] for row in moved]
                for column, name in enumerate(("slice", "source", "target", "members"))
            },
        }

    def to_dataframe(self) -> Any:
        """Return one row for each entity in each slice as a pandas data frame."""
        values = (
            (part.start, part.end, community.id, community.name, id_, self.names[id_])
            for number, part in enumerate(self.slices)
            for community in self.communities
            for id_ in community.members[number]
        )
        return table_of([dict(zip(_COLUMNS, row, strict=True)) for row in values], _COLUMNS)

    def _draw(self) -> Drawing:
        from graphrag.community.alluvial import drawn

        return drawn(self)

    def _repr_html_(self) -> str:
        rows = [
            (community.name, *(str(size or "") for size in community.sizes)) for community in self
        ]
        happened = [line.partition("  ")[::2] for line in self.sentences()]
        return (
            f"{self.to_svg()}<details><summary>in numbers</summary>"
            f"{_table(('community', *self.labels()), rows)}</details>"
            f"{_table(('when', 'what'), happened) if happened else ''}"
        )


def _start(part: Interval) -> datetime:
    assert part.start is not None  # slices begin and end
    return part.start


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    more = len(rows) - _SHOWN
    rest = f"<p>… and {more} more</p>" if more > 0 else ""
    return table(header, rows[:_SHOWN]) + rest
