"""Make a group from a file that holds one: the same ids, rows, log and past.

The file is read twice: to its end before anything is written, and then to write it, in pages. Until
the last page the group is closed to everybody, by the mark that a group has while it is forgotten;
a last statement opens it. Whatever goes wrong before that, it is erased again, and what a process
that died has left is erased when the import is started again.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from graphrag.errors import InputError, StoreError, TransactionError
from graphrag.index.texts import EMBEDDED, words
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.intake import checked_group
from graphrag.io.copy_group import CopyProgress, Pace, write_rows
from graphrag.io.copy_rows import Renaming
from graphrag.io.jsonl.lines import EVENT, Header, Placed, read
from graphrag.io.jsonl.shape import VECTOR
from graphrag.io.jsonl.survey import event_row, record_row, shape_of, survey
from graphrag.model.unit_vectors import unit_vectors
from graphrag.model.values import Episode
from graphrag.store.engine import Row
from graphrag.store.pages import PAGE, Table, any_exists
from graphrag.store.rows import to_row, vector_bytes
from graphrag.store.staging import claim_group, discard_group, open_group
from graphrag.store.store import Store

_BYTES = 2_000_000
"""Bytes of one transaction: an event may tell of a thousand facts."""
Tell = Callable[[CopyProgress], None]


@dataclass(frozen=True, slots=True)
class ImportedGroup:
    """A group that was made from a file."""

    group: str
    records: dict[str, int]
    """How many of each kind there are."""
    renewed: bool
    """True if it has ids of its own, because the store holds those of the file already."""
    embedded: int
    """Vectors that were made anew: the file had none, or those of another embedder."""
    seconds: float


async def import_group(
    file: Path, ingestion: Ingestion, *, name: str | None, on_progress: Tell | None
) -> ImportedGroup:
    """Make a group.

    Raises:
        InputError: naming the line that cannot be used, or the group that is there already.
        StoreError: if the database refused; the group is not there then.
    """
    begun = perf_counter()
    pace = Pace(on_progress)
    surveyed = await survey(file, pace)
    header = surveyed.header
    name = header.group if name is None else checked_group(name)
    async with ingestion.writer.locks[name]:
        await _close(ingestion.store, name, header)
        try:
            renews = await any_exists(ingestion.store, surveyed.samples)
            renaming = Renaming(name, renews) if renews or name != header.group else None
            coming = _Coming(file, header, name, renaming, ingestion, pace)
            await coming.write()
            await open_group(ingestion.store, name)
        except BaseException:
            await discard_group(ingestion.store, name)
            raise
        finally:
            await ingestion.catalog.drop(name)  # whatever was read of it before
    seconds = perf_counter() - begun
    return ImportedGroup(name, dict(header.counts), renews, coming.embedded, seconds)


@dataclass(slots=True)
class _Coming:
    """A group on its way into the store."""

    file: Path
    header: Header
    group: str
    renaming: Renaming | None
    ingestion: Ingestion
    pace: Pace
    embedded: int = 0

    async def write(self) -> None:
        """Write every line."""
        done, kind = 0, ""
        async for page in self._pages():
            last = page[-1].line["record"]
            done, kind = (done if last == kind else 0) + len(page), last
            try:
                await self._page(kind, page)
            except TransactionError as error:
                raise TransactionError(
                    f"{self.file.name}, lines {page[0].number} to {page[-1].number}: {error}"
                ) from None
            self.pace.advance(kind, len(page), done, self.header.counts[kind])

    async def _pages(self) -> AsyncIterator[list[Placed]]:
        page: list[Placed] = []
        size = 0
        for placed in read(self.file):
            if placed.number == 1:
                if Header.of(placed.line) != self.header:
                    raise InputError(f"{self.file.name} was changed while it was read")
                continue
            other = bool(page) and page[0].line["record"] != placed.line["record"]
            if other or len(page) == PAGE or size > _BYTES:
                yield page
                page, size = [], 0
            page.append(placed)
            size += placed.size
        if page:
            yield page

    async def _page(self, kind: str, page: Sequence[Placed]) -> None:
        table = Table(EVENT, links=False)
        if kind == EVENT:
            rows = [event_row(placed.line, self.group) for placed in page]
        else:
            shape = shape_of(page[0].line)
            table = Table(shape.table, links=shape.ends is not None)
            rows = [record_row(placed.line, self.group) for placed in page]
            if shape.table in EMBEDDED:
                await self._embed(shape.table, rows)
        if self.renaming is not None:
            rows = [self.renaming.row(row) for row in rows]
        await write_rows(self.ingestion.store, table, rows, self.group)

    @property
    def _keeps_vectors(self) -> bool:
        ours, header = self.ingestion.embedder, self.header
        same = (header.embedder, header.dimension) == (ours.name, ours.dimension)
        return header.vectors and same

    async def _embed(self, table: str, coming: Sequence[Row]) -> None:
        """Give rows their vectors: those of the file, if they are of this embedder, or new ones."""
        rows = []
        for row in coming:
            if self._keeps_vectors and VECTOR in row:
                vector = np.frombuffer(row[VECTOR], "<f4")
                row[VECTOR] = vector_bytes(unit_vectors(vector, vector.shape))
            else:
                rows.append(row)
        if not rows:
            return
        episodes: dict[str, Row] = {}
        if table == "passage":
            ids = list(dict.fromkeys(row["episode"] for row in rows))
            stored = ids if self.renaming is None else [*map(self.renaming.id, ids)]
            found = await self.ingestion.store.get(Episode, stored)
            episodes = {id_: to_row(found[there]) for id_, there in zip(ids, stored, strict=True)}
        texts = [words(table, row, episodes) for row in rows]
        vectors = await self.ingestion.embedder.embed(texts, purpose="document")
        for row, vector in zip(rows, vectors, strict=True):
            row[VECTOR] = vector_bytes(vector)
        self.embedded += len(rows)


async def _close(store: Store, group: str, header: Header) -> None:
    """Take the name for a group that is to come.

    Raises:
        InputError: if there is a group of that name.
        StoreError: if another process is importing or forgetting it, or died while it did.
    """
    since = await store.forgotten_since(group)
    if since is not None and not store.target.embedded:
        raise StoreError(
            f"group {group!r} is being imported or forgotten since {since.isoformat()}: if nobody "
            f"does so any more, group({group!r}).erase.group(confirm={group!r}) makes the name free"
        )
    if since is not None:  # by a process that died
        await store.erase_group(group)
    elif group in await store.groups() or await store.count_group(group):
        raise InputError(
            f"there is a group {group!r} already: import the file under another name, or "
            f"group({group!r}).erase.group(confirm={group!r}) first"
        )
    await claim_group(store, group, header.created_at)
