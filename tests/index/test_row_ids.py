"""Ids that a file holds as numbers and ids that came later, held against a list and a dict."""

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.index.array_file import ArrayReader, ArrayWriter
from graphrag.index.ids import Ids
from graphrag.model.ids import new_id
from graphrag.store.private import DamagedFileError

SOME = [str(UUID(int=high << 64 | low)) for high in (1, 2, 1 << 63) for low in (0, 5, 1 << 63)]
OTHERS = [
    "",
    "x",
    SOME[0].upper(),
    SOME[0].replace("-", ""),
    "é" * 36,
    SOME[0] + "\0",
    "x" * 70,
    "-" * 36,
    SOME[0][:-1] + " ",
]


def reopened(ids, folder, alive=None):
    """Return ids as the next opening reads them; None if they are not believed."""
    if alive is not None:
        ids.alive.take(np.array(alive, dtype=np.bool_))
    out = ArrayWriter()
    ids.exchange(out, "ids")
    out.write(folder / "ids", {}, lambda: True)
    read = Ids()
    try:
        read.exchange(ArrayReader(folder / "ids"), "ids")
    except DamagedFileError:
        return None
    return read


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from([*SOME, *OTHERS])),
        st.tuples(st.just("remove"), st.integers(0, 30)),
        st.tuples(st.just("leave"), st.sets(st.sampled_from([*SOME, *OTHERS]))),
        st.tuples(st.just("reopen"), st.just(0)),
        st.tuples(st.just("copy"), st.just(0)),
    ),
    max_size=25,
)


@given(steps=STEPS)
def test_ids_are_a_list_and_a_dict(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("ids")
    ids, listed, row_of = Ids(), [], {}
    for step, what in steps:
        if step == "add" and what not in row_of:
            ids.extend([what])
            row_of[what] = len(listed)
            listed.append(what)
        elif step == "remove" and row_of:
            id_ = sorted(row_of)[what % len(row_of)]
            assert ids.row_of[id_] == row_of[id_]
            ids.leave(np.array([row_of.pop(id_)]))
        elif step == "leave":
            rows = ids.rows(what)
            assert sorted(rows.tolist()) == sorted(row_of[id_] for id_ in what & row_of.keys())
            ids.leave(rows)
            row_of = {id_: row for id_, row in row_of.items() if id_ not in what}
        elif step == "reopen":
            live = set(row_of.values())
            assert ids.alive.values.tolist() == [row in live for row in range(len(listed))]
            ids = reopened(ids, folder)
        elif step == "copy":
            ids, before = ids.share(), ids
            before.extend(["of the other alone"])
    assert [*ids] == listed
    assert ids.ascend == (listed == sorted({*listed}))
    assert [ids[row] for row in range(-len(listed), len(listed))] == listed * 2
    assert ids[1:3] == listed[1:3]
    assert dict(ids.row_of) == row_of
    assert len(ids.row_of) == len(row_of)
    for id_ in (*SOME, *OTHERS):
        assert ids.row_of.get(id_) == row_of.get(id_)
        assert (id_ in ids.row_of) == (id_ in row_of)
    with pytest.raises(IndexError):
        ids[len(listed)]


def test_two_rows_of_one_id_are_noticed(tmp_path):
    ids = Ids()
    ids.extend([SOME[1], SOME[0], SOME[1]])
    assert reopened(ids, tmp_path, [True, True, True]) is None
    read = reopened(ids, tmp_path, [True, True, False])
    assert dict(read.row_of) == {SOME[1]: 0, SOME[0]: 1}


@pytest.mark.parametrize(("wide", "believed"), [(64, True), (65, False), (4_000, False)])
def test_ids_of_a_file_are_no_wider_than_what_is_written(tmp_path, wide, believed):
    out = ArrayWriter()
    out.lend("ids.alive", np.ones(2, np.bool_))
    out.lend("ids.coded", np.array([b"a" * wide, b"b" * wide]).view(np.uint8))
    out.write(tmp_path / "ids", {}, lambda: True)
    ids = Ids()
    if believed:
        ids.exchange(ArrayReader(tmp_path / "ids"), "ids")
        assert [*ids] == ["a" * wide, "b" * wide]
    else:
        with pytest.raises(DamagedFileError, match="2 ids in"):
            ids.exchange(ArrayReader(tmp_path / "ids"), "ids")


@pytest.mark.parametrize("odd", ["x" * 100, "\xe9", "x\0"])
def test_ids_stay_in_the_file_unless_one_of_them_is_very_long_or_no_ascii(tmp_path, odd):
    usual, mixed = Ids(), Ids()
    usual.extend([*(new_id() for _ in range(100)), "no uuid"])
    mixed.extend([new_id(), odd])
    assert [*reopened(usual, tmp_path)] == [*usual]
    assert ArrayReader(tmp_path / "ids").has("ids.coded", False)
    assert not ArrayReader(tmp_path / "ids").has("ids.texts.text", False)
    assert [*reopened(mixed, tmp_path)] == [*mixed]
    assert ArrayReader(tmp_path / "ids").has("ids.texts.text", False)


def test_what_is_mapped_is_shared_by_copies(tmp_path):
    ids = Ids()
    ids.extend(SOME)
    ids = reopened(ids, tmp_path)
    assert ids.share()._first is ids._first
    assert dict(ids.share().row_of) == dict(ids.row_of)
