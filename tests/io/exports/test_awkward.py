"""Whatever names and times a graph holds: it goes out, comes in, and is the same."""

import asyncio
import csv
import io
import os
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import networkx
import rdflib
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from graphrag import InputError
from graphrag.io.files import escaped, unescaped, written
from graphrag.io.interchange import TERMS, cell_of, unmarked
from graphrag.io.jsonl import moment, read_moment
from graphrag.names.key import name_key
from tests.conftest import open_graph

AWKWARD = st.one_of(
    st.sampled_from(
        (
            *("=cmd()", "'=x", "''@y", "+1", "-1", "@a", "\ttab", 'a "b"', "a,b", "x\ny", "x\r\ny"),
            *("\rz", "x\x00y", "\x07", "]]>&amp;<b>", "_x0007_", "_x005F_", "名前 Ω", "\ufffe"),
            *("\\u0041", "a\u2028b", "NaN", "null", "  x  ", "<!--", "x_x", "{}", "[1]", "e\u0301"),
        )
    ),
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12),
)
KEYS = AWKWARD.filter(lambda text: "\0" not in text)
NAMES = KEYS.map(str.strip).filter(name_key)
MOMENTS = st.none() | st.datetimes(
    datetime.min,  # noqa: DTZ901
    datetime.max,  # noqa: DTZ901
    timezones=st.just(UTC),
)
ATTRIBUTES = st.dictionaries(
    KEYS | st.sampled_from(["source", "as_given", "untyped", "provenance"]),
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | AWKWARD | st.lists(AWKWARD),
    max_size=2,
)


@st.composite
def rows(draw):
    """Rows of facts between few names, so that some meet."""
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique_by=name_key))
    # One type for a name: two that share it are told apart by nothing that a name can say.
    types = {name: draw(st.sampled_from(["person", "=x", "a b"])) for name in names}
    found = []
    for _ in range(draw(st.integers(0, 6))):
        subject, object_ = draw(st.permutations(names))[:2]
        start, length = draw(MOMENTS), draw(st.none() | st.timedeltas(timedelta(0, 0, 1)))
        end = None
        if length is not None and start is not None:
            end = start + min(length, datetime.max.replace(tzinfo=UTC) - start)
        found.append(
            {
                "subject": subject,
                "relation": draw(st.sampled_from(["knows", "works_at", "likes", "=1+1", "leads"])),
                "object": object_,
                "subject_type": types[subject],
                "object_type": types[object_],
                "valid_at": start,
                "invalid_at": end if end != start else None,
                "confidence": draw(st.floats(0.75, 1)),
                "text": draw(st.none() | AWKWARD),
                "attributes": draw(ATTRIBUTES),
            }
        )
    return found, draw(st.booleans())


def content(frames, format="jsonl"):
    """Return what facts say, whoever tells them, and when.

    How a fact was closed follows from statements, which only JSON Lines carry: a table says that
    it ended.
    """
    told = frames.facts.drop(columns=["id", "subject_id", "object_id", "created_at", "origin"])
    told = told.drop(columns=["reference_time", "episodes"])
    told = told if format == "jsonl" else told.drop(columns=["closed_as"])
    return sorted(map(repr, told.itertuples(index=False, name=None)))


@settings(max_examples=6, phases=[Phase.explicit, Phase.generate])
@given(told=rows())
def test_what_goes_out_comes_back(tmp_path_factory, told):
    asyncio.run(out_and_in(tmp_path_factory.mktemp("awkward"), *told))


async def out_and_in(folder, facts, merges):
    async with open_graph() as graph:
        try:
            await graph.load.facts(facts, judge=False)
        except InputError as error:  # "x" is who "x y" is
            assume("both ends are the same entity" not in str(error))
            raise
        entities = [entity for entity, _ in await graph.audit.hubs(9)]
        if merges and len(entities) > 2:
            await graph.identity.merge(*entities[:2])
        if not facts:
            await graph.add_entity("Nobody")  # an empty group is none
        everything = graph.at(history=True)
        before = await everything.export.pandas()
        network = await everything.export.networkx()
        for ending in ("jsonl", "csv", "graphml", "ttl"):
            await graph.export.file(folder / f"graph.{ending}")
        await graph.group("networkx").load.facts(network, judge=False)
        await graph.group("pandas").load.facts(before.facts, judge=False)
        await graph.group("csv").load.facts(folder / "graph.csv", judge=False)
        await graph.group("graphml").load.facts(folder / "graph.graphml", judge=False)
        await graph.load.group(folder / "graph.jsonl", "jsonl")
        for group in await graph.groups().list():  # a table without rows makes none
            after = await graph.group(group.name).at(history=True).export.pandas()
            assert content(after, group.name) == content(before, group.name), group.name
        there = {group.name for group in await graph.groups().list()}
        assert there >= ({"networkx", "pandas", "csv", "graphml", "jsonl"} if facts else {"jsonl"})
    assert networkx.read_graphml(folder / "graph.graphml").number_of_nodes() == len(network)
    read = rdflib.Graph().parse(folder / "graph.ttl")
    labels = {str(name) for name in read.objects(None, rdflib.RDFS.label)}
    assert labels == {node["name"] for node in network.nodes.values()}
    told = set(read.subjects(rdflib.URIRef(f"{TERMS}confidence")))
    assert len(told) == len(before.facts)


@given(AWKWARD)
def test_text_in_xml_and_in_cells_is_what_it_was(text):
    element = ElementTree.fromstring(f"<a>{escaped(text)}</a>")
    assert unescaped(element.text or "") == text
    cell = cell_of(text)
    assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r")
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(["x", cell])
    [[_, back]] = csv.reader(io.StringIO(out.getvalue(), newline=""), strict=True)
    assert unmarked(back) == text


@given(MOMENTS.filter(bool))
def test_moments_as_text_are_exact(at):
    assert read_moment(moment(at)) == at


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "out.jsonl"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with written(pipe) as put:
            put(b"one line\n")
        assert os.read(reading, 100) == b"one line\n"
    finally:
        os.close(reading)
    assert pipe.is_fifo()
    assert [left.name for left in tmp_path.iterdir()] == ["out.jsonl"]
