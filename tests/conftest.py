"""Tiny readable graphs: episodes whose extraction is written beside them."""

import gc
import inspect
import re
import sys
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from graphrag.graph import GraphRAG
from graphrag.index.load import enter_values
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.session import Models, Rules
from graphrag.temporal.moment import parse_moment
from graphrag.testing import HashEmbedder

sys.path.append(str(Path(__file__).parents[1]))  # training is no part of what is installed


def pytest_configure():
    from hypothesis import settings  # not for the processes that tests start: it takes long

    # How long one example takes says how busy the machine is.
    settings.register_profile("any machine", deadline=None)
    settings.load_profile("any machine")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep what modules define from the garbage collector: it stays, and there is much of it."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    if collector.istestfunction(obj, name) and inspect.iscoroutinefunction(obj):
        pytest.mark.anyio(obj)


def pytest_terminal_summary(terminalreporter):
    if any("test_page" in str(one.longrepr) for one in terminalreporter.stats.get("skipped", ())):
        terminalreporter.write_line(
            "no Chromium: the tests of the explorer in a browser were left out "
            "(apt-get install chromium chromium-driver)"
        )


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"


_ORGANIZATIONS = {"Acme", "Beta", "Globex", "Initech"}
_PLACES = {"Paris", "Berlin", "Rome"}
_SENTENCE = re.compile(
    r"(?<![\w ]) *"  # from the first word of a run on: a long run is looked through once
    r"(?P<text>(?P<subject>\w[\w ]*?) "
    r"(?P<relation>[a-z_]+_[a-z]+|likes|leads|knows|ends:[a-z_]+) "
    r"(?P<object>[\w ]+?)(?: from (?P<start>[\d-]+))?(?: to (?P<end>[\d-]+))?"
    r"(?P<corrects> in fact)?\.)"
)


def named(name: str) -> Mention:
    kind = "organization" if name in _ORGANIZATIONS else "place" if name in _PLACES else "person"
    return Mention(name, kind)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


class PlainExtractor:
    """Read ``Alice works_at Acme from 2020 to 2023.``; ``ends:works_at`` ends a relation."""

    async def extract(self, context):
        claims = []
        for found in _SENTENCE.finditer(context.episode.content):
            relation = found["relation"]
            ends = relation.startswith("ends:")
            claims.append(
                Claim(
                    named(found["subject"].strip()),
                    relation.removeprefix("ends:"),
                    None if found["object"] == "nothing" else named(found["object"]),
                    found["text"],
                    found.start("text"),
                    found.end(),
                    valid_at=parse_moment(found["start"]) if found["start"] else None,
                    invalid_at=parse_moment(found["end"]) if found["end"] else None,
                    ends=ends,
                    corrects=bool(found["corrects"]),
                )
            )
        return Extraction(claims=tuple(claims))


def given(kind, options):
    """Take the fields of a dataclass out of the options and return it."""
    return kind(**{one.name: options.pop(one.name) for one in fields(kind) if one.name in options})


def open_graph(url: str = "mem://", *, kind=GraphRAG, **options):
    options = {"embedder": HashEmbedder(), "extractor": PlainExtractor(), **options}
    models, rules = given(Models, options), given(Rules, options)
    return kind.open(url, models=models, rules=rules, **options)


@pytest.fixture
async def graph():
    async with open_graph() as opened:
        yield opened


def enter(index, values):
    """Enter values that were just written, whatever they mean."""
    values, vector = [*values], np.ones(index.entities.vectors.dimension)
    enter_values(index, values, {value.id: vector for value in values})


def triples(facts):
    """Return facts as readable tuples with their interval in days."""

    def shown(moment):
        return None if moment is None else moment.date().isoformat()

    return {
        (fact.subject, fact.relation, fact.object, shown(fact.valid_at), shown(fact.invalid_at))
        for fact in facts
    }
