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

from graphrag import AsOf, GraphRAG, GraphRAGError
from tests.conftest import open_graph
from tests.edits.faint import open_unsure

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
    *("add_entity", "add_episode", "add_episodes", "add_fact", "build_communities", "cleanup"),
    *("build_indexes", "confirm", "copy_group", "correct", "drain", "forget", "import_calendar"),
    *("import_contacts", "import_facts", "import_group", "invalidate", "keep_apart", "merge"),
    *("reject", "remove_episode", "repair", "replay", "retract", "retry_failed", "revert", "seed"),
    *("split", "summarize_saga", "summarize_sagas", "unmerge", "update_communities"),
    *("open", "close", "at"),
}
OF_THE_STORE = {"groups", "group_sizes", "check_indexes"}
"""They name groups, and tell how large they are."""


def reads(kind):
    """Return the public methods that read, with what they must be given."""
    for name in dir(kind):
        if name.startswith("_") or name in NO_READS | OF_THE_STORE:
            continue
        method = getattr(kind, name)
        if callable(method):
            parameters = list(inspect.signature(method).parameters.values())[1:]
            names = {one.name for one in parameters}
            needed = {one.name for one in parameters if one.default is one.empty}
            # Without it, changes() is a stream.
            yield name, needed | names & {"since"}, "group" in names


def of_group(name, told, folder):
    """Return what verbs are given, by the names of their arguments, all of one group."""
    return {
        "query": "who knows Ann or Rome?",
        "question": "who knows Ann or Rome?",
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
        "episode": told.get("episode", "none"),
        "file": folder / "export.jsonl",
    }


@settings(max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(TOLD)
def test_no_verb_leaks_between_groups(tmp_path_factory, told):
    asyncio.run(play(told, tmp_path_factory.mktemp("exports")))


async def play(told, folder):
    async with open_unsure() as graph:
        await tell(graph, told)
        for group in await graph.groups():
            [other] = {*GROUPS} - {group}
            mine, theirs = await records(graph, group), await records(graph, other)
            one_of = {table: ids[0] for table, ids in mine.items() if ids}
            hidden = [other, *(id_ for ids in theirs.values() for id_ in ids)]
            for asked in (graph, graph.at(history=True), graph.at(valid_at="2024-01-15")):
                for name in ("Ann", one_of.get("entity", "none")):
                    arguments = of_group(name, one_of, folder)
                    await none_told(asked, group, arguments, hidden)
            # Ids of the other group are nobody's here, wherever a group is named.
            strange = {table: ids[0] for table, ids in theirs.items() if ids}
            if "entity" in strange:
                arguments = of_group(strange["entity"], strange, folder)
                await none_told(graph.at(history=True), group, arguments, [f"knows {other}"])


async def none_told(asked, group, arguments, hidden):
    """Assert that no verb that is asked of a group tells anything hidden."""
    kind = GraphRAG if isinstance(asked, GraphRAG) else AsOf
    for verb, needed, grouped in reads(kind):
        unknown = needed - arguments.keys()
        assert not unknown, f"say in of_group what {kind.__name__}.{verb} is given as {unknown}"
        if not grouped and hidden[0].startswith("knows "):
            continue  # it goes by the ids alone, which are those of the other group
        given = {name: arguments[name] for name in needed}
        try:
            found = getattr(asked, verb)(**given, **({"group": group} if grouped else {}))
            text = everything(await found if inspect.isawaitable(found) else found)
        except GraphRAGError as error:
            text = str(error)
        if (file := arguments["file"]).exists():
            text += file.read_text(encoding="utf-8")
            file.unlink()
        if verb == "check":
            text = text.replace(f"'{hidden[0]}'", "")
        text = text.replace(f"groups in this store: {', '.join(map(repr, sorted(GROUPS)))}", "")
        leaked = [word for word in hidden if word in text]
        assert not leaked, f"{kind.__name__}.{verb}({given}) of {group!r} told {leaked}"


async def tell(graph, told):
    for group, one, other, day in told:
        if one != other:
            # The secret of a group is in the sentence; the names are the same.
            text = f"{one} knows {other}. {one} knows {group}. ?? {other} likes {group}."
            await graph.add_episode(
                text, reference_time=f"2024-01-{day:02}", saga="diary", group=group
            )
    for group in GROUPS:
        await graph.build_communities(group=group)


async def records(graph, group):
    """Return the ids of a group's rows by table."""
    found = {}
    for table in ("episode", "entity", "relates_to", "community", "saga"):
        [found[table]] = await graph._store.query(
            f"SELECT VALUE record::id(id) FROM {table} WHERE group_id = $group;", group=group
        )
    return found


async def test_no_search_of_the_engine_profile_leaks_either():
    async with open_graph(profile="engine") as graph:
        await tell(graph, [("zebras", "Ann", "Bob", 1), ("quokkas", "Ann", "Bob", 2)])
        for group in GROUPS:
            [other] = {*GROUPS} - {group}
            for _ in range(2):  # what the first search read stays for the second
                found = everything(await graph.search("Ann knows whom?", group=group))
                assert other not in found and group in found


def test_every_verb_is_a_read_or_known_to_be_none():
    known = {name for name, _, _ in reads(GraphRAG)}
    assert {"search", "facts", "timeline", "log", "merge_candidates", "pending_review"} <= known
    assert {name for name, _, _ in reads(AsOf)} <= known


@pytest.mark.parametrize("kind", [GraphRAG, AsOf])
def test_every_read_is_of_a_group_or_of_what_it_is_given(kind):
    by_id = {"episodes", "sources", "episode_window"}
    assert {name for name, _, grouped in reads(kind) if not grouped} == by_id


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
