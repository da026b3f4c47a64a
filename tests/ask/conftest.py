"""A small town with its past: who lived, worked and was mayor where, and who visited whom."""

from contextlib import asynccontextmanager

import pytest

from graphrag import GraphRAG, Models, Relation, Relations, Rules
from graphrag.testing import HashEmbedder, ScriptedExtractor

FACTS = (
    ("Ada Vance", "resides_in", "Leeds", "1980", "1990"),
    ("Ada Vance", "resides_in", "York", "1990", "2001"),
    ("Ada Vance", "resides_in", "Hull", "2001", None),
    ("Ada Vance", "employed_at", "Brook Mill", "1985", "1995"),
    ("Ada Vance", "employed_at", "Hull Harbour Board", "2001", None),
    ("Ada Vance", "wife_of", "Tom Vance", "1988", None),
    ("Ben Rowe", "has_function", "bailiff of Hull", "1990-03-01", "1994-03-01"),
    ("Cora Lunt", "has_function", "bailiff of Hull", "1994-03-11", "2002-06-01"),
    ("Dan Pym", "has_function", "bailiff of Hull", "2002-06-01", None),
    ("Ben Rowe", "resides_in", "York", "1985", "1992"),
    ("Ben Rowe", "inspected", "Brook Mill", "1991-02-01", "1991-02-02"),
    ("Ben Rowe", "inspected", "Hull Harbour Board", "1991-05-01", "1991-05-02"),
    ("Ben Rowe", "inspected", "Brook Mill", "1993-02-01", "1993-02-02"),
    ("Cora Lunt", "inspected", "Ben Rowe", "1996-01-01", "1996-01-02"),
    ("Brook Mill", "owned_by", "Tom Vance", "1970", None),
    ("Hull", "county", "Humberside", None, None),
)


@asynccontextmanager
async def knowing(facts, rules=None):
    """Open a graph that knows these facts, each with its start and its end."""
    models = Models(embedder=HashEmbedder(), extractor=ScriptedExtractor({}))
    async with GraphRAG.open("mem://", models=models, rules=rules) as graph:
        names = ("subject", "relation", "object", "valid_at", "invalid_at")
        rows = [dict(zip(names, fact, strict=True)) for fact in facts]
        await graph.load.facts(rows, judge=False)
        yield graph


async def unlike(graph, answers, order=list):
    """Return the questions that are answered otherwise than they should be, with what was said.

    With ``order=sorted`` the values may come in any order.
    """
    said = {question: await graph.ask(question) for question in answers}
    return {
        question: (one.missing, one.values, one.how)
        for question, one in said.items()
        if order(one.values) != order(answers[question])
    }


@pytest.fixture
async def town():
    rules = Rules(
        relations=Relations([Relation("resides_in"), Relation("home_of", inverse_of="resides_in")])
    )
    async with knowing(FACTS, rules) as graph:
        yield graph
