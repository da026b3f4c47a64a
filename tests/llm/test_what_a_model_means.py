"""What a model says of time and names, and what lifetimes follow: ends, replacements, renames."""

import re

import pytest

from graphrag import GraphRAG, Models
from graphrag.testing import HashEmbedder
from tests.conftest import day


class Model:
    """Answers with what a test wrote for each text in turn; ``{F1}`` is the first fact shown."""

    def __init__(self, *readings):
        self.readings = list(readings)

    async def complete(self, messages, *, answer):
        if answer.__name__ != "Reading":
            return answer.model_validate({"names": [], "exclusive_pairs": []})
        entities, facts = self.readings.pop(0)
        shown = re.findall(r"^(F\d+) ", messages[-1].content, re.MULTILINE)
        for fact in facts:
            fact["replaces"] = shown[0] if fact["replaces"] and shown else fact["replaces"]
        return answer.model_validate({"entities": entities, "facts": facts})


def entity(name, kind="organization", meant="", aliases=()):
    given = {"name": name, "type": kind, "aliases": list(aliases), "attributes": []}
    return given | {"meant": meant}


def fact(subject, relation, object_, quote, kind="holds", **given):
    rest = {"since": "", "until": "", "same": "", "replaces": "", "certainty": "stated", **given}
    ends = {"subject": subject, "relation": relation, "object": object_}
    return {**ends, "quote": quote, "fact": quote, "kind": kind, "attributes": [], **rest}


def opened(*readings):
    return GraphRAG.open("mem://", models=Models(embedder=HashEmbedder(), llm=Model(*readings)))


async def held(graph, at):
    return [one.object for one in await graph.at(valid_at=at).facts(limit=20)]


BRIDGE = (
    "The bridge will open on 4 June.",
    [entity("bridge", "place"), entity("4 June", "concept")],
    [
        fact(
            "bridge",
            "opens_on",
            "4 June",
            "The bridge will open on 4 June.",
            "planned",
            since="2025-06-04",
        )
    ],
)


async def test_an_event_that_replaces_a_plan_calls_it_off():
    text = "The bridge opened on 9 June, five days late."
    reading = (
        [entity("bridge", "place"), entity("9 June", "concept")],
        [fact("bridge", "opens_on", "9 June", text, "event", since="2025-06-09", replaces="F1")],
    )
    async with opened(BRIDGE[1:], reading) as graph:
        await graph.add_episode(BRIDGE[0], reference_time="2025-03-01")
        added = await graph.add_episode(text, reference_time="2025-06-10")
        assert await held(graph, "2025-06-04") == []
        assert await held(graph, "2025-06-09") == ["9 June"]
        assert await held(graph, "2025-06-10") == []
        assert not added.dropped
        await graph.log.revert((await graph.log.events())[-1])
        assert await held(graph, "2025-06-05") == ["4 June"]
        assert (await graph.health.check_all()).findings == ()


async def test_a_newer_plan_that_replaces_one_calls_it_off():
    text = "The bridge opens on 9 June instead."
    reading = (
        [entity("bridge", "place"), entity("9 June", "concept")],
        [fact("bridge", "opens_on", "9 June", text, "planned", since="2025-06-09", replaces="F1")],
    )
    async with opened(BRIDGE[1:], reading) as graph:
        await graph.add_episode(BRIDGE[0], reference_time="2025-03-01")
        await graph.add_episode(text, reference_time="2025-05-01")
        assert await held(graph, "2025-06-05") == []
        assert await held(graph, "2025-06-10") == ["9 June"]


USES = (
    "Ann Lee keeps her notes in Notion.",
    [entity("Ann Lee", "person"), entity("Notion", "thing")],
    [fact("Ann Lee", "uses", "Notion", "Ann Lee keeps her notes in Notion.")],
)


async def test_an_event_that_replaces_a_state_ends_it():
    text = "Ann Lee switched from Notion to Obsidian on 3 May 2025."
    reading = (
        [entity("Ann Lee", "person"), entity("Obsidian", "thing")],
        [
            fact(
                "Ann Lee",
                "switched_to",
                "Obsidian",
                text,
                "event",
                since="2025-05-03",
                replaces="F1",
            )
        ],
    )
    async with opened(USES[1:], reading) as graph:
        await graph.add_episode(USES[0], reference_time="2024-01-01")
        added = await graph.add_episode(text, reference_time="2025-05-10")
        [closed] = added.closed
        assert "Notion" in str(closed)
        assert await held(graph, "2025-05-02") == ["Notion"]
        assert await held(graph, "2025-05-04") == []
        assert (await graph.health.check_all()).findings == ()


SWITCH = "Ann Lee switched from Notion to Obsidian on 3 May 2025."


def switch():
    given = {"since": "2025-05-03", "replaces": "F1"}
    return (
        [entity("Ann Lee", "person"), entity("Obsidian", "thing")],
        [fact("Ann Lee", "switched_to", "Obsidian", SWITCH, "event", **given)],
    )


async def switched(graph):
    await graph.add_episode(USES[0], reference_time="2024-01-01")
    added = await graph.add_episode(SWITCH, reference_time="2025-05-10")
    assert await held(graph, "2025-06-01") == []
    return added


async def sound(graph):
    assert (await graph.health.check_all()).findings == ()


async def test_what_an_event_replaced_goes_on_once_the_event_is_retracted():
    async with opened(USES[1:], switch()) as graph:
        [event] = (await switched(graph)).facts
        await graph.edit.retract(event, reason="wrong")
        assert await held(graph, "2025-06-01") == ["Notion"]
        await sound(graph)


async def test_what_an_event_replaced_follows_its_text():
    async with opened(USES[1:], switch(), switch()) as graph:
        episode = (await switched(graph)).episode
        await graph.log.remove_episode(episode)
        assert await held(graph, "2025-06-01") == ["Notion"]
        again = await graph.add_episode(SWITCH, reference_time="2025-05-10")
        assert await held(graph, "2025-06-01") == []
        assert not again.dropped
        await sound(graph)


async def test_what_an_event_replaced_stays_so_when_its_own_value_is_touched():
    once = "The bridge used to open on 4 June."
    opening = "The bridge opened on 9 June, five days late."
    ends = [entity("bridge", "place"), entity("4 June", "concept"), entity("9 June", "concept")]
    given = {"since": "2025-06-09", "replaces": "F1"}
    readings = (
        BRIDGE[1:],
        (ends[::2], [fact("bridge", "opens_on", "9 June", opening, "event", **given)]),
        (ends[:2], [fact("bridge", "opens_on", "4 June", once, "was")]),
    )
    async with opened(*readings) as graph:
        await graph.add_episode(BRIDGE[0], reference_time="2025-03-01")
        [event] = (await graph.add_episode(opening, reference_time="2025-06-10")).facts
        await graph.add_episode(once, reference_time="2026-03-05")
        assert await held(graph, "2025-06-05") == []
        await sound(graph)
        await graph.edit.retract(event, reason="wrong")
        assert await held(graph, "2025-06-05") == ["4 June"]
        await sound(graph)


async def test_what_is_replaced_in_vain_is_told():
    text = "Ann Lee used Obsidian before Notion."
    reading = (
        [entity("Ann Lee", "person"), entity("Obsidian", "thing")],
        [fact("Ann Lee", "uses", "Obsidian", text, "was", replaces="F1")],
    )
    async with opened(USES[1:], reading) as graph:
        await graph.add_episode(USES[0], reference_time="2024-01-01")
        added = await graph.add_episode(text, reference_time="2025-05-10")
        [told] = [words for words in added.dropped if "takes the place of" in words]
        assert "Notion" in told
        assert await held(graph, "2025-06-01") == ["Notion"]


@pytest.mark.parametrize(
    ("text", "given", "last", "kind"),
    [
        ("Ines Faber works at Miele until 31 July.", "2025-07-31", "2025-07-31", "holds"),
        ("Ines Faber arbeitet bis zum 31. Juli bei Miele.", "2025-07-31", "2025-07-31", "holds"),
        ("Ines Faber travaille chez Miele jusqu'au 1 août.", "2025-08-01", "2025-08-01", "holds"),
        ("Ines Faber works at Miele till the end of July.", "2025-08-01", "2025-07-31", "holds"),
        ("Ines Faber left Miele on 2 March.", "2025-03-02", "2025-03-01", "ended"),
        ("Ines Faber left Miele, her last day was 2 March.", "2025-03-02", "2025-03-02", "ended"),
    ],
)
async def test_until_a_day_names_the_last_day_on_which_it_held(text, given, last, kind):
    reading = (
        [entity("Ines Faber", "person"), entity("Miele")],
        [fact("Ines Faber", "works_at", "Miele", text, kind, until=given)],
    )
    async with opened(reading) as graph:
        [told] = (await graph.add_episode(text, reference_time="2025-05-01")).facts
        assert (told.invalid_at - day(last)).days == 1


async def test_a_record_gives_the_first_day_on_which_it_does_not_hold():
    content = '{"kunde": "Ines Faber", "tarif": "Basis", "ende": "2025-07-31"}'
    quote = '"tarif": "Basis"'
    reading = (
        [entity("Ines Faber", "person"), entity("Basis", "thing")],
        [fact("Ines Faber", "subscribed_to", "Basis", quote, until="2025-07-31")],
    )
    async with opened(reading) as graph:
        added = await graph.add_episode(content, source="json", reference_time="2025-05-01")
        assert [one.invalid_at for one in added.facts] == [day("2025-07-31")]


RENAMED = "Since 1 March Talon Bikes is called Corvo Cycles."
NEW = entity("Corvo Cycles", meant="E1")
KNOWN = entity("Corvo Cycles", meant="E1", aliases=["Talon Bikes"])


@pytest.mark.parametrize(
    ("entities", "subject"),
    [
        ([KNOWN], "Talon Bikes"),
        ([KNOWN], "Corvo Cycles"),
        ([NEW, entity("Talon Bikes", meant="E1")], "Talon Bikes"),
        ([NEW, entity("Talon Bikes", meant="E1")], "Corvo Cycles"),
        ([entity("Talon Bikes", meant="E1"), entity("Corvo Cycles")], "Talon Bikes"),
    ],
)
async def test_a_rename_is_a_dated_name_of_one_entity(entities, subject):
    based = "Talon Bikes is based in Ghent."
    first = (
        [entity("Talon Bikes"), entity("Ghent", "place")],
        [fact("Talon Bikes", "located_in", "Ghent", based)],
    )
    second = (
        entities,
        [fact(subject, "named", "Corvo Cycles", RENAMED, "changed", since="2025-03-01")],
    )
    async with opened(first, second) as graph:
        await graph.add_episode(based, reference_time="2025-01-01")
        added = await graph.add_episode(RENAMED, reference_time="2025-03-05")
        assert not added.dropped
        assert [one.entity_type for one in await graph.entities()] == ["organization", "place"]
        for at, name in (("2025-02-01", "Talon Bikes"), ("2025-04-01", "Corvo Cycles")):
            assert (await graph.at(valid_at=at).entity("Talon Bikes")).name == name
