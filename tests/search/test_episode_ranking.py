"""Which episodes a search finds: replies, sessions, times, links and bridges."""

import numpy as np
import pytest

from graphrag import EpisodeWeights, NewEpisode, Recipe
from graphrag.index.chunks import ChunkIndex
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.search.episode_context import sessions_of
from graphrag.search.rank_episodes import Plain
from tests.conftest import open_graph


def said(text, when, saga=None):
    return NewEpisode(text, when, source="message", saga=saga)


async def first(graph, query, count=1, **options):
    found = await graph.search(query, scopes=("episodes",), **options)
    return [hit.item.content for hit in found.episodes[:count]]


def place(found, content):
    return next((at for at, one in enumerate(found) if content in one), len(found))


CHAT = [
    said("Ann: Where is the cello kept?", "2024-03-01T10:00Z"),
    said("Bob: Under the stairs.", "2024-03-01T10:01Z"),
    said("Ann: It rained all morning.", "2024-03-01T10:02Z"),
    said("Bob: Under the weather today.", "2024-03-09T10:00Z"),
    said("Ann: Stairs are slippery.", "2024-03-09T10:01Z"),
]


async def test_an_answer_is_found_by_the_question_before_it(graph):
    await graph.add_episodes(CHAT)
    asked = "Where is the cello kept?"
    near = await first(graph, asked, 5)
    alone = EpisodeWeights(previous=0, following=0, answer=0, session=0)
    far = await first(graph, asked, 5, recipe=Recipe(episodes=alone))
    assert near[:2] == ["Ann: Where is the cello kept?", "Bob: Under the stairs."]
    assert place(near, "stairs.") < place(far, "stairs.")


async def test_a_question_hands_a_part_of_its_score_on_to_what_follows_it(graph):
    await graph.add_episodes(CHAT)
    asked = "Where is the cello kept?"
    scores = []
    for answer in (0.0, 0.2):
        recipe = Recipe(graph=0, episodes=EpisodeWeights(answer=answer))
        found = await graph.search(asked, scopes=("episodes",), recipe=recipe)
        scores.append({hit.item.content: hit.score for hit in found.episodes})
    before, after = scores
    lost, got = (after[one.content] - before[one.content] for one in CHAT[:2])
    assert got == pytest.approx(-lost)
    assert got > 0
    rest = [one.content for one in CHAT[2:]]
    assert [after[text] for text in rest] == [before[text] for text in rest]


async def test_a_question_that_nobody_answers_keeps_its_score(graph):
    await graph.add_episodes([*CHAT[3:], said("Ann: Where is the cello?", "2024-03-09T10:02Z")])
    scores = [
        (await graph.search("cello", scopes=("episodes",), recipe=recipe)).episodes[0].score
        for recipe in (Recipe(), Recipe(episodes=EpisodeWeights(answer=0)))
    ]
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("cosines", "best"),
    [((0.0, 0.6), 1.0), ((0.0, 0.5), 1.0), ((0.0, 0.25), 0.5), ((0.5, 0.55), 0.2), ((0.5, 0.5), 0)],
)
def test_cosines_count_in_full_if_the_best_is_halfway_between_the_worst_and_one(cosines, best):
    pieces, rows = ChunkIndex(), np.arange(2)
    pieces.extend(["a cello", "a lamp"])
    plain = Plain(np.array(cosines), np.zeros(2, np.float32), rows, (1.0, 0.0), pieces)
    assert plain(rows) == pytest.approx([0, best])


async def test_a_pause_parts_sessions_and_a_saga_joins_what_it_parts(graph):
    pause = [
        said("Ann: Where is the cello kept?", "2024-03-01T10:00Z"),
        said("Bob: Upstairs.", "2024-03-02T10:00Z"),
    ]
    async with open_graph() as other:
        await graph.add_episodes(pause)
        await other.add_episodes(
            [
                NewEpisode(one.content, one.reference_time, source="message", saga="s")
                for one in pause
            ]
        )
        methods = []
        for some in (graph, other):
            found = await some.search("Where is the cello kept?", scopes=("episodes",))
            reply = [hit for hit in found.episodes if "Upstairs" in hit.item.content]
            methods.append({why.method for hit in reply for why in hit.why})
    assert "previous" not in methods[0]
    assert {"previous", "session"} <= methods[1]


async def test_messages_of_one_moment_stand_in_the_order_they_were_told(graph):
    day = "2024-03-01"
    await graph.add_episodes([said(f"Ann: {word}", day) for word in ("cello", "lamp", "tower")])
    found = await graph.search("cello", scopes=("episodes",))
    methods = {hit.item.content: {why.method for why in hit.why} for hit in found.episodes}
    assert "previous" in methods["Ann: lamp"]
    assert "previous" not in methods.get("Ann: tower", set())


async def test_text_of_the_year_asked_for_comes_before_text_of_another(graph):
    texts = [f"The tower was repaired in {year} by the guild." for year in range(1901, 1921)]
    await graph.add_episodes([NewEpisode(text, "2024-01-01") for text in texts])
    asked = "Was the tower repaired by the guild between 1912 and 1913?"
    assert {text[-18:-14] for text in await first(graph, asked, 2)} == {"1912", "1913"}


PAGES = [
    NewEpisode("A film of 1950 by Ida Stern.", "2024-01-01", name="Blue Harbour"),
    NewEpisode("The maker of many a film, born in Lund.", "2024-01-01", name="Ida Stern"),
    NewEpisode("He was born in Oslo.", "2024-01-01", name="Jon Vik"),
    NewEpisode("A harbour of Lund, painted blue.", "2024-01-01", name="Quay"),
    *(NewEpisode(f"A page about number {n}.", "2024-01-01", name=f"Page {n}") for n in range(9)),
]


async def test_the_page_that_a_found_page_links_to_is_found_too(graph):
    await graph.add_episodes(PAGES)
    asked = "Where was the maker of Blue Harbour born?"
    plain = await first(graph, asked, 9, recipe=Recipe(graph=0))
    linked = await first(graph, asked, 9)
    assert {place(linked, "by Ida Stern"), place(linked, "born in Lund")} == {0, 1}
    assert {place(plain, "by Ida Stern"), place(plain, "born in Lund")} != {0, 1}


async def test_why_names_links_and_bridges(graph):
    await graph.add_episodes(PAGES)
    found = await graph.search("Who was the maker of Blue Harbour?", scopes=("episodes",))
    methods = {hit.item.name: {why.method for why in hit.why} for hit in found.episodes}
    assert {"links", "bridge"} <= methods["Ida Stern"]


async def test_a_long_text_is_found_by_a_word_at_its_end(graph):
    filler = "The committee met and spoke of many things at length. " * 40
    await graph.add_episode(filler + "A zeppelin came down near the mill.", reference_time="2024")
    await graph.add_episodes([NewEpisode(f"Note {n} about mills.", "2024") for n in range(5)])
    assert "zeppelin" in (await first(graph, "the zeppelin"))[0]


async def test_a_title_is_part_of_what_a_page_is_found_by(graph):
    await graph.add_episodes(PAGES)
    assert await first(graph, "Quay") == ["A harbour of Lund, painted blue."]


@pytest.mark.parametrize("query", ["?!", "the of and", "x" * 5_000, "cello\x07\n' OR 1=1; --"])
async def test_odd_queries_find_something_or_nothing_and_break_nothing(graph, query):
    await graph.add_episodes(CHAT)
    await graph.search(query, scopes=("episodes",))


async def test_a_removed_message_is_nobodys_neighbour(graph):
    await graph.add_episodes(CHAT[:2])
    found = await graph.search("Where is the cello kept?", scopes=("episodes",))
    question = next(hit.item for hit in found.episodes if "cello" in hit.item.content)
    await graph.log.remove_episode(question.id)
    left = await graph.search("stairs", scopes=("episodes",))
    assert [hit.item.content for hit in left.episodes] == ["Bob: Under the stairs."]
    assert "previous" not in {why.method for why in left.episodes[0].why}


async def test_names_that_no_text_says_link_nothing(graph):
    parts = [
        NewEpisode(f"Part about tower {n}.", "2024", name=f"book.txt [{n}/9]") for n in range(9)
    ]
    await graph.add_episodes(parts)
    found = await graph.search("tower 3", scopes=("episodes",))
    assert "bridge" not in {why.method for hit in found.episodes for why in hit.why}


def test_messages_of_one_moment_follow_each_other_as_they_were_told_however_they_were_read():
    index = GroupIndex("default", 4)
    ids = ["c", "a", "b"]
    said = [("", f"Ann: {id_}", "message") for id_ in ids]
    moments = {"valid": [7, 7, 7], "removed": [FOREVER] * 3, "saga": [-1] * 3}
    index.episodes.enter(ids, np.eye(3, 4), said, moments)
    sessions = sessions_of(index.episodes, np.ones(3, dtype=np.bool_), in_order=False)
    assert sessions.following.tolist() == [-1, 2, 0]
    assert sessions.previous.tolist() == [2, -1, 1]
