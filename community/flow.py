"""Communities over time: their members in each time slice, and their merges, splits and changes."""

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
    """A change of communities between two consecutive time slices."""

    kind: EventKind
    at: datetime
    """Start of the later slice."""
    before: tuple[str, ...]
    """Ids of the affected communities in the earlier slice, largest first; empty for a birth."""
    after: tuple[str, ...]
    """Ids of the resulting communities in the later slice, largest first; empty for a death."""


@dataclass(frozen=True, slots=True, repr=False)
class DynamicCommunity:
    """One community followed through all time slices in which it has members."""

    id: str
    """Id of the stored community that it continues, or a new id if there is none."""
    name: str
    members: tuple[tuple[str, ...], ...]
    """Ids of its entities in each slice, best connected first; empty where it has no members."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the number of members in each slice."""
        return tuple(map(len, self.members))

    def __repr__(self) -> str:
        return f"DynamicCommunity({self.name!r}, {'-'.join(map(str, self.sizes))})"


@dataclass(frozen=True, slots=True, repr=False)
class CommunityFlow(Picture):
    """The communities of a group in consecutive slices of valid time; notebooks show a picture."""

    group: str
    slices: tuple[Interval, ...]
    communities: tuple[DynamicCommunity, ...]
    """Communities by their largest size; includes entities that are alone in every slice."""
    events: tuple[CommunityEvent, ...]
    """The changes of the communities, in chronological order."""
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
        """Return the label of each slice: its year, month or day."""
        starts = [_start(part) for part in self.slices][1:] or [
            _start(part) for part in self.slices
        ]
        forms = ("%Y", lambda at: (at.month, at.day)), ("%Y-%m", lambda at: (1, at.day))
        form = next((form for form, part in forms if all(part(at) == (1, 1) for at in starts)), "")
        return [_start(part).strftime(form or "%Y-%m-%d") for part in self.slices]

    def moves(self, number: int) -> Counter[tuple[str, str]]:
        """Count members by their communities in slice ``number`` (from 0) and the next."""
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
        """Return the changes of the communities as sentences with dates."""
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
        """Return the flow as JSON values that refer to communities and entities by index.

        Args:
            limit: Maximum number of communities, the largest first; default: all.
            events: Maximum number of events of these communities, the latest; default: all.
            details: Whether to include the members of each slice and their moves.
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
