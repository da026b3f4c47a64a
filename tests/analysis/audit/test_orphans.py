"""What leads nowhere, and taking it out of the reads."""

import pytest

from graphrag import AppendOnly, Extraction, InputError, PolicyError, QueryError
from graphrag.temporal.moment import utc_now
from tests.conftest import named, open_graph
from tests.edit.faint import whole


class Naming:
    """Mention what stands in capitals, and state nothing."""

    async def extract(self, context):
        words = context.episode.content.strip(".").split()
        return Extraction(mentions=tuple(named(word) for word in words if word.istitle()))


def names(entities):
    return {one.name for one in entities}


async def told_and_taken_back(graph):
    """Return a fact that nobody believes, between two entities that nothing else speaks of."""
    told = await graph.add_fact("Zoe", "likes", "jazz")
    return await graph.edit.retract(told.fact)


async def test_what_is_spoken_of_is_no_orphan(graph):
    await graph.add_episode("Alice works_at Acme from 2020 to 2021.", reference_time="2022")
    await graph.add_fact("Bob", "likes", "tea")
    orphans = await graph.audit.orphans()
    assert not orphans and str(orphans) == "no orphans"
    assert repr(orphans) == (
        "Orphans('default': 0 entities, 0 episodes, 0 sagas, 0 aliases, 0 facts)"
    )


async def test_entities_whose_facts_were_all_taken_back_are_orphans(graph):
    before = utc_now()
    await told_and_taken_back(graph)
    await graph.add_episode("It rained.", reference_time="2022", name="weather")
    orphans = await graph.audit.orphans()
    assert names(orphans.entities) == {"Zoe", "jazz"}
    assert [one.name for one in orphans.episodes] == ["weather"]
    assert "- 2022-01-01, weather: 'It rained.'" in str(orphans)
    assert "weather" in orphans._repr_html_()
    assert not await graph.at(known_at=before).audit.orphans()


async def test_what_an_episode_mentions_is_no_orphan_until_it_is_removed():
    async with open_graph(extractor=Naming()) as graph:
        one = await graph.add_episode("Zoe sang.", reference_time="2022")
        two = await graph.add_episode("Zoe danced.", reference_time="2023")
        assert not await graph.audit.orphans()
        await graph.log.remove_episode(one.episode)
        assert not await graph.audit.orphans()
        await graph.log.remove_episode(two.episode)
        assert not await graph.audit.orphans()  # it went with its last episode


async def test_what_waits_or_could_not_be_read_is_no_orphan():
    async with open_graph(workers=0) as graph:
        with pytest.raises(InputError, match="kinds 'sagas': give a list"):
            await graph.health.cleanup("sagas", dry_run=False)
        await graph.add_episode("It rained.", reference_time="2022", wait=False)
        waiting = utc_now()
        assert not await graph.audit.orphans()
        await graph.queue.drain_all()
        assert len((await graph.audit.orphans()).episodes) == 1
        assert not await graph.at(known_at=waiting).audit.orphans()


async def test_a_saga_without_episodes_and_a_name_without_an_heir(graph):
    added = await graph.add_episode("Alice knows Bob.", reference_time="2022", saga="letters")
    await graph.identity.merge("Alice", "Bob")
    before = utc_now()
    await graph.log.remove_episode(added.episode)
    orphans = await graph.audit.orphans()
    assert [saga.name for saga in orphans.sagas] == ["letters"]
    assert names(orphans.aliases) == {"Bob"}
    assert not (await graph.at(known_at=before).audit.orphans()).sagas


async def test_a_fact_whose_episode_somebody_deleted_is_listed(graph):
    await graph.add_episode("Alice knows Bob.", reference_time="2022")
    ingestion = graph.handle.session
    await ingestion.store.query("DELETE episode;")
    await ingestion.catalog.reload("default")
    orphans = await graph.audit.orphans()
    assert [fact.subject for fact in orphans.facts] == ["Alice"]
    assert not (await graph.health.check_all()).sound


async def test_more_than_the_limit_is_counted(graph):
    await told_and_taken_back(graph)
    orphans = await graph.audit.orphans(limit=1)
    assert len(orphans) == 1 and orphans.left_out == {"entities": 1}
    assert "2 entities" in repr(orphans) and "and 1 more" in str(orphans)
    with pytest.raises(QueryError, match="limit 0"):
        await graph.audit.orphans(limit=0)


async def test_a_dry_run_says_what_would_go_and_writes_nothing(graph):
    await told_and_taken_back(graph)
    log = await graph.log.events()
    planned = await graph.health.cleanup()
    assert names(one.item for one in planned.removed) == {"Zoe", "jazz"}
    assert (planned.dry_run, planned.events) == (True, ())
    assert str(planned).splitlines()[0].startswith("would remove ")
    assert await graph.log.events() == log and len((await graph.audit.orphans()).entities) == 2


async def test_cleanup_is_one_event_which_revert_undoes(graph):
    await told_and_taken_back(graph)
    before = utc_now()
    done = await graph.health.cleanup(dry_run=False, reason="spring", actor="ann")
    [event] = done.events
    assert (event.kind, event.actor, event.note) == ("cleanup", "ann", "spring")
    assert names(one.item for one in done.removed) == {"Zoe", "jazz"}
    assert await graph.entity("Zoe") is None and not await graph.audit.orphans()
    assert await graph.at(known_at=before).entity("Zoe") is not None
    assert len(await graph.at(history=True).facts(relation="likes")) == 1
    assert (await graph.health.cleanup(dry_run=False)).events == ()
    await whole(graph)
    await graph.log.revert(event)
    assert len((await graph.audit.orphans()).entities) == 2
    await whole(graph)


async def test_what_was_taken_out_returns_when_it_is_told_of_again(graph):
    await told_and_taken_back(graph)
    zoe = await graph.entity("Zoe")
    await graph.health.cleanup(dry_run=False)
    await graph.add_episode("Zoe likes tea.", reference_time="2023")
    assert (await graph.entity("Zoe")).id == zoe.id
    await whole(graph)


async def test_what_a_person_entered_for_its_own_sake_stays(graph):
    await graph.add_entity("Solo")
    await graph.load.contacts([{"name": "Ann Lee", "email": "ann@example.org", "company": "X"}])
    for fact in await graph.facts(relation="works_at"):
        await graph.edit.retract(fact)
    done = await graph.health.cleanup(dry_run=False)
    assert {(one.item.name, one.why) for one in done.kept} == {
        ("Solo", "a person entered it directly"),
        ("Ann Lee", "it has attributes"),
    }
    assert {one.item.name for one in done.removed} <= {"X"}
    assert await graph.entity("Ann Lee") is not None


async def test_texts_go_only_if_they_are_named(graph):
    added = await graph.add_episode("It rained.", reference_time="2022")
    await graph.add_episode("Alice knows Bob.", reference_time="2023")
    assert (await graph.health.cleanup(dry_run=False)).removed == ()
    done = await graph.health.cleanup(["episodes", "entities"], dry_run=False)
    assert [one.item.id for one in done.removed] == [added.episode.id]
    assert not (await graph.search("rained", scopes=["episodes"])).episodes[1:]
    await whole(graph)
    await graph.log.revert(done.events[0])
    assert [one.id for one in (await graph.audit.orphans()).episodes] == [added.episode.id]
    await whole(graph)


async def test_unclear_wishes_and_a_policy_change_nothing():
    async with open_graph(policy=AppendOnly()) as graph:
        for kinds in ((), ("facts",)):
            with pytest.raises(InputError, match="choose from entities, episodes"):
                await graph.health.cleanup(kinds, dry_run=False)
        with pytest.raises(InputError, match="kinds 'sagas': give a list"):
            await graph.health.cleanup("sagas", dry_run=False)
        await graph.add_episode("It rained.", reference_time="2022")
        with pytest.raises(PolicyError):
            await graph.health.cleanup(["episodes"], dry_run=False)
        assert len((await graph.audit.orphans()).episodes) == 1


async def test_entities_of_another_group_are_not_looked_at(graph):
    await graph.group("home").add_fact("Zoe", "likes", "jazz")
    [fact] = await graph.group("home").facts(relation="likes")
    await graph.group("home").edit.retract(fact)
    assert not await graph.audit.orphans()
    assert len((await graph.group("home").audit.orphans()).entities) == 2
    assert (await graph.health.cleanup(dry_run=False)).removed == ()
    assert len((await graph.group("home").health.cleanup(dry_run=False)).removed) == 2
