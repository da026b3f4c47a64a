"""Who may write what: refused writes raise, are logged, and change nothing."""

import pytest

from graphrag import AppendOnly, Mutation, NewEpisode, PolicyError, ProtectedTypes
from graphrag.ingest.policy import broken, refused
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.record import Record
from graphrag.temporal.moment import utc_now
from tests.conftest import day, open_graph, triples
from tests.edit.faint import believed, only_fact, open_unsure, tell, whole


class Refusing:
    """Refuse what a predicate picks, and remember all that was asked."""

    def __init__(self, picks=lambda mutation: False):
        self.picks = picks
        self.seen: list[Mutation] = []

    def refuse(self, mutation):
        self.seen.append(mutation)
        return "not today" if self.picks(mutation) else None


async def rows(graph):
    """Return everything that is stored but the log."""
    tables = ("episode", "passage", "entity", "relates_to", "mentions", "occurred_after")
    sql = " ".join(f"SELECT * FROM {table};" for table in tables)
    return await graph.handle.session.store.query(sql)


# -- a policy of one's own ---------------------------------------------------------------------


async def test_policy_sees_every_record_of_a_write():
    policy = Refusing()
    async with open_graph(policy=policy, actor="ann") as graph:
        await tell(graph, "Alice works_at Acme from 2020.")
        kinds = [(one.kind, one.actor, one.group, one.table) for one in policy.seen]
        assert set(kinds) == {
            ("add_episode", "ann", "default", table)
            for table in ("episode", "entity", "relates_to", "mentions")
        }
        assert all(one.before is None for one in policy.seen)
        [told] = [one for one in policy.seen if one.table == "relates_to"]
        assert told.entity_types == {"person", "organization"}
        policy.seen.clear()
        fact = await graph.edit.retract(await only_fact(graph), actor="bob")
        [change] = [one for one in policy.seen if one.table == "relates_to"]
        assert (change.kind, change.actor, change.record) == (
            "retract", "bob", f"relates_to:{fact.id}",
        )  # fmt: skip
        assert (change.before["retracted_at"], change.after["retracted_at"]) == (
            None, fact.retracted_at,
        )  # fmt: skip
        assert change.entity_types == {"person", "organization"}


async def test_one_refusal_refuses_the_transaction_and_is_logged():
    policy = Refusing(lambda mutation: mutation.kind == "retract")
    async with open_graph(policy=policy) as graph:
        await tell(graph, "Alice works_at Acme from 2020.")
        before = await rows(graph)
        fact = await only_fact(graph)
        with pytest.raises(PolicyError, match=f"retract of relates_to:{fact.id}: not today"):
            await graph.edit.retract(fact, actor="bob")
        assert await rows(graph) == before
        assert await graph.facts("Alice") == [fact]
        denied = (await graph.log.events())[-1]
        assert (denied.kind, denied.actor, denied.changes) == ("denied", "bob", ())
        assert denied.note == f"retract of relates_to:{fact.id}: not today"
        await whole(graph)
        await tell(graph, "Alice likes tea.")
        assert len(await graph.facts("Alice")) == 2


async def test_refused_episode_leaves_nothing_and_its_neighbours_stay():
    policy = Refusing(lambda mutation: "Bob" in str((mutation.after or {}).get("name")))
    async with open_graph(policy=policy) as graph:
        await tell(graph, "Alice likes tea.")
        with pytest.raises(PolicyError, match="add_episode of entity"):
            await tell(graph, "Bob likes tea.", "2024-02-01")
        assert await graph.entity("Bob") is None
        assert (await graph.stats()).episodes == 1
        assert [event.kind for event in await graph.log.events()] == ["add_episode", "denied"]
        await tell(graph, "Carol likes tea.", "2024-03-01")
        await whole(graph)


async def test_batch_is_refused_as_one_by_one():
    policy = Refusing(lambda mutation: "Bob" in str((mutation.after or {}).get("name")))
    async with open_graph(policy=policy) as graph:
        with pytest.raises(PolicyError):
            await graph.add_episodes(
                [NewEpisode(f"{name} likes tea.", "2024") for name in ("Alice", "Bob")]
            )
        assert (await graph.stats()).episodes == 1


async def test_communities_are_asked_for_too():
    policy = Refusing(lambda mutation: mutation.table == "community")
    async with open_graph(policy=policy) as graph:
        await tell(graph, "Alice knows Bob. Bob knows Carol. Carol knows Alice.")
        with pytest.raises(PolicyError, match="build_communities of community"):
            await graph.communities.build()
        assert await graph.communities.list() == []


async def test_repair_is_asked_for_too():
    async with open_graph(policy=Refusing(lambda mutation: mutation.kind == "repair")) as graph:
        await tell(graph, "Alice knows Bob.")
        await graph.handle.session.store.query("UPDATE entity SET embedding = NONE;")
        with pytest.raises(PolicyError, match="repair of entity"):
            await graph.health.repair_all()
        assert not (await graph.health.check_all()).sound
        assert (await graph.log.events())[-1].kind == "denied"


async def test_error_in_a_policy_writes_nothing():
    def burst(mutation):
        raise RuntimeError("no connection to the policy server")

    async with open_graph(policy=Refusing(burst)) as graph:
        with pytest.raises(RuntimeError, match="policy server"):
            await tell(graph, "Alice likes tea.")
        assert await graph.log.events() == []


# -- ready-made --------------------------------------------------------------------------------


async def test_append_only_graph_learns_but_takes_nothing_back():
    async with open_graph(policy=AppendOnly()) as graph:
        await tell(graph, "Alice works_at Acme.", "2020-06-01")
        await tell(graph, "Alice works_at Acme from 2020.", "2021-06-01")
        await tell(graph, "Alice works_at Globex from 2023.", "2023-06-01")
        await tell(graph, "Alice works_at Initech from 2022.", "2023-07-01")
        expected = {
            ("Alice", "works_at", "Acme", "2020-01-01", "2022-01-01"),
            ("Alice", "works_at", "Initech", "2022-01-01", "2023-01-01"),
            ("Alice", "works_at", "Globex", "2023-01-01", None),
        }
        assert triples(await believed(graph)) == expected
        fact = await only_fact(graph)
        for edit in (
            graph.edit.retract(fact),
            graph.edit.correct(fact, text="Hm."),
            graph.edit.correct(fact, object="Acme"),
            graph.edit.correct(fact, valid_at="2024"),
        ):
            with pytest.raises(PolicyError, match="append-only"):
                await edit
        assert triples(await believed(graph)) == expected
        assert (await graph.edit.invalidate(fact, "2024")).invalid_at == day("2024-01-01")


async def test_append_only_graph_lets_a_person_confirm():
    async with open_unsure(policy=AppendOnly()) as graph:
        await tell(graph, "Alice works_at Acme from 2020.")
        await tell(graph, "?? Alice works_at Globex from 2023.")
        [waiting] = await graph.edit.pending()
        with pytest.raises(PolicyError, match="append-only"):
            await graph.edit.reject(waiting.fact)
        globex = await graph.edit.confirm(waiting.fact)
        assert await graph.facts("Alice") == [globex]


async def test_protected_types_change_by_the_named_actors_only():
    policy = ProtectedTypes({"organization"}, actors={"ann"})
    async with open_graph(policy=policy) as graph:
        await tell(graph, "Alice works_at Acme from 2020. Alice likes tea.")
        await tell(graph, "Alice works_at Acme from 2020.", "2024-02-01")
        await tell(graph, "Acme located_in Paris from 2020.", "2024-03-01")
        [job] = [fact for fact in await graph.facts("Alice") if fact.relation == "works_at"]
        [taste] = [fact for fact in await graph.facts("Alice") if fact.relation == "likes"]
        assert len(job.sources) == 2
        with pytest.raises(PolicyError, match="of a organization is protected from 'library'"):
            await graph.edit.retract(job)
        with pytest.raises(PolicyError, match="protected"):
            await tell(graph, "Acme located_in Rome from 2024.", "2024-04-01")
        with pytest.raises(PolicyError, match="protected from 'bob'"):
            await graph.edit.invalidate(job, actor="bob")
        await graph.edit.retract(taste)
        await graph.edit.retract(job, actor="ann")
        assert await graph.facts("Alice") == []


# -- invariants --------------------------------------------------------------------------------


async def committed(graph, changes):
    async def build(index):
        return changes

    return await graph.handle.session.writer.commit(changes.group_id, build)


def changing(table, id_, kind="revert", **after):
    changes = ChangeSet("default", kind)
    changes.updates.append(Update(table, id_, dict.fromkeys(after), after))
    return changes


def erasing(table, id_, kind="revert"):
    return ChangeSet("default", kind, deletes=[(table, {"id": Record(table, id_)})])


class Lenient:
    """Allow everything."""

    def refuse(self, mutation):
        return None


async def test_no_policy_lifts_an_invariant():
    async with open_graph(policy=Lenient()) as graph:
        added = await tell(graph, "Alice works_at Acme from 2020 to 2030.")
        [fact], alice = added.facts, added.entities[0]
        before = await rows(graph)
        episode = added.episode
        for changes, message in (
            (erasing("relates_to", fact.id), "only forget erases"),
            (erasing("episode", episode.id), "only forget erases"),
            (erasing("entity", alice.id), "only forget erases"),
            (erasing("event", ["default", 1]), "only forget erases"),
            (changing("event", "x", kind="add_episode"), "the log only grows"),
            (changing("episode", episode.id, content="Bob"), "'content' of episode"),
            (changing("episode", episode.id, valid_at=utc_now()), "'valid_at' of episode"),
            (changing("relates_to", fact.id, created_at=utc_now()), "'created_at' of relates_to"),
            (changing("entity", alice.id, group_id="other"), "'group_id' of entity"),
            (changing("relates_to", fact.id, invalid_at=day("2019-01-01")), "end before it starts"),
            (changing("relates_to", fact.id, valid_at=day("2031-01-01")), "end before it starts"),
        ):
            with pytest.raises(PolicyError, match=message):
                await committed(graph, changes)
        assert await rows(graph) == before
        assert {event.kind for event in await graph.log.events()} == {"add_episode", "denied"}
        await whole(graph)


async def test_rows_of_another_group_and_inverted_facts_are_not_inserted(graph):
    added = await tell(graph, "Alice works_at Acme from 2020.")
    index = await graph.handle.session.catalog.group("default")
    for column, value, message in (
        ("group_id", "other", "belongs to group 'other'"),
        ("invalid_at", day("2019-01-01"), "end before it starts"),
    ):
        changes = ChangeSet("default", "add_fact")
        changes.insert(added.facts[0])
        assert broken(changes, index) is None
        changes.inserts["relates_to"][0][column] = value
        assert message in broken(changes, index)


async def test_forget_may_erase(graph):
    added = await tell(graph, "Alice works_at Acme from 2020.")
    index = await graph.handle.session.catalog.group("default")
    assert broken(erasing("relates_to", added.facts[0].id, kind="forget"), index) is None


async def test_a_new_entity_without_a_type_reaches_the_policy():
    policy = Refusing()
    async with open_graph() as graph:
        index = await graph.handle.session.catalog.group("default")
        changes = ChangeSet("default", "import")
        changes.inserts["entity"] = [{"id": Record("entity", "new"), "entity_type": ""}]
        assert refused(changes, index, policy) is None
        assert [one.entity_types for one in policy.seen] == [{""}]
