import pytest

from graphrag.index.group import GroupIndex
from graphrag.model.extraction import Mention
from graphrag.model.values import Entity
from graphrag.names.key import name_key
from graphrag.resolve import enriched
from graphrag.resolve.mentions import adds_something, resolve
from tests.conftest import day, enter

NOW = day("2024-01-01")


def stored(*mentions):
    index = GroupIndex("g", 2)
    entities = [
        Entity(
            id=mention.name,
            group_id="g",
            created_at=NOW,
            name=mention.name,
            key=name_key(mention.name),
            entity_type=mention.entity_type,
            aliases=mention.aliases,
        )
        for mention in mentions
    ]
    enter(index, entities)
    return index


def meaning(mention, *known):
    resolution = resolve([mention], stored(*known), created_at=NOW)
    id_ = resolution.entity_of[mention]
    return "new" if id_ in resolution.created else id_


ALICE = Mention("Alice Johnson", "person")


@pytest.mark.parametrize(
    ("mention", "known", "expected"),
    [
        (Mention("alice JOHNSON", "person"), [ALICE], "Alice Johnson"),
        (Mention("Alice Johnson"), [ALICE], "Alice Johnson"),
        (Mention("Alice", "person"), [ALICE], "Alice Johnson"),
        (Mention("Johnson", "person"), [ALICE], "Alice Johnson"),
        (Mention("Alice", "person"), [ALICE, Mention("Alice Smith", "person")], "new"),
        (ALICE, [Mention("Alice", "person")], "Alice"),
        (Mention("Alice's friends", "person"), [Mention("Alice", "person")], "new"),
        (Mention("Alice", "person"), [Mention("Alice's friends", "person")], "new"),
        (Mention("Alice", "organization"), [ALICE], "new"),
        (Mention("Alison Johnson", "person"), [ALICE], "new"),
        (Mention("Ferry", "person"), [Mention("Ferry", "organization")], "new"),
        (Mention("Initech"), [Mention("Globex", aliases=("Initech",))], "Globex"),
        (Mention("Initech", aliases=("Globex",)), [Mention("Globex")], "Globex"),
        (Mention("Zhang Wei 王", "person"), [Mention("Zhang Wei 张", "person")], "new"),
        (Mention("C#"), [Mention("C++")], "new"),
    ],
)
def test_which_entity_a_name_means(mention, known, expected):
    assert meaning(mention, *known) == expected


def test_same_type_wins_over_untyped():
    known = Mention("Mercury", "thing"), Mention("Mercury ", "place")
    assert meaning(Mention("Mercury", "place"), *known) == "Mercury "


def test_full_and_short_name_of_one_text_are_one_entity():
    short, full = Mention("Alice", "person"), ALICE
    resolution = resolve([short, full], stored(), created_at=NOW)
    assert resolution.entity_of[short] == resolution.entity_of[full]
    assert [entity.name for entity in resolution.created.values()] == ["Alice Johnson"]


def test_nameless_mentions_are_left_out():
    assert not resolve([Mention("...")], stored(), created_at=NOW).entity_of


def test_an_untyped_entity_learns_its_type_and_keeps_it():
    entity = Entity("e", "g", NOW, "Globex", "globex")
    promoted = enriched(entity, Mention("Globex", "organization", aliases=("Globex Inc",)), NOW)
    assert (promoted.entity_type, promoted.aliases) == ("organization", ("Globex Inc",))
    assert enriched(promoted, Mention("Globex", "person"), NOW).entity_type == "organization"
    assert not adds_something(Mention("Globex", "person"), "Globex", "organization")
