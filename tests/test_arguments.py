"""Whatever a caller passes, only our own errors come out, and the graph stays what it was.

The public surface is found by walking objects, so that a new method or a new place for an old one
is tried without being named here.
"""

import asyncio
import importlib
import inspect
from dataclasses import fields
from datetime import datetime
from decimal import Decimal

import anyio
import numpy as np
import pandas as pd
import pytest

from graphrag.errors import EpisodeError, GraphRAGError, InputError
from graphrag.graph import GraphRAG
from graphrag.ingest.intake import NewEpisode
from graphrag.io.fact_rows import COLUMNS
from graphrag.model.extraction import Extraction
from tests.conftest import PlainExtractor, open_graph

TEXT = "Alice works_at Acme from 2020. Bob works_at Acme. Alice lives_in Paris. Bob knows Alice."


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def in_itself():
    value = {}
    value["me"] = value
    return value


class Mute:
    def __repr__(self):
        raise RuntimeError("nobody may ask for its words")


HOSTILE = {
    "none": None,
    "a number": 7,
    "a number below 0": -1,
    "71 bits": 2**70,
    "4,401 digits": 10**4400,
    "a fraction": 1.5,
    "not a number": float("nan"),
    "endless": float("inf"),
    "a truth": True,
    "empty text": "",
    "space": "  ",
    "a null character": "a\0b",
    "an escape": "\x1b[31mred",
    "half a surrogate pair": "half \ud83d",
    "a long line": "x" * 5_000,
    "a long text": "word " * 30_000,
    "a path that is too long": "/" + "d/" * 3_000 + "f.csv",
    "digits": "999999999999999999999",
    "year 0": "0000-01-01",
    "bytes": b"raw",
    "a list": ["a"],
    "a list of numbers": [1],
    "an empty list": [],
    "a list in a list": [[["a"]]],
    "10,000 lists": nested(10_000),
    "a set": {"a"},
    "a mapping": {"a": 1},
    "100,000 levels": {"a": nested(100_000)},
    "a cycle": in_itself(),
    "attributes that are not finite": {"a": float("nan")},
    "attributes of 71 bits": {"a": 2**70},
    "attributes of 4,401 digits": {"a": 10**4400},
    "attributes with half a pair": {"a": "\udc00"},
    "names with half a pair": {"\udc00": 1},
    "names that are numbers": {1: 2},
    "attributes of numpy": {"a": np.float32(1)},
    "attributes with a set": {"a": {1}},
    "NaT": pd.NaT,
    "a number of numpy": np.int64(3),
    "a text of numpy": np.str_("Alice"),
    "an array": np.zeros((2, 3)),
    "a frame": pd.DataFrame({"a": [1]}),
    "a naive moment": datetime(2020, 1, 1),  # noqa: DTZ001
    "an object": object(),
    "a mute object": Mute(),
    "a class": int,
    "a function": len,
    "a generator": (letter for letter in "ab"),
}


class Short(PlainExtractor):
    """The grammar of these tests takes too long for a long text."""

    async def extract(self, context):
        return await super().extract(context) if len(context.episode.content) < 3_000 else NOTHING


NOTHING = Extraction()


async def world():
    """Return an open graph, and what to pass for what has no default, by name."""
    graph = await open_graph(extractor=Short()).__aenter__()
    added = await graph.add_episode(TEXT, reference_time="2024-01-01", saga="tale", name="Tale")
    [fact] = [one for one in await graph.facts("Alice") if one.relation == "works_at"]
    return graph, {
        **dict.fromkeys(("entity", "subject", "one", "keep", "start", "query"), "Alice"),
        **dict.fromkeys(("other", "end"), "Bob"),
        "object": "Acme",
        "content": "Carol knows Dave.",
        "name": "tale",
        "relation": "works_at",
        "through": ["works_at"],
        "fact": fact.id,
        "episode": added.episode.id,
        "episodes": [],
        "ids": [added.episode.id],
        "event": 1,
        "since": "2020",
        "group": "default",
        "question": "Who works where?",
        "rows": [{"subject": "Zoe", "relation": "knows", "object": "Bob"}],
        "contacts": [{"name": "Zed"}],
        "calendar": [{"name": "Lunch", "start": "2024-01-01T10:00Z"}],
        "known": {"Alice": {"likes": "tea"}},
        "file": "graph.jsonl",
        "url": "mem://",
    }


def surfaces(graph):
    """Return the objects that a user calls methods of, by how they are reached."""
    found, waiting = {}, [("graph", graph), ("graph.at()", graph.at(history=True))]
    while waiting:
        path, one = waiting.pop()
        found[path] = one
        for name in dir(one):
            # The handle is what objects of one graph share, not what a user calls.
            value = None if name.startswith("_") or name == "handle" else getattr(one, name)
            if any(map(inspect.iscoroutinefunction, vars(type(value)).values())):
                waiting.append((f"{path}.{name}", value))
    return found


def parameters(function):
    named = inspect.signature(function).parameters
    return {name: one for name, one in named.items() if one.kind is not one.VAR_POSITIONAL}


def methods(one):
    """Return the names of the methods that take anything."""
    named = ((name, getattr(one, name)) for name in dir(one) if not name.startswith("_"))
    return [name for name, value in named if inspect.isroutine(value) and parameters(value)]


async def everything():
    async with open_graph() as graph:
        return sorted(
            (path, name) for path, one in surfaces(graph).items() for name in methods(one)
        )


SURFACE = asyncio.run(everything())


def takes_a_function(parameter):
    return "Callable" in str(parameter.annotation)


async def outcome(function, given):
    """Call it to its end, or a stream to its first item, and return what was raised."""
    try:
        result = function(**given)
        if hasattr(result, "__anext__"):
            with anyio.move_on_after(0.01):
                await anext(result, None)
        elif isinstance(result, GraphRAG):
            if result.handle.current is None:  # not a group of the one that is open
                async with result:
                    pass
        elif inspect.isawaitable(result):
            result = await result
        repr(result)
    except GraphRAGError as error:
        return error
    return None


@pytest.mark.parametrize(("path", "name"), SURFACE, ids=map(".".join, SURFACE))
async def test_hostile_arguments_raise_our_errors(path, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph, usual = await world()
    async with graph:
        method = getattr(surfaces(graph)[path], name)
        needed = {
            one.name: usual.get(one.name)
            for one in parameters(method).values()
            if one.default is one.empty
        }
        for parameter in parameters(method).values():
            for what, value in HOSTILE.items():
                if takes_a_function(parameter) and callable(value):
                    continue  # what it raises is its own affair
                given = needed | {parameter.name: value}
                await refused_whole(graph, method, given, f"{parameter.name}={what}")
        assert (await graph.health.check_all()).sound


async def refused_whole(graph, method, given, what):
    """Call it, and check that nothing was written if it raised."""
    before = (await graph.stats()).events
    error = await outcome(method, given)
    assert len(str(error).encode()) < 10_000, what
    if error is not None:
        assert (await graph.stats()).events == before, what


CONTACT = ("name", "email", "phone", "company", "title", "aliases")
MEETING = {"name": "Lunch", "start": "2024-01-01T10:00Z", "end": "2024-01-01T11:00Z"}
ROWS = {
    "rows": ("facts", {"subject": "Ann", "relation": "knows", "object": "Bea"}, COLUMNS),
    "contacts": ("contacts", {"name": "Ann"}, CONTACT),
    "calendar": ("calendar", MEETING, [*MEETING, "location", "organizer", "attendees"]),
}


@pytest.mark.parametrize("argument", ROWS)
async def test_hostile_cells_raise_our_errors(argument):
    name, usual, columns = ROWS[argument]
    graph, _ = await world()
    async with graph:
        method = getattr(graph.load, name)
        for column in [*columns, "attributes.of_mine", 5]:
            for what, value in HOSTILE.items():
                rows = [usual | {column: value}]
                await refused_whole(graph, method, {argument: rows}, f"{column}={what}")
        assert (await graph.health.check_all()).sound


async def test_hostile_seeds_raise_our_errors():
    graph, _ = await world()
    async with graph:
        for what, value in HOSTILE.items():
            known = [
                {"Ann": {"likes": value}},
                {"Ann": value},
                {"Ann": {"likes": {"object": value}}},
            ]
            if value.__hash__ is not None:
                known += [{value: {"likes": "tea"}}, {"Ann": {value: "tea"}}]
            for one in known:
                await refused_whole(graph, graph.load.seed, {"known": one}, what)
        assert (await graph.health.check_all()).sound


async def test_hostile_episodes_of_a_batch_raise_our_errors():
    graph, _ = await world()
    async with graph:
        for field in fields(NewEpisode):
            for what, value in HOSTILE.items():
                batch = [NewEpisode(**{"content": "Ann knows Bea.", field.name: value})]
                await refused_whole(graph, graph.add_episodes, {"episodes": batch}, what)
                report = await graph.add_episodes(batch, on_error="skip")
                assert report.done == 1
        assert (await graph.health.check_all()).sound


FILES = {
    "deep.json": "[" * 100_000,
    "row.json": '[{"subject": "Ann", "relation": "knows", "object": "Bea", "attributes": %s}]',
    "row.jsonl": '{"subject": "Ann", "relation": "knows", "object": "Bea", "attributes": %s}',
    "row.csv": "subject,relation,object,attributes\nAnn,knows,Bea,%s",
}
ATTRIBUTES = ('{"a":' * 5_000 + "1" + "}" * 5_000, '{"a": 1%s}' % ("0" * 5_000), '{"a": "\\ud800"}')


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("attributes", ATTRIBUTES, ids=["deep", "digits", "half a pair"])
async def test_hostile_files_are_refused(name, attributes, tmp_path):
    content = FILES[name].replace("%s", attributes)
    (tmp_path / name).write_text(content, encoding="utf-8")
    graph, _ = await world()
    async with graph:
        before = (await graph.stats()).events
        with pytest.raises(InputError):
            await graph.load.facts(tmp_path / name)
        assert (await graph.stats()).events == before


@pytest.mark.parametrize("attributes", ATTRIBUTES, ids=["deep", "digits", "half a pair"])
async def test_json_that_cannot_be_kept_is_no_episode(attributes):
    graph, _ = await world()
    async with graph:
        with pytest.raises(EpisodeError):
            await graph.add_episode(attributes, source="json")


async def test_a_reason_that_is_no_text_leaves_the_fact():
    graph, usual = await world()
    async with graph:
        with pytest.raises(InputError, match="reason a list of 1: give text"):
            await graph.edit.retract(usual["fact"], reason=nested(10_000))
        assert len(await graph.facts("Alice")) == 3


async def test_what_is_as_good_becomes_plain():
    graph, _ = await world()
    async with graph:
        entity = await graph.add_entity(np.str_("Ann"), attributes={"age": np.int64(40)})
        assert type(entity.name) is str
        assert type(entity.attributes["age"]) is int
        assert len(await graph.neighbors("Alice", limit=np.int64(1))) == 1
        assert len(await graph.neighbors("Alice", types={"person"})) == 1


RENAMED = """
from typing import TYPE_CHECKING

from graphrag.model.arguments import checked

if TYPE_CHECKING:
    from decimal import Decimal as Amount


@checked()
def pay(amount: "Amount"):
    return amount
"""


def test_an_import_for_types_alone_is_found_by_the_name_that_it_is_given(tmp_path, monkeypatch):
    (tmp_path / "paying.py").write_text(RENAMED, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    pay = importlib.import_module("paying").pay
    assert pay(Decimal(3)) == 3
    with pytest.raises(InputError, match="amount 3: give Decimal"):
        pay(3)


NUL = {
    "subject": lambda graph: graph.add_fact("An\0n", "likes", "tea"),
    "relation": lambda graph: graph.add_fact("Ann", "li\0kes", "tea"),
    "object": lambda graph: graph.add_fact("Ann", "likes", "te\0a"),
    "source": lambda graph: graph.add_fact("Ann", "likes", "tea", source="a\0b"),
    "type": lambda graph: graph.add_fact("Ann", "likes", "tea", object_type="a\0b"),
    "group": lambda graph: graph.group("a\0b").add_fact("Ann", "likes", "tea"),
    "alias": lambda graph: graph.add_entity("Ann", aliases=["a\0b"]),
    "key of an attribute": lambda graph: graph.add_entity("Ann", attributes={"a\0b": 1}),
    "episode": lambda graph: graph.add_episode("Ann likes tea.", name="a\0b"),
    "row": lambda graph: graph.load.facts([{"subject": "A", "relation": "a\0b", "object": "B"}]),
    "NewEpisode": lambda graph: graph.add_episodes([NewEpisode("Ann likes tea.", name="a\0b")]),
}


@pytest.mark.parametrize("what", NUL)
async def test_nul_is_no_part_of_a_name(graph, what):
    with pytest.raises(InputError):
        await NUL[what](graph)
    assert await graph.log.events() == []
