"""Numbers of one's own: ``my budget is $900``, ``her score of 68%``, ``I've completed 5 sketches``.

What is said to be somebody's is there, whatever the sentence does with it: "is my score of 68% any
good?" states the score. A number of nobody's counts where the clause is stated and its subject
has it: "I have a budget of $900". A new number ends the old one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graphrag.extract.rules.amounts import PAY, owned, relation_of
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import ANIMATE, GENERIC, KIN
from graphrag.extract.rules.lifetime import lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.phrases import Phrase

if TYPE_CHECKING:
    from spacy.tokens import Token

_OF_NUMBER = frozenset({"nummod", "quantmod", "nmod", "compound", "npadvmod"})
_SIGNS = frozenset("$£€%")
_MONEY = frozenset("$ £ € euro euros dollar dollars pound pounds usd eur gbp cad chf".split())
_SPELLS = frozenset("second minute hour day week month year night decade".split())
_YEARS = range(1000, 2200)
_CLOCK = re.compile(r"\s*(?:(?:to|-|–)\s*\d[\d:]*\s*)?(?:[ap]\.?m\b|o'clock)", re.IGNORECASE)
_NOT_NOW = frozenset(
    "old former previous original initial last past earlier first next future planned ideal dream "
    "possible maximum minimum another other extra additional".split()
)
"""Before a number's thing: it is not what the thing is now, or not the only one."""
_HAVING = frozenset("have get set score earn reach hit achieve keep".split())
_BECOMING = frozenset(
    "be reach hit improve rise fall drop climb grow increase decrease go jump stand stay remain "
    "adjust change raise set cut reduce extend".split()
)
_LASTING = frozenset("be stand stay remain go".split())
"""Of these, what says how much it was and not that it became so much."""
_SPENDING = frozenset("average do spend log manage track record take".split())
_FINISHING = frozenset("complete finish solve read write make collect visit run".split())
_PERIODIC = frozenset("hourly daily nightly weekly monthly quarterly yearly annual total".split())
_ABOUT = frozenset({"on", "for", "in"})


def read_figures(line: Line, stated: Sequence[Clause], known: Sequence[Draft]) -> Iterator[Draft]:
    """Yield the numbers that a sentence gives what is somebody's own, not known yet."""
    read = {range(one.object.start, one.object.end) for one in known if one.object is not None}
    clauses = {clause.verb.i: clause for clause in stated}
    for token in line.sentence:
        at = line.offset + token.idx
        if not (token.like_num and token.text[:1].isdigit()) or any(at in one for one in read):
            continue
        around = token.doc[max(0, token.i - 1) : token.i + 2]
        if _CLOCK.match(token.doc.text, token.idx + len(token)):
            continue  # "from 3 to 6 pm"
        if token.ent_type_ == "DATE" and any(one.pos_ == "PROPN" for one in around):
            continue  # "my schedule for April 22", "her birthday is 4 May"
        top = token
        while top.dep_ in _OF_NUMBER and top.head.i > top.i and _is_unit(top.head):
            top = top.head
        if any(one.like_num for one in token.doc[top.i + 1 : top.i + 2]):
            continue  # "4 hours 15 minutes"
        if top is token and not _SIGNS & {child.text for child in token.children}:
            plain = token.text.isdecimal() and int(token.text) in _YEARS
            if plain and token.dep_ == "pobj":
                continue  # "my plan of 2024"
        draft = _finished(top, line, clauses) if top is token else None
        yield from filter(None, (draft or _had(token, top, line, clauses),))


def _had(number: "Token", top: "Token", line: Line, clauses: dict[int, Clause]) -> Draft | None:
    """Return what ``my score of 68%``, ``a budget of $900`` or ``my weight is down to 71`` says."""
    above = top.head
    unit = top.lemma_.lower()
    if top.dep_ in ("compound", "nmod", "nummod") and above.pos_ == "NOUN" and _is_sum(top):
        noun: Token = above  # "a $900 budget"
    elif top.dep_ == "pobj" and above.lower_ in ("of", "to") and above.head.pos_ == "NOUN":
        if unit in _SPELLS:
            return None  # "my trip of 3 days" may be another one
        noun = above.head
        if noun.lemma_.lower() in ANIMATE | GENERIC.keys() | {"employer"}:
            return None  # "for defrauding his employer of £190,000"
    else:
        return _become(number, top, line, clauses)
    owner = line.scene.possessor_of(noun, line.offset)
    clause = clauses.get(noun.head.i) if noun.dep_ == "dobj" else None
    if clause is not None and "dative" in clause.arguments:
        return None  # "I got her a $10 gift card"
    if owner is None and clause is not None and clause.lemma in _HAVING and not clause.negated:
        owner = next(filter(None, map(line.name, clause.subjects)), None)
    return _draft(noun, owner, number, top, line, clause)


def _become(number: "Token", top: "Token", line: Line, clauses: dict[int, Clause]) -> Draft | None:
    """Return what ``my rating has reached 60%`` and ``I sleep 6 hours`` say."""
    verb = top.head
    if top.dep_ == "pobj" and verb.lower_ == "by":
        return None  # "improved by 10%" says nothing of how much it is
    while verb.dep_ in ("prep", "pobj", "advmod", "pcomp", "acomp"):
        verb = verb.head
    clause = clauses.get(verb.i)
    if clause is None or clause.negated or clause.future or not clause.subjects:
        return None
    subject = clause.subjects[0]
    own = line.scene.possessor_of(subject, line.offset)
    if own is not None and clause.lemma in _BECOMING and subject.pos_ == "NOUN":
        return _draft(subject, own, number, top, line, clause)
    if top.dep_ == "pobj" and top.head.lower_ == "to" and clause.lemma in _BECOMING:
        for raised in clause.arguments.get("dobj", ()):  # "I raised my budget to $1,300"
            own = line.scene.possessor_of(raised, line.offset)
            return _draft(raised, own, number, top, line, clause)
    of = next((one for one in top.children if one.lower_ == "of" and one.i > top.i), None)
    noun = None if of is None else next(iter(of.children), None)
    having = clause.lemma in _HAVING | _BECOMING | _SPENDING and subject.pos_ == "PRON"
    if noun is not None and having and top.lemma_.lower() in _SPELLS:
        return _draft(noun, line.name(subject), number, top, line, clause)  # "6 hours of sleep"
    if clause.lemma == "earn" and top.dep_ == "dobj" and _is_sum(top):
        return _valued(line.name(subject), "earns", number, top, line, clause)
    if clause.lemma == "weigh" and (named := line.name(subject)) is not None and named.named:
        weight = Phrase(f"{named.text}'s weight", verb.idx, verb.idx + len(verb), named=True)
        return _valued(line.scene.add(weight, line.offset), "has_value", number, top, line, clause)
    return None


def _finished(number: "Token", line: Line, clauses: dict[int, Clause]) -> Draft | None:
    """Return what ``I've completed 5 sketches`` says."""
    noun, clause = number.head, clauses.get(number.head.head.i)
    if number.dep_ != "nummod" or noun.dep_ != "dobj" or noun.lemma_.lower() in _SPELLS | _MONEY:
        return None
    if number.i > noun.i or any(child.dep_ == "conj" for child in noun.children):
        return None  # "sprint 1", "12 permutation and combination problems"
    if clause is None or clause.lemma not in _FINISHING or not clause.perfect or clause.negated:
        return None
    owner = next(filter(None, map(line.name, clause.subjects)), None)
    return _draft(noun, owner, number, number, line, clause, done=f"{clause.verb.lower_} ")


def _draft(
    noun: "Token",
    owner: Name | None,
    number: "Token",
    top: "Token",
    line: Line,
    clause: Clause | None,
    *,
    done: str = "",
) -> Draft | None:
    before = [child for child in noun.children if child.i < noun.i]
    if owner is None or not owner.named or any(one.lower_ in _NOT_NOW for one in before):
        return None
    if noun.lemma_.lower() in ANIMATE | KIN.keys():
        return None  # "my son is 9"
    if any(one.tag_ == "VBN" and one.lemma_ in _BECOMING for one in before):
        return None  # "a reduced intake of 40%" is less by that
    raised = noun.lemma_.lower() == "raise"
    if raised and not (top.dep_ == "pobj" and top.head.lower_ == "to"):
        return None  # "a $900 raise" says nothing of the sum
    if raised or noun.lemma_.lower() in PAY:
        return _valued(owner, "earns", number, top, line, clause)
    first = next(
        (one.i for one in before if _is_part(one) and one.i not in (top.i, number.i)), noun.i
    )
    what = noun.doc[first : noun.i + 1].text
    behind = noun.doc[top.right_edge.i + 1 :][:1]  # "using my budget of $480 for therapy"
    for child in (*noun.children, *behind):
        # "a budget of $900 for May" is that of May, "I had $900 in May" is of any month
        dated = child.lower_ != "for" and any(one.ent_type_ == "DATE" for one in child.children)
        if child.i > top.i and child.lower_ in _ABOUT and child.dep_ == "prep" and not dated:
            what += f" {noun.doc[child.left_edge.i : child.right_edge.i + 1].text}"
            break
    thing = Phrase(f"{owner.text}'s {done}{what}", noun.idx, noun.idx + len(noun), named=True)
    said = noun.doc[top.left_edge.i : top.i + 1].text
    relation = "has_value" if done else relation_of(noun.lower_, said)
    mine = owned(line.scene.add(thing, line.offset))
    return _valued(mine, relation, number, top, line, clause)


def _valued(
    subject: Name | None,
    relation: str,
    number: "Token",
    top: "Token",
    line: Line,
    clause: Clause | None,
) -> Draft | None:
    became = clause is not None and clause.past and clause.lemma in _BECOMING - _LASTING
    periods = line.periods(clause.verb) if clause is not None and became else []
    life = lifetime("start" if became else "state", clause, periods, line.reference)
    if subject is None or life is None:
        return None
    first = min(number.i, number.left_edge.i)
    if first > 0 and number.doc[first - 1].text in _SIGNS:
        first -= 1
    while not (number.doc[first].text in _SIGNS or number.doc[first].like_num):
        first += 1
    span = number.doc[first : max(number.i, top.i) + 1]
    value = Phrase(span.text, span.start_char, span.end_char, named=False)
    return line.draft(subject, relation, line.scene.add(value, line.offset), life)


def _is_part(token: "Token") -> bool:
    """Tell whether a word before a thing is of its name: a monthly budget is not the whole one."""
    return token.dep_ == "compound" or token.lower_ in _PERIODIC


def _is_unit(token: "Token") -> bool:
    return token.text in _SIGNS or token.lemma_.lower() in _MONEY | _SPELLS | _UNITS


_UNITS = frozenset(
    "percent percentage point kg kilo kilogram gram lb km kilometre kilometer mile metre meter cm "
    "ms gb mb kb tb mph calorie degree litre liter".split()
)


def _is_sum(top: "Token") -> bool:
    words = {child.lower_ for child in (top, *top.subtree)}
    return bool(words & (_SIGNS | _MONEY)) or any("%" in word for word in words)
