"""From statements to facts: ids, what joins and splits, what no longer stands, what ends what."""

import re
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from graphrag import InputError
from graphrag.ingest.lifetimes import Exclusion, Statement
from graphrag.ingest.lifetimes.said import stated
from graphrag.ingest.lifetimes.settle import settle
from graphrag.model.assertion import Assertion, Date, Void
from graphrag.model.ids import derived_id
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relation, Relations
from tests.ingest.lifetimes.telling import date, held, holds_at, moment, statement, tell, tell_all

RELATIONS = Relations()
FIRST, LATER = Date(moment("2011")), Date(moment("2012"))


def by_id(settlement):
    return {one.id: one for one in settlement.lifetimes}


def test_a_statement_of_a_fact_keeps_all_that_its_source_said():
    at = moment("2013")
    said = Assertion(
        "s", FIRST, LATER, at, "was", 0.5, 0.4, "episode", "table", 3, 9, True, True, True, True,
        True, ("other",), "why", "words", "Anna", "Bob", Void("retracted"),
    )  # fmt: skip
    fact = Fact("f", "g", at, "ann", "bo", "Ann", "knows", "Bo", "Ann knows Bo.")
    statement = stated(said, fact, said.void)
    kept = {field.name: getattr(statement, field.name) for field in fields(Assertion)}
    assert kept == {name: getattr(said, name) for name in kept}
    assert all(kept[field.name] != field.default for field in fields(Assertion)), "all are tested"
    about = statement.fact, statement.subject, statement.relation, statement.object
    assert about == ("f", "ann", "knows", "bo")


def test_a_gap_that_opens_splits_a_fact_and_its_first_statement_keeps_the_id():
    first, again = tell("X from 2011", 0, fact="job"), tell("X seen 2014", 1, fact="job")
    [whole] = settle([first, again], RELATIONS).lifetimes
    assert (whole.id, whole.statements) == ("job", ("s0", "s1"))
    between = tell("Y 2012 to 2013", 2)
    split = by_id(settle([first, again, between], RELATIONS))
    assert split["job"].statements == ("s0",)
    [later] = [one for one in split.values() if one.statements == ("s1",)]
    assert later.id not in ("job", between.fact)
    assert (later.valid_at, later.observed) == (moment("2014"), True)
    again_split = by_id(settle([between, again, first], RELATIONS))
    assert again_split == split  # the new id follows from the statement


def test_a_further_spell_has_the_id_of_its_first_statement_unless_a_fact_has_that():
    told = [tell("X from 2011", 0, fact="job"), tell("X seen 2014", 1, fact="job")]
    told.append(tell("Y 2012 to 2013", 2))
    assert {one.id for one in settle(told, RELATIONS).lifetimes} == {"job", "s1", "f2"}
    told.append(tell("Z from 2011", 3, subject="bob", fact="s1"))
    ids = {one.id for one in settle(told, RELATIONS).lifetimes}
    assert ids == {"job", derived_id("s1", "0"), "f2", "s1"}


def test_facts_join_when_what_stood_between_them_falls():
    told = tell_all("X from 2011; Y from 2012; X from 2013")
    assert set(by_id(settle(told, RELATIONS))) == {"f0", "f1", "f2"}
    told[1] = replace(told[1], void=Void("retracted", reason="a mistake"))
    found = settle(told, RELATIONS)
    assert by_id(found)["f0"].statements == ("s0", "s2")
    assert found.joins == {"f2": "f0"}
    gone = by_id(found)["f1"]
    assert (gone.closed_as, gone.reason, gone.statements) == ("retracted", "a mistake", ())
    assert not holds_at(gone, moment("2012"))


def test_a_fact_that_loses_its_first_statement_goes_on_with_the_next():
    first, again = tell("X from 2011", 0, fact="job"), tell("X seen 2014", 1, fact="job")
    [left] = settle([replace(first, void=Void("retracted")), again], RELATIONS).lifetimes
    assert (left.id, left.valid_at, left.statements) == ("job", moment("2014"), ("s1",))


def test_what_is_corrected_names_what_is_right():
    wrong = tell("X from 2011", 0, void=Void("corrected", by="s1", reason="corrected: Y"))
    found = by_id(settle([wrong, tell("Y from 2011", 1)], RELATIONS))
    assert (found["f0"].closed_as, found["f0"].invalidated_by) == ("corrected", "f1")
    assert holds_at(found["f1"], moment("2012"))


def test_a_ruling_makes_rivals_and_stays():
    told = [
        tell("Vim from 2011", 0, relation="uses"),
        tell("Emacs from 2013", 1, relation="uses"),
        tell("Vim seen 2015", 2, relation="uses"),
    ]
    assert held(settle(told, RELATIONS), "2016") == {"Vim", "Emacs"}
    ruling = Exclusion("r1", ("s0", "s1"))
    found = settle(told, RELATIONS, rulings=[ruling])
    assert [held(found, year) for year in ("2012", "2014", "2016")] == [{"Vim"}, {"Emacs"}, {"Vim"}]
    assert by_id(found)["f0"].ruling == "r1"
    assert held(settle(told[1:], RELATIONS, rulings=[ruling]), "2014") == {"Emacs"}


def test_where_the_rules_suffice_no_ruling_is_named():
    told = tell_all("X from 2011; Y from 2013")
    found = settle(told, RELATIONS, rulings=[Exclusion("r1", ("s0", "s1"))])
    assert (by_id(found)["f0"].closed_as, by_id(found)["f0"].ruling) == ("superseded", None)


@pytest.mark.parametrize("mark", ["untyped", "as_given"])
def test_what_excludes_nothing_of_its_kind(mark):
    told = [tell(f"{value} from 2011", seq, **{mark: True}) for seq, value in enumerate("XY")]
    found = settle(told, RELATIONS)
    assert held(found, "2012") == {"X", "Y"}
    assert not found.overruled
    told[1] = replace(told[1], since=date("2013"), **{mark: False})
    expected = {"X", "Y"} if mark == "untyped" else {"Y"}
    assert held(settle(told, RELATIONS), "2014") == expected


def test_both_directions_inverses_and_synonyms_are_one_value():
    relations = RELATIONS.having(Relation("job", synonym_of="works_at"))
    told = [
        tell("X from 2011", 0, relation="job"),
        statement("s1", "f1", "X", "employs", "ann", Date(moment("2012")), seq=1),
        tell("Y from 2013", 2),
    ]
    found = settle(told, relations)
    assert by_id(found)["f0"].statements == ("s0", "s1")
    assert by_id(found)["f0"].invalidated_by == "f2"
    couple = [
        statement("a", "fa", "ann", "married_to", "bob", Date(moment("2011")), seq=0),
        statement("b", "fb", "bob", "married_to", "ann", Date(moment("2012")), seq=1),
        statement("c", "fc", "cid", "married_to", "bob", Date(moment("2014")), seq=2),
    ]
    assert settle(couple, relations).joins == {"fb": "fa"}
    assert by_id(settle(couple, relations))["fa"].invalidated_by == "fc"


def test_the_middle_of_a_chain_takes_its_time_from_both_sides():
    relations = RELATIONS
    people = ["ann", "bob", "cid", "dan"]
    told = [
        statement(f"s{seq}", f"f{seq}", one, "married_to", other, Date(moment(f"{2010 + seq}")))
        for seq, (one, other) in enumerate(pairwise(people))
    ]
    found = by_id(settle(told, relations))
    assert [found[id_].invalidated_by for id_ in ("f0", "f1", "f2")] == ["f1", "f2", None]


def test_what_a_trusted_rival_does_not_hold_it_does_not_take():
    told = [
        statement("a", "fa", "ann", "married_to", "bob", FIRST, at=moment("2030"), trust=1.0),
        statement("b", "fb", "ann", "married_to", "cid", FIRST, at=moment("2031"), trust=1.0),
        statement("c", "fc", "bob", "married_to", "dan", LATER, at=moment("2020")),
    ]
    found = by_id(settle(told, RELATIONS))
    assert (found["fa"].closed_as, found["fb"].closed_as) == ("overruled", None)
    assert (found["fc"].valid_at, found["fc"].closed_as) == (moment("2012"), "superseded")


def test_what_was_so_at_an_unknown_moment_holds_at_none_that_is_known():
    told = [
        statement("w", "fw", "ann", "married_to", "bob", kind="was", at=moment("2023")),
        statement("a", "fa", "ann", "married_to", "cid", Date(moment("2015"))),
        statement("b", "fb", "bob", "married_to", "dan", Date(moment("2010")), date("2016")),
    ]
    past = by_id(settle(told, RELATIONS))["fw"]
    assert (past.valid_at, past.invalid_at, past.closed_as) == (None, moment("2023"), "past")


ENDING = RELATIONS.having(
    Relation("died", ends=("works_at", "married_to", "leads")),
    Relation("closed", ends=("works_at",)),
    Relation("divorced", symmetric=True, ends_between=("married_to",)),
)


@pytest.mark.parametrize(
    ("relation", "subject", "object_", "ended"),
    [
        ("died", "ann", "town", {"job", "marriage"}),
        ("died", "bob", "town", {"marriage", "other job"}),
        ("closed", "acme", "town", {"job", "other job"}),
        ("divorced", "bob", "ann", {"marriage"}),
        ("divorced", "bob", "cid", set()),
    ],
)
def test_an_event_ends_what_its_relation_names(relation, subject, object_, ended):
    since = Date(moment("2010"))
    told = [
        statement("s0", "job", "ann", "works_at", "acme", since),
        statement("s1", "other job", "bob", "works_at", "acme", since),
        statement("s2", "marriage", "ann", "married_to", "bob", since),
        statement("e", "event", subject, relation, object_, date("2020-05-03"), kind="event"),
    ]
    found = by_id(settle(told, ENDING))
    for id_ in ("job", "other job", "marriage"):
        one = found[id_]
        if id_ in ended:
            assert (one.invalid_at, one.closed_as) == (moment("2020-05-03"), "ended")
            assert one.invalidated_by == "event"
        else:
            assert one.invalid_at is None
    assert found["event"].closed_as == "bounded"


def test_what_is_seen_on_the_day_of_an_event_is_over_after_it():
    noon = datetime(2020, 5, 3, 12, tzinfo=UTC)
    told = [
        statement("s0", "job", "ann", "works_at", "acme", at=noon),
        statement("e", "event", "ann", "died", "town", date("2020-05-03"), kind="event"),
    ]
    job = by_id(settle(told, ENDING))["job"]
    assert job.valid_at == noon
    assert job.closed_as == "ended"


def test_an_end_without_an_object_ends_the_right_side():
    told = [
        statement("s0", "f0", "bob", "leads", "acme", Date(moment("2010"))),
        statement("s1", "f1", "bob", "leads", "beta", Date(moment("2010"))),
        statement("e", None, "acme", "led_by", "", until=Date(moment("2020"))),
    ]
    found = by_id(settle(told, RELATIONS))
    assert (found["f0"].closed_as, found["f1"].closed_as) == ("ended", None)


def test_an_end_that_nobody_heeds_is_listed():
    found = settle(tell_all("X since 2010, told 2020; X left 2015"), RELATIONS)
    assert found.overruled == (("s1", "s0"),)


def test_timeless_values_hold_beside_each_other_and_trust_decides():
    relations = RELATIONS.having(Relation("born_in", single_valued=True, timeless=True))
    told = [tell(f"{value} event 1980", seq, relation="born_in") for seq, value in enumerate("XY")]
    found = settle(told, relations)
    assert held(found, "1970") == held(found, "2024") == {"X", "Y"}
    assert not found.overruled
    told[0] = replace(told[0], trust=1.0)
    assert held(settle(told, relations), "2024") == {"X"}


def test_reasons_are_told_in_the_words_of_the_statements():
    story = "X from 2010; Y from 2012; Y left 2014; was Z, told 2009; V 2001 to 2002"
    reasons = {one.object: one.reason for one in settle(tell_all(story), RELATIONS).lifetimes}
    assert reasons == {
        "X": "ended by: Y from 2012",
        "Y": "ended: Y left 2014",
        "Z": "over when it was stated: was Z, told 2009",
        "V": "stated with its end: V 2001 to 2002",
    }


def test_nothing_follows_from_nothing():
    found = settle([], RELATIONS)
    assert (found.lifetimes, found.overruled, found.joins) == ((), (), {})


def test_a_statement_given_twice_is_one_and_two_of_one_id_are_refused():
    one = tell("X from 2011")
    assert len(settle([one, one], RELATIONS).lifetimes[0].statements) == 1
    with pytest.raises(InputError, match="two statements have the id 's0'"):
        settle([one, replace(one, until=date("2012"))], RELATIONS)


BASE = {"id": "s", "fact": "f", "subject": "ann", "relation": "works_at", "object": "X"}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"since": Date(datetime(2011, 1, 1))}, "has no time zone"),  # noqa: DTZ001
        ({"at": datetime(2011, 1, 1)}, "has no time zone"),  # noqa: DTZ001
        ({"since": LATER, "until": FIRST}, "its end 2011-01-01T00:00:00+00:00 is not after"),
        ({"since": FIRST, "until": FIRST}, "is not after its start"),
        ({"object": ""}, "without an object it can only end or cancel"),
        ({"object": "", "since": FIRST, "until": LATER}, "without an object"),
        ({"kind": "planned"}, "a plan needs the moment"),
        ({"kind": "event"}, "an event needs its date"),
        ({"kind": "was"}, "needs the moment of telling"),
        ({"kind": "was", "since": LATER, "at": moment("2011")}, "which is not after its start"),
        ({"trust": float("nan")}, "trust nan is no finite number"),
    ],
)
def test_what_has_no_meaning_is_refused(changed, problem):
    with pytest.raises(InputError, match=re.escape(problem)) as error:
        Statement(**{**BASE, **changed})
    assert "statement s ('ann works_at" in str(error.value)


@pytest.mark.parametrize("precision", ["year", "month", "day", "exact"])
def test_the_ends_of_the_calendar(precision):
    first, last = (
        Date(end.replace(tzinfo=UTC), precision)
        for end in (datetime.min, datetime.max)  # noqa: DTZ901
    )
    for kind in ("state", "event"):
        found = settle([Statement(**BASE, since=last, kind=kind)], RELATIONS)
        assert found.lifetimes[0].valid_at == last.moment
    [over] = settle([Statement(**BASE, until=first)], RELATIONS).lifetimes
    assert (over.valid_at, over.invalid_at) == (None, first.moment)
    assert not holds_at(over, first.moment)
