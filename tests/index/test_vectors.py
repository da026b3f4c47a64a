import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphrag.errors import InputError
from graphrag.index.vectors import Vectors, from_bytes
from graphrag.store.rows import vector_bytes

NUMBERS = st.floats(-1e3, 1e3, width=32)
MATRICES = hnp.arrays(np.float32, st.tuples(st.integers(0, 30), st.just(4)), elements=NUMBERS)


def nonzero(matrix):
    return matrix[np.abs(matrix).max(axis=1) > 1e-3]


@given(MATRICES.map(nonzero), st.integers(0, 30))
def test_scores_are_cosines_however_the_rows_arrived(matrix, cut):
    vectors = Vectors(4)
    vectors.extend(matrix[:cut])
    for row, vector in enumerate(matrix[cut:], start=len(vectors)):
        vectors.extend(vector[np.newaxis])
        assert len(vectors) == row + 1
    query = np.array([1.0, 2.0, -3.0, 0.5])
    exact = matrix.astype(float)
    cosines = exact @ query / np.linalg.norm(exact, axis=1) / np.linalg.norm(query)
    scores = vectors.scores(query)
    assert scores.dtype == np.float32
    assert scores.tolist() == pytest.approx(cosines.tolist(), abs=1e-6)


@given(MATRICES)
def test_bytes_bring_back_the_same_numbers(matrix):
    blobs = [vector_bytes(row) for row in matrix]
    assert all(len(blob) == 16 for blob in blobs)
    assert np.array_equal(from_bytes(blobs, 4), matrix)


def test_bytes_are_little_endian_floats():
    assert vector_bytes(np.array([1.0, -2.0])) == bytes.fromhex("0000803f000000c0")


def test_a_replaced_row_answers_with_its_new_vector():
    vectors = Vectors(2)
    vectors.extend([[1, 0], [1, 0]])
    vectors.replace(1, [0, 5])
    assert vectors.scores([0, 1]).tolist() == [0.0, 1.0]
    assert vectors.rows([1, 0]).tolist() == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([1.0, 0.0], "expected dimension 3, got 2"),
        ([[1.0, 0.0, 0.0]], r"expected dimension 3, got an array of shape \(1, 1, 3\)"),
        ([0.0, 0.0, 0.0], "got norm 0.0"),
        ([1.0, np.nan, 0.0], "got norm nan"),
        ([1.0, np.inf, 0.0], "got norm inf"),
        ([1e300, 0.0, 0.0], "got norm inf"),
        ([4e-23, 4e-23, 4e-23], "norm of 1e-15 or more, got norm 0.0"),
        (np.full(3, 4e-23, np.float32), "norm of 1e-15 or more, got norm 0.0"),
    ],
)
def test_unusable_vectors_are_refused_and_change_nothing(vector, message):
    vectors = Vectors(3)
    vectors.extend([[0, 0, 1]])
    for use in (lambda v: vectors.extend([v]), vectors.scores, lambda v: vectors.replace(0, v)):
        with pytest.raises(ValueError, match=message):
            use(vector)
    assert vectors.values.tolist() == [[0.0, 0.0, 1.0]]


@pytest.mark.parametrize("size", [1.1e-15, 1e-9, 1e15])
def test_a_vector_of_any_other_size_gets_length_one(size):
    vectors = Vectors(3)
    vectors.extend([np.float32(size) * np.array([0, 0.6, 0.8], np.float32)])
    assert vectors.values[0].tolist() == pytest.approx([0, 0.6, 0.8])
    scores = vectors.scores(np.float32(size) * np.array([0, 0.8, -0.6], np.float32))
    assert scores.tolist() == pytest.approx([0], abs=1e-6)


def test_a_bad_row_in_a_batch_is_named_and_none_enters():
    vectors = Vectors(2)
    with pytest.raises(InputError, match="vector 1: expected finite"):
        vectors.extend([[1, 0], [0, 0]])
    assert len(vectors) == 0


def test_an_empty_index_scores_nothing():
    vectors = Vectors(2)
    vectors.extend(np.empty((0, 2)))
    assert vectors.scores([1, 0]).shape == (0,)


def test_growth_reallocates_rarely():
    vectors, buffers = Vectors(2), set()
    for _ in range(5_000):
        vectors.extend([[1, 0]])
        buffers.add(vectors.values.base.shape)
    assert len(buffers) < 20
