"""Rows that a file holds and rows that came later, held against one plain array."""

import gc
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index import columns
from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import RowMatrix
from graphrag.store.cache_file import PART

WIDTH = 3


def rows_of(count, first=0.0):
    return np.arange(first, first + count * WIDTH, dtype=np.float32).reshape(count, WIDTH)


def loaded(folder, rows, *, picked=True):
    """Return a matrix that has taken these rows over from a file, whose name leads to none."""
    out = ArrayWriter()
    out.lend("rows", rows)
    out.write(folder / "rows", {}, lambda: True)
    matrix = RowMatrix(WIDTH, np.float32)
    with patch.object(columns, "_WORTH_READING", 1):
        matrix.load(ArrayReader(folder / "rows"), "rows", len(rows), picked=picked)
    (folder / "rows").unlink()
    return matrix


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("extend"), st.integers(0, 5)),
        st.tuples(st.just("put"), st.integers(0, 30)),
        st.tuples(st.just("lend"), st.just(0)),
        st.tuples(st.just("reserve"), st.integers(0, 40)),
    ),
    max_size=20,
)


@given(kept=st.integers(0, 6), picked=st.booleans(), steps=STEPS, data=st.data())
def test_a_matrix_is_one_array(tmp_path_factory, kept, picked, steps, data):
    matrix = loaded(tmp_path_factory.mktemp("rows"), rows_of(kept), picked=picked)
    plain, lent = rows_of(kept), []
    for number, (step, by) in enumerate(steps):
        if step == "extend":
            more = rows_of(by, 1_000.0 * (number + 1))
            matrix.extend(more)
            plain = np.concatenate((plain, more))
        elif step == "put" and len(plain):
            matrix[by % len(plain)] = plain[by % len(plain)] = [number] * WIDTH
        elif step == "lend":
            lent.append((matrix.lend(), plain.copy()))
        elif step == "reserve":
            matrix.reserve(by)
    assert len(matrix) == len(plain)
    assert matrix.nbytes == plain.nbytes
    assert np.array_equal(matrix[:], plain)
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(plain))] * 2)))
    assert np.array_equal(matrix[start:stop], plain[start:stop])
    if len(plain):
        some = np.array(data.draw(st.lists(st.integers(0, len(plain) - 1))), dtype=np.intp)
        assert np.array_equal(matrix[some], plain[some])
    for parts, was in lent:
        assert np.array_equal(np.concatenate(parts), was)


def test_rows_of_a_file_are_not_moved_for_one_more(tmp_path):
    matrix = loaded(tmp_path, rows_of(5))
    mapped, *_ = matrix.parts(slice(None))
    matrix.extend(rows_of(1))
    matrix[1] = [7] * WIDTH
    assert np.shares_memory(mapped, matrix[:5])
    assert mapped[1].tolist() == [7.0] * WIDTH


def test_what_is_lent_is_moved_for_a_change_only_as_long_as_somebody_has_it(tmp_path):
    matrix = loaded(tmp_path, rows_of(5))
    mapped, *_ = matrix.parts(slice(None))
    lent = matrix.lend()
    matrix[1] = [7] * WIDTH
    assert not np.shares_memory(mapped, matrix[:5])
    assert lent[0][1].tolist() == rows_of(5)[1].tolist()
    [now] = lent = matrix.lend()
    del lent, now
    gc.collect()
    was = matrix[:5]
    matrix[2] = [8] * WIDTH
    assert np.shares_memory(was, matrix[:5])


@pytest.mark.parametrize("row", [-1, 5, 6])
def test_a_row_that_is_not_there_is_not_read_from_what_lies_behind(tmp_path, row):
    matrix = loaded(tmp_path, rows_of(5))
    if row < 0:
        assert np.array_equal(matrix[np.array([row])], rows_of(5)[[row]])
    else:
        with pytest.raises(IndexError):
            matrix[np.array([0, row])]


def test_a_file_that_became_shorter_is_named_as_such(tmp_path):
    out = ArrayWriter()
    out.lend("rows", rows_of(5))
    out.write(tmp_path / "rows", {}, lambda: True)
    arrays = ArrayReader(tmp_path / "rows")
    with (tmp_path / "rows").open("r+b") as file:
        file.truncate(70)
    held, at = arrays.held("rows")
    with pytest.raises(OSError, match="ends before row 4"):
        held.read(at, np.array([4]), np.empty((1, WIDTH), np.float32))


@pytest.mark.parametrize("kept", [0, 1, PART // 12 - 1, PART // 12 + 1, PART // 6])
def test_arrays_that_are_to_be_one_are_written_as_one(tmp_path, kept):
    whole = rows_of(PART // 6 + 5)
    out = ArrayWriter()
    out.lend("rows", whole[:kept], whole[kept:])
    out.write(tmp_path / "parts", {}, lambda: True)
    arrays = ArrayReader(tmp_path / "parts")
    arrays.verify()
    assert np.array_equal(arrays.array("rows", np.float32, len(whole), WIDTH), whole)
    out.lend("rows", whole)
    out.write(tmp_path / "one", {}, lambda: True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "parts").read_bytes()
