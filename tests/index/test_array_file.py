"""Files of arrays: what is checked is what was meant to be written, and the disk keeps up."""

import io
import os

import numpy as np
import pytest

from graphrag.index import array_file
from graphrag.index.array_file import PART, ArrayReader, ArrayWriter
from graphrag.store.private import DamagedFileError


class Flipping(io.BufferedWriter):
    """A file that flips one bit of the third array on its way to the disk."""

    def write(self, data):
        data = bytearray(data)
        if len(data) == 3_000:
            data[1_234] ^= 8
        return super().write(data)


def test_a_bit_that_flips_while_it_is_written_is_refused_at_reading(tmp_path, monkeypatch):
    out = ArrayWriter()
    for size in (1_000, 2_000, 3_000, 4_000):
        out.lend(f"array {size}", np.arange(size, dtype=np.uint8))
    opened = array_file.open_private

    def flipping(path, mode):
        return Flipping(io.FileIO(path, "w")) if mode == "wb" else opened(path, mode)

    monkeypatch.setattr(array_file, "open_private", flipping)
    out.write(tmp_path / "arrays", {}, lambda: True)
    arrays, none = ArrayReader(tmp_path / "arrays"), np.empty(0, np.uint8)
    assert len(arrays.numbers("array 2000", none)) == 2_000
    with pytest.raises(DamagedFileError, match="array 3000 is damaged"):
        arrays.numbers("array 3000", none)


@pytest.mark.parametrize("sizes", [[PART] * 4, [PART - 1] * 4, [PART // 8] * 40, [5 * PART + 7]])
def test_little_waits_for_the_disk_however_long_the_arrays_are(tmp_path, monkeypatch, sizes):
    out, synced, sync = ArrayWriter(), [0], os.fsync
    for number, size in enumerate(sizes):
        out.lend(str(number), np.zeros(size, np.uint8))

    def counted(descriptor):
        synced.append(os.fstat(descriptor).st_size)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    out.write(tmp_path / "arrays", {}, lambda: True)
    assert synced[-1] == (tmp_path / "arrays").stat().st_size
    assert np.diff(synced).max() <= 2 * PART
