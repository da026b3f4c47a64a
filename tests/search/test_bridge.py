"""The second hop: which ends of a bridge are good ones."""

import numpy as np
import pytest

from graphrag import EpisodeWeights, NewEpisode, Recipe
from graphrag.index.bm25 import PIECE
from graphrag.index.chunks import ChunkIndex
from graphrag.search.rank_episodes import Plain
from tests.conftest import day


def page(name, text, when="2024-01-01"):
    return NewEpisode(text, when, name=name)


FILM = page("Blue Harbour", "A film of 1950 by Ida Stern.")
OTHERS = [page(f"Page {n}", f"A page about number {n}.") for n in range(9)]


async def ranked(graph, query, **options):
    found = await graph.search(query, scopes=("episodes",), **options)
    return found.episodes


def bridge_of(hits, name):
    whys = next(hit.why for hit in hits if hit.item.name == name)
    return next((why.score for why in whys if why.method == "bridge"), 0.0)


async def test_the_better_end_has_the_words_that_the_first_page_lacks(graph):
    ends = [
        page("Harbour Grave", "Ida Stern lies buried in Lund."),
        page("Harbour Film", "Ida Stern painted many a film."),
    ]
    await graph.add_episodes([FILM, page("Ida Stern", "An artist."), *ends, *OTHERS])
    hits = await ranked(graph, "Where is the maker of the film Blue Harbour buried?")
    assert bridge_of(hits, "Harbour Grave") > bridge_of(hits, "Harbour Film")


async def test_links_without_weight_leave_all_scores_as_they_are(graph):
    walks = page("Harbour Walks", "Ida Stern liked to walk in town.")
    await graph.add_episodes([FILM, page("Ida Stern", "An artist."), walks])
    scores = []
    for titles in (0.0, 1e-9):
        recipe = Recipe(episodes=EpisodeWeights(titles=titles, bridge=0))
        hits = await ranked(graph, "Who walks?", recipe=recipe)
        scores.append([hit.score for hit in hits])
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


async def test_texts_without_titles_are_bridged_by_whom_they_speak_of(graph):
    told = ["Ada leads Acme.", "Ada likes cellos.", *(f"Number {n} is a number." for n in range(9))]
    await graph.add_episodes([NewEpisode(text, "2024-01-01") for text in told])
    hits = await ranked(graph, "What does the head of Acme like?")
    methods = {hit.item.content: {why.method for why in hit.why} for hit in hits}
    assert "bridge" in methods["Ada likes cellos."]
    without = Recipe(episodes=EpisodeWeights(bridge=0))
    hits = await ranked(graph, "What does the head of Acme like?", recipe=without)
    assert not any(why.method == "bridge" for hit in hits for why in hit.why)


async def test_an_end_that_may_not_be_seen_takes_nothing_from_the_others(graph):
    seen = page("Harbour Walks", "Ida Stern liked to walk in town.")
    hidden = page("Harbour Grave", "Ida Stern lies buried, buried in Lund.", "2025-01-01")
    told = [FILM, page("Ida Stern", "An artist."), seen, *OTHERS]
    asked = "In which town is the maker of Blue Harbour buried?"
    await graph.add_episodes(told)
    alone = bridge_of(await ranked(graph, asked), "Harbour Walks")
    await graph.add_episodes([hidden])
    among = bridge_of(await ranked(graph, asked), "Harbour Walks")
    then = graph.at(valid_at=day("2024-06-01"))
    assert among < alone
    assert bridge_of(await ranked(then, asked), "Harbour Walks") == pytest.approx(alone, rel=0.2)


def test_of_long_texts_words_count_more_and_meaning_less():
    pieces = ChunkIndex()
    pieces.extend(["cello", PIECE.join(["cello", "lamp", "tower", "river"]), "rain"])
    meaning, words = np.array([0.9, 0.9, 0.1]), np.array([2.0, 2.0, 0.0])
    scores = meaning.astype(np.float32), words.astype(np.float32)
    near, said = Plain(*scores, np.arange(3), (0.6, 0.4), pieces).parts(np.arange(2))
    assert near[1] < near[0] == pytest.approx(0.6)
    np.testing.assert_allclose(near + said, 1.0)
    near, said = Plain(*scores, np.arange(3), (1.0, 0.0), pieces).parts(np.arange(2))
    np.testing.assert_allclose(near, 1.0)
    assert not said.any()
