"""Address books and calendars: who people are, by e-mail first."""

import sys

import pytest

from graphrag import InputError, MissingExtraError
from tests.conftest import day, triples

CARDS = """BEGIN:VCARD
VERSION:4.0
FN:Ada Moreau
N:Moreau;Ada;;;
EMAIL;TYPE=work:ada@northwind.example
item1.EMAIL;TYPE=home:ada.moreau@post.exam
 ple
TEL;VALUE=uri:tel:+47-555-0100
ORG:Northwind\\, Traders;Research
TITLE:Chemist
NICKNAME:Addie
PHOTO;ENCODING=b:QUJD
END:VCARD
BEGIN:VCARD
VERSION:3.0
N:Berg;Ola;K.;;
END:VCARD
"""
EVENTS = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:kickoff-2024-17@example
SUMMARY:Kick-off\\, phase 2
DTSTART;TZID=Europe/Oslo:20240305T100000
DTEND;TZID=Europe/Oslo:20240305T113000
LOCATION:Room Fjord
ORGANIZER;CN="Berg, Ola":mailto:ola@northwind.example
ATTENDEE;CN=Mme Ada M;PARTSTAT=ACCEPTED:MAILTO:Ada@northwind.example
ATTENDEE;PARTSTAT=DECLINED;CN=Eve:mailto:eve@northwind.example
ATTENDEE;CUTYPE=ROOM;CN=Fjord:mailto:fjord@northwind.example
BEGIN:VALARM
TRIGGER:-PT15M
END:VALARM
END:VEVENT
BEGIN:VEVENT
SUMMARY:Called off
STATUS:CANCELLED
DTSTART:20240306
END:VEVENT
END:VCALENDAR
"""


@pytest.fixture
def cards(tmp_path):
    path = tmp_path / "people.vcf"
    path.write_text(CARDS.replace("\n", "\r\n"), encoding="utf-8", newline="")
    return path


@pytest.fixture
def events(tmp_path):
    path = tmp_path / "work.ics"
    path.write_text(EVENTS, encoding="utf-8")
    return path


async def test_contacts_of_a_card_file(graph, cards):
    report = await graph.load.contacts(cards, source="phone")
    assert (report.rows, report.facts) == (2, 2)
    ada = await graph.entity("Addie")
    assert (ada.name, ada.entity_type) == ("Ada Moreau", "person")
    assert ada.attributes["email"] == ["ada@northwind.example", "ada.moreau@post.example"]
    assert ada.attributes["phone"] == "+47-555-0100"
    assert triples(await graph.facts(ada)) == {
        ("Ada Moreau", "works_at", "Northwind, Traders", None, None),
        ("Ada Moreau", "has_role", "Chemist", None, None),
    }
    assert {fact.origin for fact in await graph.facts(ada)} == {"structural"}
    assert (await graph.entity("Ola K. Berg")).entity_type == "person"
    events = len(await graph.log.events())
    assert (await graph.load.contacts(cards, source="phone")).facts == 0
    assert len(await graph.log.events()) == events


async def test_cards_of_version_2_1_are_read_with_their_letters(graph, tmp_path):
    lines = (
        "BEGIN:VCARD", "VERSION:2.1",
        "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCrgen;;;",
        "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen=20M=C3=", "=BCller",
        "TEL;CELL:+49 555 0100", "this is no line", "ORG:Globex", "END:VCARD",
    )  # fmt: skip
    (tmp_path / "old.vcf").write_text("\r\n".join((*lines, "")), newline="")
    await graph.load.contacts(tmp_path / "old.vcf")
    [fact] = await graph.facts("Jürgen Müller")
    assert (fact.relation, fact.object) == ("works_at", "Globex")
    assert (await graph.entity("Jürgen Müller")).attributes == {"phone": "+49 555 0100"}


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("BEGIN:VCARD\nFN:Ann\n", "never closed"),
        ("FN;CHARSET=nonsense;ENCODING=QUOTED-PRINTABLE:=C3\n", "nonsense"),
        ("FN;ENCODING=QUOTED-PRINTABLE:=C3\n", "codec"),
        ("hello", "holds no VCARD"),
    ],
)
async def test_a_card_file_that_cannot_be_read_says_why(graph, tmp_path, card, words):
    whole = card if card.startswith(("BEGIN", "hello")) else f"BEGIN:VCARD\n{card}END:VCARD\n"
    (tmp_path / "bad.vcf").write_text(whole)
    with pytest.raises(InputError, match=rf"bad\.vcf.*{words}"):
        await graph.load.contacts(tmp_path / "bad.vcf")


async def test_a_library_that_is_missing_is_named_with_its_extra(graph, cards, events, monkeypatch):
    monkeypatch.setitem(sys.modules, "vobject.base", None)
    monkeypatch.setitem(sys.modules, "icalendar", None)
    for load, file in ((graph.load.contacts, cards), (graph.load.calendar, events)):
        with pytest.raises(MissingExtraError, match=r"surreal-graphrag\[interchange\]"):
            await load(file)


async def test_meetings_find_people_by_address_whatever_their_name(graph, cards, events):
    await graph.load.contacts(cards)
    report = await graph.load.calendar(events)
    assert (report.rows, report.facts) == (1, 3)
    ada = await graph.entity("Ada Moreau")
    then = graph.at(valid_at="2024-03-05T09:30:00Z")
    assert ("Ada Moreau", "attends", "Kick-off, phase 2 (2024-03-05)") in {
        row[:3] for row in triples(await then.facts(ada))
    }
    assert (await graph.entity("Mme Ada M")).id == ada.id
    assert ada.attributes["email"] == ["ada@northwind.example", "ada.moreau@post.example"]
    [where] = [
        fact
        for fact in await graph.at(history=True).facts("Kick-off, phase 2 (2024-03-05)")
        if fact.relation == "takes_place_at"
    ]
    assert (where.object, where.valid_at.hour, where.invalid_at.hour) == ("Room Fjord", 9, 10)
    assert await graph.entity("Eve") is None and await graph.entity("Fjord") is None
    assert (await graph.load.calendar(events)).facts == 0
    assert not (await graph.health.check_all()).findings


async def test_two_people_of_one_name_with_two_addresses_stay_two(graph):
    await graph.load.contacts(
        [
            {"name": "Kim Lee", "email": "kim@acme.example", "company": "Acme"},
            {"name": "Kim Lee", "email": ["kim@globex.example"], "company": "Globex"},
            {"name": "Kim L.", "email": "KIM@acme.example"},
        ]
    )
    people = await graph.at().entities("Kim Lee")
    assert sorted(kim.attributes["email"] for kim in people if kim.name == "Kim Lee") == [
        "KIM@acme.example",
        "kim@globex.example",
    ]
    assert len(people) == 2


async def test_a_newer_address_book_ends_an_older_job(graph):
    ada = {"name": "Ada", "email": "ada@example.org"}
    await graph.load.contacts([{**ada, "company": "Acme"}], reference_time="2020")
    await graph.load.contacts([{**ada, "company": "Globex"}], reference_time="2023")
    assert triples(await graph.at(history=True).facts("Ada")) == {
        ("Ada", "works_at", "Acme", "2020-01-01", "2023-01-01"),
        ("Ada", "works_at", "Globex", "2023-01-01", None),
    }


async def test_meetings_of_dictionaries(graph):
    await graph.load.calendar(
        [
            {
                "name": "Lunch",
                "start": day("2024-05-01"),
                "attendees": ["Ada", "bo@example.org", {"name": "Cy", "email": "cy@example.org"}],
                "organizer": "Ada",
            }
        ]
    )
    facts = await graph.at(history=True).facts("Lunch (2024-05-01)")
    assert {(fact.subject, fact.relation) for fact in facts} == {
        ("Ada", "attends"),
        ("Ada", "organizes"),
        ("bo@example.org", "attends"),
        ("Cy", "attends"),
    }


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"name": "Ada"}, {"name": " "}], "contact 2: it has neither a name"),
        ([{"nmae": "Ada"}], "contact 1: there is no field 'nmae'"),
        ([{"name": "Ada", "email": 7}], "contact 1"),
        (["Ada"], "contact 1"),
    ],
)
async def test_a_bad_contact_is_named_and_nothing_is_written(graph, rows, words):
    with pytest.raises(InputError, match=words):
        await graph.load.contacts(rows)
    assert await graph.log.events() == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("DTSTART;TZID=Europe/Oslo:20240305T100000", "X:1", "event 1: it has no start"),
        ("TZID=Europe/Oslo:20240305T100000", "TZID=Nowhere:20240305T100000", "'Nowhere'"),
        (";TZID=Europe/Oslo:20240305T100000", ":20240305T100000", "no time zone"),
        ("20240305T113000", "20240305T093000", "ends before it starts"),
        ("END:VEVENT\nBEGIN:VEVENT\nSUMMARY:Called off", "", "VEVENT"),
    ],
)
async def test_a_bad_meeting_is_named_and_nothing_is_written(graph, events, old, new, words):
    broken = EVENTS.replace(old, new)
    if old.startswith("END:VEVENT"):
        broken = EVENTS.partition("END:VEVENT")[0]
    events.write_text(broken, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        await graph.load.calendar(events)
    assert await graph.log.events() == []
