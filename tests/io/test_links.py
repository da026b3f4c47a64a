"""A folder that is read does not give the machine: links stay inside, names may be any bytes."""

import json
import os
from pathlib import Path

import pytest

from graphrag.errors import EpisodeError, InputError
from graphrag.io.documents import read_document
from graphrag.io.folders import read_files

SECRET = "Mira Holt owes Zed Corp 5 euros."


@pytest.fixture
def notes(tmp_path):
    """Return a folder with one note, beside a text that is not in it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_text(SECRET)
    folder = tmp_path / "notes"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text("Alice works_at Acme.")
    return folder


def texts(*paths):
    documents, unread = read_files(paths, read_document)
    return (
        sorted(episode.content for document in documents for episode in document),
        {os.path.basename(file.name): str(file.error) for file in unread},
    )


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("b.txt", "../outside/secret.txt"),
        ("inner/b.txt", "../../outside/secret.txt"),
        ("b", "../outside"),
        ("inner/b", "../../outside"),
        ("b", ".."),
        ("b.md", "inner/../../outside/secret.txt"),
        ("b.txt", "missing.txt"),
        ("b.txt", "b.txt"),
        ("b", "/"),
        ("b", "../notes-of-others"),
    ],
)
def test_a_link_that_leaves_the_folder_is_refused_and_named(notes, link, target):
    (notes.parent / "notes-of-others").mkdir()
    (notes.parent / "notes-of-others/x.txt").write_text(SECRET)
    (notes / link).symlink_to(target)
    found, unread = texts(notes)
    assert found == ["Alice works_at Acme."]
    [(name, reason)] = unread.items()
    assert name == os.path.basename(link)
    assert "is a link out of" in reason
    assert "copy the file into the folder" in reason


def test_a_link_that_leads_out_by_two_steps_is_refused(notes):
    (notes / "inner/step").symlink_to("../../outside")
    (notes / "b.txt").symlink_to("inner/step/secret.txt")
    found, unread = texts(notes)
    assert found == ["Alice works_at Acme."]
    assert unread.keys() == {"step", "b.txt"}


@pytest.mark.parametrize("target", ["..", ".", "../inner", "../../notes"])
def test_a_link_to_a_parent_makes_no_ring(notes, target):
    (notes / "inner/again").symlink_to(target)
    assert texts(notes) == (["Alice works_at Acme."], {})


def test_links_within_the_folder_are_read(notes):
    (notes / ".store").mkdir()
    (notes / ".store/c.txt").write_text("Carol works_at Ceta.")
    (notes / "c").symlink_to(".store")
    (notes / "d.txt").symlink_to(notes / "a.txt")
    found, unread = texts(notes)
    assert found == ["Alice works_at Acme.", "Alice works_at Acme.", "Carol works_at Ceta."]
    assert not unread


def test_what_is_named_itself_is_read_wherever_it_leads(notes):
    link, folder = notes / "b.txt", notes.parent / "link"
    link.symlink_to("../outside/secret.txt")
    folder.symlink_to("notes/inner/..")
    assert texts(link)[0] == [SECRET]
    assert texts(notes / "inner/../../outside/secret.txt")[0] == [SECRET]
    found, unread = texts(folder)
    assert found == ["Alice works_at Acme."]
    assert unread.keys() == {"b.txt"}
    found, unread = texts(notes / "inner/..")
    assert (found, unread.keys()) == (["Alice works_at Acme."], {"b.txt"})


async def test_the_report_of_a_load_names_what_was_left_out(graph, notes):
    (notes / "b.txt").symlink_to("../outside/secret.txt")
    report = await graph.load.documents(notes)
    [failed] = report.failed
    assert "is a link out of" in str(failed.error)
    assert not [entity for entity in await graph.entities() if "Holt" in entity.name]
    with pytest.raises(EpisodeError, match="is a link out of"):
        await graph.load.documents(notes, on_error="stop")


NAMES = [b"caf\xe9.txt", b"\xff\xfe.txt", b"a\x1b[31m.txt"]


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_that_is_no_text_stops_nothing(graph, notes, name):
    file = Path(os.fsdecode(os.path.join(os.fsencode(notes), name)))
    file.write_text("Bob works_at Beta.")
    report = await graph.load.documents(notes)
    assert (report.added, report.failed) == (2, [])
    for episode in await graph.episodes():
        json.dumps(episode.name).encode()
        assert episode.name.isprintable()
    assert (await graph.load.documents(notes)).unchanged == 2
    file.write_bytes(b"\xff")
    [failed] = (await graph.load.documents(notes)).failed
    f"{failed.name} {failed.error}".encode()


def test_a_folder_whose_name_is_no_text_is_read(notes):
    inner = Path(os.fsdecode(os.path.join(os.fsencode(notes), b"caf\xe9")))
    inner.mkdir()
    (inner / "b.txt").write_text("Bob works_at Beta.")
    (inner / "empty.txt").write_text("")
    found, unread = texts(notes)
    assert len(found) == 2
    [(name, reason)] = unread.items()
    f"{name} {reason}".encode()


async def test_a_pipe_in_a_folder_is_left_out_and_nothing_waits_for_it(graph, tmp_path):
    import os

    (tmp_path / "a.md").write_text("Alice likes tea.")
    os.mkfifo(tmp_path / "pipe.md")
    report = await graph.load.documents([tmp_path])
    assert len(await graph.episodes()) == 1
    assert "pipe or a device" in str(report.failed)


@pytest.mark.parametrize("name", NAMES)
async def test_a_path_given_as_text_may_be_any_bytes(graph, notes, name):
    path = os.fsdecode(os.path.join(os.fsencode(notes), name))
    Path(path).write_text("Bob works_at Beta.")
    assert (await graph.load.documents(path)).added == 1
    assert (await graph.load.documents([path])).unchanged == 1
    with pytest.raises(EpisodeError, match="there is no such file"):
        await graph.load.documents(f"{path}.missing")


async def test_files_of_one_name_in_two_folders_are_two_sources(graph, notes):
    (notes / "x.md").write_text("Bob works_at Beta.")
    (notes / "inner/x.md").write_text("Carol works_at Ceta.")
    await graph.load.documents(notes)
    sources = {episode.source_description for episode in await graph.episodes()}
    assert sources == {"a.txt", "x.md", "inner/x.md"}
    await graph.log.remove_source("inner/x.md")
    left = {entity.name for entity in await graph.entities()}
    assert "Carol" not in left
    assert {"Alice", "Bob"} <= left


MEMORY = json.dumps([{"id": "1", "memory": "Ann likes tea.", "user_id": "ann"}])


async def test_a_folder_of_memories_gives_nothing_beside_it(graph, notes):
    (notes.parent / "outside/secret.json").write_text(MEMORY)
    (notes / "link.json").symlink_to("../outside/secret.json")
    with pytest.raises(InputError, match=r"link\.json is a link out of .*: copy"):
        await graph.load.memory(notes)
    (notes / "link.json").unlink()
    (notes / "own.json").write_text(MEMORY)
    (notes / "again.json").symlink_to("own.json")
    assert await graph.load.memory(notes)


async def test_a_link_to_memories_that_is_named_itself_is_followed(graph, notes):
    (notes.parent / "outside/secret.json").write_text(MEMORY)
    (notes / "link.json").symlink_to("../outside/secret.json")
    await graph.load.memory(notes / "link.json", one_group=True)
    [episode] = await graph.episodes()
    assert episode.content == "Ann likes tea."
