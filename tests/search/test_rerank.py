"""Rerankers against independent references, and what each does to a small town."""

from collections import deque
from datetime import timedelta
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag import (
    MMR,
    CrossEncoder,
    CrossEncoderReranker,
    EpisodeMentions,
    MissingExtraError,
    NodeDistance,
    QueryError,
    Recency,
    Recipe,
)
from graphrag.index.edges import LevelWalk
from graphrag.search.rerankers import greedy
from tests.conftest import open_graph

TOWN = """Alice works_at Acme. Bob works_at Acme. Carol lives_in Paris.
Dora lives_in Paris. Alice married_to Carol. Erik likes tea."""


class WordOverlap:
    """Score texts by the share of the query's words that they hold."""

    def __init__(self):
        self.asked = []

    async def rank(self, query, texts):
        self.asked.append(list(texts))
        words = set(query.casefold().split())
        return [len(words & set(text.casefold().split(" "))) / len(words) for text in texts]


def names(hits):
    return [f"{hit.item.subject} {hit.item.relation} {hit.item.object}" for hit in hits]


@pytest.fixture
async def town(graph):
    await graph.add_episode(TOWN, reference_time="2020-01-01")
    return graph


# -- references --------------------------------------------------------------------------------


@st.composite
def ranked_vectors(draw):
    count = draw(st.integers(1, 7))
    numbers = st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any)
    vectors = np.array([draw(numbers) for _ in range(count)], dtype=float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    relevance = sorted(draw(st.lists(st.integers(0, 8), min_size=count, max_size=count)))[::-1]
    return np.array(relevance) / 8, vectors


@given(ranked_vectors(), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(1, 8))
def test_every_pick_of_mmr_is_the_best_by_the_definition(items, balance, count):
    relevance, vectors = items
    picks, values = greedy(relevance, vectors, balance, count)
    assert len(set(picks)) == len(picks) == min(count, len(relevance))
    for place, (pick, value) in enumerate(zip(picks, values, strict=True)):
        before = picks[:place]
        like = np.clip(vectors @ vectors[before].T, 0, None).max(axis=1, initial=0)
        worth = {
            one: balance * relevance[one] - (1 - balance) * like[one]
            for one in range(len(relevance))
            if one not in before
        }
        # Of equals either may be picked.
        assert worth[pick] == pytest.approx(max(worth.values()), abs=1e-9)
        assert value == pytest.approx(worth[pick], abs=1e-9)
    assert picks[0] == 0
    assert values == pytest.approx(sorted(values, reverse=True), abs=1e-9)


EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12)


@given(EDGES, st.sets(st.integers(0, 7), min_size=1, max_size=3))
def test_hops_equal_a_breadth_first_walk(edges, seeds):
    expected, queue = dict.fromkeys(seeds, 0), deque(seeds)
    while queue:
        here = queue.popleft()
        for one, other in edges + [(b, a) for a, b in edges]:
            if one == here and other not in expected:
                expected[other] = expected[here] + 1
                queue.append(other)
    subjects, objects = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    found = LevelWalk(subjects, objects, 8, sorted(seeds)).within(127)
    assert found.tolist() == [expected.get(node, -1) for node in range(8)]


# -- in a search -------------------------------------------------------------------------------


async def test_mmr_keeps_the_best_first_and_moves_repetitions_down(graph):
    await graph.add_episode(
        "Ann likes green tea. Ann likes green teas. Ann likes old maps. Bob likes chess.",
        reference_time="2020-01-01",
    )
    plain = await graph.search("green tea", scopes=["facts"], limit=3)
    varied = await graph.search(
        "green tea", scopes=["facts"], limit=3, recipe=Recipe(rerank=(MMR(0.3),))
    )
    assert names(varied.facts)[0] == names(plain.facts)[0] == "Ann likes green tea"
    assert names(varied.facts)[1] != "Ann likes green teas"
    assert [why.method for why in varied.facts[1].why][-1] == "mmr"
    assert [hit.score for hit in varied.facts] == sorted(
        (hit.score for hit in varied.facts), reverse=True
    )


async def test_node_distance_counts_true_hops_from_all_centers(town):
    recipe = Recipe(rerank=(NodeDistance(),))
    everything = "Alice Acme Bob Carol Paris Dora Erik tea"
    found = await town.search(everything, recipe=recipe, centers=["Bob"], scopes=["facts"])
    assert names(found.facts)[:2] == ["Bob works_at Acme", "Alice works_at Acme"]
    hops_of = {
        name: round(1 / hit.score) - 1 if hit.score else None
        for name, hit in zip(names(found.facts), found.facts, strict=True)
    }
    assert hops_of["Alice married_to Carol"] == 2
    assert hops_of["Carol lives_in Paris"] == 3
    assert hops_of["Dora lives_in Paris"] == 4
    assert hops_of["Erik likes tea"] is None
    both = await town.search(everything, recipe=recipe, centers=["Bob", "Paris"], scopes=["facts"])
    assert {names(both.facts)[place] for place in range(3)} == {
        "Bob works_at Acme", "Carol lives_in Paris", "Dora lives_in Paris",
    }  # fmt: skip


async def test_a_center_may_be_an_entity_a_name_or_an_id(town):
    bob = await town.entity("Bob")
    recipe = Recipe(vector=0, fulltext=0)
    by_value, by_name, by_id = [
        names((await town.search("?x", recipe=recipe, centers=center)).facts)
        for center in ([bob], ["Bob"], [bob.id])
    ]
    assert by_value == by_name == by_id
    assert by_value[0] == "Bob works_at Acme"


async def test_an_unknown_center_is_named(town):
    with pytest.raises(QueryError, match="center 'Zed': no entity has this name or id"):
        await town.search("tea", centers=["Zed"])


async def test_distance_respects_time(graph):
    await graph.add_episode("Ann knows Bob from 2010 to 2015. Ann likes tea. Bob likes tea.")
    recipe = Recipe(rerank=(NodeDistance(),))

    async def score(view):
        found = await view.search("Bob knows", recipe=recipe, centers=["Ann"], scopes=["entities"])
        return {hit.item.name: hit.score for hit in found.entities}["Bob"]

    assert await score(graph.at(valid_at="2012", history=False)) == pytest.approx(1 / 2)
    assert await score(graph.at()) == pytest.approx(1 / 3)


async def test_recency_halves_a_score_with_every_half_life(graph):
    await graph.add_episode("Ann likes tea.", reference_time="2020-01-01")
    await graph.add_episode("Bob likes tea.", reference_time="2022-01-01")
    at = graph.at(valid_at="2024-01-01")
    plain = {hit.item.subject: hit.score for hit in (await at.search("likes tea")).facts}
    recipe = Recipe(rerank=(Recency(timedelta(days=730)),))
    recent = {
        hit.item.subject: hit.score for hit in (await at.search("likes tea", recipe=recipe)).facts
    }
    assert recent["Bob"] == pytest.approx(plain["Bob"] / 2, rel=1e-3)
    assert recent["Ann"] == pytest.approx(plain["Ann"] / 4, rel=1e-2)
    entities = (await at.search("tea", recipe=recipe, scopes=["entities"])).entities
    assert {why.method for hit in entities for why in hit.why} >= {"recency"}


async def test_the_most_mentioned_come_first(graph):
    for day in range(1, 5):
        await graph.add_episode(f"Bob likes tea. Note {day}.", reference_time=f"2020-01-0{day}")
    removed = await graph.add_episode("Ann likes tea. Ann likes milk.", reference_time="2020-02-01")
    await graph.add_episode("Ann likes tea.", reference_time="2020-02-02")
    recipe = Recipe(rerank=(EpisodeMentions(),))
    found = await graph.search("who likes tea", recipe=recipe)
    assert [(name, hit.score) for name, hit in zip(names(found.facts), found.facts, strict=True)][
        :2
    ] == [("Bob likes tea", 4.0), ("Ann likes tea", 2.0)]
    counts = {hit.item.name: hit.score for hit in found.entities}
    assert (counts["tea"], counts["Bob"], counts["Ann"]) == (6.0, 4.0, 2.0)
    await graph.log.remove_episode(removed.episode.id)
    found = await graph.search("who likes tea", recipe=recipe)
    assert {hit.item.name: hit.score for hit in found.entities}["Ann"] == 1.0


async def test_a_cross_encoder_reads_a_shortlist_and_its_scores_count(town):
    model = WordOverlap()
    recipe = Recipe(rerank=(CrossEncoder(model, least=4),), min_score=0.3)
    found = await town.search("Carol lives_in Paris.", recipe=recipe, limit=2, scopes=["facts"])
    assert names(found.facts)[0] == "Carol lives_in Paris"
    [hit, *_] = found.facts
    assert hit.relevance == hit.score >= 0.3
    assert [len(texts) for texts in model.asked] == [4]
    assert hit.why[-1].method == "cross_encoder"


async def test_every_scope_is_read_by_the_model_of_the_graph():
    model = WordOverlap()
    async with open_graph(reranker=model) as graph:
        await graph.add_episode(TOWN, name="The town")
        await graph.communities.build()
        found = await graph.search("Alice", recipe="combined_hybrid_search_cross_encoder")
    assert found.facts and found.entities and found.episodes and found.communities
    assert len(model.asked) == 4
    assert any(text.startswith("The town\nAlice works_at Acme.") for text in chain(*model.asked))


async def test_a_recipe_without_its_model_says_how_to_give_one(town):
    with pytest.raises(QueryError, match=r"open the graph with reranker="):
        await town.search("tea", recipe="edge_hybrid_search_cross_encoder")


@pytest.mark.parametrize("scores", [[0.5], [2.0] * 6, [float("nan")] * 6, None, ["good"] * 6, 1])
async def test_a_model_that_gives_no_share_for_each_text_is_refused(town, scores):
    class Wrong:
        async def rank(self, query, texts):
            return scores

    with pytest.raises(QueryError, match=r"one score from 0 to 1 a text|no scores for"):
        await town.search("who", recipe=Recipe(rerank=(CrossEncoder(Wrong()),)), scopes=["facts"])


async def test_rerankers_follow_one_another(town):
    model = WordOverlap()
    recipe = Recipe(rerank=(CrossEncoder(model), MMR(1.0), NodeDistance()))
    found = await town.search("Alice", recipe=recipe, scopes=["facts"], centers=["Erik"])
    assert [why.method for why in found.facts[0].why][-3:] == [
        "cross_encoder", "mmr", "node_distance",
    ]  # fmt: skip
    assert names(found.facts)[0] == "Erik likes tea"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: MMR(1.5), "balance is 0 to 1"),
        (lambda: MMR(float("nan")), "balance is 0 to 1"),
        (lambda: Recency(timedelta(0)), "half_life is longer than nothing"),
        (lambda: CrossEncoder(least=0), "least is 1 or more"),
        (lambda: EpisodeMentions(0), "factor is 1 or more"),
        (lambda: Recipe(rerank=("mmr",)), "give rerankers"),
        (lambda: Recipe(rerank=(MMR,)), "give rerankers"),
        (lambda: Recipe(min_score=2), "relevance is 0 to 1"),
        (lambda: Recipe(min_score=float("nan")), "relevance is 0 to 1"),
        (lambda: Recipe(vector=float("nan")), "weights are finite"),
        (lambda: Recipe(fusion="sum"), "fusion 'sum'"),
    ],
)
def test_what_cannot_be_meant_is_refused(wrong, message):
    with pytest.raises(QueryError, match=message):
        wrong()


class Loaded:
    """Stands for a loaded sentence-transformers ``CrossEncoder``: its logits are given."""

    def __init__(self, logits):
        self.logits = logits
        self.pairs = []

    def predict(self, pairs, *, batch_size, activation_fn, show_progress_bar):
        import torch

        self.pairs += pairs
        return activation_fn(torch.tensor(self.logits)).numpy()


async def test_a_sentence_transformers_model_gives_shares():
    model = Loaded([-2.0, 0.0, 9.0])
    reranker = CrossEncoderReranker(model)
    scores = await reranker.rank("who?", ["a", "b", "c"])
    assert scores == pytest.approx([0.1192, 0.5, 0.99988], abs=1e-4)
    assert model.pairs == [("who?", "a"), ("who?", "b"), ("who?", "c")]
    assert await reranker.rank("who?", []) == []
    assert repr(CrossEncoderReranker("my/model")) == "CrossEncoderReranker('my/model')"


async def test_a_model_without_its_library_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"surreal-graphrag\[local\]"):
        await CrossEncoderReranker("my/model").rank("who?", ["a"])
