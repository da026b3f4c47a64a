"""Other names that a text gives somebody or something in passing, each with its time."""

import pytest

from tests.extract.test_prose import extract, told


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("Initech, formerly known as Globex, grew.", "Initech", {"Initech", "Globex (former)"}),
    ],
)  # fmt: skip
async def test_names_of_one_thing_have_their_times(text, name, said):
    read = await extract(text)
    assert {str(one) for mention in read.mentions for one in mention.names} == said
    assert name in {mention.name for mention in read.mentions}


@pytest.mark.parametrize("aside", [", also known as Initech,"])
async def test_an_alias_is_no_thing_of_its_own(aside):
    read = await extract(f"Globex{aside} is based in Oslo.")
    assert {(one.name, one.aliases) for one in read.mentions} == {
        ("Globex", ("Initech",)),
        ("Oslo", ()),
    }


async def test_a_place_of_birth_is_no_name():
    assert "Ann Lee born_in Rome" in await told("Ann Lee, born in Rome, works at Acme.")
    assert not (await extract("Robert Hale works at Acme. He goes by Bob.")).mentions[0].aliases


@pytest.mark.parametrize("what", ["Project Aurora", "Operation Maria", "Team Falcon"])
async def test_what_the_word_for_an_undertaking_opens_is_nobodys_name(what):
    read = await extract(f"Ida Berg leads {what}.")
    assert "person" not in {one.entity_type for one in read.mentions if one.name == what}
    assert await told(f"Ida Berg leads {what}.") == {f"Ida Berg leads {what}"}
