"""Rows that somebody or something has damaged: one of them must not keep a group from being read.

What lacks a vector is found by its words alone; what leads to a record that is not there is left
out. Both are said in the log, found by ``health``, and mended by it where that can be.
"""

import logging
from typing import Any

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.index.vectors import from_bytes, norms_of
from graphrag.protocols import Matrix

_LOG = logging.getLogger("graphrag")
Rows = list[list[Any]]


def tied(index: GroupIndex, table: str, rows: Rows) -> Rows:
    """Return the rows without those that lead to a record that is not there."""
    if table == "relates_to":
        known = index.entities.row_of
        left = [row for row in rows if row[2] in known and row[3] in known]
    elif table == "passage":
        left = [row for row in rows if row[2] in index.episodes.row_of]
    else:
        return rows
    if len(left) < len(rows):
        _LOG.warning(
            "group %r: %d rows of %s lead nowhere and are left out; health.check() names them",
            index.group_id,
            len(rows) - len(left),
            table,
        )
    return left


def readable(index: GroupIndex, table: str, rows: Rows) -> tuple[Matrix, list[str]]:
    """Return the vectors of rows, and the ids of those whose vector is to be left blank."""
    dimension = index.entities.vectors.dimension
    blobs = [row[1] for row in rows]
    stand_in = np.ones(dimension, "<f4").tobytes()
    size = len(stand_in)
    bad = {
        place
        for place, blob in enumerate(blobs)
        if not isinstance(blob, bytes) or len(blob) != size
    }
    vectors = _with(blobs, bad, stand_in, dimension)
    with np.errstate(over="ignore", invalid="ignore"):
        norms = norms_of(vectors)
    if pointless := np.flatnonzero(~(np.isfinite(norms) & (norms > 0))).tolist():
        bad.update(pointless)
        vectors = _with(blobs, bad, stand_in, dimension)
    if bad:
        _LOG.warning(
            "group %r: %d rows of %s have no usable vector and are found by their words alone; "
            "health.repair() embeds them anew",
            index.group_id,
            len(bad),
            table,
        )
    return vectors, [rows[place][0] for place in sorted(bad)]


def _with(blobs: list[Any], bad: set[int], stand_in: bytes, dimension: int) -> Matrix:
    if not bad:
        return from_bytes(blobs, dimension)
    sound = [stand_in if place in bad else blob for place, blob in enumerate(blobs)]
    return from_bytes(sound, dimension)
