"""Numbers and how they change: ``rent now 940 (was 890)``, ``from 250 to 180 ms``, ``stays at 12``.

What has a price is the subject, and what somebody earns is theirs; of the two numbers of a change
the old one is over from the moment that the new one begins.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from graphrag.extract.rules.lexicon import GENERIC
from graphrag.extract.rules.lifetime import GONE, Life, lifetime_of
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.scene import Scene
from graphrag.extract.rules.short_dates import short_times
from graphrag.temporal.find import TimeExpression

_UNIT = (
    r"(?:%|k\b|m\b|ms\b|km\b|kg\b|GB\b|MB\b|per ?cent|percent|euros?|dollars?|pounds?|francs?|"
    r"minutes?|hours?|seconds?|days?|weeks?|months?|people|members|employees|users|pages|points)"
)
_LARGE = r"(?: ?(?:thousand|million|billion|trillion|mn|bn)\b)"
_NUMBER = (
    rf"(?:[€$£]|CHF |EUR |USD |GBP )?\d+(?:[.,]\d+)*{_LARGE}?(?:/\d{{1,3}}\b(?!/))?(?: ?{_UNIT})?"
    r"(?! ?(?:[ap]\.?m\b|o'clock)|\d| (?-i:[A-Z][a-z]+ (?:Street|Road|Avenue|Lane|Square|Place)))"
    r"(?: (?:a|per|each) (?:month|year|week|day|hour|plot|person|head|night|minute))?"
)
_THING = r"(?P<thing>(?:[^\W\d][\w'’-]*[ ]){0,4}?[^\W\d][\w'’-]*)"
_UP = (
    r"(?:rises?|rose|goes up|went up|go up|has gone up|increase[sd]?|is raised|was raised|"
    r"climb(?:s|ed)|fall[s]?|fell|drop(?:s|ped)?|goes down|went down|"
    r"ha(?:s|ve) (?:risen|fallen|dropped|improved|grown|increased|decreased|gone (?:up|down))|"
    r"improved?s?|decrease[sd]?|gr[eo]ws?|shr[ai]nks?|moves?|changes?|changed)"
)
_ACTS = (
    r"(?:cut|reduced|raised|lowered|improved|increased|brought|got|grew|decreased|dropped|"
    r"shortened|put|(?:putt|rais|lower|cutt|increas|reduc)ing|raises|increases|lowers)"
)
_CHANGE = re.compile(rf"\b(?:{_UP}|{_ACTS})\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:consider(?:ing)?|thinking (?:of|about)|offer(?:s|ed)?|if|would|could|might|"
    r"hop(?:e|ing) to)\b",
    re.IGNORECASE,
)
"""Before a number it is one that may be."""
_MEANWHILE = frozenset("since over during within throughout for".split())
_HELD = r"(?:stays?|remains?|stayed|remained|(?:is |are )?(?:still|unchanged))"
_PAID = "rent|fee|price|cost|salary|wage|fare|rate|subscription|premium|pension|allowance"
_HEADS = "inhabitants|residents|employees|members|rooms|beds|seats|students|pupils"
_SHAPES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_THING} (?:{_UP}|went|goes|has gone)(?: again)? "
        rf"from (?P<old>{_NUMBER}) to (?P<new>{_NUMBER})",
        rf"\b{_ACTS} (?:our |my |the |its |their |his |her )?{_THING}(?: down| up)? "
        rf"from (?P<old>{_NUMBER}) to (?P<new>{_NUMBER})",
        rf"\b(?:{_ACTS}|put) (?:our |my |the |its |their |his |her ){_THING}(?: down| up)? "
        rf"to (?P<new>{_NUMBER})",
        rf"{_THING} (?:{_UP}|(?:has|have) been (?:raised|cut|lowered|increased|reduced)) "
        rf"to (?P<new>{_NUMBER})",
        rf"{_THING} {_HELD}(?: at)? (?P<new>{_NUMBER})",
        rf"{_THING} (?:is|are|was|were) (?:now )?(?:up|down) to (?P<new>{_NUMBER})",
        rf"{_THING} (?:costs?|cost) (?P<new>{_NUMBER})",
        rf"\b(?:my|our|the|his|her|their|its) (?P<thing>(?:\w+ )?(?:{_PAID})) (?:is|was|are|were) "
        rf"(?P<new>{_NUMBER})",
        rf"{_THING} (?:has|have|had) (?P<new>\d[\d.,]*{_LARGE}?) (?P<unit>{_HEADS})",
        rf"{_THING}(?: is| are|:)? now(?: at| on)?:? (?P<new>{_NUMBER})",
        rf"(?:^\s*|[.;:,(] |\n)(?P<thing>(?:[\w-]+ )?(?:{_PAID}|subs|dues|tickets?|tuition))"
        r"(?: (?:stays?|remains?|unchanged|put|now|at|is|are|still|of|to|goe?s?|up|down))*[,:]?"
        rf" (?P<new>{_NUMBER})",
    )
)
_FORMER = re.compile(
    rf"\((?:(?:un)?til[l]? [^()]*? )?(?:was|before:?|formerly|previously|up from|down from|"
    rf"instead of)? ?(?P<old>{_NUMBER})[^()]*\)|"
    rf"\((?:(?:un)?til[l]? now|so far|before) (?P<old2>{_NUMBER})\)|"
    rf", (?:no longer|instead of|up from|down from) (?P<old3>{_NUMBER})",
    re.IGNORECASE,
)
_PRICES = frozenset(
    "rent fee fees price prices cost costs charge charges fare fares rate rates subscription dues "
    "premium tuition bill ticket tickets toll".split()
)
_PAY = frozenset("salary wage wages pay income pension allowance stipend".split())
_SUM = re.compile(r"[€$£]|\b(?:CHF|EUR|USD|GBP|euros?|dollars?|pounds?|francs?)\b")
_RATE = re.compile(r"[€$£] ?\d[\d.,]* (?:a|an|per|each) \w+$")
"""A number that is rather the price of something than its size."""
_SUMS = frozenset("revenue turnover budget profit loss deficit debt savings sum total".split())
_OWNERS = frozenset({"its", "their", "his", "her"})
_STAFF = frozenset("headcount staff workforce staffing".split())
_MEASURES = frozenset("capacity population score".split())
_DETERMINERS = frozenset("the a an my our your his her its their this and but so new".split())
_NO_THING = frozenset(
    "it that this they we i he she you which what there who everything nothing time".split()
)

_BETWEEN = frozenset("to will shall now currently still already".split())
_OFFERED = frozenset("guide asking sale selling list retail full total".split())
_UNCLEAR = frozenset("which that who whose has have had is was be their his her recently".split())


def read_amounts(text: str, offset: int, scene: Scene, said: datetime) -> Iterator[Draft]:
    """Yield the numbers that a sentence gives something, the old one and the new one."""
    if "?" in text or not any(character.isdigit() for character in text):
        return
    for shape in _SHAPES:
        found = shape.search(text)
        if found is None:
            continue
        if _SUPPOSED.search(text, 0, found.end()):
            return  # "I'm considering an offer with an increase to $1,800"
        thing = _subject(found, offset, scene)
        if thing is None:
            return
        subject, relation = thing
        if "unit" in found.groupdict():
            relation = f"has_{found['unit'].lower()}"
        elif " cost" in found.group().lower():
            relation = "costs"
        past = bool(re.search(r"\b(?:rose|fell|was|were|went|ed|cut|got|\w+ed)\b", found.group()))
        times = [
            time
            for time in short_times(text, said, ahead=not past)
            if not (found.start() <= time.start and time.end <= found.end())
            and text[found.end() : time.start].count(",") == 0
            and text[time.end : found.start()].count(",") <= 1
        ]
        back = short_times(text, said, ahead=False)
        inside = [time for time in back if _in_parens(text, time)]
        times = [time for time in times if not _in_parens(text, time)]
        if _CHANGE.search(found.group()):
            times = list(_reached(times))
        life = lifetime_of(times, said)
        former = None if "old" in found.groupdict() else _FORMER.search(text, found.end())
        ended = lifetime_of(inside, said, past=True) if inside else _before(life)
        if former is not None and life.start is None and ended.end is not None:
            life = replace(life, start=ended.end, start_precision=ended.end_precision)
        for which in ("new", "old"):
            if which in found.groupdict() and found[which]:
                held = life if which == "new" else _before(life)
                place = offset + found.start(which)
                yield _draft(subject, relation, found[which], place, held, scene)
        if former is not None:
            which = former.lastgroup or "old"
            place = offset + former.start(which)
            yield _draft(subject, relation, former[which], place, ended, scene)
        return


def _reached(times: list[TimeExpression]) -> Iterator[TimeExpression]:
    """Yield when a number was reached; "since May", "over two weeks" tell when it changed."""
    for time in times:
        first = time.text.split()[0].lower()
        if first == "by":
            yield replace(time, period=time.period.bounded("in"))
        elif first not in _MEANWHILE:
            yield time


def _in_parens(text: str, time: TimeExpression) -> bool:
    opened = text.rfind("(", 0, time.start)
    return opened >= 0 and text.find(")", opened) >= time.end


def _before(life: Life) -> Life:
    """Return the life of the old number: until the new one began."""
    if life.start is None:
        return GONE
    return Life(end=life.start, end_precision=life.start_precision, over=True)


def _subject(found: re.Match[str], offset: int, scene: Scene) -> tuple[Name, str] | None:
    words, relation = found["thing"].split(), ""
    if any(word.lower() in _UNCLEAR for word in words):
        return None  # "which has recently", "seeing their score": whose, of what?
    while words and words[0].lower() in _DETERMINERS:
        words = words[1:]
    while words and words[-1].lower() in _BETWEEN:
        words = words[:-1]  # "rent to go up to 940", "the pass now costs 59"
    of = next((at for at, word in enumerate(words) if word.lower() == "of"), 0)
    if of == 1 and words[0].lower() in _PRICES:  # "the price of the pass"
        relation, words = "costs", words[2:]
        words = words[1:] if words[:1] and words[0].lower() in _DETERMINERS else words
    staff = len(words) > 2 and words[0].lower() in _STAFF and words[1].lower() in ("at", "of")
    if staff and "%" not in found["new"]:
        relation, words = "has_employees", words[2:]  # "headcount at Acme is down to 950"
    if any(word.lower() in _DETERMINERS for word in words):
        return None  # "for children a ticket"
    head = words[-1].lower() if words else ""
    if head in ("price", "prices", "cost", "costs") and {*map(str.lower, words[:-1])} <= _OFFERED:
        return None  # of what?
    alone = re.split("['’]", head)[0]  # "they've"
    if not {head, alone}.isdisjoint(_NO_THING | _DETERMINERS | {""}) or len(words) > 4:
        return None
    if head in GENERIC and "unit" in found.groupdict():
        return None  # the parse tells which company
    text = " ".join(words)
    at = found.end("thing") - len(text)
    before = found.string[:at].lower().split()[-1:]
    if len(words) == 1 and head in _PRICES and _OWNERS.intersection(before):
        return None  # "its price": of what?
    if not text[:2].isupper():  # "API's latency"
        named = "'s" in text or (len(words) > 1 and words[-1][0].isupper())  # "Sable Works has 40"
        plain = not named and (len(words) > 1 or head in _PRICES | _PAY)
        text = text[:1].lower() + text[1:] if plain else text
    start = offset + at
    if head in _PAY and scene.implied is not None:
        return scene.implied, "earns"
    relation = relation or relation_of(head, found["new"])
    if scene.speaker is not None and "'s" not in text and before[:1] in (["my"], ["our"]):
        text = f"{scene.speaker.text}'s {text}"
    phrase = Phrase(text, start, offset + found.end("thing"), "'s " in text or text[:1].isupper())
    return _owned(scene.add(phrase, 0)), relation


def _owned(name: Name) -> Name:
    """Return what is somebody's, called by their first name as well: ``Samuel's rent``."""
    owner, mark, thing = name.text.rpartition("'s ")
    short = f"{owner.split()[0]}{mark}{thing}" if " " in owner else ""
    if short and short not in name.aliases:
        name.aliases.append(short)
    return name


def relation_of(head: str, number: str) -> str:
    """Return how a number belongs to what a word names."""
    if head in _MEASURES:
        return f"has_{head}"
    if head in ("rate", "rates") and not _SUM.search(number):
        return "has_value"  # a heart rate
    if head in _PAY:
        return "earns"
    paid = head in _PRICES or (_RATE.search(number) and head not in _SUMS)
    return "costs" if paid else "has_value"


def _draft(one: Name, relation: str, number: str, start: int, life: Life, scene: Scene) -> Draft:
    value = scene.add(Phrase(number, start, start + len(number), False), 0)
    return Draft(one, relation, value, "", start, start + len(number), life)
