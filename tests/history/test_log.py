"""Events and logs are readable: one line in a program, a table in a notebook."""

import pytest

from graphrag import InputError, Log
from graphrag.store.assertions import parts


async def test_an_event_says_what_it_did(graph):
    added = await graph.add_episode("Alice works_at Acme. Bob likes tea.", reference_time="2020")
    await graph.edit.retract(added.facts[0], reason="<never>", actor="ann")
    told, taken = await graph.log.events()
    assert repr(told).startswith("Event(1 add_episode by library, ")
    assert repr(told).endswith(": +1 episode, +4 entities, +2 facts)")
    assert repr(taken).endswith(": 1 fact changed; <never>)")
    page = taken._repr_html_()
    assert "2 retract by ann" in page and "retracted_at" in page
    assert "&lt;never&gt;" in page and "<never>" not in page


async def test_a_log_counts_its_events_and_is_a_table(graph):
    assert repr(await graph.log.events()) == "Log(no events)"
    added = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    await graph.edit.retract(added.facts[0], reason="<never>", actor="ann")
    log = await graph.log.events()
    assert repr(log).endswith(": 1 add_episode, 1 retract)")
    assert repr(log).startswith("Log(2 events, ")
    assert log._repr_html_().count("<tr>") == 3
    assert "&lt;never&gt;" in log._repr_html_()
    assert isinstance(log[-1:], Log) and isinstance(await graph.log.events(entity="Alice"), Log)
    assert "+1 fact" in repr(log[0])


async def test_a_limit_gives_the_newest_events_or_the_next_ones_after_one(graph, monkeypatch):
    for year in range(2011, 2018):
        await graph.add_fact("Alice", "works_at", f"Firm {year % 3}", valid_at=str(year))
        await graph.add_entity(f"Bob {year}")
    everything = list(await graph.log.events())
    assert await graph.log.events(limit=3) == everything[-3:]
    assert await graph.log.events(after=2, limit=3) == everything[2:5]
    assert await graph.log.events(limit=100) == await graph.log.events(after=0) == everything
    monkeypatch.setattr("graphrag.history._PAGE", 3)  # those of one are looked for
    alice = await graph.entity("Alice")
    hers = await graph.log.events(entity=alice)
    assert len(hers) == 7 and await graph.log.events(entity=alice, limit=2) == hers[-2:]
    assert await graph.log.events(entity=alice, after=hers[0].seq, limit=2) == hers[1:3]
    with pytest.raises(InputError, match="limit is 0"):
        await graph.log.events(limit=0)


async def test_a_long_log_shows_its_newest_events(graph):
    await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    long = Log(list(await graph.log.events()) * 130)
    assert "30 before these" in long._repr_html_()
    assert long._repr_html_().count("<tr>") == 101


async def test_a_removed_episode_is_marked_among_the_sources(graph):
    added = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    [quote] = await graph.sources(added.facts[0])
    assert not quote.removed
    await graph.log.remove_episode(added.episode)
    [quote] = await graph.sources(added.facts[0])
    assert quote.removed and quote.text == "Alice works_at Acme."


async def test_the_event_of_a_fact_names_its_source(graph):
    await graph.add_fact("Ann", "leads", "Acme", valid_at="2019", source="register")
    await graph.load.facts(
        [{"subject": "Bob", "relation": "leads", "object": "Beta"}], source="payroll"
    )
    facts = [
        change.after
        for event in await graph.log.events()
        for change in event.changes
        if change.record.startswith("relates_to:") and change.before is None
    ]
    for fact, source in zip(facts, ("register", "payroll"), strict=True):
        assert fact["provenance"] == [source]
        [statement] = parts(fact["statements"])
        assert statement["provenance"] == source
