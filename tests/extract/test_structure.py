import json
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.extract.rules.structure import read_structure
from graphrag.names.key import name_key

SAID = datetime(2024, 5, 1, tzinfo=UTC)


def read(value):
    return read_structure(json.dumps(value, ensure_ascii=False), SAID)


def told(value):
    """Each fact as words, an ending marked by a minus sign."""
    return {
        f"{'-' if claim.ends else ''}{claim.subject.name} {claim.relation} {claim.object.name}"
        for claim in read(value).claims
    }


def dates(value):
    def shown(moment):
        return str(moment.date()) if moment else ""

    return {
        claim.relation: (shown(claim.valid_at), shown(claim.invalid_at))
        for claim in read(value).claims
    }


def types(value):
    return {mention.name: mention.entity_type for mention in read(value).mentions}


def attributes(value):
    return {mention.name: dict(mention.attributes) for mention in read(value).mentions}


PERSON = {"name": "Ann Lee", "occupation": "cook"}
COMPANY = {"company": "Acme"}


@pytest.mark.parametrize(
    ("record", "facts"),
    [
        (PERSON | {"employer": "Acme"}, {"Ann Lee works_at Acme"}),
        (PERSON | {"company": "Acme"}, {"Ann Lee works_at Acme"}),
        (PERSON | {"city": "Rome"}, {"Ann Lee lives_in Rome"}),
        (PERSON | {"residentIn": "Rome"}, {"Ann Lee lives_in Rome"}),
        (PERSON | {"husband": "Bo Ray"}, {"Ann Lee married_to Bo Ray"}),
        (PERSON | {"pupil_at": "Hill School"}, {"Ann Lee studies_at Hill School"}),
        (PERSON | {"children": ["Di Ray", "Ed Ray"]},
         {"Ann Lee parent_of Di Ray", "Ann Lee parent_of Ed Ray"}),
        (PERSON | {"mother": "Fay Lee"}, {"Fay Lee parent_of Ann Lee"}),
        (PERSON | {"brother": "Al Lee"}, {"Ann Lee sibling_of Al Lee"}),
        (PERSON | {"friends": "Bo Ray and Cy Dee"},
         {"Ann Lee friend_of Bo Ray", "Ann Lee friend_of Cy Dee"}),
        (PERSON | {"birthplace": "Rome, Italy"}, {"Ann Lee born_in Rome"}),
        (PERSON | {"likes": ["tea"]}, {"Ann Lee likes tea"}),
        (PERSON | {"member_of": "Chess Club"}, {"Ann Lee member_of Chess Club"}),
        (PERSON | {"manager": "Bo Ray"}, {"Ann Lee reports_to Bo Ray"}),
        (COMPANY | {"registered_office": "Rome"}, {"Acme located_in Rome"}),
        (COMPANY | {"city": "Rome"}, {"Acme located_in Rome"}),
        (COMPANY | {"chair": "Ann Lee"}, {"Ann Lee leads Acme"}),
        (COMPANY | {"ceo": "Ann Lee"}, {"Ann Lee leads Acme", "Ann Lee works_at Acme"}),
        (COMPANY | {"founders": ["Ann Lee"]}, {"Ann Lee founded Acme"}),
        (COMPANY | {"owner": "Bo Ray"}, {"Acme owned_by Bo Ray"}),
        (COMPANY | {"parent_company": "Globex"}, {"Acme part_of Globex"}),
        (COMPANY | {"subsidiaries": ["Globex"]}, {"Globex part_of Acme"}),
        (COMPANY | {"members": ["Ann Lee"]}, {"Ann Lee member_of Acme"}),
        (COMPANY | {"acquired_by": "Globex"}, {"Globex acquired Acme"}),
        (COMPANY | {"merged_with": "Globex"}, {"Acme merged_with Globex"}),
        (COMPANY | {"status": "insolvent"}, {"Acme has_status insolvent"}),
        ({"club": "Rovers", "squad": [{"player": "Ann Lee", "number": 9}]},
         {"Ann Lee plays_for Rovers"}),
        ({"town": "Hill", "mayor": "Ann Lee"}, {"Ann Lee leads Hill"}),
        ({"town": "Hill", "residents": [{"name": "Ann Lee"}]}, {"Ann Lee lives_in Hill"}),
        (COMPANY | {"broker": {"name": "Globex"}}, {"Acme broker Globex"}),
    ],
)  # fmt: skip
def test_key_tells_relation_and_direction(record, facts):
    assert told(record) == facts


@pytest.mark.parametrize(
    "record",
    [
        {
            "name": "left-pad",
            "author": "Jane Doe",
            "main": "index.js",
            "dependencies": {"react": "1"},
        },
        {"name": "root", "children": [{"label": "root"}], "parent": "other"},
        {"title": "Jaws", "director": "Ann Lee"},
        {"title": "Fix it", "head": {"label": "ann:main"}, "user": {"login": "ann"}},
        PERSON | {"school": "Hill School"},
        COMPANY | {"billing": {"city": "Rome", "street": "1 Via"}},
        PERSON | {"employer": "self-employed", "spouse": "n/a", "born_in": None},
        COMPANY | {"mayor": "vacant", "address": "12 Mill Lane", "founders": 2, "branches": 40},
        COMPANY | {"owner": "Acme", "chair": "ann"},
        {"level": "INFO", "event": "login", "user": "bob", "status": "ok"},
    ],
)
def test_ambiguous_key_tells_nothing(record):
    assert told(record) == set()


@pytest.mark.parametrize(
    ("record", "entity_type"),
    [
        ({"company": "Xi Yo"}, "organization"),
        ({"town": "Xi Yo"}, "place"),
        ({"player": "Xi Yo"}, "person"),
        ({"first_name": "Xi", "last_name": "Yo"}, "person"),
        ({"name": "Xi Yo", "kind": "railway company"}, "organization"),
        ({"name": "Xi Yo", "@type": "Person"}, "person"),
        ({"name": "Xi Yo", "spouse": "Bo Ray"}, "person"),
        ({"name": "Xi Yo", "headquarters": "Rome"}, "organization"),
        ({"title": "Xi Yo", "date": "2024-05-01", "venue": "Hall"}, "event"),
        ({"title": "Xi Yo", "author": "Bo Ray"}, "work"),
        ({"name": "Xi Yo", "type": "gadget"}, "thing"),
    ],
)
def test_record_type_comes_from_kind_key_or_relations(record, entity_type):
    assert types(record)["Xi Yo"] == entity_type


@pytest.mark.parametrize(
    ("record", "relation", "lifetime"),
    [
        (COMPANY | {"chair": {"name": "Ann Lee", "since": "2011-06-01"}},
         "leads", ("2011-06-01", "")),
        (COMPANY | {"chair": {"name": "Ann Lee", "from": "2011", "until": "2013-04"}},
         "leads", ("2011-01-01", "2013-05-01")),
        (COMPANY | {"owner": "Bo Ray", "owner_since": "2020-01"}, "owned_by", ("2020-01-01", "")),
        (COMPANY | {"founder": "Ann Lee", "founded": 1946}, "founded", ("1946-01-01", "")),
        (PERSON | {"employer": "Acme", "since": "2009-08"}, "works_at", ("2009-08-01", "")),
        (PERSON | {"employer": "Acme", "spouse": "Bo Ray", "since": "2009"}, "works_at", ("", "")),
        (PERSON | {"employer": "Acme", "resident_in": "Rome", "since": "2009"},
         "works_at", ("", "")),
        (PERSON | {"employer": "Acme", "resident_in": "Rome", "since": "2009"},
         "lives_in", ("2009-01-01", "")),
        (PERSON | {"employer": "Acme", "from": "2016", "lives_in": "Rome", "lives_since": "2018"},
         "works_at", ("2016-01-01", "")),
        (PERSON | {"born": "1980-02-01", "born_in": "Rome"}, "born_in", ("1980-02-01", "")),
        (PERSON | {"employer": "Acme", "since": "soon"}, "works_at", ("", "")),
        (PERSON | {"employer": "Acme", "from": "2016", "until": "2015"},
         "works_at", ("2016-01-01", "")),
    ],
)  # fmt: skip
def test_date_beside_a_relation_dates_it_if_it_is_certain_which(record, relation, lifetime):
    assert dates(record)[relation] == lifetime


@pytest.mark.parametrize(
    ("record", "facts", "end"),
    [
        (PERSON | {"former_employer": "Acme"}, {"-Ann Lee works_at Acme"}, ""),
        (PERSON | {"former_employer": {"name": "Acme", "until": "2019"}},
         {"-Ann Lee works_at Acme"}, "2020-01-01"),
        (COMPANY | {"previous_owner": "Bo Ray", "owner": {"name": "Globex", "since": "2022-09-01"}},
         {"-Acme owned_by Bo Ray", "Acme owned_by Globex"}, "2022-09-01"),
        (PERSON | {"moved_from": "Rome", "resident_in": "Hill", "since": "2021-09-03"},
         {"-Ann Lee lives_in Rome", "Ann Lee lives_in Hill"}, "2021-09-03"),
    ],
)  # fmt: skip
def test_former_relation_ends(record, facts, end):
    assert told(record) == facts
    [claim] = [claim for claim in read(record).claims if claim.ends]
    assert (str(claim.invalid_at.date()) if claim.invalid_at else "") == end


@pytest.mark.parametrize("wrap", [lambda r: [r, r], lambda r: {"extract": {"records": [r]}}])
def test_containers_hold_records_and_repetitions_count_once(wrap):
    extraction = read(wrap(PERSON | {"employer": "Acme"}))
    assert len(extraction.claims) == 1
    assert len(extraction.mentions) == 2


def test_former_names_become_aliases():
    [mention] = read(COMPANY | {"former_name": "Ajax", "renamed_to": "Zenith"}).mentions
    assert mention.aliases == ("Ajax", "Zenith")


def test_scalars_and_prose_become_attributes():
    prose = "A long story about Rome. " * 9
    record = COMPANY | {"number": "V-1", "isOpen": True, "city": prose, "founded": "1946"}
    expected = {"number": "V-1", "is_open": True, "city": prose, "founded": "1946"}
    assert attributes(record) == {"Acme": expected}


def test_untyped_name_takes_the_type_it_has_elsewhere():
    assert types(COMPANY | {"owner": "Ann Lee", "founder": "Ann Lee"})["Ann Lee"] == "person"


def test_sentence_title_and_origin_read_on_their_own():
    claim, implied = read(COMPANY | {"managing_director": "Ines Quarrie"}).claims
    assert claim.text == "Ines Quarrie leads Acme (managing director)."
    assert claim.attributes == {"title": "managing director"}
    assert (claim.origin, implied.origin) == ("structural", "inferred")


@pytest.mark.parametrize("ascii_only", [True, False])
def test_spans_are_where_the_value_stands(ascii_only):
    record = {"note": "Łukasz", "player": "Łukasz", "club": "Rovers"}
    content = json.dumps(record, ensure_ascii=ascii_only)
    player, club = read_structure(content, SAID).mentions
    assert json.loads(f'"{content[player.start : player.end]}"') == "Łukasz"
    assert content[: player.start].endswith('"player": "')
    assert content[club.start : club.end] == "Rovers"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no JSON",
        "3",
        '"text"',
        "null",
        "[" * 100_000,
        "[" * 900 + "]" * 900,
        "9" * 5000,
        "[NaN]",
    ],
)
def test_odd_content_gives_nothing(content):
    extraction = read_structure(content, SAID)
    assert (extraction.mentions, extraction.claims) == ((), ())


def test_many_records_take_linear_time():
    def seconds(count):
        records = [PERSON | {"name": f"Ann {n:x} Lee", "employer": "Acme"} for n in range(count)]
        content = json.dumps(records)
        start = time.thread_time()  # of this thread, whatever else the process does
        assert len(read_structure(content, SAID).claims) == count
        return time.thread_time() - start

    # The least of five: the collector may go through all that other tests left in memory.
    many, few = (min(seconds(count) for _ in range(5)) for count in (3_000, 300))
    assert many < 20 * few


_KEYS = st.sampled_from(
    "name title company town employer city owner ceo chair mayor squad player children type since"
    " until venue date record parties child parents status former_name former_employer".split()
)
_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
    | st.sampled_from(["Ann Lee", "Bo and Cy", "Acme", "marriage", "birth", "event", "9999"])
)  # fmt: skip
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(_KEYS | st.text(max_size=6), inner, max_size=6)
    ),
    max_leaves=25,
)


@given(_VALUES, st.booleans())
def test_any_json_is_read_with_spans_inside_it_and_two_ends_to_each_fact(value, ascii_only):
    content = json.dumps(value, ensure_ascii=ascii_only)
    extraction = read_structure(content, SAID)
    for found in (*extraction.mentions, *extraction.claims):
        assert 0 <= found.start <= found.end <= len(content)
    for claim in extraction.claims:
        assert name_key(claim.subject.name) != name_key(claim.object.name)
        assert {claim.subject, claim.object} <= {*extraction.mentions}
        assert claim.origin in ("structural", "inferred")
    json.dumps([dict(mention.attributes) for mention in extraction.mentions], allow_nan=False)


def test_a_record_says_as_what_somebody_works_somewhere():
    record = {"name": "Ann Lee", "employer": "Acme", "title": "Clerk", "since": "2010-08-01"}
    facts = {
        f"{claim.relation} {claim.object.name}": claim.valid_at for claim in read(record).claims
    }
    assert facts.keys() == {"works_at Acme", "has_role Clerk"}
    assert {str(start.date()) for start in facts.values()} == {"2010-08-01"}


@pytest.mark.parametrize(
    ("more", "end"),
    [
        ({"termination_date": "2023-12-31"}, "2024-01-01"),
        ({"status": "resigned"}, ""),
        ({"active": False}, ""),
    ],
)
def test_a_job_that_a_record_says_is_left_is_over(more, end):
    [claim] = read({"name": "Ann Lee", "employer": "Acme", **more}).claims
    assert claim.ends or claim.invalid_at is not None
    assert (str(claim.invalid_at.date()) if claim.invalid_at else "") == end


def test_a_divorce_ends_the_marriage_of_the_record():
    [claim] = read({"name": "Ann Lee", "spouse": "Bo Ray", "divorced": "2021-06-01"}).claims
    assert (claim.valid_at, str(claim.invalid_at.date())) == (None, "2021-06-01")
