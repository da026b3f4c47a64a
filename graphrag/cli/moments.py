"""The options that choose a viewpoint."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG
    from graphrag.view.view import View

At = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help='What was true then: "2022-01-01", "March 2022", "2022-01-01T10:00:00Z".',
    ),
]
KnownAt = Annotated[
    str | None, typer.Option(metavar="DATE", help="What the graph had been given by then.")
]
History = Annotated[
    bool, typer.Option("--history", help="Facts of every time, each with its interval.")
]


@dataclass(frozen=True, slots=True)
class Seen:
    """A viewpoint, parsed."""

    valid_at: datetime | None
    known_at: datetime | None
    history: bool

    def of(self, graph: "GraphRAG") -> "View":
        """Return a graph as seen from here."""
        return graph.at(valid_at=self.valid_at, known_at=self.known_at, history=self.history)


def seen(at: str | None, known_at: str | None, history: bool) -> Seen:
    """Parse the options of a viewpoint.

    Raises:
        TimeError: naming the option that is no moment.
    """
    return Seen(moment(at, "--at"), moment(known_at, "--known-at"), history)


def moment(text: str | None, option: str) -> datetime | None:
    """Parse the moment that an option names."""
    from graphrag.temporal.moment import parse_moment

    return None if text is None else parse_moment(text, what=option)
