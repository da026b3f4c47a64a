"""The timeline of an entity, with what ended each fact, and the profile of an entity."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np

from graphrag.display import cards
from graphrag.display.picture import Drawing, Picture, legend, rule, shape, width_of, word
from graphrag.display.visible import Html, cut, escape, flatten
from graphrag.index.group import GroupIndex
from graphrag.model.attributes import also_called
from graphrag.model.values import Entity, Fact
from graphrag.search.frames import table_of
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import VisibleRows
from graphrag.store.store import Store

Status = Literal["holds", "ended", "to come", "overruled", "never true"]
_COLOURS: Mapping[Status, str] = {
    "holds": "#2a7f62",
    "ended": "#7a8794",
    "to come": "#4477aa",
    "overruled": "#b58900",
    "never true": "#b5483a",
}
_TOP, _ROW, _LEFT, _WIDE = 50, 20, 12, 400
"""Pixels of a drawn timeline: above the first bar, of a row, left of the bars, of their axis."""
_COLUMNS = (
    *("status", "why", "subject", "relation", "object", "valid_at", "invalid_at"),
    *("confidence", "text", "id"),
)
_LONGEST = 90  # characters of a drawn fact


@dataclass(frozen=True, slots=True)
class Stage:
    """One fact of a timeline, with its status and the fact that closed it."""

    fact: Fact
    status: Status
    closed_by: Fact | None = None
    """The fact that ended or replaced it."""

    @property
    def why(self) -> str:
        """Return why the fact ended or was retracted; empty if no reason was given."""
        if self.fact.reason or self.closed_by is None:
            return self.fact.reason or ""
        return f"closed by: {cards.triple(self.closed_by)}"


@dataclass(frozen=True, slots=True, repr=False)
class Timeline(Picture):
    """Every fact about an entity in order of their starts, facts without a known start first."""

    entity: Entity
    stages: tuple[Stage, ...]
    at: datetime
    """The moment at which the status of each fact ("holds", "ended") is evaluated."""

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def __len__(self) -> int:
        return len(self.stages)

    def __repr__(self) -> str:
        return f"Timeline({self.entity.name!r}, {len(self.stages)} facts)"

    def __str__(self) -> str:
        rows = [
            (cards.lifetime(stage.fact), cards.triple(stage.fact), stage.status, flatten(stage.why))
            for stage in self.stages
        ]
        widths = [max((len(row[place]) for row in rows), default=0) for place in range(3)]
        lines = [
            "  ".join((*(f"{row[at]:<{widths[at]}}" for at in range(3)), row[3])).rstrip()
            for row in rows
        ]
        return "\n".join((cards.entity_title(self.entity), *self._names(), *lines))

    def _names(self) -> list[str]:
        names = flatten(", ".join(also_called(self.entity)))
        return [f"also called {names}"] if self.entity.names else []

    def to_dataframe(self) -> Any:
        """Return one row for each fact as a pandas data frame, with its status and why it ended.

        Raises:
            MissingExtraError: if pandas is not installed.
        """
        rows = [
            {**{name: getattr(stage.fact, name) for name in _COLUMNS[2:]}, "status": stage.status}
            | {"why": stage.why}
            for stage in self.stages
        ]
        return table_of(rows, _COLUMNS)

    def _repr_html_(self) -> str:
        names = "".join(f", {escape(line)}" for line in self._names())
        return f"{cards.heading(self.entity)}{names}{stages_table(self.stages, self.at)}"

    def _draw(self) -> Drawing:
        """Draw the lifetimes over one axis of years, with a line at the moment of the view."""
        axis = cards.lifetime_axis((stage.fact for stage in self.stages), now=self.at, width=_WIDE)
        bottom, beside = _TOP + _ROW * len(self.stages), _LEFT + _WIDE + 14
        title = f"{cut(self.entity.name, _LONGEST)} ({self.entity.entity_type})"
        shapes, words = [], [word(_LEFT, 18, title, 13, bold=True)]
        for x, name in axis.ticks():
            shapes.append(rule(f"M{_LEFT + x:.1f} {_TOP - 6}V{bottom}", 0.15))
            words.append(word(_LEFT + x, _TOP - 10, name, 10, anchor="middle", soft=True))
        now = {"d": f"M{_LEFT + axis.at(self.at):.1f} {_TOP - 6}V{bottom}", "stroke": "#c8463c"}
        shapes.append(shape("path", {**now, "stroke-dasharray": "3 3"}, f"{self.at:%Y-%m-%d}"))
        width = max(beside, width_of(title, 13) + 40)
        for place, stage in enumerate(self.stages):
            y = _TOP + _ROW * place
            drawn = cards.lifetime_bar(stage.fact, axis, now=self.at, colour=_COLOURS[stage.status])
            shapes.append(f'<g transform="translate({_LEFT} {y})">{drawn}</g>')
            text = cut(f"{cards.triple(stage.fact)}, {cards.lifetime(stage.fact)}", _LONGEST)
            words.append(word(beside, y + 10, text))
            width = max(width, beside + 12 + width_of(text, 11))
        colours: dict[str, str] = {stage.status: _COLOURS[stage.status] for stage in self.stages}
        dots, meanings, end = legend(colours, bottom + 12, width)
        return Drawing(width, end, "".join((*shapes, dots)), "".join((*words, meanings)))


def stages_table(stages: Sequence[Stage], at: datetime) -> Html:
    """Return facts as a table of HTML, each with the bar of its validity."""
    rows = ((stage.fact, _COLOURS[stage.status], (stage.status, stage.why)) for stage in stages)
    return cards.fact_table(("status", "why"), rows, now=at)


@dataclass(frozen=True, slots=True, repr=False)
class EntityProfile:
    """A brief description of an entity, for a prompt or for a person."""

    entity: Entity
    facts: tuple[Fact, ...]
    """Facts that hold at the viewpoint, latest added first."""
    changes: tuple[Fact, ...]
    """Facts that ended, latest first."""

    def __str__(self) -> str:
        entity = self.entity
        lines = [cards.entity_title(entity)]
        if entity.aliases:
            lines[0] += flatten(f", also called {', '.join(also_called(entity))}")
        if shown := "; ".join(f"{key}: {value}" for key, value in entity.attributes.items()):
            lines.append(flatten(shown))
        lines += [f"- {cards.triple(fact)} ({cards.lifetime(fact)})" for fact in self.facts]
        if self.changes:
            lines.append("before:")
            lines += [f"- {cards.triple(fact)} ({cards.lifetime(fact)})" for fact in self.changes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        holds, ended = len(self.facts), len(self.changes)
        return f"EntityProfile({self.entity.name!r}: {holds} facts, {ended} ended)"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


async def read_timeline(
    entity: Entity, index: GroupIndex, store: Store, seen: VisibleRows, past: Rewind, at: datetime
) -> Timeline:
    """Return the timeline of an entity from the visible facts of all times."""
    row = index.entities.row_of.get(seen.heirs.of(entity.id), -1)
    subject, object_ = seen.ends
    rows = np.flatnonzero(seen.facts & ((subject == row) | (object_ == row)))
    return Timeline(entity, await read_stages(rows, index, store, past, at=at), at)


async def read_stages(
    rows: Iterable[int], index: GroupIndex, store: Store, past: Rewind, *, at: datetime
) -> tuple[Stage, ...]:
    """Return facts, given by their rows, in the order of time, with what ended each."""
    facts = past.facts(await store.get(Fact, [index.facts.ids[fact] for fact in rows]), index)
    closers = await store.get(
        Fact, {fact.invalidated_by for fact in facts.values() if fact.invalidated_by} - facts.keys()
    )
    known = {**past.facts(closers, index), **facts}
    order = sorted(
        facts.values(),
        key=lambda fact: (fact.valid_at is not None, fact.valid_at, fact.created_at, fact.id),
    )
    return tuple(
        Stage(fact, status(fact, at), known.get(fact.invalidated_by or "")) for fact in order
    )


def status(fact: Fact, at: datetime) -> Status:
    """Return how a fact stands at a moment of world time."""
    if fact.retracted_at is not None:
        return "overruled" if fact.closed_as == "overruled" else "never true"
    if fact.valid_at is not None and at < fact.valid_at:
        return "to come"
    over = fact.invalid_at is not None and (fact.invalid_at <= at or fact.closed_as == "past")
    return "ended" if over else "holds"
