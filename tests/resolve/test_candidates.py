import pytest

from graphrag.errors import InputError
from graphrag.model.extraction import Extraction, Mention
from tests.conftest import open_graph


class Names:
    """Read one mention a line: ``type: name [attribute=value]``."""

    async def extract(self, context):
        return Extraction(tuple(map(mention, context.episode.content.splitlines())))


def mention(line):
    kind, _, rest = line.partition(": ")
    name, _, attribute = rest.partition(" [")
    key, _, value = attribute.rstrip("]").partition("=")
    return Mention(name, kind, attributes={key: value} if key else {})


async def tell(graph, *lines):
    return await graph.add_episode("\n".join(lines), reference_time="2024-01-01")


@pytest.fixture
async def names():
    async with open_graph(extractor=Names()) as opened:
        yield opened


async def test_look_alikes_are_proposed_and_not_merged(names):
    await tell(names, "person: John Smith", "person: Jon Smith", "place: Rome", "person: J. Smith")
    found = await names.identity.candidates()
    pairs = {frozenset((one.entity.name, one.other.name)): one.why for one in found}
    assert pairs == {
        frozenset(("John Smith", "Jon Smith")): "name",
        frozenset(("John Smith", "J. Smith")): "name",
        frozenset(("Jon Smith", "J. Smith")): "name",
    }
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len(await names.identity.candidates(limit=1)) == 1


async def test_a_full_name_of_two_types_is_proposed_and_a_word_of_two_is_not(names):
    await tell(names, "organization: Sarnbridge Dairy", "person: Sarnbridge Dairy")
    await tell(names, "place: Mercury", "person: Mercury")
    [pair] = await names.identity.candidates()
    assert pair.entity.name == pair.other.name == "Sarnbridge Dairy"


async def test_a_short_name_is_proposed_if_one_bears_it(names):
    await tell(names, "thing: Agnes", "person: Agnes Holloway", "thing: Tower Bridge Café")
    [pair] = await names.identity.candidates()
    assert {pair.entity.name, pair.other.name} == {"Agnes", "Agnes Holloway"}
    await tell(names, "person: Agnes Dahl")
    assert not await names.identity.candidates()


async def test_a_name_means_one_thing_in_one_text(names):
    await tell(names, "person: Edwin Strand")
    told = await tell(names, "person: Edwin", "thing: Edwin")
    assert not told.entities


async def test_a_pair_is_gone_once_it_is_merged(names):
    await tell(names, "person: John Smith", "person: Jon Smith")
    [pair] = await names.identity.candidates()
    await names.identity.merge(pair.entity, pair.other)
    assert not await names.identity.candidates()


async def test_an_identifier_is_stronger_than_a_name(names):
    await tell(names, "person: Ada Lovelace [email=ada@example.org]")
    same = await tell(names, "person: A. King [E-Mail=ADA@example.org]")
    other = await tell(names, "person: Ada Lovelace [email=ada@example.com]")
    assert not same.entities
    assert [entity.name for entity in other.entities] == ["Ada Lovelace"]
    assert "A. King" in (await names.at().entities("A. King"))[0].aliases


async def test_impossible_limits_are_refused(names):
    with pytest.raises(InputError, match="at least 1"):
        await names.identity.candidates(limit=0)


async def test_a_split_takes_the_alias_with_it(names):
    await tell(names, "person: Ada Lovelace [email=ada@example.org]")
    await tell(names, "person: A. King [email=ada@example.org]")
    king = await names.identity.split("Ada Lovelace", name="A. King")
    assert await names.at().entities("A. King") == [king]
    assert (await names.entity("Ada Lovelace")).aliases == ()
