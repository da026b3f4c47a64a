"""What a sentence says of facts that its text has stated before: that they are over, or were wrong.

``She stepped down in 1979`` ends the office that the text has given her, ``the marriage was
dissolved`` hers, a death ends both, and who ``was replaced by Toni`` leaves Toni what he was.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.expiry import last_day
from graphrag.extract.rules.lifetime import Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.partings import JOBS, POSTS, UNIONS
from graphrag.extract.rules.trades import FOUNDERS, LEADING, OFFICES

if TYPE_CHECKING:
    from spacy.tokens import Token

_HOMES = frozenset({"lives_in"})
_STUDIES = frozenset({"studies_at", "studies"})
_LEAVING = {
    "step_down": POSTS,
    "stand_down": POSTS,
    "resign": POSTS,
    "retire": JOBS,
    "die": JOBS | UNIONS | _HOMES,
    "leave": JOBS,
    "graduate": _STUDIES,
}
"""Verbs without an object, to what is over with their subject."""
_ENDING = frozenset("dissolve end annul break fail collapse come finalise finalize".split())
_SPELLS = {"divorce": UNIONS, "marriage": UNIONS, "engagement": UNIONS, "relationship": UNIONS}
_CHOOSING = frozenset({"elect", "appoint", "choose", "name"})
_SUCCEEDING = frozenset({"replace", "succeed"})
_REMOVING = frozenset("sack dismiss fire oust remove replace succeed".split())


def follow_up(stated: Iterable[Clause], line: Line, drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Change what a text said before, and yield what follows from it anew."""
    for clause in stated:
        if clause.negated:
            continue
        key = "_".join((clause.lemma, *clause.particles))
        life = lifetime("end", clause, line.periods(clause.verb), line.reference)
        held = drafts
        if life is None and clause.lemma in _SUCCEEDING:  # "will replace her", whose end is known
            life, held = Life(over=True), [one for one in drafts if one.life.end is not None]
        if life is None:
            continue
        if life.end is None and not (clause.past or clause.perfect or clause.lemma in _SUCCEEDING):
            continue
        verb = line.offset + clause.verb.idx
        before = [d for d in drafts if d.object is None or d.object.start < verb]
        acted = clause.arguments.keys() & {"dobj", "as", "from"}
        if key in _LEAVING and not acted and not clause.passive:
            for name in _names(clause.subjects, line):
                _close(before, name, _LEAVING[key], life)
        elif clause.lemma == "be" and "day" in map(_noun, (clause.subjects, _attr(clause))):
            day = last_day(clause, line)
            yield from () if day is None else (line.draft(*fact, day[2]) for fact in day[1])
            if day is not None and not day[1]:
                _close(before, day[0], {"works_at"}, day[2])
                if not any(d.subject is day[0] and d.relation == "works_at" for d in before):
                    yield replace(line.draft(day[0], "works_at", None, day[2]), of_known=True)
        elif clause.lemma in ("start", "begin") and not clause.passive:
            _begin(before, clause, line)
        elif key == "take_over" and not acted and not clause.passive:
            yield from _taken_over(clause, life, line, before)
        elif clause.lemma in _ENDING and _noun(clause.subjects) in _SPELLS:
            for draft in [d for d in drafts if d.relation in UNIONS][-1:]:
                _end(draft, life)
        elif clause.lemma in _CHOOSING and clause.passive and _noun(clause.arguments.get("in", [])):
            yield from _instead(clause, line, drafts)
        elif clause.lemma in _REMOVING and clause.passive:
            old, new = clause.subjects, clause.arguments.get("agent", [])
            yield from _replaced((old, new), life, line, held)
        elif clause.lemma in _SUCCEEDING and not clause.passive:
            old, new = clause.arguments.get("dobj", []), clause.subjects
            yield from _replaced((old, new), life, line, held)


def _begin(drafts: Sequence[Draft], clause: Clause, line: Line) -> None:
    """Give a job the start that is said after it: ``hired by Acme, I start in May``."""
    periods = line.periods(clause.verb)
    if not periods or clause.arguments.keys() & {"dobj", "at", "with", "as", "gerund"}:
        return
    for name in _names(clause.subjects, line):
        for draft in drafts:
            life = draft.life
            known = life.start is not None or life.end is not None or life.over
            if draft.subject is name and draft.relation in JOBS and not known:
                draft.life = life.beginning(periods[0])


def _names(tokens: Iterable["Token"], line: Line) -> list[Name]:
    return [name for token in tokens if (name := line.name(token)) is not None]


def _attr(clause: Clause) -> Sequence["Token"]:
    return clause.arguments.get("attr", ())


def _noun(tokens: Sequence["Token"]) -> str:
    return tokens[0].lemma_.lower() if tokens else ""


def _close(drafts: Sequence[Draft], name: Name, relations: Iterable[str], life: Life) -> None:
    for draft in drafts:
        unions = draft.relation in UNIONS and draft.object is name
        if draft.relation in relations and (draft.subject is name or unions):
            _end(draft, life)


def _end(draft: Draft, life: Life) -> None:
    """Give a statement its end, if it has none."""
    old = draft.life
    if old.over and old.end is None and life.end is not None:
        draft.life = replace(old, end=life.end, end_precision=life.end_precision)
        return
    if old.end is not None or old.over or old.kind not in ("state", "was"):
        return
    if old.start is not None and life.end is not None and life.end <= old.start:
        return
    if old.start is None or life.end is None:
        draft.life = replace(life, over=True) if old.start is None else old
        return
    draft.life = replace(
        old, end=life.end, end_precision=life.end_precision, current=False, kind="state"
    )


def _instead(clause: Clause, line: Line, drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Yield the post of who ``was elected in her place``: that which she has no more."""
    if _noun(clause.arguments["in"]) not in ("place", "stead"):
        return
    ended = [d for d in drafts if d.relation in POSTS and d.life.over]
    for name in _names(clause.subjects, line):
        for draft in ended[-1:]:
            if draft.object is not None and draft.subject is not name:
                precision = draft.life.end_precision
                begun = Life(start=draft.life.end, start_precision=precision)
                yield line.draft(name, draft.relation, draft.object, begun)


def _is_office(draft: Draft) -> bool:
    words = draft.object.text.split() if draft.object is not None else [""]
    post = draft.relation == "has_role" and words[-1] in OFFICES
    return post or draft.relation in ("leads", "operates")


def _taken_over(clause: Clause, life: Life, line: Line, drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Yield the post of who takes over: the one that the text spoke of last."""
    for name in _names(clause.subjects, line):
        held = [draft for draft in drafts if _is_office(draft)]
        for draft in held[-1:]:
            if draft.object is None or draft.subject is name or name.votes["organization"] > 2:
                continue
            _end(draft, life)
            start, precision = life.end, life.end_precision
            if start is None:
                start, precision = draft.life.end, draft.life.end_precision
            begun = Life(start=start, start_precision=precision)
            yield line.draft(name, draft.relation, draft.object, begun)


def _replaced(
    people: tuple[Sequence["Token"], Sequence["Token"]],
    life: Life,
    line: Line,
    drafts: Sequence[Draft],
) -> Iterator[Draft]:
    """Yield the post of who replaces somebody, from the moment the other has it no more.

    Where the text knows only what the new one is, the other was it before.
    """
    olds, new = _names(people[0], line), _names(people[1], line)
    for old in olds:
        posts = [d for d in drafts if d.subject is old and d.relation in POSTS]
        taken = [d for d in drafts if d.subject in new and d.relation in POSTS]
        if posts and taken:
            continue
        for draft in taken:
            if draft.object is not None and draft.life.kind == "state" and not draft.life.over:
                end, precision = draft.life.start, draft.life.start_precision
                gone = Life(end=end or life.end, end_precision=precision, over=True)
                yield line.draft(old, draft.relation, draft.object, gone)
        for draft in posts:
            start = draft.life.end or life.end
            precision = draft.life.end_precision if draft.life.end else life.end_precision
            _end(draft, life)
            for name in new:
                if name is old or draft.object is None or draft.life.kind == "was":
                    continue
                if draft.object.text.lower() in FOUNDERS:
                    continue  # that one stays
                begun = Life(start=start, start_precision=precision)
                made = line.draft(name, draft.relation, draft.object, begun)
                made.attributes = dict(draft.attributes)
                yield made


def inherited(drafts: Sequence[Draft]) -> list[Draft]:
    """Return what successors lead from the day on which their predecessors lead it no more.

    ``Ann will succeed Bo as chief executive in May. Bo has led Acme since 2011.`` What Bo leads
    may be known from another text.
    """
    made = []
    for draft in drafts:
        old, start = draft.object, draft.life.start
        if draft.relation == "succeeds" and old is not None and not draft.life.over:
            _follow_on(draft.subject, old, drafts)
        if (
            draft.relation != "succeeds"
            or old is None
            or draft.life.over
            or not _leads(draft, drafts)
        ):
            continue
        led = [one for one in drafts if one.relation == "leads" and one.subject is old]
        if not led and not any(
            d.relation == "leads" and d.subject is draft.subject for d in drafts
        ):
            made.append(replace(draft, of_known=True))
        for post in led if start is not None else ():
            if post.life.end is not None or post.life.over or post.object is None:
                continue
            begun = Life(start=start, start_precision=draft.life.start_precision)
            _end(post, Life(end=start, end_precision=draft.life.start_precision, over=True))
            known = (one for one in drafts if one.subject is draft.subject)
            if not any(one.object is post.object for one in known):
                made.append(replace(draft, relation="leads", object=post.object, life=begun))
    return made


def _follow_on(new: Name, old: Name, drafts: Sequence[Draft]) -> None:
    """Begin the posts of a successor without a date when the predecessor has them no more."""
    posts = [one for one in drafts if _is_office(one) and one.life.kind == "state"]
    for post in posts:
        if post.subject is new and post.life.start is None and not post.life.over:
            same = (one for one in posts if one.subject is old and one.relation == post.relation)
            ends = {one.life.end: one.life for one in same if one.object is post.object}
            if len(ends) == 1 and (end := next(iter(ends))) is not None:
                precision = ends[end].end_precision
                post.life = replace(post.life, start=end, start_precision=precision)


def _leads(draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Tell whether what somebody is from the day of a succession on, if it is said, leads."""
    titles = [
        one.object.text.lower().split()
        for one in drafts
        if one.relation == "has_role" and one.subject is draft.subject and one.object is not None
        if one.life.start == draft.life.start
    ]
    return not titles or any(LEADING & {*words, " ".join(words)} for words in titles)
