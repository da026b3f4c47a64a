"""``graph.surreal`` reads in SurrealQL, of its group and its moment, and writes nothing."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest
from surrealdb import Duration, RecordID

from graphrag import QueryError, StoreError
from graphrag.sync import GraphRAG as BlockingGraphRAG
from tests.conftest import day, open_graph
from tests.engine.worlds import tell
from tests.serving import a_server

AS_OF = "SELECT VALUE record::id(id) FROM relates_to WHERE group_id = $group AND fn::holds_at($at)"
FIRMS = f"SELECT VALUE object FROM ({AS_OF.replace('record::id(id)', 'id')}) ORDER BY object"


@pytest.fixture
async def work(graph):
    await graph.add_episode("Ann works_at Acme from 2020.", reference_time="2020-02-01")
    await graph.add_episode("Ann works_at Beta from 2022.", reference_time="2022-02-01")
    await graph.group("other").add_episode("Bob works_at Globex from 2020.")
    return graph


async def test_the_group_and_the_moment_are_bound(work):
    asked = {
        work: ["Beta"],
        work.at(valid_at="2021"): ["Acme"],
        work.group("other"): ["Globex"],
        work.group("other").at(valid_at="2019"): [],
    }
    for graph, firms in asked.items():
        assert await graph.surreal.query(FIRMS) == firms
    before = datetime.now(UTC)
    group, at = await work.surreal.query("RETURN [$group, $at]")
    assert group == "default" and before <= at <= datetime.now(UTC)
    assert await work.at(valid_at="2021").surreal.query("RETURN $at") == day("2021-01-01")


async def test_a_parameter_comes_before_what_is_bound(work):
    assert await work.surreal.query(FIRMS, at=day("2021-01-01")) == ["Acme"]
    assert await work.surreal.query(FIRMS, group="other") == ["Globex"]
    with pytest.raises(QueryError, match="time zone"):
        await work.surreal.query(FIRMS, at=day("2021-01-01").replace(tzinfo=None))


async def test_a_view_of_what_was_known_is_refused(work):
    view = work.at(valid_at="2021", known_at="2022")
    with pytest.raises(QueryError, match="known_at=2022-01-01"):
        await view.surreal.query(FIRMS)


async def test_values_of_the_graph_are_parameters_and_records_are_results(work):
    ann, beta = await work.entity("Ann"), await work.entity("Beta")
    [fact] = await work.facts("Ann")
    assert await work.surreal.query("RETURN $one->relates_to->entity.name", one=ann) == [
        "Acme",
        "Beta",
    ]
    [row] = await work.surreal.query("SELECT in, out, valid_at FROM $facts", facts=[fact])
    assert row == {
        "in": RecordID("entity", ann.id),
        "out": RecordID("entity", beta.id),
        "valid_at": day("2022-01-01"),
    }
    assert row["valid_at"].tzinfo is not None
    assert await work.surreal.query("RETURN $given.a[0].name", given={"a": (row["out"],)}) == "Beta"
    sums = "RETURN [<decimal>'0.1' + $more, $at - ($at - $long), [1h30m][0]]"
    given = {"more": Decimal("0.2"), "long": timedelta(hours=1, microseconds=5)}
    assert await work.surreal.query(sums, at=row["valid_at"], **given) == [
        Decimal("0.3"),
        Duration.parse("1h5us"),
        Duration.parse("1h30m"),
    ]
    later = await work.surreal.query("RETURN $at + 1d", at=row["valid_at"])
    assert later == day("2022-01-02")


async def test_values_are_the_same_over_a_connection():
    async with a_server() as (url, options), open_graph(url, **options) as graph:
        given = [Decimal("0.5"), timedelta(minutes=90), None, b"x", day("2021-01-01")]
        found = await graph.surreal.query("RETURN $given", given=given)
    assert found == [given[0], Duration.parse("1h30m"), *given[2:]]


async def test_the_last_of_several_statements_answers(work):
    assert await work.surreal.query("LET $two = 1 + 1; RETURN $two + 1; RETURN $two") == 2


WRITES = (
    "DELETE entity", "delete entity", "DeLeTe entity", "UPDATE entity SET x = 1",
    "UPSERT entity SET x = 1", "CREATE entity", "INSERT INTO entity {}",
    "INSERT RELATION INTO relates_to {}", "RELATE $a->relates_to->$b", "DEFINE TABLE x",
    "REMOVE TABLE entity", "ALTER TABLE entity COMMENT 'x'", "REBUILD INDEX x ON entity",
    "LIVE SELECT * FROM entity", "KILL $id", "USE DB other", "BEGIN; RETURN 1; COMMIT", "CANCEL",
    "ACCESS x ON DATABASE GRANT FOR USER y",
    "RETURN 1; DELETE entity", "SELECT * FROM (DELETE entity)", "RETURN { DELETE entity }",
    "LET $x = (UPDATE entity SET x = 1); RETURN $x", "RETURN {a:DELETE entity}",
    "RETURN 1..DELETE entity", "RETURN [1].map(|$x|DELETE entity)",
    "IF true { DELETE entity }", "FOR $x IN [1] {DELETE entity}", "DELETE\nentity",
    "/* a read */ DELETE entity", "-- a read\nDELETE entity", "# a read\nDELETE entity",
    "// a read\nDELETE entity", "RETURN 1 -- a read\rDELETE entity",
    "RETURN 1 -- a read\u2028; DELETE entity", "RETURN 1 # a read\x85; DELETE entity",
    "DELETE/**/entity", "DELETE`entity`", "DELETE⟨entity⟩", "RETURN 'a' + \"b'\"; DELETE entity",
    r"RETURN 'it\'s'; DELETE entity; RETURN ''", r"RETURN `a\``; DELETE entity; RETURN ``",
    "RETURN ⟨`⟩; DELETE entity; RETURN ⟨`⟩", "RETURN '--'; DELETE entity",
    "RETURN /'/; DELETE entity; RETURN /'/", "RETURN string::matches('a', /--/); DELETE entity",
)  # fmt: skip


@pytest.mark.parametrize("sql", WRITES)
async def test_a_statement_that_writes_is_refused(sql, graph):
    with pytest.raises(QueryError, match="only reads"):
        await graph.surreal.query(sql)


async def test_a_refused_write_wrote_nothing(work):
    before = await work.stats()
    for sql in WRITES:
        with pytest.raises(QueryError):
            await work.surreal.query(sql)
    assert await work.stats() == before


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("RETURN 'DELETE entity'", "DELETE entity"),
        ('RETURN "update it"', "update it"),
        (r"RETURN 'don\'t delete'", "don't delete"),
        (r'RETURN "a \"delete\" b"', 'a "delete" b'),
        ("RETURN 'a -- b'; -- delete nothing\nRETURN 'c'", "c"),
        ("RETURN 1 /* create */ + 1", 2),
        ("RETURN 1 # remove\n + 1", 2),
        ("RETURN 6 / 2", 3),
        ("RETURN { `delete`: 1 }.`delete`", 1),
        (r"RETURN { `use\`d`: 1 }.`use\`d`", 1),
        ("RETURN { ⟨live⟩: 1 }.⟨live⟩", 1),
        ("RETURN { update: 1 }.update", 1),
        ("LET $insert = 1; RETURN $insert", 1),
        ("RETURN array::insert([1], 2, 0)", [2, 1]),
        ("RETURN [1, 2].remove(0)", [2]),
        ("RETURN 'a'; RETURN { created_at: 1, used: 2, deleted: 3 }.used", 2),
    ],
)
async def test_words_in_strings_comments_and_names_are_no_writes(sql, value, graph):
    assert await graph.surreal.query(sql) == value


async def test_what_the_database_refuses_is_said_in_its_words(graph):
    with pytest.raises(StoreError, match="expected FROM"):
        await graph.surreal.query("SELECT * FRM entity")
    with pytest.raises(StoreError, match="'nothing' does not exist"):
        await graph.surreal.query("SELECT * FROM nothing")


def test_the_blocking_twin_reads():
    with open_graph(kind=BlockingGraphRAG) as graph:
        graph.add_episode("Ann works_at Acme from 2020.", reference_time="2020-02-01")
        assert graph.surreal.query(FIRMS) == ["Acme"]
        assert graph.at(valid_at="2019").surreal.query(FIRMS) == []
        assert graph.surreal.vectors() == "relates_to_vector_default"
        assert graph.group("other").surreal.words("entity") == "entity_words_other"
        with pytest.raises(QueryError):
            graph.surreal.query("DELETE entity")


@pytest.mark.parametrize("profile", ["process", "engine"])
async def test_the_schema_says_what_is_there(profile):
    async with open_graph(profile=profile) as graph:
        await graph.add_episode("Ann works_at Acme from 2020.", saga="diary")
        tables = (await graph.surreal.query("INFO FOR DB"))["tables"]
        assert [name for name, said in tables.items() if "COMMENT" not in said] == []
        times = {}
        for name in tables:
            fields = (await graph.surreal.query(f"INFO FOR TABLE {name}"))["fields"]
            elements = {field for field in fields if ".*" in field}
            assert {field for field in elements if field.partition(".")[0] not in fields} == set()
            times |= {(name, field): said for field, said in fields.items() if "_at" in field}
        assert {key for key, said in times.items() if "datetime" not in said} == set()
        assert {("relates_to", "valid_at"), ("episode", "valid_at")} <= times.keys()


async def test_facts_as_of_a_moment_are_those_of_a_view():
    dice = Random(5)
    async with open_graph(review_below=0.5) as graph:
        await tell(graph, dice, 40)
        for number in range(5):
            name = f"Ann {number}"
            await graph.add_fact(name, "works_at", "Acme", kind="was", invalid_at="2015")
            await graph.add_fact(name, "leads", "Beta", kind="was", reference_time="2016")
            await graph.add_fact(name, "likes", "tea", confidence=0.3, valid_at="2014")
        kinds = await graph.surreal.query(
            "RETURN [(SELECT id FROM relates_to WHERE closed_as = 'past').len(),"
            "(SELECT id FROM relates_to WHERE pending = true).len(),"
            "(SELECT id FROM relates_to WHERE retracted_at != NONE).len()]"
        )
        assert all(kinds)
        for _ in range(50):
            at = day("2009-01-01") + timedelta(days=dice.randrange(17 * 365), hours=1)
            view = graph.at(valid_at=at)
            facts = await view.facts(limit=10_000)
            assert set(await view.surreal.query(AS_OF)) == {fact.id for fact in facts}
