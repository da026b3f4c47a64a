"""The worked cases, and random histories, through every door by which a graph is told something."""

import os
import random
from dataclasses import replace
from itertools import permutations

import pytest

from graphrag import Fact
from graphrag.ingest.lifetimes.accounts import line_of
from graphrag.model.assertion import Date
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.ontology.relations import Relations
from graphrag.testing import ScriptedExtractor
from tests.conftest import open_graph
from tests.edit.faint import whole
from tests.ingest.lifetimes.histories import DATES, MOMENTS, RELATIONS
from tests.ingest.lifetimes.oracle import Oracle
from tests.ingest.lifetimes.telling import moment, statement, tell_all
from tests.ingest.lifetimes.test_cases import AMENDMENTS, CASES

WIDTHS = {"year": 4, "month": 7, "day": 10, "exact": 32}
HISTORIES = int(os.environ.get("GRAPHRAG_HISTORIES", "60"))


def words(date):
    return None if date is None else date.moment.isoformat()[: WIDTHS[date.precision]]


def as_row(one):
    """Return a statement as the arguments of ``add_fact``; None if it has no such form."""
    if one.kind != "state" or one.trust or not one.object:
        return None
    if one.until is not None and one.since is None and one.at is not None:
        return None
    given = {"valid_at": words(one.since), "invalid_at": words(one.until)}
    given["reference_time"] = one.at and one.at.isoformat()
    ends = {"subject": one.subject, "relation": one.relation, "object": one.object}
    return {**ends, **{name: item for name, item in given.items() if item}}


def as_claim(one, text):
    """Return a statement as a claim and the reference time of its text; None without such."""
    dates = [date.moment for date in (one.since, one.until) if date is not None]
    if one.trust or not (dates or one.at):
        return None
    reference = one.at or dates[0]
    until, since = one.until, one.since
    ends = one.ends and one.kind == "state"
    return reference, Claim(
        Mention(one.subject, "person", 0, 1),
        one.relation,
        Mention(one.object, "organization", 0, 1) if one.object else None,
        text,
        0,
        len(text),
        valid_at=since and since.moment,
        invalid_at=until and until.moment,
        ends=ends,
        current=one.at is not None,
        kind=one.kind,
        valid_precision=since.precision if since else "exact",
        invalid_precision=until.precision if until else "exact",
    )


def named(story, order, subject):
    told = sorted(tell_all(story, order), key=lambda one: one.seq)
    return [replace(one, subject=subject) for one in told]


def stories(form):
    """Yield every worked case in every order that this form can tell, each of another person."""
    known = [case[:3] for case in CASES]
    known += [(story, answers, None) for _, story, answers in AMENDMENTS if ", text" not in story]
    for case, (story, answers, facts) in enumerate(known):
        if all(form(one) is not None for one in tell_all(story)):
            for order in permutations(range(story.count(";") + 1)):
                subject = f"Person {case} {''.join(map(str, order))}"
                yield subject, named(story, order, subject), answers, facts


async def check_answers(graph, asked):
    for subject, story, answers, facts in asked:
        for at, values in answers.items():
            held = await graph.at(valid_at=moment(at)).facts(subject)
            assert {fact.object for fact in held} == {*values}, (story, at)
        known = await graph.at(history=True).facts(subject)
        assert (
            facts is None or len([fact for fact in known if fact.retracted_at is None]) == facts
        ), story
    await whole(graph)


@pytest.mark.parametrize("door", ["add_fact", "load.facts", "one batch"])
async def test_worked_cases_told_directly_in_every_order(door):
    asked = list(stories(as_row))
    assert len({story[0].split()[1] for story in asked}) >= 12
    async with open_graph(relations=Relations()) as graph:
        rows = [as_row(one) for _, told, _, _ in asked for one in told]
        if door == "add_fact":
            for row in rows:
                ends = [row.pop(name) for name in ("subject", "relation", "object")]
                await graph.add_fact(*ends, **row)
        else:
            await graph.load.facts(rows, batch=7 if door == "load.facts" else len(rows))
        await check_answers(graph, asked)


@pytest.mark.parametrize("door", ["add_episode", "queue"])
async def test_worked_cases_told_in_texts_in_every_order(door):
    asked = list(stories(lambda one: as_claim(one, "")))
    assert len({story[0].split()[1] for story in asked}) >= 16
    texts = {}
    for subject, told, _, _ in asked:
        for one in told:
            text = f"{subject}: {one.text} ({one.seq})."
            texts[text] = as_claim(one, text)
    script = {text: Extraction(claims=(claim,)) for text, (_, claim) in texts.items()}
    extractor = ScriptedExtractor(script)
    async with open_graph(extractor=extractor, workers=0) as graph:
        for text, (reference, _) in texts.items():
            wait = door == "add_episode"
            await graph.add_episode(text, reference_time=reference, wait=wait)
        await graph.queue.drain_all()
        await check_answers(graph, asked)


POOLS = (
    [("works_at", "X"), ("works_at", "Y"), ("works_at", "Z"), ("job", "Y")],
    [("works_at", "X"), ("works_at", "Y")],
    [("likes", "X"), ("dislikes", "X"), ("likes", "Y")],
    [("works_at", "X"), ("died", "W"), ("works_at", "Y")],
)


def drawn(rng, subject, number):
    """Return a random statement of a person."""
    relation, object_ = rng.choice(rng.choice(POOLS))
    shape = rng.choice(("since",) * 3 + ("since at", "since until", "until", "at", "at", ""))
    since = rng.choice(DATES) if "since" in shape else None
    until = rng.choice(DATES) if "until" in shape else None
    if since and until and (until.start <= since.start or until.moment <= since.moment):
        until = None
    at = rng.choice(MOMENTS) if "at" in shape else None
    if since is None and at is None and until is None and relation == "died":
        since = DATES[0]
    name = f"{object_} of {subject}"
    return statement(f"s{number}", f"f{number}", subject, relation, name, since, until, at)


async def lived(graph, extractor, rng, subject):
    """Tell, take back and restore at random; return what stands."""
    stands, undone = {}, []
    for number in range(rng.randrange(2, 8)):
        kind = rng.choice(("tell", "tell", "tell", "undo", "undo", "restore"))
        if kind == "tell":
            one = drawn(rng, subject, number)
            text = f"{subject} {number}."
            claim = as_claim(one, text)
            if claim is not None and rng.random() < 0.5:
                extractor.script[text] = Extraction(claims=(claim[1],))
                await graph.add_episode(text, reference_time=claim[0])
                if claim[1].ends or claim[1].valid_at is None:
                    one = replace(one, at=claim[0])
            elif (row := as_row(one)) is not None:
                before = await last(graph)
                ends = [row.pop(name) for name in ("subject", "relation", "object")]
                await graph.add_fact(*ends, **row)
                if await last(graph) == before:
                    continue  # it was told before
            else:
                continue
            stands[await last(graph)] = one
        elif kind == "undo" and stands:
            event = rng.choice(list(stands))
            await graph.log.revert(event)
            undone.append((await last(graph), event, stands.pop(event)))
        elif kind == "restore" and undone:
            event, first, one = undone.pop(rng.randrange(len(undone)))
            await graph.log.revert(event)
            stands[first] = one
    return list(stands.values())


async def last(graph):
    return (await graph.handle.session.catalog.group("default")).seq


def value_of(relation, subject, object_):
    return line_of(statement("v", None, subject, relation, object_), RELATIONS)


async def test_random_histories_through_the_doors_equal_the_rules():
    rng = random.Random(os.environ.get("GRAPHRAG_SEED", "settle"))
    extractor = ScriptedExtractor({})
    async with open_graph(relations=RELATIONS, extractor=extractor) as graph:
        told = {}
        for number in range(HISTORIES):
            subject = f"Person {number}"
            told[subject] = await lived(graph, extractor, rng, subject)
        index = await graph.handle.session.catalog.group("default")
        stored = await graph.handle.session.store.get(Fact, sorted(index.facts.row_of))
        held = [fact for fact in stored.values() if fact.retracted_at is None]
        held = [fact for fact in held if fact.closed_as != "past"]
        for subject, statements in told.items():
            own = [fact for fact in held if fact.subject == subject]
            rules = Oracle(statements, RELATIONS)
            for place, at in enumerate(rules.grid):
                holding = {
                    value_of(fact.relation, fact.subject, fact.object)
                    for fact in own
                    if (fact.valid_at is None or fact.valid_at <= at)
                    and (fact.invalid_at is None or at < fact.invalid_at)
                }
                assert holding == rules.at(place), (subject, statements, at)
        await whole(graph)


@pytest.mark.parametrize(
    ("story", "answers"),
    [(story, answers) for _, story, answers in AMENDMENTS if ", text" in story],
)
async def test_what_one_text_states_together_can_hold_together(story, answers):
    told = tell_all(story, subject="Ann")
    texts = {}
    for one in told:
        texts.setdefault(one.source, []).append(one)
    for order in permutations(texts):
        script, extractor = {}, ScriptedExtractor({})
        async with open_graph(extractor=extractor) as graph:
            for source in order:
                text = f"What {source} says."
                claims = [as_claim(replace(one, trust=0.0), text) for one in texts[source]]
                script[text] = Extraction(claims=tuple(claim for _, claim in claims))
                extractor.script[text] = script[text]
                if any(one.trust for one in texts[source]):
                    return  # the trust of a text is that of its source
                await graph.add_episode(text, reference_time=claims[0][0])
            for at, values in answers.items():
                held = await graph.at(valid_at=moment(at)).facts("Ann")
                assert {fact.object for fact in held} == {*values}, (order, at)
            await whole(graph)


def test_a_date_is_kept_as_it_was_told():
    from graphrag.store.assertions import stated_text, stated_values

    for date in DATES:
        [one] = stated_values(stated_text([_since(date)], "f"), "f")
        assert one == _since(date)


def _since(date: Date):
    from graphrag.model.assertion import Assertion

    return Assertion("f", date)
