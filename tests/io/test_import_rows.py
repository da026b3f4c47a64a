"""Tables that are not quite what is wanted: rows that cannot be used, columns that are missing."""

import json

import pandas
import pytest

from graphrag import FactType, InputError, Ontology
from tests.conftest import open_graph, triples

GOOD = [
    {"subject": "Alice", "relation": "works_at", "object": "Acme", "valid_at": "2020"},
    {"subject": "Bob", "relation": "works_at", "object": "Acme", "valid_at": "2019"},
    {"subject": "Alice", "relation": "works_at", "object": "Globex", "valid_at": "2023"},
    {"subject": "Alice", "relation": "likes", "object": "tea"},
    {"subject": "Bob", "relation": "knows", "object": "Alice"},
]
BAD = {
    "equal ends": (
        {"subject": "Zoe", "relation": "parent_of", "object": "zoe"},
        "both ends are the same entity",
    ),
    "no object": ({"object": ""}, "column 'object' is missing"),
    "no date": ({"valid_at": "soon"}, "valid_at 'soon'"),
    "end before start": ({"valid_at": "2020", "invalid_at": "2019"}, "is not after valid_at"),
    "no such column": ({"valid_form": "2020"}, "no column 'valid_form'"),
    "no number": ({"confidence": "high"}, "column 'confidence'"),
    "no row": (None, "has no named columns"),
}


def mixed(bad):
    """Return good rows with a bad one at the start, in the middle and at the end."""
    wrong = {"subject": "Zoe", "relation": "likes", "object": "tea", **bad} if bad else "text"
    return [wrong, *GOOD[:3], wrong, *GOOD[3:], wrong]


async def state(graph, group):
    facts = [
        triples(await graph.group(group).at(history=True).facts(name)) for name in ("Alice", "Bob")
    ]
    return facts, (await graph.group(group).stats()).entities


@pytest.mark.parametrize("batch", [1, 2, 3, 1000])
@pytest.mark.parametrize(("bad", "words"), BAD.values(), ids=BAD)
async def test_what_cannot_be_used_is_left_out_and_named(graph, bad, words, batch):
    done = await graph.group("mixed").load.facts(mixed(bad), batch=batch, on_error="skip")
    assert [row.place for row in done.skipped] == ["row 1", "row 5", "row 8"]
    for row in done.skipped:
        assert isinstance(row.error, InputError) and words in str(row.error)
        assert str(row.error).startswith(f"{row.place}: ")
    good = await graph.group("good").load.facts(GOOD)
    assert (done.rows, done.facts, done.entities) == (5, good.facts, good.entities)
    assert await state(graph, "mixed") == await state(graph, "good")
    assert (await graph.group("mixed").health.check()).sound


async def test_without_skipping_the_error_says_what_is_in_the_graph(graph):
    with pytest.raises(InputError, match="row 4: 'Zoe' parent_of 'zoe': both ends") as caught:
        await graph.load.facts(mixed(BAD["equal ends"][0])[1:], batch=2)
    assert caught.value.__notes__[0].startswith("2 rows are in the graph")


async def test_two_names_of_one_entity_and_strangers_ids_are_skipped_too(graph):
    await graph.add_entity("Alice", aliases=["Ally"])
    stranger = await graph.group("other").add_entity("Zoe")
    rows = [
        {"subject": "Alice", "relation": "knows", "object": "Ally"},
        {"subject": stranger, "relation": "knows", "object": "Alice"},
        *GOOD,
    ]
    done = await graph.load.facts(rows, on_error="skip")
    assert [row.place for row in done.skipped] == ["row 1", "row 2"]
    assert "is not in group" in str(done.skipped[1].error)
    assert done.facts == 5


async def test_what_an_ontology_refuses_is_skipped():
    class WorksAt(FactType, single_valued=True):
        """A job."""

    async with open_graph(ontology=Ontology(facts=[WorksAt], on_violation="refuse")) as graph:
        done = await graph.load.facts(GOOD, on_error="skip")
        assert [row.place for row in done.skipped] == ["row 4", "row 5"]
        assert "the ontology refuses it" in str(done.skipped[0].error)
        assert done.facts == 3


LINES = {
    "csv": "subject,relation,object\nAnn,likes,tea\nAnn,likes\nAnn,likes,a,b\nBo,likes,tea\n",
    "jsonl": "\n".join(
        (
            json.dumps(GOOD[0]),
            '{"subject":',
            "[1]",
            json.dumps({**GOOD[1], "object": ""}),
            json.dumps(GOOD[3]),
        )
    ),
}


@pytest.mark.parametrize("ending", LINES)
async def test_lines_of_a_file_that_cannot_be_read_are_skipped(graph, tmp_path, ending):
    file = tmp_path / f"rows.{ending}"
    file.write_text(LINES[ending])
    done = await graph.load.facts(file, on_error="skip")
    wrong = {"csv": (3, 4), "jsonl": (2, 3, 4)}[ending]
    assert [row.place for row in done.skipped] == [f"rows.{ending}, line {at}" for at in wrong]
    assert done.facts == 2
    with pytest.raises(InputError, match=rf"^rows.{ending}, line {wrong[0]}: "):
        await graph.group("strict").load.facts(file)


async def test_what_may_be_done_about_errors(graph):
    with pytest.raises(InputError, match="on_error 'ignore': choose from stop, skip"):
        await graph.load.facts(GOOD, on_error="ignore")


# -- columns -----------------------------------------------------------------------------------


async def test_a_constant_stands_where_a_row_has_nothing(graph):
    rows = [
        {"subject": "Ann", "object": "Acme"},
        {"subject": "Bo", "object": "Acme", "relation": ""},
        {"subject": "Cy", "object": "tea", "relation": "likes", "object_type": "drink"},
    ]
    defaults = {"relation": "works_at", "object_type": "organization", "attributes.seen": "2024"}
    await graph.load.facts(rows, defaults=defaults)
    facts = [fact for name in ("Ann", "Bo", "Cy") for fact in await graph.facts(name)]
    assert [(fact.subject, fact.relation) for fact in facts] == [
        ("Ann", "works_at"),
        ("Bo", "works_at"),
        ("Cy", "likes"),
    ]
    assert {fact.attributes["seen"] for fact in facts} == {"2024"}
    assert (await graph.entity("Acme")).entity_type == "organization"
    assert (await graph.entity("tea")).entity_type == "drink"


async def test_a_constant_beside_renamed_columns(graph):
    table = pandas.DataFrame([{"Employee": "Ann", "Firm": "Acme", "Shoe": 38}])
    columns = {"subject": "Employee", "object": "Firm"}
    done = await graph.load.facts(table, columns=columns, defaults={"relation": "works_at"})
    assert done.facts == 1


async def test_a_constant_needs_a_column_that_there_is(graph):
    with pytest.raises(InputError, match="there is no column 'relations' to fill"):
        await graph.load.facts(GOOD, defaults={"relations": "likes"})
    assert await graph.log.events() == []


async def test_attributes_of_both_ends_have_columns(graph, tmp_path):
    (tmp_path / "staff.csv").write_text(
        "subject,relation,object,subject_attributes.born,object_attributes.city,"
        "object_attributes,attributes.role\n"
        'Ann,works_at,Acme,1980,Oslo,"{""staff"": 7}",cook\nBo,works_at,Globex,,,,\n'
    )
    await graph.load.facts(tmp_path / "staff.csv")
    assert (await graph.entity("Ann")).attributes == {"born": "1980"}
    assert (await graph.entity("Acme")).attributes == {"city": "Oslo", "staff": 7}
    assert (await graph.entity("Bo")).attributes == (await graph.entity("Globex")).attributes == {}
    [fact] = await graph.facts("Ann")
    assert fact.attributes == {"role": "cook"}


async def test_an_attribute_of_an_end_may_be_the_tables_own_column(graph):
    rows = [{"who": "Ann", "relation": "works_at", "object": "Acme", "Town": "Oslo"}]
    columns = {"subject": "who", "object_attributes.city": "Town"}
    await graph.load.facts(rows, columns=columns)
    assert (await graph.entity("Acme")).attributes == {"city": "Oslo"}
