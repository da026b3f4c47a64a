"""Look after the graph, blocking."""

from graphrag.health.findings import CheckReport, RepairReport
from graphrag.sync.opened import Opened


class Health(Opened):
    """Checking and repairing."""

    def check(self, group: str | None = None) -> CheckReport:
        """Check that a graph is whole; nothing is written."""
        return self._running().wait(self._graph.check(group))

    def repair(self, group: str | None = None) -> RepairReport:
        """Repair what needs no guessing, in a logged event, and report what is left."""
        return self._running().wait(self._graph.repair(group))
