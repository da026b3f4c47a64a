"""What comes from the graph never steers the terminal or the page that shows it."""

import dataclasses
import inspect
import io
import re
from operator import attrgetter

import pytest
from rich.console import Console

from graphrag import Query
from graphrag.display.visible import escape, flatten, visible
from tests.conftest import open_graph
from tests.test_arguments import parameters, surfaces

CLEAR, TITLE, C1, TURN = "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202egnp.exe\u202c"
STEERING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
MARKUP = "<script>alert(1)</script><img src=x onerror='alert(2)'>\"&"
NAME, OTHER = f"Ann{CLEAR}{C1}{TURN}{MARKUP}", f"Acme{TITLE}\nFact(Bob works at Beta)"


def test_control_characters_are_shown():
    assert visible(f"a{CLEAR}b{C1}c") == "a\\u001b[2Jb\\u009b31mc"
    assert visible("a\tb\r\nc\n") == "a\tb\r\nc\n"
    assert visible("over\rwritten") == "over\\u000dwritten"
    assert visible(TURN) == "\\u202egnp.exe\\u202c"
    assert visible("half \ud83d").encode() == b"half \\ud83d"
    assert visible("Zoë 東京 👩‍🚀 أحمد") == "Zoë 東京 👩‍🚀 أحمد"
    assert flatten("a\nb \x1b c") == "a b \\u001b c"
    assert escape(f"<b>{CLEAR}") == "&lt;b&gt;\\u001b[2J"


async def hostile_world(url="mem://"):
    """Return an open graph in which everything that can hold a text holds a hostile one."""
    graph = await open_graph(url).__aenter__()
    saga = f"Tale{C1}{TURN}{MARKUP}"
    episodes = [
        await graph.add_episode(
            f"Ann knows Bob. {C1}{TURN}{MARKUP}",
            name=f"Title{TITLE}{MARKUP}",
            source_description=f"Desk{CLEAR}{MARKUP}",
            reference_time="2024-01-01",
            metadata={f"key{CLEAR}": f"value{TITLE}{MARKUP}"},
            saga=saga,
        )
    ]
    for start, other in (("2020", f"Beta{MARKUP}"), ("2022", OTHER)):
        await graph.add_fact(
            NAME,
            "works_at",
            other,
            subject_type=f"person{CLEAR}{MARKUP}",
            valid_at=start,
            text=f"Ann{CLEAR} works at{C1} Acme{MARKUP}.",
            attributes={f"role{CLEAR}": f"boss{TITLE}{MARKUP}"},
            source=f"Source{CLEAR}{MARKUP}",
        )
    await graph.add_fact(OTHER, f"sits_in{CLEAR}", f"Oslo{TURN}", confidence=0.1)
    await graph.add_entity(NAME, aliases=[f"Annie{TITLE}"], attributes={"motto": f"x{CLEAR}"})
    await graph.communities.build()
    await graph.identity.keep_apart(
        NAME, OTHER, reason=f"why{CLEAR}{MARKUP}", actor=f"me{TITLE}{MARKUP}"
    )
    await graph.add_entity(f"Katherine Smith{C1}", aliases=[f"Kathy Jones{TITLE}"])
    await graph.add_entity(f"Catherine Smith{C1}")
    [told] = await graph.facts("Ann")
    [community, *_] = await graph.communities.list()
    return graph, {
        **dict.fromkeys(("entity", "start", "query", "question", "one", "subject"), NAME),
        **dict.fromkeys(("other", "end", "object"), OTHER),
        "name": NAME,
        "relation": "works_at",
        "pattern": Query(NAME, "works_at"),
        "through": ["works_at"],
        "fact": told.id,
        "item": told.id,
        "episode": episodes[0].episode.id,
        "ids": [episodes[0].episode.id],
        "since": "2000",
        "community": community.id,
        "saga": saga,
    }


def texts(value, seen=()):
    """Yield what a value shows of itself, and what is in it."""
    if id(value) in seen:
        return
    seen = (*seen, id(value))
    if isinstance(value, list | tuple):
        for item in value:
            yield from texts(item, seen)
    if not type(value).__module__.startswith("graphrag"):
        return
    yield "repr", repr(value)
    yield "str", str(value)
    if hasattr(value, "_repr_html_"):
        yield "html", value._repr_html_()
    if hasattr(value, "__rich__"):
        console = Console(file=io.StringIO(), width=300)
        console.print(value)
        yield "rich", console.file.getvalue()
    if hasattr(value, "context"):
        context = value.context() if callable(value.context) else value.context
        yield "context", str(context)
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from texts(getattr(value, field.name), seen)


READS = (
    "answer ask changes entities entity episodes explain facts neighbors path paths "
    "profile query search show sources stats stream.answer subgraph timeline within audit.absence "
    "audit.contradictions audit.growth audit.hubs audit.orphans audit.suggest_ontology "
    "communities.context "
    "communities.get communities.list communities.map communities.over_time "
    "sagas.get sagas.list sagas.window "
    "edit.pending health.check health.cleanup identity.candidates log.events queue.failed "
    "queue.status"
).split()


@pytest.mark.parametrize("name", READS)
async def test_nothing_that_a_read_returns_steers(name):
    graph, usual = await hostile_world()
    async with graph:
        reached = 0
        for view in (graph, graph.at(history=True)):
            noun = name.partition(".")[0]
            if not hasattr(view, noun):
                continue  # only the graph of now writes
            method = attrgetter(name)(view)
            given = {
                parameter.name: usual[parameter.name]
                for parameter in parameters(method).values()
                if parameter.default is parameter.empty
            }
            given |= {"name": usual["saga"]} if name == "sagas.get" else {}
            result = method(**given)
            result = await result if inspect.isawaitable(result) else result
            if inspect.isasyncgen(result):
                result = [part async for part in result]
            for how, text in texts(result):
                reached += 1
                steering = STEERING.search(text)
                assert not steering, f"{how}: {text[max(0, steering.start() - 60) :][:200]!r}"
                if how == "html":
                    assert "<script" not in text.casefold()
                    assert "<img" not in text.casefold()
                if how == "repr":
                    assert "\n" not in text or name == "search", text
        assert reached or name in ("audit.absence", "queue.failed")


async def test_every_read_is_looked_at():
    graph, _ = await hostile_world()
    async with graph:
        reads = {
            f"{path}.{name}".partition("graph.at().")[2] or name
            for path, one in surfaces(graph).items()
            if path.startswith("graph.at()")
            for name in dir(one)
            if not name.startswith("_") and inspect.isroutine(getattr(one, name))
        }
    # An export, or a query in SurrealQL, gives plain values, which nobody shows but the caller.
    assert {name for name in reads if not name.startswith(("export", "surreal"))} <= set(READS)
