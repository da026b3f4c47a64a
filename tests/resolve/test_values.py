"""Amounts, dates, addresses and states are values: searched and asked for, no nodes among names."""

import networkx
import pytest

from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.names.key import is_value
from graphrag.testing import ScriptedExtractor
from tests.conftest import open_graph


@pytest.mark.parametrize(
    "name",
    "7200|3,200 grams|under repair|3 May 2021|2021-05-03|$5 million|5%|42 km|12 km/h|20 °C|100 MW|"
    "5GB|10:30|1914-1918|the 1990s|3rd of May|ann@x.org|https://x.org/a|+44 20 7946 0000|10 a.m.|"
    "2 weeks|in progress|€3.50|20°C|5 kWh|3 years 2 months|the 20th century|3 to 5 days|"
    "$1.2bn|10:30pm".split("|"),
)
def test_what_has_the_form_of_a_value_is_one(name):
    assert is_value(name)


@pytest.mark.parametrize(
    "name",
    "May|June|Ann|7-Eleven|50 Cent|12 Monkeys|3M|5G|U2|1st Battalion|iPhone 15|Boeing 737|7 Up|"
    "2nd Street|Under Milk Wood|Channel 4|24 Hours of Le Mans|On Chesil Beach|Route 66|A4|jazz|"
    "Section 8|software engineer|42nd street|20th century fox|4chan|7up|3d printing|"
    "100 kilometer ultramarathon in Germany|12345678901234567890 (DHL)".split("|"),
)
def test_what_bears_a_name_or_is_a_common_noun_is_no_value(name):
    assert not is_value(name)


@pytest.fixture
async def wells(graph):
    """Two wells of one depth, whom a person knows: the depth is no node between them."""
    for well, keeper in (("North Well", "Ann"), ("South Well", "Bob")):
        await graph.add_fact(well, "has_depth", "7,200 feet")
        await graph.add_fact(keeper, "manages", well)
        await graph.add_fact(well, "has_status", "under repair")
    return graph


async def test_a_value_is_the_object_of_its_fact_and_is_found(wells):
    (fact,) = await wells.facts("North Well", relation="has_depth")
    assert fact.object == "7,200 feet"
    hits = (await wells.search("7,200 feet", limit=4)).facts
    assert {hit.item.relation for hit in hits} >= {"has_depth"}
    assert (await wells.ask("What is the depth of North Well?")).values == ("7,200 feet",)


async def test_entities_are_listed_without_values_unless_these_are_asked_for(wells):
    names = {entity.name for entity in await wells.entities()}
    assert names == {"Ann", "Bob", "North Well", "South Well"}
    values = await wells.entities(entity_type="value")
    assert {entity.name for entity in values} == {"7,200 feet", "under repair"}
    assert [entity.name for entity in await wells.entities("7,200 feet")] == ["7,200 feet"]


async def test_a_value_ties_nothing_and_is_drawn_only_as_the_center(wells):
    drawn = await wells.subgraph()
    assert {entity.name for entity in drawn.entities} == {"Ann", "Bob", "North Well", "South Well"}
    around = await wells.subgraph("7,200 feet", depth=1)
    assert "7,200 feet" in {entity.name for entity in around.entities}
    atlas = await wells.export.atlas()
    assert "7,200 feet" not in atlas.nodes["name"]
    await wells.communities.build()
    for community in await wells.communities.list():
        view = await wells.communities.get(community)
        members = {member.name for member in view.entities}
        assert not members & {"7,200 feet", "under repair"}
        assert members in ({"Ann", "North Well"}, {"Bob", "South Well"})


async def test_values_that_look_alike_are_no_candidates_to_merge(graph):
    await graph.add_fact("North Well", "has_depth", "7,200 feet")
    await graph.add_fact("South Well", "has_depth", "7,201 feet")
    assert not await graph.identity.candidates()


async def test_a_number_that_turns_out_to_be_a_title_is_a_work(graph):
    await graph.add_fact("Ann", "likes", "1984")
    await graph.add_fact("1984", "written_by", "George Orwell", subject_type="work")
    (book,) = await graph.entities("1984")
    assert book.entity_type == "work"


async def test_what_something_is_said_of_is_no_value(graph):
    await graph.add_fact("Ann", "visits", "1984")
    await graph.add_fact("1984", "has_owner", "Ben")
    assert [entity.entity_type for entity in await graph.entities("1984")] == ["thing"]
    await graph.add_entity("747")
    assert [entity.entity_type for entity in await graph.entities("747")] == ["thing"]


async def test_the_nodes_of_a_network_are_names_though_they_are_numbers(graph):
    network = networkx.DiGraph([(1001, 1002, {"relation": "cites"})])
    await graph.load.facts(network)
    assert {entity.name for entity in await graph.entities()} == {"1001", "1002"}
    rows = [{"subject": "2001", "relation": "cites", "object": str(id_)} for id_ in (2002, 2003)]
    await graph.load.facts(rows)
    assert len(await graph.entities()) == 5


async def test_a_common_noun_makes_no_concept_of_a_value():
    """An extractor may call a number a concept, which it is not."""
    depth = Mention("7,200 feet", "concept")
    wells = [Mention(f"{name} Well") for name in ("North", "South")]
    texts = {
        f"{well.name} is 7,200 feet deep.": Extraction(
            (well, depth), (Claim(well, "has_depth", depth, "It is deep.", 0, 5),)
        )
        for well in wells
    }
    async with open_graph(extractor=ScriptedExtractor(texts)) as graph:
        for text in texts:
            await graph.add_episode(text)
        (value,) = await graph.entities("7,200 feet")
    assert value.entity_type == "value"


@pytest.mark.parametrize(
    "name", ["1" * 100_000 + " Order", "may " * 30_000 + "1!", "1." * 50_000 + "X", "1 a" * 30_000]
)
def test_a_name_of_any_length_is_read_in_one_pass(name):
    """Backtracking would not end, and hold the event loop."""
    assert not is_value(name + "?")
