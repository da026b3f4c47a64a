from datetime import UTC, datetime

import pytest

from graphrag.errors import EpisodeError, InputError, TimeError
from graphrag.ingest.intake import NewEpisode, looks_like_messages, prepare, windows


def test_reference_time_is_read_as_utc():
    assert prepare(NewEpisode("x", "2021-04-02")).valid_at == datetime(2021, 4, 2, tzinfo=UTC)


@pytest.mark.parametrize("content", ["", "  \n", None, {}, [], "\ufeff"])
def test_empty_content_is_refused(content):
    with pytest.raises(EpisodeError, match="empty"):
        prepare(NewEpisode(content))


def test_binary_content_is_refused():
    with pytest.raises(EpisodeError, match="control character"):
        prepare(NewEpisode("PK\x03\x04\x00rest", name="archive.zip"))


def test_broken_json_names_its_line():
    with pytest.raises(EpisodeError, match="line 2"):
        prepare(NewEpisode('{"a": 1,\n"b": }', source="json"))


def test_what_json_cannot_carry_is_refused():
    with pytest.raises(EpisodeError, match="no JSON value"):
        prepare(NewEpisode({"a": object()}))


@pytest.mark.parametrize(
    "time",
    ["2023-02-30", "soonish", "", datetime(2020, 1, 1), 5, "2020-01-01T10:00"],  # noqa: DTZ001
)
def test_impossible_or_naive_time_is_refused(time):
    with pytest.raises(TimeError, match="reference_time"):
        prepare(NewEpisode("x", time))


@pytest.mark.parametrize("group", ["", " ", "a\0b", "g" * 201, 3])
def test_impossible_group_is_refused(group):
    with pytest.raises(InputError, match="group"):
        prepare(NewEpisode("x", group=group))
    with pytest.raises(InputError, match="group"):
        prepare(NewEpisode("x"), group)


def test_an_episode_without_a_group_is_of_the_group_that_it_is_told_to():
    assert prepare(NewEpisode("x")).group_id == "default"
    assert prepare(NewEpisode("x"), "mine").group_id == "mine"
    assert prepare(NewEpisode("x", group="theirs"), "mine").group_id == "theirs"


@pytest.mark.parametrize(
    ("content", "source"),
    [
        ({"name": "Mill"}, "json"),
        ("Anna: hello\nBen: hi", "message"),
        ("Anna: I moved to Rome", "message"),
        ("Correction: the mayor is Ben Ito.", "text"),
        ("Anna said: hello. Then she left.", "text"),
        ("https://example.org", "text"),
    ],
)
def test_source_is_guessed(content, source):
    assert prepare(NewEpisode(content)).source == source


def test_a_given_source_wins():
    assert prepare(NewEpisode("Anna: hello\nBen: hi", source="text")).source == "text"


def test_one_line_without_first_person_is_no_message():
    assert not looks_like_messages("Note: the bridge is closed")


async def test_windows_weigh_each_item_once():
    weighed = []

    def size(item):
        weighed.append(item)
        return item

    found = [window async for window in windows([4, 5, 2, 9, 1], many=3, size=size, longest=10)]
    assert found == [[4, 5, 2], [9, 1]]
    assert weighed == [4, 5, 2, 9, 1]
