"""When two tellings are one episode: by the caller's key, else by content, author, time, saga."""

import asyncio

import pytest

from graphrag import GraphRAG, InputError, Models, NewEpisode
from graphrag.testing import HashEmbedder
from tests.conftest import PlainExtractor, open_graph

YES = "Ann: Yeah, let's do that."
DAY = "2024-03-05"


async def stored(graph):
    [rows] = await graph.handle.session.store.query("SELECT VALUE [saga, key] FROM episode;")
    return {tuple(row) for row in rows}


class Abreast(PlainExtractor):
    side_by_side = 4


@pytest.fixture(params=["windows", "side by side"])
async def chat(request):
    extractor = PlainExtractor() if request.param == "windows" else Abreast()
    async with open_graph(extractor=extractor) as graph:
        yield graph


async def test_the_same_words_in_two_sagas_of_a_batch_are_two_episodes(chat):
    told = [
        NewEpisode(text, DAY, saga=saga)
        for saga in ("monday", "tuesday")
        for text in (YES, f"Alice likes tea. {saga}", YES)
    ]
    report = await chat.add_episodes(told)
    assert (report.added, report.unchanged) == (4, 2)
    again = await chat.add_episodes(told)
    assert (again.added, again.unchanged) == (0, 6)
    assert await stored(chat) == {("monday", None), ("tuesday", None)}
    assert (await chat.health.check()).sound


@pytest.mark.parametrize("wait", [True, False])
async def test_the_same_words_one_by_one(graph, wait):
    first = await graph.add_episode(YES, reference_time=DAY, saga="monday", wait=wait)
    other = await graph.add_episode(YES, reference_time=DAY, saga="tuesday", wait=wait)
    again = await graph.add_episode(YES, reference_time=DAY, saga="tuesday", wait=wait)
    plain = await graph.add_episode(YES, reference_time=DAY, wait=wait)
    assert [one.new for one in (first, other, again, plain)] == [True, True, False, False]
    assert again.episode.id == other.episode.id
    assert plain.episode.id == min(first.episode.id, other.episode.id)


async def test_the_same_words_of_two_authors_are_two_episodes(chat):
    told = [NewEpisode("I like tea.", DAY, author=author) for author in ("Ann", "Bob", "Ann")]
    report = await chat.add_episodes(told)
    assert (report.added, report.unchanged) == (2, 1)
    ann, bob = [await chat.add_episode("I like tea.", reference_time=DAY, author=who)
                for who in ("Ann", "Bob")]  # fmt: skip
    nobody = await chat.add_episode("I like tea.", reference_time=DAY)
    assert (ann.new, bob.new, nobody.new) == (False, False, False)
    assert ann.episode.id != bob.episode.id
    removed = await chat.log.remove_episode(ann.episode.id)
    await chat.log.revert(removed.seq)
    assert (await chat.health.check()).sound


async def test_what_was_told_of_no_saga_joins_the_first_that_has_it(chat):
    report = await chat.add_episodes(
        [NewEpisode(YES, DAY), NewEpisode(YES, DAY, saga="a"), NewEpisode(YES, DAY, saga="b")]
    )
    assert (report.added, report.unchanged) == (2, 1)
    assert await stored(chat) == {("a", None), ("b", None)}


async def test_two_sagas_that_claim_a_text_at_once_get_one_each(graph):
    await graph.add_episode(YES, reference_time=DAY)
    await asyncio.gather(
        *(graph.add_episode(YES, reference_time=DAY, saga=saga) for saga in ("a", "b", "c"))
    )
    assert await stored(graph) == {("a", None), ("b", None), ("c", None)}
    assert (await graph.health.check()).sound


async def test_a_key_tells_equal_messages_apart_and_knows_each_again(chat):
    told = [NewEpisode(YES, DAY, saga="chat", key=f"m{number}") for number in range(3)]
    assert (await chat.add_episodes(told)).added == 3
    assert (await chat.add_episodes(told)).unchanged == 3
    assert await stored(chat) == {("chat", "m0"), ("chat", "m1"), ("chat", "m2")}


async def test_a_retry_by_key_needs_no_time(graph):
    first = await graph.add_episode(YES, key="m1")
    again = await graph.add_episode(YES, key="m1")
    later = await graph.add_episode(YES, key="m1", reference_time="2030")
    assert (again.new, later.new) == (False, False)
    assert [again.episode, later.episode] == [first.episode] * 2
    assert len(await graph.log.events()) == 1


async def test_a_key_is_that_of_one_content(graph):
    first = await graph.add_episode(YES, reference_time=DAY, key="m1")
    wrong = "key 'm1' is that of episode .* says \"Ann: Yeah.*, not 'Ann: No.'"
    for wait in (True, False):
        with pytest.raises(InputError, match=wrong):
            await graph.add_episode("Ann: No.", reference_time=DAY, key="m1", wait=wait)
    told = [
        NewEpisode("Alice likes tea.", DAY, key="m2"),
        NewEpisode("Alice likes chess.", DAY, key="m2"),
        NewEpisode("Alice likes Rome.", DAY, key="m3"),
    ]
    report = await graph.add_episodes(told, on_error="skip")
    assert (report.added, [one.number for one in report.failed]) == (2, [2])
    await graph.log.remove_episode(first.episode)
    assert (await graph.add_episode("Ann: No.", reference_time=DAY, key="m1")).new
    with pytest.raises(InputError, match="it was added again"):
        await graph.log.revert((await graph.log.events())[-2])


async def test_keys_are_of_a_group(graph):
    await graph.group("one").add_episode(YES, reference_time=DAY, key="m1")
    assert (await graph.group("two").add_episode("Ann: No.", reference_time=DAY, key="m1")).new


async def test_what_was_told_without_a_key_takes_the_first(graph):
    first = await graph.add_episode(YES, reference_time=DAY)
    keyed = await graph.add_episode(YES, reference_time=DAY, key="m1")
    other = await graph.add_episode(YES, reference_time=DAY, key="m2")
    plain = await graph.add_episode(YES, reference_time=DAY)
    assert [one.new for one in (first, keyed, other, plain)] == [True, False, True, False]
    assert (keyed.episode.id, keyed.episode.key) == (first.episode.id, "m1")


async def test_one_key_in_two_sagas_is_refused(graph):
    await graph.add_episode(YES, reference_time=DAY, saga="a", key="m1")
    with pytest.raises(InputError, match="an episode belongs to one saga"):
        await graph.add_episode(YES, reference_time=DAY, saga="b", key="m1")


@pytest.mark.parametrize("key", ["", " ", "a\x00b", "x" * 1001, 5])
async def test_what_is_no_key(graph, key):
    with pytest.raises(InputError, match=r"key .* (is no name|give text)"):
        await graph.add_episode(YES, key=key)
    assert len(await graph.log.events()) == 0


async def test_keys_outlive_a_restart_and_are_in_every_copy(tmp_path):
    url = f"surrealkv://{tmp_path / 'store'}"
    for new in (True, False):
        async with GraphRAG.open(url, models=Models(embedder=HashEmbedder())) as graph:
            assert (await graph.add_episode(YES, reference_time=DAY, key="m1")).new == new
            assert (await graph.add_episode(YES, reference_time=DAY, key="m2")).new == new
    async with GraphRAG.open(url, models=Models(embedder=HashEmbedder())) as graph:
        await graph.export.file(tmp_path / "graph.jsonl")
        await graph.load.group(tmp_path / "graph.jsonl", "copy")
        assert not (await graph.group("copy").add_episode(YES, key="m1")).new
        assert (await graph.health.check_all()).sound
    async with GraphRAG.open("mem://", models=Models(embedder=HashEmbedder())) as other:
        async with GraphRAG.open(url, models=Models(embedder=HashEmbedder())) as graph:
            await graph.log.replay_all(other)
        assert not (await other.add_episode(YES, key="m2")).new
