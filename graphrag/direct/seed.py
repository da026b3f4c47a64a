"""Known facts about entities, as a dictionary: subject, then relation, then object or objects."""

from collections.abc import Iterator, Mapping
from typing import Any

from graphrag.direct.given import GivenFact
from graphrag.direct.table import given_row
from graphrag.errors import InputError
from graphrag.relations import Relations

Known = Mapping[str, Mapping[str, Any]]
"""``{"Alice": {"works_at": "Acme", "likes": ["tea", {"object": "chess", "valid_at": "2024"}]}}``"""


def seeded(
    known: Known,
    relations: Relations,
    *,
    reference_time: Any,
    source: str | None,
    dimension: int,
) -> Iterator[GivenFact]:
    """Yield the facts of a dictionary.

    Raises:
        InputError: naming the subject and relation that cannot be used.
    """
    if not isinstance(known, Mapping):
        raise InputError(f"{known!r} is no dictionary of subjects: use import_facts for rows")
    for subject, told in known.items():
        if not isinstance(told, Mapping):
            raise InputError(f"{subject!r}: expected relations and objects, got {told!r}")
        for relation, value in told.items():
            objects = list(value) if isinstance(value, list | tuple | set) else [value]
            starts = set()
            for object_ in objects:
                row = dict(object_) if isinstance(object_, Mapping) else {"object": object_}
                row |= {"subject": subject, "relation": relation}
                row.setdefault("reference_time", reference_time)
                given = given_row(
                    row, f"{subject} {relation}: ", source=source, dimension=dimension
                )
                if relations[given.relation].single_valued and given.valid_at in starts:
                    raise InputError(
                        f"{subject} {relation}: it has one value at a time, and several are given "
                        "with the same start: give each its own valid_at"
                    )
                starts.add(given.valid_at)
                yield given
