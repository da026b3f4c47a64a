"""Edits by hand: never true, ended, set right."""

import pytest

from graphrag import Claim, Extraction, InputError, Mention, TimeError
from graphrag.testing import ScriptedExtractor
from tests.conftest import day, open_graph, triples
from tests.edit.faint import believed, everything, only_fact, tell, whole


async def two_jobs(graph):
    await tell(graph, "Alice works_at Acme from 2020.", "2020-05-01")
    await tell(graph, "Alice works_at Globex from 2023.", "2023-05-01")
    return await only_fact(graph)


async def last_event(graph):
    return (await graph.log.events())[-1]


# -- retract -----------------------------------------------------------------------------------


async def test_retracted_fact_stays_in_the_history_with_its_interval_and_reason(graph):
    await tell(graph, "Alice likes tea from 2020.")
    fact = await graph.edit.retract(await only_fact(graph), "a joke")
    assert (fact.reason, fact.valid_at, fact.invalid_at) == ("a joke", day("2020-01-01"), None)
    assert await graph.facts("Alice") == []
    assert not (await graph.search("Alice tea")).facts
    assert await graph.at(valid_at="2021-01-01").facts("Alice") == []
    assert await everything(graph) == [fact]
    assert "tea" not in (await graph.entity("Alice")).summary
    await whole(graph)


@pytest.mark.parametrize(
    "first",
    [{"valid_at": "2019", "reason": "a typo"}, {"valid_at": "2019"}, {"invalid_at": "2023"}],
)
async def test_a_fact_retracted_after_a_correction_tells_why_it_was_retracted(graph, first):
    await tell(graph, "Alice likes tea from 2020.")
    right = await graph.edit.correct(await only_fact(graph), **first)
    fact = await graph.edit.retract(right, "a joke")
    assert (fact.closed_as, fact.reason, fact.closed_by_hand) == ("retracted", "a joke", True)
    assert (fact.valid_at, fact.invalid_at) == (right.valid_at, right.invalid_at)
    await whole(graph)


async def test_edits_are_logged_with_kind_actor_and_reason(graph):
    await tell(graph, "Alice likes tea from 2020.")
    fact = await only_fact(graph)
    await graph.edit.correct(fact, text="She likes tea.", reason="wording", actor="ann")
    event = await last_event(graph)
    assert (event.kind, event.actor, event.note) == ("correct", "ann", "wording")
    await graph.edit.invalidate(fact.id, "2022")
    event = await last_event(graph)
    assert (event.kind, event.actor, event.note) == ("invalidate", "library", None)
    await graph.edit.retract(fact.id, "no", actor="bob")
    assert [(one.kind, one.actor) for one in (await graph.log.events())[-1:]] == [
        ("retract", "bob")
    ]


async def test_actor_of_a_graph_is_the_one_it_was_opened_for():
    async with open_graph(actor="importer") as graph:
        await tell(graph, "Alice likes tea from 2020.")
        await graph.edit.retract(await only_fact(graph), actor="ann")
        assert [event.actor for event in await graph.log.events()] == ["importer", "ann"]


async def test_what_a_retracted_fact_had_closed_holds_again(graph):
    await graph.edit.retract(await two_jobs(graph))
    acme = await only_fact(graph)
    assert (acme.object, acme.invalid_at, acme.expired_at) == ("Acme", None, None)
    assert (acme.invalidated_by, acme.reason) == (None, None)
    await whole(graph)


async def test_what_holds_again_keeps_the_end_it_had_before(graph):
    await tell(graph, "Alice works_at Acme from 2020 to 2026.")
    await tell(graph, "Alice works_at Globex from 2023.")
    [globex] = [fact for fact in await believed(graph) if fact.object == "Globex"]
    await graph.edit.retract(globex)
    assert triples(await believed(graph)) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2026-01-01")
    }


async def test_what_holds_again_makes_room_for_what_came_since(graph):
    globex = await two_jobs(graph)
    await tell(graph, "Alice works_at Initech from 2024.", "2024-05-01")
    await graph.edit.retract(globex)
    assert triples(await believed(graph)) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2024-01-01"),
        ("Alice", "works_at", "Initech", "2024-01-01", None),
    }
    await whole(graph)


async def test_what_holds_again_ends_where_it_was_told_anew(graph):
    globex = await two_jobs(graph)
    await tell(graph, "Alice works_at Acme from 2025.", "2025-05-01")
    await graph.edit.retract(globex)
    assert triples(await believed(graph)) == {
        ("Alice", "works_at", "Acme", "2020-01-01", None),
    }


async def test_retracting_a_correction_brings_back_what_it_corrected(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await tell(graph, "Alice works_at Globex in fact.")
    await graph.edit.retract(await only_fact(graph))
    assert (await only_fact(graph)).object == "Acme"


async def test_reads_of_the_past_show_what_was_believed_before_an_edit(graph):
    globex = await two_jobs(graph)
    before = (await last_event(graph)).at
    await graph.edit.retract(globex)
    past = graph.at(known_at=before)
    assert triples(await past.facts("Alice")) == {
        ("Alice", "works_at", "Globex", "2023-01-01", None)
    }
    assert triples(await graph.at(known_at=before, valid_at="2021").facts("Alice")) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2023-01-01")
    }


# -- invalidate --------------------------------------------------------------------------------


async def test_invalidated_fact_was_true_until_then(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    fact = await graph.edit.invalidate(await only_fact(graph), "2022-06-01", reason="moved on")
    assert (fact.invalid_at, fact.reason) == (day("2022-06-01"), "moved on")
    assert fact.expired_at is not None
    assert await graph.facts("Alice") == []
    assert triples(await graph.at(valid_at="2022-05-31").facts("Alice")) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2022-06-01")
    }
    await whole(graph)


async def test_end_is_now_if_no_moment_is_given(graph):
    await tell(graph, "Alice likes tea from 2020.")
    fact = await graph.edit.invalidate(await only_fact(graph))
    assert fact.invalid_at <= (await last_event(graph)).at
    assert await graph.facts("Alice") == []


async def test_known_future_end_can_be_moved_forward_but_not_back(graph):
    await tell(graph, "Alice works_at Acme from 2020 to 2090.")
    fact = await graph.edit.invalidate(await only_fact(graph), "2080")
    assert fact.invalid_at == day("2080-01-01")
    with pytest.raises(InputError, match="has ended before"):
        await graph.edit.invalidate(fact, "2085")


# -- correct -----------------------------------------------------------------------------------


async def test_other_object_makes_another_fact_and_retracts_the_old_one(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    old = await only_fact(graph)
    new = await graph.edit.correct(old, object="Globex", reason="misheard")
    assert (new.object, new.origin, new.confirmed, new.confidence) == ("Globex", "manual", True, 1)
    assert new.text == "Alice works at Globex."
    assert (new.valid_at, new.invalid_at, new.sources) == (old.valid_at, None, old.sources)
    [gone] = [fact for fact in await everything(graph) if fact.id == old.id]
    assert gone.retracted_at is not None
    assert (gone.invalidated_by, gone.reason) == (new.id, "corrected by hand: misheard")
    assert await graph.facts("Alice") == [new]
    assert [hit.item for hit in await graph.search("who works at Globex")] == [new]
    assert (await graph.entity("Globex")).entity_type == "organization"
    await whole(graph)


async def test_other_relation_and_subject(graph):
    await tell(graph, "Alice works_at Acme from 2020. Bob knows Alice.")
    [fact] = [one for one in await graph.facts("Alice") if one.relation == "works_at"]
    bob = await graph.entity("Bob")
    new = await graph.edit.correct(
        fact, subject=bob, relation="founder of", text="Bob founded Acme."
    )
    assert (new.subject_id, new.relation, new.text) == (bob.id, "founder_of", "Bob founded Acme.")
    assert {one.relation for one in await graph.facts("Bob")} == {"knows", "founder_of"}
    await whole(graph)


async def test_corrected_fact_closes_what_it_excludes(graph):
    await tell(graph, "Bob works_at Acme from 2020.")
    await tell(graph, "Alice works_at Globex from 2022.")
    new = await graph.edit.correct(await only_fact(graph), subject="Bob")
    [acme] = [fact for fact in await believed(graph, "Bob") if fact.object == "Acme"]
    assert (acme.invalid_at, acme.invalidated_by) == (day("2022-01-01"), new.id)
    assert acme.reason.startswith("ended by")


async def test_corrected_fact_takes_part_in_what_is_told_later(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    await graph.edit.correct(await only_fact(graph), object="Globex")
    await tell(graph, "Alice works_at Initech from 2023.")
    assert triples(await believed(graph)) == {
        ("Alice", "works_at", "Globex", "2020-01-01", "2023-01-01"),
        ("Alice", "works_at", "Initech", "2023-01-01", None),
    }


async def test_correction_to_what_is_known_already_leaves_one_fact(graph):
    await tell(graph, "Alice knows Bob from 2020.")
    bob = await only_fact(graph)
    await tell(graph, "Alice knows Bert from 2021.", "2024-02-01")
    [bert] = [fact for fact in await graph.facts("Alice") if fact.object == "Bert"]
    stands = await graph.edit.correct(bert, object="Bob")
    assert stands.id == bob.id
    assert stands.episodes == (*bob.episodes, *bert.episodes)
    assert await graph.facts("Alice") == [stands]


async def test_dates_and_words_change_in_place(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    old = await only_fact(graph)
    new = await graph.edit.correct(old, valid_at="2019-03", text="Alice is an Acme accountant.")
    assert (new.id, new.valid_at, new.confirmed) == (old.id, day("2019-03-01"), True)
    assert await graph.facts("Alice") == [new]
    [hit] = await graph.search("accountant", scopes=["facts"])
    assert "fulltext" in {why.method for why in hit.why}
    found = await graph.at(known_at=(await graph.log.events())[0].at).facts("Alice")
    assert [(fact.text, fact.valid_at) for fact in found] == [(old.text, old.valid_at)]
    await whole(graph)


async def test_words_changed_by_hand_are_found_after_reopening(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await tell(graph, "Alice works_at Acme from 2020.")
        await graph.edit.correct(await only_fact(graph), text="Alice is an Acme accountant.")
    async with open_graph(url) as graph:
        [hit] = await graph.search("accountant", scopes=["facts"])
        assert "fulltext" in {why.method for why in hit.why}
        await whole(graph)


async def test_none_as_a_date_takes_it_away(graph):
    await tell(graph, "Alice works_at Acme from 2020 to 2021.")
    [fact] = await everything(graph)
    new = await graph.edit.correct(fact, valid_at=None, invalid_at=None)
    assert (new.valid_at, new.invalid_at) == (None, None)
    assert await graph.facts("Alice") == [new]


async def test_moved_start_moves_the_end_of_what_it_closed(graph):
    await graph.edit.correct(await two_jobs(graph), valid_at="2022-01-01")
    assert triples(await believed(graph)) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2022-01-01"),
        ("Alice", "works_at", "Globex", "2022-01-01", None),
    }
    globex = await only_fact(graph)
    await graph.edit.correct(globex, valid_at="2024-01-01")
    assert triples(await believed(graph)) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2024-01-01"),
        ("Alice", "works_at", "Globex", "2024-01-01", None),
    }
    await whole(graph)


async def test_what_was_put_aside_by_hand_does_not_return_with_later_edits(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    globex = await graph.edit.correct(await only_fact(graph), object="Globex")
    globex = await graph.edit.correct(globex, valid_at="2019")
    await graph.edit.retract(globex)
    assert await believed(graph) == []


# -- refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "error", "message"),
    [
        (lambda g, f: g.edit.retract("nobody"), InputError, "no fact has the id 'nobody'"),
        (lambda g, f: g.edit.invalidate(f, "2019"), InputError, "an end comes after its start"),
        (
            lambda g, f: g.edit.invalidate(f, "2020-01-01"),
            InputError,
            "an end comes after its start",
        ),
        (lambda g, f: g.edit.invalidate(f, "soonish"), TimeError, "at 'soonish'"),
        (lambda g, f: g.edit.correct(f), InputError, "nothing is to change"),
        (lambda g, f: g.edit.correct(f, invalid_at="2020"), InputError, "would end at 2020"),
        (lambda g, f: g.edit.correct(f, valid_at="tomorrowish"), TimeError, "valid_at"),
        (lambda g, f: g.edit.correct(f, object="Alice"), InputError, "to itself"),
        (lambda g, f: g.edit.correct(f, object=" "), InputError, "is no name"),
        (lambda g, f: g.edit.correct(f, relation=" "), InputError, "is empty"),
        (lambda g, f: g.edit.correct(f, text=" "), InputError, "is empty"),
        (lambda g, f: g.edit.confirm(f), InputError, "does not wait for review"),
        (lambda g, f: g.edit.reject(f), InputError, "does not wait for review"),
        (lambda g, f: g.sources("nobody"), InputError, "no fact has the id"),
        (lambda g, f: g.edit.pending(limit=0), InputError, "limit is 0"),
    ],
)
async def test_impossible_edits_are_named_and_change_nothing(graph, edit, error, message):
    await tell(graph, "Alice works_at Acme from 2020.")
    fact = await only_fact(graph)
    with pytest.raises(error, match=message):
        await edit(graph, fact)
    assert await graph.facts("Alice") == [fact]
    assert len(await graph.log.events()) == 1


async def test_nothing_can_be_done_to_a_retracted_fact(graph):
    await tell(graph, "Alice works_at Acme from 2020.")
    fact = await graph.edit.retract(await only_fact(graph), "a rumour")
    for edit in (
        graph.edit.retract(fact),
        graph.edit.invalidate(fact),
        graph.edit.correct(fact, text="Hm."),
    ):
        with pytest.raises(InputError, match=r"was retracted at .* \(a rumour\)"):
            await edit
    assert len(await graph.log.events()) == 2


async def test_correction_that_says_the_same_of_the_same_time_is_one_fact(graph):
    await tell(graph, "Alice works_at Acme from 2018 to 2020.")
    await tell(graph, "Alice works_at Acme from 2024.", "2024-02-01")
    stands = await graph.edit.correct(await only_fact(graph), valid_at="2019")
    [one] = await believed(graph)
    assert one == stands
    assert triples([one]) == {("Alice", "works_at", "Acme", "2018-01-01", "2020-01-01")}
    await whole(graph)


async def test_name_of_two_entities_is_not_guessed():
    words = "Alice knows Bob. Jordan is a player. She was in Jordan."
    claim = Claim(Mention("Alice", "person"), "knows", Mention("Bob", "person"), words, 0, 16)
    jordans = (Mention("Jordan", "person"), Mention("Jordan", "place"))
    script = {words: Extraction(mentions=jordans, claims=(claim,))}
    async with open_graph(extractor=ScriptedExtractor(script)) as graph:
        await graph.add_episode(words)
        fact = await only_fact(graph)
        with pytest.raises(InputError, match="2 entities are called 'Jordan': pass the entity"):
            await graph.edit.correct(fact, object="Jordan")
        [place] = [one for one in await graph.at().entities("Jordan") if one.entity_type == "place"]
        assert (await graph.edit.correct(fact, object=place)).object_id == place.id


async def test_entity_of_another_group_is_no_end(graph):
    await tell(graph, "Alice knows Bob.")
    fact = await only_fact(graph)
    await graph.group("other").add_episode("Paris knows Rome.")
    elsewhere = await graph.group("other").entity("Paris")
    with pytest.raises(InputError, match="is not in group 'default'"):
        await graph.edit.correct(fact, object=elsewhere)
