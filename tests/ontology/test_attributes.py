"""Of two values of one attribute the one told for the later time stands; the log has the other."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from graphrag.model.attributes import newer, with_given
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.testing import ScriptedExtractor
from tests.conftest import day, open_graph

START = day("2020-01-01")


def test_a_newer_value_replaces_an_older_one():
    values, times = with_given(
        {"size": 1}, {"size": "2020-01-01T00:00:00Z"}, {"size": 2}, day("2021-01-01")
    )
    assert (values, times) == ({"size": 2}, {"size": "2021-01-01T00:00:00Z"})


def test_a_value_told_late_for_an_earlier_time_does_not_replace():
    held = {"size": 2}, {"size": "2021-01-01T00:00:00Z"}
    assert with_given(*held, {"size": 1, "seat": "Rome"}, START) == (
        {"size": 2, "seat": "Rome"},
        {"size": "2021-01-01T00:00:00Z", "seat": "2020-01-01T00:00:00Z"},
    )


def test_a_value_of_unknown_time_gives_way():
    assert with_given({"size": 1}, {}, {"size": 2}, START)[0] == {"size": 2}
    assert newer({"size": 1}, {}, {"size": 2}, {}) == ({"size": 2}, {})


TELLINGS = st.lists(
    st.tuples(st.integers(0, 50), st.dictionaries(st.sampled_from("abc"), st.integers(0, 5))),
    unique_by=lambda telling: telling[0],
)


@given(TELLINGS, st.randoms())
def test_the_order_of_telling_does_not_matter(tellings, random):
    def after(order):
        values, times = {}, {}
        for days, values_told in order:
            # Halves of a second have more digits than whole ones.
            at = START + timedelta(days=days, milliseconds=500 * (days % 2))
            values, times = with_given(values, times, values_told, at)
        return values, times

    shuffled = random.sample(tellings, len(tellings))
    assert after(tellings) == after(shuffled)


def company(**attributes):
    return Mention("Acme", "organization", attributes=attributes)


def works(role):
    return Claim(
        Mention("Alice", "person"), "works_at", company(), "Alice works at Acme.", 0, 20,
        valid_at=START, attributes={"role": role},
    )  # fmt: skip


async def test_an_attribute_changes_and_the_log_keeps_the_old_value():
    script = {
        "one": Extraction((company(size="small"),)),
        "two": Extraction((company(size="large"),)),
        "late": Extraction((company(size="tiny", seat="Rome"),)),
    }
    async with open_graph(extractor=ScriptedExtractor(script)) as graph:
        await graph.add_episode("one", reference_time="2020-01-01")
        await graph.add_episode("two", reference_time="2021-01-01")
        await graph.add_episode("late", reference_time="2019-01-01")
        acme = await graph.entity("Acme")
        assert acme.attributes == {"size": "large", "seat": "Rome"}
        [change] = [
            change
            for change in (await graph.log.events())[1].changes
            if change.record == f"entity:{acme.id}"
        ]
        assert change.before["attributes"] == {"size": "small"}
        assert change.after["attributes"] == {"size": "large"}
        then = (await graph.log.events())[0].at
        assert (await graph.at(known_at=then).entity("Acme")).attributes == {"size": "small"}


async def test_a_fact_told_again_takes_the_newer_attribute():
    script = {name: Extraction(claims=(works(name),)) for name in ("clerk", "chief", "trainee")}
    async with open_graph(extractor=ScriptedExtractor(script)) as graph:
        await graph.add_episode("clerk", reference_time="2020-02-01")
        await graph.add_episode("chief", reference_time="2022-02-01")
        await graph.add_episode("trainee", reference_time="2021-02-01")
        [fact] = await graph.facts("Alice")
        assert fact.attributes == {"role": "chief"}
        told_before = [
            change.before["attributes"]
            for event in await graph.log.events()
            for change in event.changes
            if change.record.endswith(fact.id) and change.before and "attributes" in change.before
        ]
        assert told_before == [{"role": "clerk"}]
