"""No verb tells of one group what was told to another.

The verbs are found by looking: a new one is asked like the others, and fails here until it is said
what it is given, or that it is no read.
"""

import asyncio
import inspect
from collections.abc import Mapping

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from graphrag import GraphRAGError, Query
from tests.conftest import open_graph
from tests.edit.faint import open_unsure
from tests.surface import parameters, verbs

GROUPS = ("zebras", "quokkas")
NAMES = ("Ann", "Bob", "Acme", "Rome")
TOLD = st.lists(
    st.tuples(
        st.sampled_from(GROUPS), st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 28)
    ),
    min_size=2,
    max_size=6,
)
NO_READS = {
    *("add_entity", "add_episode", "add_episodes", "add_fact", "at", "close", "group", "groups"),
    *("open", "communities.build", "communities.update", "edit.confirm", "edit.correct"),
    *("edit.invalidate", "edit.reject", "edit.retract", "edit.settle", "erase.group"),
    *(
        "erase.entity",
        "export.copy",
        "health.build_indexes",
        "health.build_native",
        "health.cleanup",
    ),
    "health.repair",
    *(
        "health.repair_all",
        "identity.keep_apart",
        "identity.merge",
        "identity.rename",
        "identity.split",
    ),
    *("identity.unmerge", "load.calendar", "load.contacts", "load.facts", "load.group"),
    *(
        "load.documents",
        "load.seed",
        "log.remove_episode",
        "log.remove_source",
        "log.replay",
        "log.replay_all",
        "log.revert",
    ),
    *("log.revert", "queue.drain", "queue.drain_all", "queue.retry", "sagas.summarize"),
    *("sagas.summarize_all",),
}
OF_THE_STORE = {"health.check_all", "health.indexes", "surreal.query"}
"""They name groups, and tell how large they are; a query says itself of which group it is."""


def reads(asked):
    """Return the public methods that read, with what they must be given."""
    for name, method in verbs(asked).items():
        if name not in NO_READS | OF_THE_STORE:
            given = parameters(method).items()
            yield name, {key for key, one in given if one.default is one.empty}


def of_group(name, told, folder):
    """Return what verbs are given, by the names of their arguments, all of one group."""
    return {
        "query": "who knows Ann or Rome?",
        "question": "who knows Ann or Rome?",
        "pattern": Query(name, "knows"),
        "name": name,
        "entity": name,
        "start": name,
        "end": "Rome",
        "community": told.get("community", "none"),
        "since": "2020-01-01",
        "relation": "knows",
        "through": ["knows"],
        "ids": [told.get("episode", "none")],
        "fact": told.get("relates_to", "none"),
        "item": told.get("relates_to", "none"),
        "episode": told.get("episode", "none"),
        "file": folder / "export.jsonl",
        "paths": folder / "export.jsonl",
    }


@settings(max_examples=2, phases=[Phase.explicit, Phase.generate])
@given(TOLD)
def test_no_verb_leaks_between_groups(tmp_path_factory, told):
    asyncio.run(play(told, tmp_path_factory.mktemp("exports")))


async def play(told, folder):
    async with open_unsure() as graph:
        await tell(graph, told)
        for group in [one.name for one in await graph.groups().list()]:
            [other] = {*GROUPS} - {group}
            mine, theirs = await records(graph, group), await records(graph, other)
            one_of = {table: ids[0] for table, ids in mine.items() if ids}
            hidden = [other, *(id_ for ids in theirs.values() for id_ in ids)]
            bound = graph.group(group)
            for asked in (bound, bound.at(history=True), bound.at(valid_at="2024-01-15")):
                for name in ("Ann", one_of.get("entity", "none")):
                    arguments = of_group(name, one_of, folder)
                    await none_told(asked, group, arguments, hidden)
            # Ids of the other group are nobody's here.
            strange = {table: ids[0] for table, ids in theirs.items() if ids}
            if "entity" in strange:
                arguments = of_group(strange["entity"], strange, folder)
                for asked in (bound, bound.at(history=True)):
                    await none_told(asked, group, arguments, [f"knows {other}"])
            several = everything(await graph.groups(group).search("who knows Ann or Rome?"))
            assert not [word for word in hidden if word in several]


async def none_told(asked, group, arguments, hidden):
    """Assert that no verb that is asked of a group tells anything hidden."""
    kind = type(asked)
    for verb, needed in reads(asked):
        unknown = needed - arguments.keys()
        assert not unknown, f"say in of_group what {kind.__name__}.{verb} is given as {unknown}"
        given = {name: arguments[name] for name in needed}
        try:
            text = everything(await answer(asked, verb, given))
        except GraphRAGError as error:
            text = str(error)
        if (file := arguments["file"]).exists():
            text += file.read_text(encoding="utf-8")
            file.unlink()
        leaked = [word for word in hidden if word in text]
        assert not leaked, f"{kind.__name__}.{verb}({given}) of {group!r} told {leaked}"


async def answer(asked, verb, given):
    """Return what a verb answers; what follows the log is asked for all that is there."""
    if verb == "log.follow":
        events = asked.log.follow(after=0)
        return [await anext(events) for _ in await asked.log.events()]
    found = verbs(asked)[verb](**given)
    return await found if inspect.isawaitable(found) else found


async def tell(graph, told):
    for group, one, other, day in told:
        if one != other:
            # The secret of a group is in the sentence; the names are the same.
            text = f"{one} knows {other}. {one} knows {group}. ?? {other} likes {group}."
            await graph.group(group).add_episode(
                text, reference_time=f"2024-01-{day:02}", saga="diary"
            )
    for group in GROUPS:
        await graph.group(group).communities.build()


async def records(graph, group):
    """Return the ids of a group's rows by table."""
    found = {}
    for table in ("episode", "entity", "relates_to", "community", "saga"):
        [found[table]] = await graph.handle.session.store.query(
            f"SELECT VALUE record::id(id) FROM {table} WHERE group_id = $group;", group=group
        )
    return found


async def test_no_search_of_the_engine_profile_leaks_either():
    async with open_graph(profile="engine") as graph:
        await tell(graph, [("zebras", "Ann", "Bob", 1), ("quokkas", "Ann", "Bob", 2)])
        for group in GROUPS:
            [other] = {*GROUPS} - {group}
            for _ in range(2):  # what the first search read stays for the second
                found = everything(await graph.group(group).search("Ann knows whom?"))
                assert other not in found and group in found


def test_every_verb_is_a_read_or_known_to_be_none():
    graph = open_graph()
    known = {name for name, _ in reads(graph)}
    assert {"search", "facts", "log.events", "identity.candidates", "edit.pending"} <= known
    assert {name for name, _ in reads(graph.at())} <= known
    assert NO_READS | OF_THE_STORE <= verbs(graph).keys()


@pytest.mark.parametrize("asked", [open_graph(), open_graph().at()], ids=["graph", "view"])
def test_no_verb_takes_a_group_since_a_graph_is_bound_to_one(asked):
    assert not [name for name, verb in verbs(asked).items() if "group" in parameters(verb)]


def everything(value):
    """Write all that a value holds."""
    if hasattr(value, "to_csv"):  # a data frame
        return value.to_csv()
    if hasattr(value, "adj"):  # a network of networkx
        return repr((list(value.nodes(data=True)), list(value.edges(data=True))))
    if hasattr(value, "vs"):  # of igraph
        return repr([one.attributes() for part in (value.vs, value.es) for one in part])
    if isinstance(value, Mapping):
        return "".join(map(everything, (*value.keys(), *value.values())))
    if isinstance(value, list | tuple | set | frozenset):
        return repr(value) + "".join(map(everything, value))
    if type(value).__module__.startswith(("graphrag", "community", "search")):
        names = [
            *(name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())),
            *getattr(value, "__dict__", {}),
        ]
        held = (getattr(value, name) for name in names if name != "__weakref__")
        return repr(value) + "".join(map(everything, held))
    return repr(value)
