"""Rows that a file holds and rows that came later, held against one plain array."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index import columns
from graphrag.index.array_file import PART, ArrayReader, ArrayWriter
from graphrag.index.columns import RowMatrix

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
        matrix.exchange(ArrayReader(folder / "rows"), "rows", len(rows), picked=picked)
    (folder / "rows").unlink()
    return matrix


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("extend"), st.integers(0, 5)),
        st.tuples(st.just("put"), st.integers(0, 30)),
        st.tuples(st.just("lend"), st.just(0)),
        st.tuples(st.just("reserve"), st.integers(0, 40)),
        st.tuples(st.just("share"), st.just(0)),
        st.tuples(st.just("swap"), st.integers(0, 3)),
        st.tuples(st.just("drop"), st.just(0)),
    ),
    max_size=20,
)


@given(kept=st.integers(0, 6), picked=st.booleans(), steps=STEPS, data=st.data())
def test_a_matrix_is_one_array(tmp_path_factory, kept, picked, steps, data):
    matrix = loaded(tmp_path_factory.mktemp("rows"), rows_of(kept), picked=picked)
    plain, lent, others = rows_of(kept), [], []
    block = data.draw(st.integers(1, 7))
    with patch.object(columns, "_BLOCK", block):
        matrix, plain = changed(matrix, plain, steps, lent, others)
    for now, was in (*others, (matrix, plain)):
        assert_same(now, was, data)
    if not matrix._borrowed:
        assert matrix.nbytes == plain.nbytes
    for parts, was in lent:
        assert np.array_equal(np.concatenate(parts), was)


def changed(matrix, plain, steps, lent, others):
    """Do some steps to a matrix and to an array; who shares rows takes turns in being changed."""
    for number, (step, by) in enumerate(steps):
        if step == "extend":
            more = rows_of(by, 1_000.0 * (number + 1))
            matrix.extend(more)
            plain = np.concatenate((plain, more))
        elif step == "put" and len(plain):
            matrix[by % len(plain)] = plain[by % len(plain)] = [number] * WIDTH
        elif step == "lend":
            lent.append(([*matrix.share().parts(slice(None))], plain.copy()))
        elif step == "reserve":
            matrix.reserve(by)
        elif step == "share":
            others.append((matrix, plain.copy()))
            matrix = matrix.share()
        elif step == "swap" and others:
            others.append((matrix, plain))
            matrix, plain = others.pop(by % len(others))
        elif step == "drop" and others:
            del matrix
            matrix, plain = others.pop()
    return matrix, plain


def assert_same(matrix, plain, data):
    assert len(matrix) == len(plain)
    assert np.array_equal(matrix[:], plain)
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(plain))] * 2)))
    assert np.array_equal(matrix[start:stop], plain[start:stop])
    if len(plain):
        some = np.array(data.draw(st.lists(st.integers(0, len(plain) - 1))), dtype=np.intp)
        assert np.array_equal(matrix[some], plain[some])


def test_a_change_of_what_is_shared_copies_the_rows_around_it_and_no_others(tmp_path):
    matrix = loaded(tmp_path, rows_of(5_000))
    other = matrix.share()
    matrix[2_000] = [7] * WIDTH
    other[4_999] = [8] * WIDTH
    assert [len(part) for part in matrix.parts(slice(None))] == [1_024, 1_024, 2_952]
    assert [len(part) for part in other.parts(slice(None))] == [4_096, 904]
    assert other.nbytes == 904 * WIDTH * 4
    assert other[np.array([2_000])].tolist() == rows_of(5_000)[[2_000]].tolist()
    assert matrix[np.array([4_999])].tolist() == rows_of(5_000)[[4_999]].tolist()
    lent = [*matrix.share().parts(slice(None))]
    matrix[2_000] = [9] * WIDTH
    assert lent[1][2_000 - 1_024].tolist() == [7] * WIDTH


def test_rows_of_a_file_are_not_moved_for_one_more(tmp_path):
    matrix = loaded(tmp_path, rows_of(5))
    mapped, *_ = matrix.parts(slice(None))
    matrix.extend(rows_of(1))
    assert np.shares_memory(mapped, matrix[:5])
    matrix[1] = [7] * WIDTH
    assert matrix[1:2].tolist() == [[7.0] * WIDTH]
    assert mapped[1].tolist() == rows_of(5)[1].tolist()


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
        file.truncate(50)
    with pytest.raises(OSError, match="ends before row 4"):
        arrays.read_rows("rows", np.array([4]), np.empty((1, WIDTH), np.float32))


@pytest.mark.parametrize("kept", [0, 1, PART // 12 - 1, PART // 12 + 1, PART // 6])
def test_arrays_that_are_to_be_one_are_written_as_one(tmp_path, kept):
    whole = rows_of(PART // 6 + 5)
    out = ArrayWriter()
    out.lend("rows", whole[:kept], whole[kept:])
    out.write(tmp_path / "parts", {}, lambda: True)
    arrays = ArrayReader(tmp_path / "parts")
    arrays.verify()
    assert np.array_equal(arrays.numbers("rows", whole[:0], len(whole)), whole)
    out.lend("rows", whole)
    out.write(tmp_path / "one", {}, lambda: True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "parts").read_bytes()
