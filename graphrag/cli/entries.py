"""Findings as entries of two or three lines, which fit 80 columns where a table would not.

::

0.0410  Veyle Courier owned by Helen Strand   2021-02-22 to 2022-09-01
“Helen Strand owns it, and her brother Edwin Strand…” (Archive, 2021-04-07)
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

_GAP = "  "
# A column of heads narrower than this is unreadable, whatever the terminal is.
_NARROWEST = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding."""

    head: str
    """What was found; wrapped, never cut."""
    note: str = ""
    """When it holds, in a column of its own."""
    body: str = ""
    """What it is based on; cut to the lines there are."""
    where: str = ""
    """Where that stands, after the body."""
    lead: str = ""
    """A score or a mark before it."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Findings under a title."""

    title: Text
    entries: tuple[Entry, ...]
    lines: int
    """Lines of a body, at most."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines, none longer than the console is wide."""
        lead = max((cell_len(entry.lead) for entry in self.entries), default=0)
        note = max((cell_len(entry.note) for entry in self.entries), default=0)
        indent = lead + len(_GAP)
        room = options.max_width - indent - note - len(_GAP)
        widest = max((cell_len(entry.head) for entry in self.entries), default=0)
        column = min(widest, max(room, _NARROWEST))
        yield self.title
        for entry in self.entries:
            first, *rest = Text(entry.head, style="bold").wrap(console, column) or [Text()]
            if entry.note:
                first.pad_right(column - first.cell_len)
                first.append(_GAP + entry.note, style="not bold")
            if lead:
                yield Text.assemble((entry.lead.rjust(lead) + _GAP, "dim"), first)
            else:
                yield first
            for line in (*rest, *self._body(entry, console, options.max_width - indent)):
                line.rstrip()
                yield Text.assemble(" " * indent, line)

    def _body(self, entry: Entry, console: Console, width: int) -> Iterable[Text]:
        if not entry.body:
            return []
        where = f" ({entry.where})" if entry.where else ""
        # Words do not fill a line to its end: half a word is lost on each but the last.
        room = self.lines * width - cell_len(where) - 6 * (self.lines - 1)
        return Text.assemble(short(entry.body, room), (where, "dim")).wrap(console, width)


def short(text: str, longest: int) -> str:
    """Return text on one line, cut at a word; a closing quote stays."""
    flat = " ".join(text.split())
    if cell_len(flat) <= longest:
        return flat
    closing = "”" if flat.endswith("”") else ""
    kept = flat[: max(longest - 1 - len(closing), 1)]
    while cell_len(kept) > longest - 1 - len(closing) and len(kept) > 1:
        kept = kept[:-1]
    if not flat[len(kept)].isspace():
        kept = kept.rsplit(" ", 1)[0]
    return kept.rstrip(" ,;:—-…") + "…" + closing
