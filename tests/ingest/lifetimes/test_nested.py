"""A place inside a place is no contradiction: told in any order, and only while it is known."""

from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag import FactType, NewEpisode, Ontology
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.ingest.lifetimes.nesting import Nesting
from graphrag.ingest.lifetimes.settle import settle
from graphrag.ontology.relations import Relation, Relations
from tests.conftest import open_graph
from tests.ingest.lifetimes.histories import RELATIONS, statements
from tests.ingest.lifetimes.oracle import Oracle
from tests.ingest.lifetimes.test_properties import assert_follows, quick

HOME = {"subject": "Ann", "relation": "lives_in", "object": "Paris", "valid_at": "2020"}
LAND = {"subject": "Ann", "relation": "lives_in", "object": "France", "valid_at": "2021"}
WITHIN = {"subject": "Paris", "relation": "located_in", "object": "France"}
TEXTS = {
    "Ann lives in Paris.": "2020-01-01",
    "Ann lives in France.": "2021-01-01",
    "Paris is located in France.": "2022-01-01",
}
BOTH = {"Paris": ("2020", None), "France": ("2021", None)}
ONE = {"Paris": ("2020", "2021"), "France": ("2021", None)}


def year(moment):
    return moment and str(moment.year)


async def homes(graph, who="Ann"):
    """Return where somebody lived, since when and until when."""
    facts = await graph.at(history=True).facts()
    return {
        fact.object: (year(fact.valid_at), year(fact.invalid_at))
        for fact in facts
        if fact.subject == who
    }


async def is_at_peace(graph):
    return not len(await graph.audit.contradictions()) and not (await graph.health.check()).findings


async def the(graph, subject, object_):
    facts = await graph.at(history=True).facts()
    return next(one for one in facts if (one.subject, one.object) == (subject, object_))


@pytest.mark.parametrize("rows", [*permutations((HOME, LAND, WITHIN))])
async def test_town_and_country_hold_side_by_side_in_any_order_of_facts(rows):
    async with open_graph() as graph:
        for row in rows:
            await graph.add_fact(**row)
        assert await homes(graph) == BOTH
        assert await is_at_peace(graph)


@pytest.mark.parametrize("texts", [*permutations(TEXTS)])
async def test_town_and_country_hold_side_by_side_in_any_order_of_texts(texts):
    async with open_graph(extractor=NeuralExtractor()) as graph:
        for text in texts:
            await graph.add_episode(text, reference_time=TEXTS[text])
        assert await homes(graph) == BOTH
        assert await is_at_peace(graph)


@pytest.mark.parametrize("rows", [*permutations((HOME, LAND, WITHIN))])
async def test_town_and_country_hold_side_by_side_in_any_order_of_rows(rows):
    async with open_graph() as graph:
        await graph.load.facts(list(rows))
        assert await homes(graph) == BOTH
        assert await is_at_peace(graph)


async def test_one_text_says_town_and_country():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        text = "Ann lives in Paris. Paris is located in France."
        await graph.add_episode(text, reference_time="2020-01-01")
        assert set(await homes(graph)) == {"Paris"}
        assert await is_at_peace(graph)


async def test_a_stream_of_texts_says_all_three():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        news = [NewEpisode(text, reference_time=told) for text, told in TEXTS.items()]
        await graph.add_episodes(news)
        assert await homes(graph) == BOTH


async def test_without_knowing_where_a_town_lies_the_later_place_ends_the_earlier():
    async with open_graph() as graph:
        await graph.add_fact(**HOME)
        await graph.add_fact(**LAND)
        assert await homes(graph) == ONE
        assert len(await graph.audit.contradictions()) == 1


@pytest.mark.parametrize("order", [*permutations(range(4))])
async def test_what_lies_in_what_is_followed_all_the_way_up(order):
    region = [
        {"subject": "Paris", "relation": "part_of", "object": "Île-de-France"},
        {"subject": "Île-de-France", "relation": "located_in", "object": "France"},
    ]
    rows = [HOME, LAND, *region]
    async with open_graph() as graph:
        for place in order:
            await graph.add_fact(**rows[place])
        assert await homes(graph) == BOTH
        assert await is_at_peace(graph)


async def test_another_town_of_the_country_ends_the_town_and_not_the_country():
    lyon = {"subject": "Lyon", "relation": "located_in", "object": "France"}
    moved = {"subject": "Ann", "relation": "lives_in", "object": "Lyon", "valid_at": "2022"}
    async with open_graph() as graph:
        for row in (HOME, LAND, WITHIN, lyon, moved):
            await graph.add_fact(**row)
        assert await homes(graph) == {
            "Paris": ("2020", "2022"),
            "France": ("2021", None),
            "Lyon": ("2022", None),
        }


async def test_what_is_taken_back_counts_no_more_and_again_when_it_is_restored():
    async with open_graph() as graph:
        for row in (HOME, LAND, WITHIN):
            await graph.add_fact(**row)
        await graph.edit.retract(await the(graph, "Paris", "France"))
        assert await homes(graph) == ONE
        assert not (await graph.health.check()).findings
        event = (await graph.log.events(limit=1))[0]
        await graph.log.revert(event.seq)
        assert await homes(graph) == BOTH
        assert await is_at_peace(graph)


OVER = {**WITHIN, "invalid_at": "2015"}
"""Paris lay in France until 2015."""
ELSEWHERE = [
    {**WITHIN, "valid_at": "2010"},
    {"subject": "Paris", "relation": "located_in", "object": "Texas", "valid_at": "2016"},
]


@pytest.mark.parametrize("rows", [*permutations((HOME, LAND, OVER))])
async def test_what_no_longer_lay_there_when_the_later_value_began_counts_no_more(rows):
    async with open_graph() as graph:
        for row in rows:
            await graph.add_fact(**row)
        assert await homes(graph) == ONE
        assert not (await graph.health.check()).findings


@pytest.mark.parametrize("order", [*permutations(range(4))])
async def test_what_moved_elsewhere_before_the_later_value_began_counts_no_more(order):
    rows = [HOME, LAND, *ELSEWHERE]
    async with open_graph() as graph:
        for place in order:
            await graph.add_fact(**rows[place])
        assert await homes(graph) == ONE
        assert not (await graph.health.check()).findings


@pytest.mark.parametrize("rows", [*permutations((HOME, LAND, {**WITHIN, "invalid_at": "2022"}))])
async def test_what_lay_there_when_both_began_keeps_both(rows):
    async with open_graph() as graph:
        for row in rows:
            await graph.add_fact(**row)
        assert await homes(graph) == BOTH
        assert await is_at_peace(graph)


async def test_an_end_of_where_a_place_lies_is_taken_back_like_any_other():
    async with open_graph() as graph:
        for row in (HOME, LAND, {**WITHIN, "valid_at": "2000"}):
            await graph.add_fact(**row)
        await graph.edit.invalidate(await the(graph, "Paris", "France"), "2015")
        assert await homes(graph) == ONE
        assert not (await graph.health.check()).findings
        await graph.log.revert((await graph.log.events(limit=1))[0].seq)
        assert await homes(graph) == BOTH
        assert await is_at_peace(graph)


async def test_what_is_said_again_after_it_ended_counts_again():
    async with open_graph() as graph:
        for row in (HOME, LAND, OVER, {**WITHIN, "valid_at": "2018"}):
            await graph.add_fact(**row)
        assert await homes(graph) == BOTH
        assert await is_at_peace(graph)


async def test_a_text_that_is_removed_takes_what_it_said_of_places_with_it():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        for text, told in TEXTS.items():
            kept = await graph.add_episode(text, reference_time=told)
        await graph.log.remove_episode(kept.episode)
        assert await homes(graph) == ONE
        assert not (await graph.health.check()).findings


async def test_a_place_that_is_corrected_lies_where_it_lies_now():
    texas = {"subject": "Paris", "relation": "located_in", "object": "Texas"}
    async with open_graph() as graph:
        for row in (HOME, LAND, texas):
            await graph.add_fact(**row)
        assert await homes(graph) == ONE
        await graph.edit.correct(await the(graph, "Paris", "Texas"), object="France")
        assert await homes(graph) == BOTH
        assert not (await graph.health.check()).findings


async def test_places_that_are_merged_lie_where_either_does():
    city = {**WITHIN, "subject": "Ville Lumière"}
    async with open_graph() as graph:
        for row in (HOME, LAND, city):
            await graph.add_fact(**row)
        assert await homes(graph) == ONE
        merge = await graph.identity.merge("Paris", "Ville Lumière")
        assert await homes(graph) == BOTH
        await graph.identity.unmerge(merge)
        assert await homes(graph) == ONE
        assert not (await graph.health.check()).findings


async def test_a_faint_word_on_where_a_town_lies_waits_for_a_person():
    async with open_graph() as graph:
        for row in (HOME, LAND, {**WITHIN, "confidence": 0.2}):
            await graph.add_fact(**row)
        assert await homes(graph) == ONE
        await graph.edit.confirm((await graph.edit.pending())[0].fact)
        assert await homes(graph) == BOTH


async def test_contradictions_are_as_they_were_known_then():
    async with open_graph() as graph:
        born = [{**HOME, "relation": "born_in"}, {**LAND, "relation": "born_in"}]
        for row in born:
            await graph.add_fact(row["subject"], row["relation"], row["object"])
        then = datetime.now(UTC)
        await graph.add_fact(**WITHIN)
        assert not len(await graph.audit.contradictions())
        assert len(await graph.at(known_at=then).audit.contradictions()) == 1


async def test_a_relation_of_ones_own_may_have_values_that_lie_in_each_other():
    relations = Relations().having(Relation("seat", single_valued=True, nested_by=("part_of",)))
    async with open_graph(relations=relations) as graph:
        await graph.add_fact("Ann", "seat", "Row 3", valid_at="2020")
        await graph.add_fact("Ann", "seat", "Stalls", valid_at="2021")
        await graph.add_fact("Row 3", "part_of", "Stalls")
        assert await homes(graph) == {"Row 3": ("2020", None), "Stalls": ("2021", None)}


class Row(FactType, single_valued=True, nested_by=("part_of",)):
    """A person sits in a row."""


def test_a_fact_type_says_by_what_its_values_lie_in_each_other():
    assert Ontology(facts=[Row]).relations()["row"].nested_by == ("part_of",)


PLACES = ("A", "B", "C", "D")
LIVED = [("ann", "lives_in", place) for place in PLACES]
LINKS = [("located_in", one, other) for one in PLACES for other in PLACES if one != other]


class Nested(Oracle):
    """The rules, but for values of which one lies in the other."""

    def __init__(self, told, links):
        self.links = {(one, other) for _, one, other in links}
        for _ in PLACES:
            further = {(a, d) for a, b in self.links for c, d in self.links if b == c}
            self.links |= further
        super().__init__(told, RELATIONS)

    def may_not(self, one, other):
        ends = one.value[2], other.value[2]
        inside = ends in self.links or ends[::-1] in self.links
        return not inside and super().may_not(one, other)


@st.composite
def lives(draw):
    count = draw(st.integers(2, 7))
    told = [draw(statements(number, LIVED)) for number in range(count)]
    return told, draw(st.lists(st.sampled_from(LINKS), max_size=4))


@quick
@given(lives())
def test_what_holds_at_every_moment_is_what_the_rules_say_of_rivals_alone(life):
    told, links = life
    assert_follows(
        Nested(told, links),
        settle(told, RELATIONS, nesting=Nesting(dict.fromkeys(links, ()), RELATIONS)),
    )
