import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.columns import Column, bytes_of
from graphrag.index.scope import AsideColumn

INTS = st.integers(-(2**31), 2**31 - 1)


@given(st.lists(st.one_of(INTS, st.lists(INTS, max_size=40)), max_size=40))
def test_appends_and_extends_in_any_order_keep_every_value(steps):
    column, expected = Column(np.int32), []
    for step in steps:
        if isinstance(step, list):
            column.extend(step)
            expected += step
        else:
            column.extend([step])
            expected.append(step)
    assert column.values.tolist() == expected
    assert len(column) == len(expected)
    assert column.values.dtype == column.dtype == np.int32


def test_microsecond_times_are_exact():
    column = Column(np.int64, [253_402_300_799_999_999])
    column.extend([-62_135_596_800_000_000])
    assert column.values.tolist() == [253_402_300_799_999_999, -62_135_596_800_000_000]


def test_rows_are_overwritten_by_number_slice_rows_and_mask():
    column = Column(np.bool_, [False] * 6)
    column[0] = True
    column[1:3] = True
    column[np.array([5])] = True
    column[np.array([False, False, False, True, False, False])] = True
    assert column.values.tolist() == [True, True, True, True, False, True]


def test_spare_room_cannot_be_written():
    column = Column(np.int32, [1])
    with pytest.raises(IndexError):
        column[1] = 5


def test_a_view_taken_before_growth_keeps_its_values():
    column = Column(np.int32, [1, 2])
    before = column.values
    column.extend(range(1000))
    column[0] = 9
    assert before.tolist() == [1, 2]


def test_fractions_do_not_enter_a_column_of_integers():
    with pytest.raises(TypeError):
        Column(np.int64).extend([1.5])


def test_a_refused_value_adds_no_row():
    column = Column(np.int64)
    with pytest.raises(TypeError):
        column.extend([None])
    assert len(column) == 0


def test_growth_reallocates_rarely():
    column = Column(np.int32)
    buffers = set()
    for value in range(10_000):
        column.extend([value])
        buffers.add(id(column.values.base))
    assert len(buffers) < 16


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("extend"), st.lists(INTS, max_size=20)),
        st.tuples(st.just("put"), INTS),
        st.tuples(st.just("share"), st.just(0)),
        st.tuples(st.just("swap"), st.integers(0, 5)),
    ),
    max_size=30,
)


@given(steps=STEPS)
def test_columns_that_share_their_memory_are_changed_apart(steps):
    column, listed, others = Column(np.int32), [], []
    for step, by in steps:
        if step == "extend":
            column.extend(by)
            listed += by
        elif step == "put" and listed:
            column[by % len(listed)] = listed[by % len(listed)] = by
        elif step == "share":
            others.append((column, [*listed]))
            column = column.share()
        elif step == "swap" and others:
            others.append((column, listed))
            column, listed = others.pop(by % len(others))
    for now, was in (*others, (column, listed)):
        assert now.values.tolist() == was


@pytest.mark.parametrize(("name", "was", "now"), [("confidence", 0.5, 0.9), ("labels", "a", "b")])
def test_values_of_filters_that_are_shared_are_changed_apart(name, was, now):
    column = AsideColumn(name, 1)
    column.fill([2], [was])
    other = column.share()
    column.fill([2], [now])
    third = column.share()
    third.fill([2], [was])
    kept = [c.sparse[2] if c.is_sparse else c.values(3)[2] for c in (column, other, third)]
    assert kept == [now, was, was]


def test_what_is_shared_is_counted_once():
    column = Column(np.int64, range(10_000))
    other = column.share()
    assert bytes_of([column, other]) < bytes_of(column) + 1_000
    other[3] = 7
    assert bytes_of([column, other]) > bytes_of(column) + 8 * 10_000
