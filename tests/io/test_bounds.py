"""Files made to fill the memory: refused early, with the file, the line and the bound."""

import gzip
import resource
import sys

import pytest

from graphrag.errors import InputError
from graphrag.io import files
from graphrag.io.contacts import read_contacts
from graphrag.io.jsonl import lines
from graphrag.io.memories.recognise import records_of
from graphrag.io.network import NetworkRows
from graphrag.io.tables import read_file

MB = 1 << 20
GRAPHML = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph>\n'


def packed(path, head, filling, times, tail=b""):
    """Write a packed file that is many times larger than it looks; its filling is packed once."""
    path.write_bytes(gzip.compress(head) + gzip.compress(filling) * times + gzip.compress(tail))
    return path


def used():
    """Return the most memory that this process ever had, in MB."""
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / MB


LONG = b"x" * MB


def test_graphml_is_read_as_a_whole_up_to_a_bound(tmp_path):
    path = tmp_path / "big.graphml"
    with path.open("wb") as file:
        file.truncate(257 * MB)
    with pytest.raises(InputError, match=r"big\.graphml has more than 256 MB and is read as a"):
        NetworkRows.of(path)


def test_what_graphml_declares_has_a_bound(tmp_path):
    path = tmp_path / "many.graphml"
    keys = b"".join(b'<key id="a%d" attr.name="b"/>' % number for number in range(2000))
    path.write_bytes(GRAPHML + keys + b"</graph></graphml>")
    with pytest.raises(InputError, match=r"many\.graphml declares more than 1,000 keys"):
        NetworkRows.of(path)


@pytest.mark.parametrize("encoding", [b"nowhere", b"utf-7"])
def test_graphml_in_an_encoding_that_cannot_be_read_is_refused(tmp_path, encoding):
    path = tmp_path / "odd.graphml"
    path.write_bytes(b'<?xml version="1.0" encoding="' + encoding + b'"?>' + GRAPHML)
    with pytest.raises(InputError, match=r"odd\.graphml is no XML that can be read"):
        NetworkRows.of(path)


def test_an_export_has_lines_of_a_bounded_length(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_LONGEST", 16 * MB)
    path = packed(tmp_path / "group.jsonl.gz", b'{"record":"fact","text":"', LONG, 600)
    before = used()
    with pytest.raises(InputError, match=r"group\.jsonl\.gz, line 1 has more than 16 MB"):
        list(lines.read(path))
    assert used() - before < 100
    assert not lines.is_whole_group(path)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("rows.csv.gz", read_file),
        ("rows.tsv.gz", read_file),
        ("rows.jsonl.gz", read_file),
        ("rows.json.gz", read_file),
        ("memories.json.gz", records_of),
        ("people.vcf", read_contacts),
        ("net.graphml.gz", lambda path: NetworkRows.of(path).edges),
    ],
)
def test_what_unpacks_to_far_more_than_it_can_hold_is_refused(tmp_path, monkeypatch, name, read):
    monkeypatch.setattr(files, "_FREE", MB >> 4)
    heads = {"net": GRAPHML, "people": b"BEGIN:VCARD\n"}
    filling = (b"ab,cd\n" if "graphml" not in name else b"<x/>   ") * 10_000
    path = packed(tmp_path / name, heads.get(name.split(".")[0], b""), filling, 8)
    with pytest.raises(InputError, match=rf"{name} unpacks to more than \d+ MB, 100 times"):
        list(read(path))


@pytest.mark.parametrize("name", ["people.vcf", "rows.csv", "rows.jsonl"])
def test_a_line_has_a_bound(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"BEGIN:VCARD\nNOTE:" + b"x" * (5 * MB) + b"\nEND:VCARD\n")
    read = read_contacts if name == "people.vcf" else read_file
    with pytest.raises(InputError, match=rf"{name}.* more than (4,000,000 characters|4 MB)"):
        list(read(path))


def test_what_regular_facts_pack_to_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_FREE", 0)
    row = b'{"subject":"Ann %d","relation":"knows","object":"Bob","text":"Ann %d knows Bob."}\n'
    rows = b"".join(row % (number, number) for number in range(1000))
    path = packed(tmp_path / "rows.jsonl.gz", b"", rows, 20)
    assert sum(1 for _ in read_file(path)) == 20_000
