"""Whatever an extractor returns: what is valid is stored, the rest is said, no harm is done."""

import asyncio
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from graphrag import Claim, Extraction, ExtractionError, GraphRAGError, Mention
from graphrag.model.assertion import Date, EntityName
from tests.conftest import open_graph

TEXT = "Alice works at Acme. Bob lives in Ghent."
ALICE, ACME = Mention("Alice", "person", 0, 5), Mention("Acme", "organization", 15, 19)
BOB, GHENT = Mention("Bob", "person", 21, 24), Mention("Ghent", "place", 34, 39)
WORKS = Claim(ALICE, "works_at", ACME, "Alice works at Acme.", 0, 20)
LIVES = Claim(BOB, "lives_in", GHENT, "Bob lives in Ghent.", 21, 40)
LOOP: list = []
LOOP.append(LOOP)
CYCLE: dict = {}
CYCLE["itself"] = CYCLE


class Foreign:
    """An object that raises whatever it is asked."""

    def __getattribute__(self, name):
        raise RuntimeError("\ud800 hands off")


class Sly(str):
    """A string that says another thing when it is formatted."""

    def __str__(self):
        return "\ud800"

    def __format__(self, form):
        raise RuntimeError("no")


VALUES = {
    "none": None,
    "empty": "",
    "blank": " \t ",
    "half a pair": "Al\ud83dice",
    "NUL": "Al\0ice",
    "escape": "\x1b[31mAlice",
    "enormous": "a" * 150_000,
    "bytes": b"Alice",
    "number": 7,
    "negative": -1,
    "huge": 10**6000,
    "nan": float("nan"),
    "infinite": float("inf"),
    "true": True,
    "decimal": Decimal("0.5"),
    "numpy": np.float32(0.5),
    "array": np.array([1, 2]),
    "naive": datetime(2020, 1, 1),  # noqa: DTZ001 - that is the point
    "last": datetime.max.replace(tzinfo=timezone(timedelta(hours=-9))),
    "aware": datetime(2020, 1, 1, tzinfo=UTC),
    "words": "some time ago",
    "list": ["a", "b"],
    "list of none": [None],
    "loop": LOOP,
    "cycle": CYCLE,
    "numbers as keys": {1: 2},
    "set": {"a"},
    "foreign": Foreign,
    "foreign inside": (Foreign,),
    "class": Claim,
    "mention": ALICE,
    "sly": Sly("Alice"),
    "nested": {"a": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]},
    "nan inside": {"a": float("nan")},
    "half a pair inside": {"a\ud83d": "b"},
}
NAME = EntityName("Al")


def made(value: object) -> object:
    """Return a value of the table; foreign objects are not made before they are needed."""
    if value is Foreign:
        return Foreign()
    return (Foreign(),) if isinstance(value, tuple) else value


PARTS = {"claim": WORKS, "subject": ALICE, "object": ACME, "name": NAME, "date": Date}


def shaped(part: str, field: str, value: object) -> Extraction:
    """Return an extraction of two facts, of which one has a value somewhere."""
    if part == "extraction":
        return replace(Extraction((ALICE, BOB), (WORKS, LIVES)), **{field: value})
    if part == "claim":
        return Extraction((ALICE, BOB), (replace(WORKS, **{field: value}), LIVES))
    if part in ("subject", "object"):
        end = replace(PARTS[part], **{field: value})
        return Extraction((end, BOB), (replace(WORKS, **{part: end}), LIVES))
    name = (
        replace(NAME, since=Date(**{"moment": datetime(2020, 1, 1, tzinfo=UTC), field: value}))
        if part == "date"
        else replace(NAME, **{field: value})
    )
    end = replace(ALICE, names=(name,))
    return Extraction((end,), (replace(WORKS, subject=end), LIVES))


FIELDS = [
    (part, field.name)
    for part, kind in (
        ("extraction", Extraction),
        ("claim", Claim),
        ("subject", Mention),
        ("object", Mention),
        ("name", EntityName),
        ("date", Date),
    )
    for field in fields(kind)
]
SHAPES = [(*place, value) for place in FIELDS for value in VALUES]
assert len(SHAPES) > 1500


class Given:
    """Return what it was given last."""

    def __init__(self):
        self.extraction = None

    async def extract(self, context):
        return self.extraction


async def holds(graph, extractor, extraction, number):
    """Add what an extractor returned; return it, after the group was checked and written to."""
    extractor.extraction = extraction
    try:
        added = await graph.add_episode(f"{TEXT} {number}", reference_time="2021-01-01")
    except GraphRAGError as error:
        added = error
    report = await graph.health.check_all()
    assert not report.findings, report.findings
    await graph.add_fact(f"Writer {number}", "likes", "tea")
    return added


@seed(5)
@settings(max_examples=4, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(SHAPES), min_size=30, max_size=45, unique=True))
def test_any_shape_leaves_a_sound_group_that_can_be_written_to(shapes):
    asyncio.run(each_leaves_a_sound_group(shapes))


async def each_leaves_a_sound_group(shapes):
    extractor = Given()
    async with open_graph(extractor=extractor) as graph:
        for number, (part, field, value) in enumerate(shapes):
            added = await holds(graph, extractor, shaped(part, field, made(VALUES[value])), number)
            where = f"{part}.{field} = {value}: {added!r}"
            assert not isinstance(added, Exception), where
            kept = {f"{fact.subject} {fact.relation} {fact.object}" for fact in added.facts}
            listed = (part, field) in (("extraction", "claims"), ("extraction", "mentions"))
            assert listed or "Bob lives_in Ghent" in kept or number, where
            for words in (*added.dropped, *added.adjusted):
                words.encode()


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (replace(WORKS, relation=""), "relation '' is no name"),
        (replace(WORKS, relation="works\0at"), "control character"),
        (replace(WORKS, relation=None), "relation None: give text"),
        (replace(WORKS, text="Alice \ud83d"), "half of a surrogate pair at 6"),
        (replace(WORKS, confidence=float("nan")), "confidence is nan"),
        (replace(WORKS, confidence=True), "confidence is True"),
        (replace(WORKS, valid_at=datetime(2020, 1, 1)), "has no time zone"),  # noqa: DTZ001
        (replace(WORKS, kind="fact"), "kind is 'fact': choose from state"),
        (replace(WORKS, ends="yes"), "ends is 'yes': give True or False"),
        (replace(WORKS, excludes="abc"), "excludes is 'abc': give a tuple"),
        (replace(WORKS, attributes=CYCLE), "nested too deep, or in itself"),
        (replace(WORKS, attributes="abc"), "no mapping"),
        (replace(WORKS, subject="Alice"), "it is 'Alice'; expected Mention"),
        (replace(WORKS, subject=replace(ALICE, aliases="Al")), "aliases is 'Al': give a tuple"),
        (replace(WORKS, subject=replace(ALICE, entity_type="")), "entity_type of 'Alice' is empty"),
        (replace(WORKS, start=None), "is at None to 20: expected whole numbers"),
        (replace(WORKS, start=10**6000), "limit"),
        ("Alice works at Acme", "it is 'Alice works at Acme'; expected Claim"),
        (Foreign, "hands off"),
    ],
    ids=map(str, range(19)),
)
async def test_a_wrong_claim_is_said_and_the_right_one_beside_it_is_kept(claim, reason):
    extractor = Given()
    async with open_graph(extractor=extractor) as graph:
        added = await holds(graph, extractor, Extraction((), (made(claim), LIVES)), 0)
        assert [fact.subject for fact in added.facts] == ["Bob"]
        [note] = added.dropped
        assert note.startswith("claims 1 is not used: ")
        assert reason in note


async def test_a_relation_in_words_is_stored_as_add_fact_stores_it():
    extractor = Given()
    async with open_graph(extractor=extractor) as graph:
        spaced = replace(WORKS, relation=" works  at ", text=" ", valid_at="2020-05")
        [fact] = (await holds(graph, extractor, Extraction((), (spaced,)), 0)).facts
        assert (fact.relation, fact.text) == ("works_at", "Alice works at Acme.")
        assert fact.valid_at == datetime(2020, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "given", [None, "nothing", [], {"claims": []}, Foreign, Extraction], ids=map(str, range(6))
)
async def test_what_is_no_extraction_names_the_extractor_and_writes_nothing(given):
    extractor = Given()
    async with open_graph(extractor=extractor) as graph:
        error = await holds(graph, extractor, made(given), 0)
        assert isinstance(error, ExtractionError)
        assert "the extractor Given failed on episode" in str(error)
        assert "expected Extraction" in str(error) or "hands off" in str(error)
        str(error).encode()
        assert not await graph.episodes()


async def test_notes_without_number_are_counted():
    extractor = Given()
    async with open_graph(extractor=extractor) as graph:
        many = Extraction((), (*[replace(WORKS, confidence=n) for n in range(2, 3002)], LIVES))
        added = await holds(graph, extractor, many, 0)
        assert len(added.facts) == 1
        assert len(added.dropped) == 1001
        assert added.dropped[-1] == "and 2,000 more that are not listed"


def test_every_field_of_what_an_extractor_returns_is_checked():
    """A new field of a claim needs a check, else a wrong value of it would be stored."""
    assert isinstance(VALUES, Mapping)
    assert {field.name for field in fields(Claim)} == {
        "subject", "relation", "object", "text", "start", "end", "valid_at", "invalid_at", "ends",
        "corrects", "confidence", "origin", "attributes", "replaces", "untyped", "current", "kind",
        "valid_precision", "invalid_precision", "excludes", "settled",
    }  # fmt: skip
