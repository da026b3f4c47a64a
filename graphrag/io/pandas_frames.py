"""A view as data frames of pandas."""

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag.errors import MissingExtraError
from graphrag.io.shown import ENTITY_CELLS, FACT_CELLS, Shown

if TYPE_CHECKING:
    import pandas

_MOMENTS = frozenset({"valid_at", "invalid_at", "reference_time", "created_at"})
_ENDS = ("subject_id", "object_id")
_DEGREE = "degree"


class Frames(NamedTuple):
    """A graph as two tables."""

    facts: "pandas.DataFrame"
    """One row each: both ends with name, type and id, lifetime, sentence, confidence, episodes."""
    entities: "pandas.DataFrame"
    """One row each, with the number of its facts as ``degree``."""


async def frames_of(shown: Shown) -> Frames:
    """Return the facts and the entities of a view.

    Raises:
        MissingExtraError: if pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("export.pandas()", "analysis") from None
    facts: list[dict[str, Any]] = []
    entities: list[dict[str, Any]] = []
    degrees: Counter[str] = Counter()
    async for page in shown.facts():
        for fact in page:
            ends = dict(zip(_ENDS, (fact.subject_id, fact.object_id), strict=True))
            facts.append(shown.fact_cells(fact) | ends)
            degrees.update(ends.values())
    async for some in shown.entities():
        for entity in some:
            entities.append(shown.entity_cells(entity) | {_DEGREE: degrees[entity.id]})

    def frame(rows: list[dict[str, Any]], names: tuple[str, ...]) -> "pandas.DataFrame":
        columns = {name: _column([row[name] for row in rows], name) for name in names}
        found = pandas.DataFrame(columns)
        for name in _MOMENTS & columns.keys():
            found[name] = found[name].dt.tz_localize("UTC")
        return found

    return Frames(frame(facts, (*FACT_CELLS, *_ENDS)), frame(entities, (*ENTITY_CELLS, _DEGREE)))


def _column(cells: list[Any], name: str) -> Any:
    """Return the cells of a column; moments as numpy has them, exact to the microsecond."""
    return np.array(list(map(_utc, cells)), dtype="datetime64[us]") if name in _MOMENTS else cells


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)
