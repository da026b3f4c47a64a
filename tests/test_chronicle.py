"""The demo chronicle, read without an LLM, against its truth: floors that must not break."""

from graphrag import GraphRAG, Models, NeuralExtractor, NewEpisode
from graphrag.cli.demo_world import chronicle
from graphrag.testing import HashEmbedder
from tests.chronicle_score import answers_in_top, merged_entities, score_facts
from tests.demo_truth import truth


def told():
    for episode in chronicle():
        yield NewEpisode(
            episode.content,
            episode.reference_time,
            episode.name,
            episode.source,
            episode.source_description,
        )


async def test_the_chronicle_is_read_right():
    models = Models(embedder=HashEmbedder(), extractor=NeuralExtractor())
    async with GraphRAG.open("mem://", models=models) as graph:
        await graph.add_episodes(told())
        score = await score_facts(graph, truth())
        # The truth lists what is named: "the bridge is open", "leads the club" count as wrong.
        assert score.precision >= 0.83, score.wrong
        assert score.recall >= 0.69, score.missed
        assert score.dated / score.right >= 0.6, score.misdated
        assert len(score.forbidden) <= 2, score.forbidden
        counts = await merged_entities(graph, truth())
        assert counts["one"] >= 53, counts
        # With vectors by hash only words and the graph find answers.
        hits, missed = await answers_in_top(graph, truth(), k=3)
        assert hits >= 33, missed
        unanswered = {line.split()[0] for line in missed}
        past = [question for question in truth().questions if question.at]
        assert sum(question.id not in unanswered for question in past) >= 16, missed
