"""The blocking twin of the edits."""

import pytest

from graphrag import AppendOnly, PolicyError
from graphrag.sync import GraphRAG
from tests.edit.faint import open_unsure


def test_every_edit_answers():
    with open_unsure(kind=GraphRAG, actor="ann") as graph:
        graph.add_episode("Alice works_at Acme from 2020. ?? Bob likes tea. Carol likes tea.")
        [job] = graph.facts("Alice")
        job = graph.edit.correct(job, object="Globex", valid_at="2019", reason="misheard")
        assert graph.edit.invalidate(job, "2022").invalid_at.year == 2022
        assert graph.edit.retract(job, "no").reason == "no"
        assert [quote.text for quote in graph.sources(job)] == ["Alice works_at Acme from 2020."]
        [waiting] = graph.edit.pending()
        assert graph.edit.confirm(waiting.fact).confirmed
        graph.add_episode("?? Bob likes coffee.")
        [waiting] = graph.edit.pending()
        assert graph.edit.reject(waiting.fact, "no").retracted_at is not None
        assert {event.actor for event in graph.log.events()} == {"ann"}


def test_policy_and_threshold_are_passed_on():
    with open_unsure(kind=GraphRAG, policy=AppendOnly(), review_below=0.1) as graph:
        graph.add_episode("?? Bob likes tea.")
        [fact] = graph.facts("Bob")
        with pytest.raises(PolicyError, match="append-only"):
            graph.edit.retract(fact)
