"""Names that stay in their file are those that were entered, whatever changes since."""

import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag.index.array_file import ArrayReader, ArrayWriter
from graphrag.index.ids import Ids
from graphrag.index.name_index import NameBook
from graphrag.names.key import name_key
from graphrag.store.private import DamagedFileError

UUIDS = [str(uuid.UUID(int=7 * number)) for number in range(1, 7)]
LONG = [f"{number} {'long ' * 20}" for number in range(6)]
NAMES = ["Ann Lee", "Dr. Ann Lee", "Bob", "Acme Ltd", "Acme", "Zoë \U0001f9d1 Lee", "Lee\ud800"]
KINDS = ["person", "organization", "thing"]
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(range(6)),
        st.sampled_from(KINDS),
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True),
        st.booleans(),
    ),
    max_size=12,
)


def through_a_file(book, ids, path):
    """The same names, left in a file."""
    out = ArrayWriter()
    ids.exchange(out, "ids")
    book.share().exchange(out, "names", ids, dict(zip(ids, range(len(ids)), strict=True)))
    out.write(path, {"group": "default"}, lambda: True)
    arrays, again, loaded = ArrayReader(path), Ids(), NameBook()
    again.exchange(arrays, "ids")
    again.alive[:] = False
    loaded.exchange(arrays, "names", again, {})
    return loaded


def looked_up(book, ids):
    keys = [name_key(name) for name in NAMES]
    words = {word for key in keys for word in key.split()}
    return (
        [(book.keyed(key), book.plain(key)) for key in [*keys, "nobody"]],
        [(book.people(word), book.shortened(word)) for word in sorted(words)],
        [(book.names.get(id_), id_ in book.names) for id_ in [*ids, "x"]],
        {id_: (book.type_of(id_), book.identifiers_of(id_)) for id_ in book.names},
        book.entries(),
    )


@pytest.mark.parametrize("made", [UUIDS, [f"no uuid {number}" for number in range(6)], LONG])
@given(changes=CHANGES)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_names_in_a_file_are_found_and_changed_like_those_in_memory(tmp_path, made, changes):
    ids = Ids()
    ids.extend(made)
    plain, filed = NameBook(), NameBook()
    for place, kind, names, saved in changes:
        if saved:
            filed = through_a_file(filed, ids, tmp_path / "names")
            looked_up(filed, made)  # what was looked up must not be what is found after a change
        for book in (plain, filed):
            book.enter(made[place], kind, names, {"isbn": names[0]})
    filed = through_a_file(filed, ids, tmp_path / "names")
    copy = filed.share()
    assert looked_up(filed, made) == looked_up(plain, made)
    filed.enter(made[0], "person", ["Somebody Else"], {})
    assert looked_up(copy, made) == looked_up(plain, made)


def test_an_entity_that_lives_without_a_name_is_a_damaged_file(tmp_path):
    ids = Ids()
    ids.extend(UUIDS)
    path = tmp_path / "names"
    through_a_file(NameBook(), ids, path)
    arrays = ArrayReader(path)
    with pytest.raises(DamagedFileError, match="without a name"):
        NameBook().exchange(arrays, "names", ids, {})


def test_an_id_that_came_back_has_its_names_still(tmp_path):
    ids, book = Ids(), NameBook()
    ids.extend(UUIDS[:2])
    ids.leave(np.array([0]))
    ids.extend([UUIDS[0]])
    for id_ in UUIDS[:2]:
        book.enter(id_, "person", [f"Somebody {id_[-1]}"], {})
    filed = through_a_file(book, ids, tmp_path / "names")
    assert looked_up(filed, UUIDS) == looked_up(book, UUIDS)
