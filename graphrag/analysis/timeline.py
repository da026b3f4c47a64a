"""The life of one entity: every fact about it in the order of world time, and what ended each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from graphrag.display.bars import AXIS, Axis, bar
from graphrag.display.cards import entity_title, lifetime, lifetime_cell, triple
from graphrag.display.picture import Drawing, Picture, cut, legend, width_of, word
from graphrag.display.visible import escape, flatten
from graphrag.index.group import GroupIndex
from graphrag.model.assertion import held_from
from graphrag.model.attributes import also_called
from graphrag.model.values import Entity, Fact
from graphrag.search.rewind import Past
from graphrag.search.visibility import Visible
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
_LONGEST = 90
"""Characters of a drawn fact."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One fact of a timeline."""

    fact: Fact
    status: Status
    closed_by: Fact | None = None
    """The fact that ended or replaced it."""

    @property
    def why(self) -> str:
        """Say why it ended or was taken back; empty if nobody said."""
        if self.fact.reason or self.closed_by is None:
            return self.fact.reason or ""
        return f"closed by: {triple(self.closed_by)}"


@dataclass(frozen=True, slots=True, repr=False)
class Timeline(Picture):
    """Every fact about an entity, the earliest first; facts of unknown start come before all."""

    entity: Entity
    stages: tuple[Stage, ...]
    at: datetime
    """The moment that "holds" and "ended" are judged at."""

    def __iter__(self) -> Iterator[Stage]:
        """Iterate over the facts in the order of time."""
        return iter(self.stages)

    def __len__(self) -> int:
        """Count the facts."""
        return len(self.stages)

    def __repr__(self) -> str:
        """Show the entity and how many facts there are."""
        return f"Timeline({self.entity.name!r}, {len(self.stages)} facts)"

    def __str__(self) -> str:
        """Write one line a fact."""
        rows = [
            (lifetime(stage.fact), triple(stage.fact), stage.status, flatten(stage.why))
            for stage in self.stages
        ]
        widths = [max((len(row[place]) for row in rows), default=0) for place in range(3)]
        lines = [
            "  ".join((*(f"{row[at]:<{widths[at]}}" for at in range(3)), row[3])).rstrip()
            for row in rows
        ]
        return "\n".join((entity_title(self.entity), *self._names(), *lines))

    def _names(self) -> list[str]:
        """Return a line with the names that have a time, if there are any."""
        names = flatten(", ".join(also_called(self.entity)))
        return [f"also called {names}"] if self.entity.names else []

    def _repr_html_(self) -> str:
        names = "".join(f", {escape(line)}" for line in self._names())
        return (
            f"<b>{escape(self.entity.name)}</b> ({escape(self.entity.entity_type)}){names}"
            f"{stages_table(self.stages, self.at)}"
        )

    def _draw(self) -> Drawing:
        """Draw the lifetimes over one axis of years, with a line at the moment of the view."""
        axis = _axis(self.stages, self.at, width=_WIDE)
        texts = [cut(f"{triple(one.fact)}, {lifetime(one.fact)}", _LONGEST) for one in self.stages]
        title = f"{cut(self.entity.name, _LONGEST)} ({self.entity.entity_type})"
        bottom = _TOP + _ROW * len(texts)
        beside = _LEFT + _WIDE + 14
        width = beside + 12 + max((width_of(text, 11) for text in texts), default=0)
        shown = dict.fromkeys(stage.status for stage in self.stages)
        dots, meanings, end = legend({one: _COLOURS[one] for one in shown}, bottom + 12, width)
        shapes, words = [dots], [meanings, word(_LEFT, 18, title, 13, bold=True)]
        for x, name in axis.ticks():
            shapes.append(
                f'<path d="M{_LEFT + x:.1f} {_TOP - 6}V{bottom}" stroke="currentColor" '
                'stroke-opacity="0.15"/>'
            )
            words.append(word(_LEFT + x, _TOP - 10, name, 10, anchor="middle", soft=True))
        shapes.append(
            f'<path d="M{_LEFT + axis.at(self.at):.1f} {_TOP - 6}V{bottom}" stroke="#c8463c" '
            f'stroke-dasharray="3 3"><title>{self.at:%Y-%m-%d}</title></path>'
        )
        for place, (stage, text) in enumerate(zip(self.stages, texts, strict=True)):
            shapes.append(
                f'<g transform="translate({_LEFT} {_TOP + _ROW * place})">{_bar(axis, stage)}</g>'
            )
            words.append(word(beside, _TOP + _ROW * place + 10, text))
        width = max(width, beside, width_of(title, 13) + 40)
        return Drawing(width, end, "".join(shapes), "".join(words))


def stages_table(stages: Sequence[Stage], at: datetime) -> str:
    """Return facts as a table of HTML, each with the bar of its validity."""
    axis = _axis(stages, at)
    rows = "".join(
        f"<tr><td>{_bar(axis, stage)}</td><td>{lifetime_cell(stage.fact)}</td>"
        f'<td title="{escape(stage.fact.text)}">{escape(triple(stage.fact))}</td>'
        f"<td>{escape(stage.status)}</td><td>{escape(stage.why)}</td></tr>"
        for stage in stages
    )
    head = "".join(f"<th>{name}</th>" for name in (axis.ruler(), "valid", "fact", "status", "why"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _axis(stages: Sequence[Stage], at: datetime, *, width: float = AXIS) -> Axis:
    moments = [end for one in stages for end in (one.fact.valid_at, one.fact.invalid_at)]
    return Axis.around(moments, now=at, width=width)


def _bar(axis: Axis, stage: Stage) -> str:
    fact = stage.fact
    title = f"{triple(fact)}: {lifetime(fact)}"
    return bar(axis, held_from(fact), fact.invalid_at, colour=_COLOURS[stage.status], title=title)


async def read_timeline(
    entity: Entity, index: GroupIndex, store: Store, seen: Visible, past: Past, *, at: datetime
) -> Timeline:
    """Return the timeline of an entity from what may be seen of all times."""
    row = index.entities.row_of.get(seen.heirs.of(entity.id), -1)
    subject, object_ = seen.ends
    rows = np.flatnonzero(seen.facts & ((subject == row) | (object_ == row)))
    return Timeline(entity, await read_stages(rows, index, store, past, at=at), at)


async def read_stages(
    rows: Iterable[int], index: GroupIndex, store: Store, past: Past, *, at: datetime
) -> tuple[Stage, ...]:
    """Return facts, given by their rows, in the order of time, with what ended each."""
    found = await store.get(Fact, [index.facts.ids[fact] for fact in rows])
    facts = past.facts(found, index)
    closers = await store.get(
        Fact, {one.invalidated_by for one in facts.values() if one.invalidated_by} - facts.keys()
    )
    known = {**past.facts(closers, index), **facts}
    order = sorted(
        facts.values(),
        key=lambda one: (one.valid_at is not None, one.valid_at, one.created_at, one.id),
    )
    return tuple(Stage(one, status(one, at), known.get(one.invalidated_by or "")) for one in order)


def status(fact: Fact, at: datetime) -> Status:
    """Return how a fact stands at a moment of world time."""
    if fact.retracted_at is not None:
        return "overruled" if fact.closed_as == "overruled" else "never true"
    if fact.valid_at is not None and at < fact.valid_at:
        return "to come"
    over = fact.invalid_at is not None and (fact.invalid_at <= at or fact.closed_as == "past")
    return "ended" if over else "holds"
