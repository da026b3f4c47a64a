"""What is over without being named: ``I quit my job``, ``she resigned``, ``they broke up``.

Which job that was, only the text before it or what is known can tell.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lifetime import CANCELLED, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.trades import is_office
from graphrag.model.extraction import EVERY
from graphrag.names.key import is_unnamed

if TYPE_CHECKING:
    from spacy.tokens import Token

POSTS: Final = frozenset({"has_role", "leads"})
JOBS: Final = POSTS | {"works_at", "plays_for"}
UNIONS: Final = frozenset({"married_to", "engaged_to", "partner_of"})
_POST, _JOB, _UNION, _MARRIAGE = "leads", "works_at", "partner_of", "married_to"
"""What is over, by the relation that stands for its kind."""
_AT: Final = (_POST, _JOB)
"""What one has at a body from which one resigns."""
_RESIGNING: Final = frozenset({"step_down", "stand_down", "resign"})
_LOSING: Final = frozenset("quit leave lose resign give_up chuck_in pack_in jack_in".split())
_WORK: Final = frozenset("job company firm employer employment".split())
_SEATS: Final = frozenset("post position office role seat chair".split())
_OWN: Final = frozenset("my his her their our the that this".split())
_DISMISSING: Final = frozenset("fire sack dismiss axe oust lay_off furlough".split())
_OUT: Final = frozenset({"unemployed", "jobless", "redundant"})
_FOR_GOOD: Final = frozenset({"retire", "stop", "be"})
"""Verbs of who has no job any more, however many they had."""
_STOPPING: Final = frozenset({"stop", "quit", "finish", "cease"})
_NOTICE: Final = frozenset("sack boot push axe heave-ho notice order door".split())
"""What somebody gets, is given or is shown who is dismissed."""
_DISSOLVED: Final = frozenset("finalise finalize dissolve complete".split())
_PARTING: Final = frozenset({"break_up", "split_up", "split", "separate"})


def read_partings(stated: Iterable[Clause], line: Line, drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Yield what is over of what only the graph may know.

    Args:
        stated: The clauses of the sentence.
        line: The sentence.
        drafts: What the text said before: what that has ended is not said again.
    """
    for clause in stated:
        kind, people = _over(clause)
        if not kind or clause.negated:
            continue
        inner = [child for child in clause.verb.children if child.dep_ in ("xcomp", "ccomp")]
        periods = [one for word in (clause.verb, *inner) for one in line.periods(word)]
        if kind == _MARRIAGE:  # "came through today" is no until
            periods = [period.bounded("in") for period in periods]
        life = lifetime("end", clause, periods, line.reference)
        if life is None or not (life.end or clause.past or clause.perfect or clause.lemma == "be"):
            continue
        alike = UNIONS if kind in UNIONS else JOBS
        bodies = _bodies(clause, line) if kind == _POST else []
        for body in bodies:
            for name in filter(None, map(line.name, people)):
                yield from (line.draft(name, relation, body, life) for relation in _AT)
        if any(word.lower_ == "our" for word in people) and line.scene.speaker is not None:
            yield line.draft(line.scene.speaker, kind, None, life)
        with_whom = clause.arguments.get("with", ())
        others = [one for word in with_whom if (one := line.name(word)) is not None and one.named]
        names = [one for word in people if (one := line.name(word)) is not None]
        names = [one for one in names if one.named or is_unnamed(one.text)]
        pair = (names + others)[:2] if kind == _UNION else []
        if pair[1:]:
            for relation in ("married_to", "engaged_to", "lives_with", "partner_of"):
                yield line.draft(pair[0], relation, pair[1], life)
            continue
        for name in names if not bodies else ():
            own = [d for d in drafts if name in (d.subject, d.object) and d.relation in alike]
            if any(d.life.over or d.life.end is not None for d in own):
                continue
            name.votes["person"] += 1
            draft = line.draft(name, kind, None, life)
            draft.attributes = {EVERY: True} if clause.lemma in _FOR_GOOD else {}
            yield draft


def read_staying(stated: Iterable[Clause], line: Line) -> Iterator[Draft]:
    """Yield who stays after all: ``is staying at Acme``, ``has withdrawn her resignation``."""
    for clause in stated:
        if clause.negated or (clause.past and clause.lemma in _STAYING):
            continue
        people, bodies = _staying(clause, line)
        for token in people:
            one = line.name(token)
            if one is None or not one.named:
                continue
            for other in bodies or [None]:
                draft = line.draft(one, _JOB, other)
                draft.corrects = True
                yield draft


def not_taken_up(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield that a post is not taken up that was announced: ``will not become dean after all``."""
    what = [child for child in clause.verb.children if child.dep_ in ("attr", "acomp")]
    if clause.lemma not in ("become", "be") or not any(map(is_office, what)):
        return
    for name in filter(None, map(line.name, clause.subjects)):
        if name.named:
            yield line.draft(name, _POST, None, CANCELLED)


def _staying(clause: Clause, line: Line) -> tuple[list["Token"], list[Name | None]]:
    """Return who stays where; where is not always said."""
    arguments, key = clause.arguments, "_".join((clause.lemma, *clause.particles[:1]))
    if clause.lemma in _STAYING and not clause.passive:
        where = [word for at in ("at", "with") for word in arguments.get(at, ())]
        named = [line.name(word) for word in where if word.pos_ == "PROPN"]
        if named or (not where and "on" in clause.particles):
            return clause.subjects, list(named)
    if key in _TAKING_BACK:
        nouns = clause.subjects if clause.passive else arguments.get("dobj", [])
        for noun in nouns:
            if noun.lemma_.lower() in _NOTICES:
                owners = [child for child in noun.children if child.dep_ == "poss"]
                return owners or ([] if clause.passive else clause.subjects), []
    return [], []


_STAYING: Final = frozenset({"stay", "remain", "continue"})
_TAKING_BACK: Final = frozenset(
    "withdraw rescind retract take_back reverse revoke cancel call_off scrap".split()
)
_NOTICES: Final = frozenset("resignation notice retirement departure".split())


def _over(clause: Clause) -> tuple[str, Sequence["Token"]]:
    """Return of which kind is what a clause says to be over, and of whom it was."""
    key = "_".join((clause.lemma, *clause.particles[:1]))
    arguments, subjects = clause.arguments, clause.subjects
    acted = arguments.get("dobj", [])
    if key in _RESIGNING and not clause.passive:
        aside = arguments.keys() & {"dobj", "as"}
        origins = arguments.get("from", ())
        if not aside and all(_is_work(one) or one.pos_ == "PROPN" for one in origins):
            return _POST, subjects
    if key == "retire" and not clause.passive and not arguments.keys() & {"dobj", "as", "from"}:
        return _JOB, subjects
    if key in _LOSING and not clause.passive and acted and all(map(_is_work, acted)):
        return _JOB if acted[0].lemma_.lower() in _WORK else _POST, subjects
    if key in _DISMISSING and not arguments.keys() & {"as", "from"}:
        return _JOB, subjects if clause.passive else acted
    if people := _let_go(clause):
        return _JOB, people
    if acted and acted[0].lemma_.lower() in _NOTICE and _is_shown(clause, acted[0]):
        return _JOB, subjects
    final = any(child.lower_ in ("final", "through") for child in clause.verb.children)
    if _is(subjects, "divorce") and (clause.lemma in _DISSOLVED or final):
        own = [child for child in subjects[0].children if child.dep_ == "poss"]
        own += [two for one in subjects[0].children if one.dep_ == "prep" for two in one.children]
        return _MARRIAGE, [one for one in own if one.dep_ == "poss" or one.pos_ == "PROPN"]
    if clause.lemma == "divorce" and clause.passive and len(subjects) == 1:
        return _MARRIAGE, subjects  # "she got divorced"
    if clause.lemma == "be" and _is_out(clause):
        return _JOB, subjects
    gerunds = arguments.get("gerund", ())
    if clause.lemma in _STOPPING and any(_is_bare_work(one) for one in gerunds):
        return _JOB, subjects
    if (key in _PARTING or (clause.lemma == "part" and _is(acted, "way"))) and not clause.passive:
        if not (acted and clause.lemma != "part"):
            return _UNION, [*subjects, *_beside(clause)]
    return "", ()


def _bodies(clause: Clause, line: Line) -> list[Name]:
    """Return what somebody resigned from by name: ``stepped down from Acme``."""
    targets = [word for word in clause.arguments.get("from", ()) if word.pos_ == "PROPN"]
    return [name for name in map(line.name, targets) if name is not None and name.named]


def _beside(clause: Clause) -> list["Token"]:
    """Return who stands before "and I", which the parser hangs on the verb."""
    return [
        child
        for child in clause.verb.children
        if child.dep_ == "npadvmod" and child.pos_ == "PROPN" and child.i < clause.subjects[0].i
    ]


def _is_work(noun: "Token") -> bool:
    """Tell whether a noun is for somebody's work: "my job", "the company"."""
    owned = any(child.lower_ in _OWN for child in noun.children)
    more = any(
        child.dep_ in ("compound", "prep", "amod", "acl", "relcl") for child in noun.children
    )
    return noun.lemma_.lower() in _WORK | _SEATS and owned and not more


def _let_go(clause: Clause) -> Sequence["Token"]:
    """Return who was let go or made redundant: ``I was let go``, ``they made me redundant``."""
    how = {"let": "go", "make": "redundant"}.get(clause.lemma)
    for child in clause.verb.children:
        if child.lower_ == how and clause.passive:
            return clause.subjects
        if child.lower_ == how and clause.past and child.dep_ == "ccomp" and _is_bare(child):
            if all(map(_employs, clause.subjects)):  # not "I let Tom go"
                return [word for word in child.children if word.dep_ == "nsubj"]
    return ()


def _employs(noun: "Token") -> bool:
    """Tell whether a subject may be an employer: ``they``, ``my boss``, a name."""
    boss = noun.lemma_.lower() in _WORK | {"boss", "manager", "management"}
    return boss or noun.lower_ == "they" or noun.pos_ == "PROPN"


def _is_bare(word: "Token") -> bool:
    """Tell whether nothing but who and when stands beside it: not ``let me go early``."""
    beside = [child for child in word.children if child.dep_ != "nsubj"]
    dates = [
        one for child in beside for one in (child.children if child.dep_ == "prep" else [child])
    ]
    return all(one.ent_type_ == "DATE" for one in dates)


def _is_shown(clause: Clause, noun: "Token") -> bool:
    """Tell whether somebody is dismissed by what they get: ``got the sack``, ``was given notice``.

    A sack of potatoes has a measure, and a door that somebody gets is no shown one.
    """
    before, word = {child.lower_ for child in noun.children}, noun.lemma_.lower()
    if any(child.dep_ == "conj" for child in clause.verb.children):
        return False  # "got the sack and filled it"
    if word == "order":
        return "marching" in before
    if any(child.dep_ in ("prep", "amod", "compound") for child in noun.children):
        return False
    if word in ("door", "notice"):
        own = word == "door" or bool(before & _OWN)
        return own and clause.passive and clause.lemma in ("show", "give", "hand")
    return "the" in before and (
        clause.lemma == "get" or (clause.passive and clause.lemma == "give")
    )


def _is_out(clause: Clause) -> bool:
    """Tell whether somebody is out of work or between jobs."""
    said = {child.lower_ for child in clause.verb.children if child.dep_ in ("acomp", "attr")}
    if clause.past and not clause.perfect:
        return False  # "was unemployed" when?
    words = clause.verb.doc[clause.verb.i + 1 : clause.verb.i + 4].text.lower().split()
    return (
        bool(said & _OUT) or words[:2] == ["between", "jobs"] or words[:3] == ["out", "of", "work"]
    )


def _is_bare_work(verb: "Token") -> bool:
    """Tell whether it is working as such: ``stopped working in June``."""
    if verb.lemma_ != "work":
        return False
    inner = [child for child in verb.children if child.dep_ in ("prep", "dobj", "advmod", "prt")]
    return all(child.lower_ in ("in", "on", "last", "since", "altogether") for child in inner)


def _is(nouns: Sequence["Token"], lemma: str) -> bool:
    return bool(nouns) and nouns[0].lemma_ == lemma
