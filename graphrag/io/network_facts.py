"""Networks to facts: nodes come first and become entities, edges refer to them by id."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeGuard

from graphrag.errors import InputError
from graphrag.ingest.fact_writer import FactWriter
from graphrag.ingest.given import End, given_end
from graphrag.io.files import ending
from graphrag.io.network import Network, Node, edges_of, nodes_of
from graphrag.io.tables import Columns, Placed, Rows


@dataclass(frozen=True, slots=True)
class NetworkRows:
    """A network that was read to its end once: nothing is taken from one that cannot be read."""

    network: Network | Path
    nodes: Mapping[Any, Node]

    @classmethod
    def of(cls, rows: Network | str | Path, columns: Columns | None = None) -> "NetworkRows":
        """Read a network.

        Raises:
            InputError: naming the node or the edge that cannot be used, or if columns are named.
        """
        if columns:
            raise InputError("columns are for tables: a network has attributes")
        network = Path(rows) if isinstance(rows, str) else rows
        found = cls(network, nodes_of(network))
        for node in found.nodes.values():
            _end(node)
        for _ in edges_of(network, found.nodes):
            pass
        return found

    def rows(self, ids: Mapping[Any, str] | None = None) -> Iterator[Placed]:
        """Yield the edges as rows of a table, their ends by id of the entity or else by name."""
        for edge in edges_of(self.network, self.nodes):
            subject, object_ = (
                self.nodes[end].name if ids is None else ids[end] for end in edge.ends
            )
            yield edge.place, {"subject": subject, "object": object_, **edge.row}

    async def write_nodes(self, writer: FactWriter, batch: int) -> tuple[dict[Any, str], int]:
        """Make the nodes known, and return the id of the entity of each, and how many are new."""
        ids: dict[Any, str] = {}
        new = 0
        rest = iter(self.nodes.items())
        while some := list(islice(rest, batch)):
            plan = await writer.write([], [_end(node) for _, node in some])
            ids.update(zip((id_ for id_, _ in some), plan.extra, strict=True))
            new += len(plan.entities)
        return ids, new


def is_network(rows: Rows) -> TypeGuard[Network | str | Path]:
    """Tell whether rows are a network, and no table."""
    if isinstance(rows, str | Path):
        return ending(Path(rows)) == ".graphml"
    return isinstance(rows, Network)


def _end(node: Node) -> End:
    try:
        return given_end(
            node.name,
            node.entity_type,
            aliases=node.aliases,
            attributes=node.attributes,
            what="name",
        )
    except InputError as error:
        raise InputError(f"{node.place}{error}") from None
