"""Communities to look at: one, a map of all, and what they say of a question about the whole."""

from xml.etree import ElementTree

import pytest

from graphrag import NewEpisode, QueryError
from tests.conftest import open_graph

TOLD = [
    NewEpisode(
        "Ann works_at Acme. Bob works_at Acme. Cid works_at Acme.", "2021-01-01", name="staff"
    ),
    NewEpisode(
        "Ann leads Acme. Ann married_to Bob. Ann knows Cid. Bob knows Cid.",
        "2022-01-01",
        name="notice",
    ),
    NewEpisode("Eve lives_in Paris. Fay lives_in Paris. Eve sibling_of Fay.", "2020-05-01"),
    NewEpisode("Cid likes Paris.", "2023-01-01"),
]


@pytest.fixture
async def town(graph):
    await graph.add_episodes(TOLD)
    await graph.communities.build()
    return graph


async def test_a_community_is_found_by_its_name_a_part_of_it_or_its_id(town):
    first = (await town.communities.list())[0]
    for asked in (first, first.id, first.name, "acme"):
        assert (await town.communities.get(asked)).community == first
    assert (await town.communities.get("Paris: ")).name.startswith("Paris")


async def test_names_that_say_too_little_or_nothing_are_refused(town):
    with pytest.raises(QueryError, match="may mean 2 communities"):
        await town.communities.get("a")
    with pytest.raises(QueryError, match="there is no community 'Nowhere' in group 'default'"):
        await town.communities.get("Nowhere")
    with pytest.raises(QueryError, match="limit 0: give 1 to"):
        await town.communities.get("Acme", limit=0)
    with pytest.raises(QueryError, match="level -1"):
        await town.communities.list(level=-1)
    await town.group("empty").add_episode("Nobody is here")
    with pytest.raises(QueryError, match=r"communities\.build\(\)"):
        await town.group("empty").communities.get("Acme")


async def test_a_community_has_its_members_and_the_facts_between_them(town):
    view = await town.communities.get("Acme")
    assert {one.name for one in view.entities} == {"Acme", "Ann", "Bob", "Cid"}
    assert view.fact_count == 7 and len(view.facts) == 7
    assert {fact.relation for fact in view.facts} == {"works_at", "leads", "married_to", "knows"}
    assert len((await town.communities.get("Acme", limit=2)).facts) == 2
    assert "Ann leads Acme (as of 2022-01-01)" in str(view)
    assert "<svg " in view._repr_html_() and len(view.map.entities) == 4
    assert repr(view).endswith("7 facts, 0 parts)")


async def test_a_view_shows_the_facts_of_its_time(town):
    view = await town.at(valid_at="2021-06-01").communities.get("Acme")
    assert {fact.relation for fact in view.facts} == {"works_at"}


async def test_the_map_is_a_picture_with_every_community_and_its_members(town):
    chart = await town.communities.map()
    assert repr(chart) == "CommunityMap(2 communities, 7 entities, 0 left out)"
    picture = ElementTree.fromstring(chart.to_svg())
    words = {node.text for node in picture.iter() if node.text}
    assert {"Acme", "Eve", "Fay"} <= words and any(word.startswith("Acme: ") for word in words)
    assert chart.to_svg() == (await town.communities.map()).to_svg() == chart._repr_html_()
    assert len((await town.communities.map(limit=4)).entities) == 4


async def test_names_in_a_picture_are_text(graph):
    await graph.add_fact("<script>", "knows", "a & b")
    await graph.communities.build()
    ElementTree.fromstring((await graph.communities.map()).to_svg())
    assert "<script>" not in (await graph.communities.map()).to_svg()
    assert "<script>" not in (await graph.communities.get("script"))._repr_html_()


async def test_without_communities_the_picture_says_so(graph):
    ElementTree.fromstring((await graph.communities.map()).to_svg())
    assert (await graph.communities.context("What is going on?")).text == ""


async def test_a_question_about_the_whole_is_answered_by_what_fits_it_first(town):
    found = await town.communities.context("Who works at Acme?")
    assert [one.name.partition(":")[0] for one in found.communities] == ["Acme", "Paris"]
    assert "Ann works at Acme (as of 2021-01-01) [" in found.text
    cited = {one.name for one in found.citations}
    assert "staff" in cited and f"[{found.citations[0].number}] " in found.text
    assert (
        (await town.communities.context("Where do siblings live?"))
        .communities[0]
        .name.startswith("Paris")
    )


@pytest.mark.parametrize("tokens", [1, 40, 80, 120, 2000])
async def test_a_context_keeps_to_its_budget(town, tokens):
    found = await town.communities.context("Who works at Acme?", max_tokens=tokens)
    assert found.tokens <= tokens
    assert len(found.communities) + found.left_out == 2
    words = await town.communities.context(
        "Who?", max_tokens=10, count=lambda text: len(text.split())
    )
    assert len(words.text.split()) <= 10


async def test_what_cannot_be_asked_is_refused(town):
    with pytest.raises(QueryError, match="max_tokens 0"):
        await town.communities.context("Who?", max_tokens=0)
    with pytest.raises(QueryError, match="the query is empty"):
        await town.communities.context(" ")


async def test_a_part_is_told_instead_of_the_whole_if_it_holds_the_answer():
    async with open_graph(review_below=0) as graph:
        # Two rings with one fact between them, beside much that is surer: one community, two parts.
        await graph.add_episode(" ".join(f"Zed likes thing {n}." for n in range(60)))
        rings = [
            (f"{ring}{n}", f"{ring}{(n + step) % 9}")
            for ring in ("Oak", "Elm")
            for n in range(9)
            for step in (1, 2)
        ]
        await graph.load.facts(
            [
                {"subject": a, "relation": "knows", "object": b, "confidence": 0.05}
                for a, b in [*rings, ("Oak0", "Elm0")]
            ]
        )
        built = await graph.communities.build()
        [whole] = [one for one in built if any(part.parent == one.id for part in built)]
        found = await graph.communities.context("whom does Elm3 know?", max_tokens=200)
        first = found.communities[0]
        names = {(await graph.entities(id_))[0].name[:3] for id_ in first.members}
        assert first.parent == whole.id and names == {"Elm"}
        assert f"part of {whole.name.partition(':')[0]}" in found.text
