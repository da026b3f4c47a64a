"""Repeated meetings and the time zones of calendars from elsewhere."""

import pytest

from graphrag.errors import InputError

HEAD = "BEGIN:VCALENDAR\nVERSION:2.0\n"
TAIL = "END:VCALENDAR\n"
WEEKLY = "DTSTART;TZID=Europe/Oslo:20240318T090000\nDTEND;TZID=Europe/Oslo:20240318T093000"


def event(*lines, name="Standup", uid="s1"):
    inside = "\n".join(
        (f"SUMMARY:{name}", f"UID:{uid}", "ATTENDEE;CN=Ada:mailto:ada@example.org", *lines)
    )
    return f"BEGIN:VEVENT\n{inside}\nEND:VEVENT\n"


@pytest.fixture
def calendar(tmp_path):
    def written(*events, head=""):
        path = tmp_path / "calendar.ics"
        path.write_text(HEAD + head + "".join(events) + TAIL, encoding="utf-8")
        return path

    return written


async def starts(graph, path, until="2024-07-01", **options):
    await graph.load.calendar(path, until=until, **options)
    facts = await graph.at(history=True).facts("Ada")
    return sorted(f"{fact.valid_at:%Y-%m-%d %H:%M}" for fact in facts)


async def test_each_meeting_of_a_series_is_told_at_the_time_on_the_wall(graph, calendar):
    path = calendar(event(WEEKLY, "RRULE:FREQ=WEEKLY;COUNT=3"))
    # The clocks in Oslo were put forward on 31 March 2024.
    assert await starts(graph, path) == ["2024-03-18 08:00", "2024-03-25 08:00", "2024-04-01 07:00"]
    [first] = [
        fact
        for fact in await graph.at(history=True).facts("Ada")
        if fact.object == "Standup (2024-03-18)"
    ]
    assert (first.invalid_at - first.valid_at).total_seconds() == 1800


async def test_importing_a_series_again_adds_nothing(graph, calendar):
    path = calendar(event(WEEKLY, "RRULE:FREQ=WEEKLY;COUNT=3"))
    await graph.load.calendar(path, until="2024-07-01")
    assert (await graph.load.calendar(path, until="2024-07-01")).facts == 0


async def test_a_series_is_told_within_the_horizon(graph, calendar):
    path = calendar(event(WEEKLY, "RRULE:FREQ=WEEKLY"))
    found = await starts(graph, path, since="2024-04-02", until="2024-04-16")
    assert found == ["2024-04-08 07:00", "2024-04-15 07:00"]


async def test_a_series_without_end_is_told_for_a_year_to_come(graph, calendar):
    path = calendar(event("DTSTART:20200101T090000Z", "RRULE:FREQ=YEARLY"))
    await graph.load.calendar(path)
    facts = await graph.at(history=True).facts("Ada")
    assert len(facts) > 6
    assert (max(fact.valid_at for fact in facts) - facts[0].created_at).days <= 365


@pytest.mark.parametrize(
    "until", ["20240401T070000Z", "20240401T090000", "20240401"], ids=["utc", "wall", "day"]
)
async def test_the_end_of_a_series_is_read_in_every_form(graph, calendar, until):
    path = calendar(event(WEEKLY, f"RRULE:FREQ=WEEKLY;UNTIL={until}"))
    assert len(await starts(graph, path)) == 3


async def test_exceptions_additions_and_moved_ones_are_followed(graph, calendar):
    path = calendar(
        event(
            WEEKLY,
            "RRULE:FREQ=WEEKLY;COUNT=4",
            "EXDATE;TZID=Europe/Oslo:20240325T090000",
            "RDATE;TZID=Europe/Oslo:20240320T120000",
        ),
        event(
            "RECURRENCE-ID;TZID=Europe/Oslo:20240401T090000",
            "DTSTART;TZID=Europe/Oslo:20240402T100000",
        ),
        event(
            "RECURRENCE-ID;TZID=Europe/Oslo:20240408T090000",
            "DTSTART;TZID=Europe/Oslo:20240408T090000",
            "STATUS:CANCELLED",
        ),
    )
    assert await starts(graph, path) == ["2024-03-18 08:00", "2024-03-20 11:00", "2024-04-02 08:00"]


async def test_whole_days_repeat(graph, calendar):
    path = calendar(event("DTSTART;VALUE=DATE:20220510", "RRULE:FREQ=YEARLY;UNTIL=20240510"))
    assert await starts(graph, path) == ["2022-05-10 00:00", "2023-05-10 00:00", "2024-05-10 00:00"]


OUTLOOK = """\
BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T000000
TZOFFSETFROM:+0300
TZOFFSETTO:+0300
END:STANDARD
END:VTIMEZONE
"""


@pytest.mark.parametrize(
    ("zone", "head", "hour"),
    [
        (";TZID=W. Europe Standard Time", "", "08:00"),
        (';TZID="Pacific Standard Time"', "", "16:00"),
        (";TZID=Customized Time Zone", OUTLOOK, "06:00"),
        ("", "X-WR-TIMEZONE:Europe/Oslo\n", "08:00"),
    ],
    ids=["windows", "quoted", "described", "default of the file"],
)
async def test_zones_are_known_however_they_are_named(graph, calendar, zone, head, hour):
    path = calendar(event(f"DTSTART{zone}:20240318T090000"), head=head)
    assert await starts(graph, path) == [f"2024-03-18 {hour}"]


async def test_a_zone_that_a_file_describes_is_that_of_no_other_file(graph, calendar):
    start = event("DTSTART;TZID=Customized Time Zone:20240318T090000")
    assert await starts(graph, calendar(start, head=OUTLOOK)) == ["2024-03-18 06:00"]
    with pytest.raises(InputError, match="DTSTART has the unknown time zone 'Customized"):
        await graph.load.calendar(calendar(start))
    west = OUTLOOK.replace("+0300", "-0500")
    await graph.load.calendar(calendar(start, head=west))
    facts = await graph.at(history=True).facts("Ada")
    assert {fact.valid_at.hour for fact in facts} == {6, 14}


async def test_zones_with_the_name_of_a_program_before_theirs_are_known(graph, calendar):
    zone = "TZID=/freeassociation.sourceforge.net/Europe/Oslo"
    assert await starts(graph, calendar(event(f"DTSTART;{zone}:20240318T090000"))) == [
        "2024-03-18 08:00"
    ]


async def test_a_calendar_that_is_cut_off_is_refused(graph, calendar):
    path = calendar(event(WEEKLY))
    path.write_text(path.read_text().removesuffix(TAIL))
    with pytest.raises(InputError, match="the file is cut off"):
        await graph.load.calendar(path)


async def test_times_without_a_zone_can_be_given_one(graph, calendar):
    path = calendar(event("DTSTART:20240318T090000"))
    assert await starts(graph, path, time_zone="Asia/Tokyo") == ["2024-03-18 00:00"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("RRULE:FREQ=SOMETIMES", "event 1: RRULE 'FREQ=SOMETIMES' cannot be read"),
        ("RRULE:FREQ=DAILY;COUNT=2000", "more than 1,000 meetings"),
        ("RRULE:FREQ=SECONDLY", "every minute or second"),
        (
            "EXDATE:20240318T090000Z,soon",
            "event 1: EXDATE '20240318T090000Z,soon' cannot be read: .* Got: 'soon'",
        ),
        ("EXDATE;TZID=Nowhere:20240318T090000", "event 1: EXDATE has the unknown time zone"),
    ],
)
async def test_a_series_that_cannot_be_read_is_named_and_nothing_is_written(
    graph, calendar, line, words
):
    path = calendar(event(WEEKLY, "RRULE:FREQ=DAILY;COUNT=3" if "EX" in line else "X-A:1", line))
    with pytest.raises(InputError, match=words):
        await graph.load.calendar(path, until="2034-01-01")
    assert await graph.log.events() == []
