"""What is known to be two is not proposed to be one."""

from typing import Annotated

import numpy as np
import pytest
from pydantic import BaseModel

from graphrag import Identifier, Ontology
from graphrag.errors import InputError
from graphrag.protocols import Ruling
from tests.conftest import open_graph
from tests.resolve.test_candidates import Names, tell


class Ship(BaseModel):
    """A vessel."""

    hull: Annotated[str | None, Identifier] = None


class Decided:
    """Say of every doubt what it was told to say, and remember the cases."""

    def __init__(self, decide):
        self.cases = []
        self._decide = decide

    async def decide(self, case):
        self.cases.append(case)
        return self._decide(case)


def none_of_them(case):
    return Ruling(
        distinct={one.mention: tuple(known.id for known in one.candidates) for one in case.doubts}
    )


async def names_of_pairs(graph):
    return [{one.entity.name, one.other.name} for one in await graph.identity.candidates()]


@pytest.fixture
async def names():
    async with open_graph(extractor=Names()) as opened:
        yield opened


async def test_a_pair_that_a_person_keeps_apart_is_not_proposed_again(names):
    await tell(names, "person: John Smith", "person: Jon Smith")
    event = await names.identity.keep_apart(
        "Jon Smith", "John Smith", reason="brothers", actor="ann"
    )
    assert (event.kind, event.note, event.actor) == ("keep_apart", "brothers", "ann")
    assert await names.identity.candidates() == []
    await names.log.revert(event)
    assert await names_of_pairs(names) == [{"John Smith", "Jon Smith"}]


async def test_what_was_kept_apart_can_still_be_merged(names):
    await tell(names, "person: John Smith", "person: Jon Smith")
    await names.identity.keep_apart("John Smith", "Jon Smith")
    await names.identity.merge("John Smith", "Jon Smith")
    assert (await names.entity("Jon Smith")).name == "John Smith"


async def test_an_entity_kept_apart_stays_so_when_it_is_merged(names):
    await tell(names, "person: John Smith", "person: Jon Smith", "person: Johnny of Rome")
    await names.identity.keep_apart("John Smith", "Jon Smith")
    await names.identity.merge("Johnny of Rome", "Jon Smith")
    assert {"John Smith", "Johnny of Rome"} not in await names_of_pairs(names)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("John Smith", "John Smith"), r"use identity\.unmerge"),
        (("John Smith", "Nobody"), "no entity is called 'Nobody'"),
        (("Jon Smith", "John Smith"), "known to be two already"),
    ],
)
async def test_impossible_pairs_are_refused(names, pair, message):
    await tell(names, "person: John Smith", "person: Jon Smith")
    await names.identity.keep_apart("John Smith", "Jon Smith")
    events = len(await names.log.events())
    with pytest.raises(InputError, match=message):
        await names.identity.keep_apart(*pair)
    assert len(await names.log.events()) == events


async def test_a_name_that_an_arbiter_found_to_be_another_is_not_proposed_again():
    arbiter = Decided(none_of_them)
    async with open_graph(extractor=Names(), arbiter=arbiter) as graph:
        await tell(graph, "person: Jonathan Smith")
        await tell(graph, "person: Jonathon Smith")
        assert len(arbiter.cases) == 1
        assert await graph.identity.candidates() == []
        other = await graph.entity("Jonathon Smith")
        assert other.distinct_from == ((await graph.entity("Jonathan Smith")).id,)


async def test_what_was_split_is_not_proposed_again(names):
    await tell(names, "person: John Smith [email=john@example.org]")
    await tell(names, "person: Jon Smith [email=john@example.org]")
    await names.identity.split("John Smith", name="Jon Smith")
    assert await names.identity.candidates() == []


async def test_different_identifiers_are_never_proposed_and_equal_ones_always(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url, extractor=Names()) as graph:  # a hull is nothing special yet
        await tell(graph, "ship: Aurora Borealis [hull=X1]", "ship: Aurora Boreale [hull=X2]")
        await tell(graph, "ship: Nautilus [hull=X1]")
        assert await names_of_pairs(graph) == [{"Aurora Borealis", "Aurora Boreale"}]
    async with open_graph(url, extractor=Names(), ontology=Ontology(entities=[Ship])) as graph:
        [pair] = await graph.identity.candidates()
        assert {pair.entity.name, pair.other.name} == {"Aurora Borealis", "Nautilus"}
        assert (pair.why, pair.score) == ("identifier", 1.0)


async def test_a_new_name_with_another_identifier_is_not_asked_about():
    arbiter = Decided(none_of_them)
    ontology = Ontology(entities=[Ship])
    async with open_graph(extractor=Names(), arbiter=arbiter, ontology=ontology) as graph:
        await tell(graph, "ship: Aurora Borealis [hull=X1]")
        await tell(graph, "ship: Aurora Boreale [hull=X2]")
        assert arbiter.cases == []


async def test_names_in_small_letters_are_asked_about():
    arbiter = Decided(
        lambda case: Ruling({one.mention: one.candidates[0].id for one in case.doubts})
    )
    async with open_graph(extractor=Names(), arbiter=arbiter) as graph:
        await tell(graph, "person: Alice Moreau")
        told = await tell(graph, "person: alise moreau")
        assert not told.entities
        assert (await graph.entity("alise moreau")).name == "Alice Moreau"


_AXES = {"burma": 0, "myanmar": 0, "rome": 1, "anna": 2, "hanna": 2, "花子": 2}


class Meanings:
    """Embed by what a word means, as far as this list says."""

    name, dimension = "meanings", 4

    async def embed(self, texts, *, purpose):
        rows = np.full((len(texts), 4), 0.05, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[_AXES.get(text.casefold(), 3)] = 1.0
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


async def test_another_word_for_one_thing_is_asked_about_and_proposed():
    arbiter = Decided(lambda case: Ruling())
    async with open_graph(extractor=Names(), arbiter=arbiter, embedder=Meanings()) as graph:
        await tell(graph, "place: Burma", "place: Rome")
        await tell(graph, "place: Myanmar")
        [case] = arbiter.cases
        [doubt] = case.doubts
        assert [one.name for one in doubt.candidates] == ["Burma"]
        [pair] = await graph.identity.candidates()
        assert ({pair.entity.name, pair.other.name}, pair.why) == ({"Burma", "Myanmar"}, "meaning")


async def test_names_of_people_mean_nothing_but_across_scripts():
    arbiter = Decided(lambda case: Ruling())
    async with open_graph(extractor=Names(), arbiter=arbiter, embedder=Meanings()) as graph:
        await tell(graph, "person: Anna")
        await tell(graph, "person: Hanna")
        assert arbiter.cases == []
        assert await graph.identity.candidates() == []
        await tell(graph, "person: 花子")
        assert len(arbiter.cases) == 1
        assert {pair.why for pair in await graph.identity.candidates()} == {"meaning"}
