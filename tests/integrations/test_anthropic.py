"""The memory tool answers as Anthropic's own does on files, and its past can be read."""

import pytest

pytest.importorskip("anthropic", reason="anthropic is not installed: extra anthropic")

from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool

from graphrag.errors import InputError
from graphrag.integrations.anthropic import AsyncGraphMemoryTool, GraphMemoryTool
from graphrag.sync import GraphRAG as BlockingGraphRAG
from tests.conftest import open_graph


@pytest.fixture(params=["Anthropic's own", "ours"])
def tool(request, tmp_path):
    if request.param == "ours":
        with open_graph(kind=BlockingGraphRAG) as graph:
            yield GraphMemoryTool(graph)
    else:
        yield BetaLocalFilesystemMemoryTool(str(tmp_path))


def call(tool, command, **given):
    return tool.call({"command": command, **given})


def refused(tool, command, **given):
    with pytest.raises(ToolError) as caught:
        call(tool, command, **given)
    return str(caught.value)


def listed(answer):
    return [line.split("\t")[1] for line in answer.splitlines()[1:]]


NOTES = "/memories/notes.txt"
TEXT = "Ann works_at Acme.\nShe likes tea.\nand more\n"


@pytest.fixture
def written(tool):
    call(tool, "create", path=NOTES, file_text=TEXT)
    return tool


def test_a_file_is_created_once_and_viewed_with_numbers(tool):
    answer = call(tool, "create", path=NOTES, file_text=TEXT)
    assert answer == f"File created successfully at: {NOTES}"
    assert refused(tool, "create", path=NOTES, file_text="x") == f"File {NOTES} already exists"
    assert call(tool, "view", path=NOTES) == (
        f"Here's the content of {NOTES} with line numbers:\n"
        "     1\tAnn works_at Acme.\n     2\tShe likes tea.\n     3\tand more\n     4\t"
    )
    assert call(tool, "view", path=NOTES, view_range=[2, 3]).splitlines()[1:] == [
        "     2\tShe likes tea.",
        "     3\tand more",
    ]
    assert len(call(tool, "view", path=NOTES, view_range=[3, -1]).splitlines()) == 3


@pytest.mark.parametrize("text", ["", "  \n", "one line", "\ufeffmark", "tab\tÄ 漢\n\n\n"])
def test_any_text_is_kept_as_it_was(tool, text):
    call(tool, "create", path=NOTES, file_text=text)
    lines = call(tool, "view", path=NOTES).split("\n")[1:]
    assert "\n".join(line.split("\t", 1)[1] for line in lines) == text


def test_folders_are_listed_two_levels_deep(written):
    assert listed(call(written, "view", path="/memories")) == ["/memories", NOTES]
    for path in ("/memories/a/one", "/memories/a/b/two", "/memories/.hidden"):
        call(written, "create", path=path, file_text="x")
    assert sorted(listed(call(written, "view", path="/memories"))) == sorted(
        ["/memories", "/memories/a/", "/memories/a/b/", "/memories/a/one", NOTES]
    )
    assert sorted(listed(call(written, "view", path="/memories/a"))) == sorted(
        ["/memories/a", "/memories/a/b/", "/memories/a/b/two", "/memories/a/one"]
    )


def test_a_new_memory_is_an_empty_folder(tool):
    assert listed(call(tool, "view", path="/memories")) == ["/memories"]


def test_a_place_is_replaced_if_there_is_one(written):
    answer = call(written, "str_replace", path=NOTES, old_str="tea", new_str="jazz")
    assert answer.endswith(
        "     1\tAnn works_at Acme.\n     2\tShe likes jazz.\n     3\tand more\n     4\t"
    )
    assert "did not appear" in refused(
        written, "str_replace", path=NOTES, old_str="tea", new_str=""
    )
    assert "in lines: 1, 3" in refused(written, "str_replace", path=NOTES, old_str="or", new_str="")


def test_lines_are_inserted(written):
    call(written, "insert", path=NOTES, insert_line=0, insert_text="first\n")
    call(written, "insert", path=NOTES, insert_line=4, insert_text="last")
    shown = call(written, "view", path=NOTES)
    assert "     1\tfirst\n     2\tAnn" in shown and shown.endswith("     5\tlast\n     6\t")
    assert "[0, 5]" in refused(written, "insert", path=NOTES, insert_line=9, insert_text="x")


def test_files_and_folders_are_moved_and_deleted(written):
    call(written, "create", path="/memories/a/b/two", file_text="two")
    moved = call(written, "rename", old_path="/memories/a", new_path="/memories/c")
    assert moved == "Successfully renamed /memories/a to /memories/c"
    assert "two" in call(written, "view", path="/memories/c/b/two")
    assert "already exists" in refused(written, "rename", old_path=NOTES, new_path="/memories/c")
    gone = call(written, "delete", path="/memories/c")
    assert gone == "Successfully deleted /memories/c"
    assert listed(call(written, "view", path="/memories")) == ["/memories", NOTES]


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("view", {"path": "/memories/none"}),
        ("view", {"path": "/etc/passwd"}),
        ("view", {"path": "/memories/../etc/passwd"}),
        ("create", {"path": "/else/a", "file_text": "x"}),
        ("str_replace", {"path": "/memories/none", "old_str": "a", "new_str": "b"}),
        ("insert", {"path": "/memories/none", "insert_line": 0, "insert_text": "x"}),
        ("delete", {"path": "/memories/none"}),
        ("delete", {"path": "/memories"}),
        ("rename", {"old_path": "/memories/none", "new_path": "/memories/b"}),
        ("rename", {"old_path": "/memories", "new_path": "/memories/b"}),
    ],
)
def test_what_cannot_be_done_is_an_error_for_the_model(tool, command, given):
    assert refused(tool, command, **given)


# -- what only ours does -------------------------------------------------------------------------


async def test_files_tell_facts_and_edits_take_them_back(graph):
    tool = AsyncGraphMemoryTool(graph.group("ann"))
    await tool.call({"command": "create", "path": NOTES, "file_text": "Ann works_at Acme."})
    [fact] = await graph.group("ann").facts("Ann")
    assert fact.object == "Acme"
    edit = {"command": "str_replace", "path": NOTES, "old_str": "Acme", "new_str": "Beta"}
    await tool.call(edit)
    assert [one.object for one in await graph.group("ann").facts("Ann")] == ["Beta"]
    [first, *_] = await graph.group("ann").log.events()
    then = AsyncGraphMemoryTool(graph.group("ann"), known_at=first.at)
    assert "Acme" in await then.call({"command": "view", "path": NOTES})
    with pytest.raises(ToolError, match="only read"):
        await then.call({"command": "delete", "path": NOTES})


async def test_the_memories_of_two_users_do_not_mix(graph):
    tools = [AsyncGraphMemoryTool(graph.group(name)) for name in ("ann", "bob")]
    await tools[0].call({"command": "create", "path": NOTES, "file_text": "x"})
    assert listed(await tools[1].call({"command": "view", "path": "/memories"})) == ["/memories"]


async def test_the_blocking_tool_needs_the_blocking_graph(graph):
    with pytest.raises(InputError, match=r"graphrag\.sync"):
        GraphMemoryTool(graph).call({"command": "view", "path": "/memories"})


def test_the_tool_is_offered_as_the_one_that_models_know(blocking):
    assert GraphMemoryTool(blocking).to_dict() == {"type": "memory_20250818", "name": "memory"}
