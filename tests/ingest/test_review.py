"""Facts of low confidence wait for a person, and do nothing until then."""

import pytest

from graphrag import InputError
from tests.conftest import day, open_graph, triples
from tests.edit.faint import believed, everything, only_fact, open_unsure, tell, whole


@pytest.fixture
async def graph():
    async with open_unsure() as opened:
        yield opened


async def waiting_fact(graph):
    [waiting] = await graph.edit.pending()
    return waiting.fact


async def test_unsure_fact_waits_and_no_read_shows_it(graph):
    added = await tell(graph, "?? Alice works_at Acme from 2020.")
    [waiting] = await graph.edit.pending()
    assert (waiting.fact.object, waiting.fact.pending) == ("Acme", True)
    assert added.facts == (waiting.fact,)
    assert await graph.facts("Alice") == []
    assert await everything(graph) == []
    assert await graph.at(valid_at="2021").facts("Alice") == []
    assert not (await graph.search("where does Alice work?")).facts
    assert not (await graph.at(history=True).search("Alice Acme")).facts
    assert (await graph.entity("Alice")).summary == ""
    counts = await graph.stats()
    assert (counts.facts, counts.facts_now, counts.facts_pending) == (0, 0, 1)
    assert await graph.audit.hubs() == []
    assert await graph.communities.build() == []
    await whole(graph)


async def test_list_of_what_waits_is_oldest_first_with_its_source(graph):
    await tell(graph, "?? Bob likes tea.", "2024-05-01")
    await tell(graph, "?? Alice likes tea.", "2023-01-01")
    await graph.group("other").add_episode("?? Carol likes tea.")
    listed = await graph.edit.pending()
    assert [waiting.fact.subject for waiting in listed] == ["Bob", "Alice"]
    [quote] = listed[0].sources
    assert (quote.text, quote.episode.content) == ("Bob likes tea.", "?? Bob likes tea.")
    assert [waiting.fact.subject for waiting in await graph.edit.pending(limit=1)] == ["Bob"]
    assert [one.fact.subject for one in await graph.group("other").edit.pending()] == ["Carol"]


async def test_waiting_fact_closes_nothing_until_confirmed(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, "?? Alice works_at Globex from 2023.")
    assert triples(await graph.facts("Alice")) == {
        ("Alice", "works_at", "Acme", "2020-01-01", None)
    }
    globex = await graph.edit.confirm(await waiting_fact(graph), actor="ann")
    assert (globex.pending, globex.confirmed) == (False, True)
    assert await graph.facts("Alice") == [globex]
    [acme] = [fact for fact in await believed(graph) if fact.object == "Acme"]
    assert (acme.invalid_at, acme.invalidated_by) == (day("2023-01-01"), globex.id)
    assert acme.reason == "ended by: Alice works_at Globex from 2023."
    event = (await graph.log.events())[-1]
    assert (event.kind, event.actor) == ("confirm", "ann")
    assert await graph.edit.pending() == []
    await whole(graph)


async def test_waiting_fact_is_not_closed_by_a_sure_one_but_cut_when_confirmed(graph):
    await tell(graph, "?? Alice works_at Acme from 2020.")
    waiting = await waiting_fact(graph)
    await tell(graph, "Alice works_at Globex from 2023.")
    assert await waiting_fact(graph) == waiting
    acme = await graph.edit.confirm(waiting)
    assert (acme.valid_at, acme.invalid_at) == (day("2020-01-01"), day("2023-01-01"))


async def test_reads_of_a_moment_before_the_confirmation_do_not_show_it(graph):
    await tell(graph, "?? Alice works_at Acme from 2020.")
    moment = (await graph.log.events())[-1].at
    await graph.edit.confirm(await waiting_fact(graph))
    assert len(await graph.facts("Alice")) == 1
    assert await graph.at(known_at=moment).facts("Alice") == []
    assert not (await graph.at(known_at=moment, history=True).search("Alice Acme")).facts


async def test_rejected_fact_is_retracted(graph):
    await tell(graph, "?? Alice works_at Acme from 2020.")
    fact = await graph.edit.reject(await waiting_fact(graph), "she does not", actor="ann")
    assert fact.retracted_at is not None
    assert (fact.reason, fact.pending) == ("she does not", False)
    assert await graph.edit.pending() == []
    assert await graph.facts("Alice") == []
    for edit in (graph.edit.confirm(fact), graph.edit.reject(fact)):
        with pytest.raises(InputError, match="does not wait for review"):
            await edit
    assert [event.kind for event in await graph.log.events()] == ["add_episode", "reject"]
    await whole(graph)


async def test_unsure_repetition_of_a_known_fact_adds_a_source_at_once(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, "?? Alice works_at Acme.", "2024-02-01")
    assert await graph.edit.pending() == []
    assert len((await only_fact(graph)).sources) == 2


async def test_unsure_repetition_that_would_change_dates_waits(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, "?? Alice works_at Acme from 2020 to 2022.", "2024-02-01")
    assert (await only_fact(graph)).invalid_at is None
    stands = await graph.edit.confirm(await waiting_fact(graph))
    assert (stands.invalid_at, len(stands.sources)) == (day("2022-01-01"), 2)
    assert await graph.edit.pending() == []
    await whole(graph)


async def test_unsure_repetition_of_a_waiting_fact_adds_a_source_to_it(graph):
    await tell(graph, "?? Alice works_at Acme from 2020.")
    await tell(graph, "?? Alice works_at Acme.", "2024-02-01")
    [waiting] = await graph.edit.pending()
    assert len(waiting.sources) == 2


async def test_what_is_told_surely_waits_no_longer(graph):
    await tell(graph, "?? Alice works_at Acme from 2020.")
    [waiting] = await graph.edit.pending()
    sure = await tell(graph, "Alice works_at Acme from 2020.", "2024-02-01")
    assert await graph.edit.pending() == []
    assert await graph.facts("Alice") == list(sure.facts)
    [aside] = [fact for fact in await everything(graph) if fact.retracted_at]
    assert (aside.id, aside.pending) == (waiting.fact.id, False)
    assert aside.reason.startswith("said again with more confidence")
    await graph.log.remove_episode(sure.episode)
    [again] = await graph.edit.pending()
    assert again.fact == waiting.fact
    await whole(graph)


async def test_what_is_told_surely_without_its_dates_still_waits_with_them(graph):
    await tell(graph, "?? Alice works_at Acme from 2020.")
    await tell(graph, "Alice works_at Acme.", "2024-02-01")
    stands = await graph.edit.confirm(await waiting_fact(graph))
    assert await graph.facts("Alice") == [stands]
    assert (stands.valid_at, len(stands.sources)) == (day("2020-01-01"), 2)
    [aside] = [fact for fact in await everything(graph) if fact.retracted_at]
    assert aside.invalidated_by == stands.id


async def test_an_unsure_end_that_came_true_waits_no_longer(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, "?? Alice ends:works_at Acme to 2023.", "2023-02-01")
    await tell(graph, "Alice ends:works_at Acme to 2023.", "2023-03-01")
    assert await graph.edit.pending() == []
    await whole(graph)


@pytest.mark.parametrize("object_", ["Acme", "nothing"])
async def test_unsure_end_ends_nothing_until_confirmed(graph, object_):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, f"?? Alice ends:works_at {object_} to 2023.", "2023-02-01")
    assert (await only_fact(graph)).object == "Acme"
    waiting = await waiting_fact(graph)
    assert (waiting.waits_as, waiting.object) == ("end", "Acme")
    acme = await graph.edit.confirm(waiting)
    assert (acme.object, acme.invalid_at) == ("Acme", day("2023-01-01"))
    assert acme.expired_at is not None
    assert await graph.facts("Alice") == []
    assert await graph.edit.pending() == []


async def test_unsure_end_of_what_ended_before_says_that_it_began_again(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, "?? Alice ends:works_at Acme to 2023.", "2023-02-01")
    await tell(graph, "Alice ends:works_at Acme to 2022.", "2023-03-01")
    again = await graph.edit.confirm(await waiting_fact(graph))
    assert triples(await believed(graph)) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2022-01-01"),
        ("Alice", "works_at", "Acme", "2022-12-31", "2023-01-01"),
    }
    assert again.closed_as == "ended"


async def test_unsure_correction_corrects_once_confirmed(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, "?? Alice works_at Globex in fact.", "2021-01-01")
    assert (await only_fact(graph)).object == "Acme"
    globex = await graph.edit.confirm(await waiting_fact(graph))
    assert triples(await believed(graph)) == {("Alice", "works_at", "Globex", "2020-01-01", None)}
    assert globex.waits_as is None


async def test_what_a_person_confirms_holds_beside_an_equal_start(graph):
    await tell(graph, "?? Alice works_at Globex from 2020.", "2020-02-01")
    await tell(graph, "Alice works_at Acme from 2020.", "2023-02-01")
    globex = await graph.edit.confirm(await waiting_fact(graph))
    assert {fact.object for fact in await graph.facts("Alice")} == {"Acme", "Globex"}
    assert globex.reference_time == day("2020-02-01")
    assert len((await graph.audit.contradictions()).open) == 1


async def test_correcting_a_waiting_fact_accepts_it(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, "?? Alice works_at Globex from 2023.")
    fact = await graph.edit.correct(await waiting_fact(graph), valid_at="2024")
    assert (fact.pending, fact.confirmed) == (False, True)
    assert triples(await believed(graph)) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2024-01-01"),
        ("Alice", "works_at", "Globex", "2024-01-01", None),
    }
    await whole(graph)


async def test_a_waiting_fact_is_not_ended_by_hand(graph):
    await tell(graph, "?? Alice works_at Acme from 2020.")
    with pytest.raises(InputError, match="confirm or reject it first"):
        await graph.edit.invalidate(await waiting_fact(graph))


async def test_what_waits_still_waits_after_reopening(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_unsure(url) as graph:
        await tell(graph, "?? Alice works_at Acme from 2020.")
    async with open_unsure(url) as graph:
        assert await graph.facts("Alice") == []
        assert (await graph.edit.confirm(await waiting_fact(graph))).object == "Acme"
    async with open_unsure(url) as graph:
        assert (await only_fact(graph)).object == "Acme"
        await whole(graph)


@pytest.mark.parametrize(("threshold", "waiting"), [(0, 0), (0.4, 0), (0.41, 1), (1, 1)])
async def test_threshold_is_the_least_confidence_that_is_accepted(threshold, waiting):
    async with open_unsure(review_below=threshold) as graph:
        await tell(graph, "?? Alice works_at Acme from 2020. Bob likes tea.")
        assert len(await graph.edit.pending()) == waiting


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_threshold_is_a_confidence(threshold):
    with pytest.raises(InputError, match=r"from 0 to 1|a finite number"):
        open_graph(review_below=threshold)
