"""What is packed small may be large: tables are bounded while they are read."""

import gzip
import tracemalloc

import pytest

from graphrag.errors import InputError
from graphrag.io import tables
from graphrag.io.tables import read_file

LONG = 1 << 26


@pytest.mark.parametrize("name", ["facts.csv.gz", "facts.tsv.gz", "facts.jsonl.gz"])
def test_a_line_that_never_ends_is_refused_before_it_is_unpacked(tmp_path, name):
    path = tmp_path / name
    with gzip.open(path, "wb") as file:
        file.write(b"\n" if ".jsonl" in name else b"subject,relation,object\n")
        for _ in range(LONG >> 20):
            file.write(b"x" * (1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="line 2 has more than 4 MB"):
            list(read_file(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < LONG / 2


def test_a_json_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_LARGEST", 1000)
    path = tmp_path / "facts.json"
    path.write_text("[" + " " * 1000 + "]")
    with pytest.raises(InputError, match=r"facts.json has more than .* \(.jsonl\)"):
        list(read_file(path))
    path.write_text("[" + " " * 998 + "]")
    assert list(read_file(path)) == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_do(tmp_path, end):
    path = tmp_path / "facts.csv"
    rows = ["subject,relation,object", 'Ann,knows,"Bea\nBell"', "Cid,knows,Dora", ""]
    path.write_bytes(end.join(rows).encode())
    assert [row["object"] for _, row in read_file(path)] == ["Bea\nBell", "Dora"]
