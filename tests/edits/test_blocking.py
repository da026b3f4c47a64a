"""The blocking twin of the edits."""

import pytest

from graphrag import AppendOnly, PolicyError
from graphrag.sync import GraphRAG
from graphrag.testing import HashEmbedder
from tests.edits.faint import Unsure


def open_blocking(**options):
    return GraphRAG.open("mem://", embedder=HashEmbedder(), extractor=Unsure(), **options)


def test_every_edit_answers():
    with open_blocking(actor="ann") as graph:
        graph.add_episode("Alice works_at Acme from 2020. ?? Bob likes tea. Carol likes tea.")
        [job] = graph.facts("Alice")
        job = graph.correct(job, object="Globex", valid_at="2019", reason="misheard")
        assert graph.invalidate(job, "2022").invalid_at.year == 2022
        assert graph.retract(job, "no").reason == "no"
        assert [quote.text for quote in graph.sources(job)] == ["Alice works_at Acme from 2020."]
        [waiting] = graph.pending_review()
        assert graph.confirm(waiting.fact).confirmed
        graph.add_episode("?? Bob likes coffee.")
        [waiting] = graph.pending_review()
        assert graph.reject(waiting.fact, "no").retracted_at is not None
        assert {event.actor for event in graph.log()} == {"ann"}


def test_policy_and_threshold_are_passed_on():
    with open_blocking(policy=AppendOnly(), review_below=0.1) as graph:
        graph.add_episode("?? Bob likes tea.")
        [fact] = graph.facts("Bob")
        with pytest.raises(PolicyError, match="append-only"):
            graph.retract(fact)
