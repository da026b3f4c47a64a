"""Notes as people jot them down: ``Landlord: Mr Quist until 31 Jan, then Bergman Estates``.

A label, what it is, since when or until when, what comes next, and in parentheses what it was. The
label tells the relation; a label of no known kind gives none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.extract.rules.amounts import read_amounts
from graphrag.extract.rules.lexicon import (
    ORG_WORDS,
    PLACE_WORDS,
    on_relation,
)
from graphrag.extract.rules.lifetime import Life, lifetime_of
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.note_labels import Label, allergy_in, is_ones_own, label_of, task_of
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.scene import Scene
from graphrag.extract.rules.short_dates import short_times
from graphrag.names.key import name_key
from graphrag.temporal.find import TimeExpression

_SEGMENT = re.compile(
    r"(?:(?<!\b[A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bDr)(?<!\bMs)(?<!\bno))[.;!?]+(?=\s|$)|\n+"
)
_LABEL = re.compile(
    r"^\W*(?P<label>[^\W\d][\w'’/ &-]{1,38}?)[ ]?(?::|=|\bw/)[ ]+(?P<rest>\S.*)$", re.DOTALL
)
_PARENS = re.compile(r"[ ]?\((?P<inner>[^()]*)\)")
_BRACKETS = str.maketrans("()", "  ")
_NEXT = re.compile(
    r"(?:[,;]|\band\b)?[ ](?:then|after that|afterwards|thereafter|from then(?: on)?|next)\b[ :=]*"
)
_FORMER = re.compile(
    r"^(?:was|were|formerly|previously|before(?: that)?|used to be|instead of)\b[ :=]*"
)
_COMMA = re.compile(r"[,;] (?=[^\W\d])(?!(?:since|until|from|then|now|was|before|after|in|on)\b)")
_LATER_FORMER = re.compile(r"\b(?:was|were)\b[ :=]*")
_FILLER = re.compile(
    r"^(?:is|are|now|currently|still|new|since|from now on|w/|with|by|the|our|as of|only)"
    r"\b[ :=]*"
)
_TAIL = re.compile(
    r"[ ](?:stays|remains|continues|takes over|unchanged|serves|stays on|for now|at the moment|"
    r"again|now|too|as well)\b.*$"
)
_UNSURE = re.compile(
    r"\?|\b(?:un(?:decided|known|clear|sure)|none|no|not|nobody|tbd|tba|maybe|perhaps|might|may|could|"
    r"if|or|would|should|whether|open|pending|idea)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?[A-ZÀ-Þ][\w'’.&-]*"
    r"(?: (?:(?:[A-ZÀ-Þ0-9&][\w'’.&-]*)|de|del|van|von|of))*"
)
_OWNED = re.compile(r"(?P<who>[A-ZÀ-Þ][\w.-]*(?: [A-ZÀ-Þ][\w.-]*)?)['’]s? (?:new |current )?")
_VERB = re.compile(r"\b(?:has|have|had|is|are|was|were|will|said?|asked|wants?)\b")
_ON = re.compile(
    r"^\W*(?:(?:now|still|back|also|again)[ ])*(?P<which>on|off|allergic to)[ ]"
    r"(?:(?:the|a|an|my)[ ])?(?P<rest>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_TITLES = frozenset("Mr Mrs Ms Miss Dr Prof Sr Fr".split())
_OF_SOMEBODY = frozenset({"speaks", "allergic_to", "takes", "has_condition"})
_LONGEST = 6
"""Words of a value."""


@dataclass(frozen=True, slots=True)
class Item:
    """One value of a label, with its times."""

    text: str
    start: int
    life: Life


def read_note(text: str, offset: int, scene: Scene, said: datetime) -> Iterator[Draft]:
    """Yield what the labels of a paragraph state."""
    at, own = 0, scene.speaker is None or _LABEL.match(text) is not None
    for border in (*_SEGMENT.finditer(text), None):
        end = border.start() if border else len(text)
        stop = border.end() if border else len(text)
        asked = border is not None and "?" in border.group()
        if not asked:
            drafts = [
                *_being_on(text[at:end], offset + at, scene, said),
                *_segment(text[at:end], offset + at, scene, said),
                *read_amounts(text[at:end], offset + at, scene, said),
            ]
            for draft in drafts:
                if draft.relation in _OF_SOMEBODY and not own:
                    continue  # "Bo rang. Allergies: nuts": whose?
                draft.text = " ".join(text[at:end].split())
                draft.start, draft.end = offset + at, offset + end
                yield draft
        at = stop


def _segment(text: str, offset: int, scene: Scene, said: datetime) -> Iterator[Draft]:
    found = _LABEL.match(text)
    if found is None or _UNSURE.search(found["label"]):
        return
    owned = _OWNED.match(found["label"])
    words = found["label"][owned.end() :] if owned else found["label"]
    label = label_of(words)
    if label is None and owned is None and ":" in found.group()[: found.start("rest")]:
        label = task_of(words)
    if label is None or _VERB.search(found["label"]):
        return
    about = scene.implied
    if owned is not None:
        place = offset + found.start("label")
        about = scene.add(Phrase(owned["who"], place, place + len(owned["who"]), True), 0)
        about.votes["person"] += 1
    start = found.start("rest")
    for item in _listed(found["rest"], start, said, label):
        for value, at in _values(item, label):
            if label.relation == "responsible_for" and not _is_somebody(value, scene):
                continue
            draft = _draft(label, value, offset + at, (scene, about), item.life)
            if draft is not None:
                yield draft


def _listed(rest: str, offset: int, said: datetime, label: Label) -> Iterator[Item]:
    """Yield the values of a label; those of a list have a time each."""
    at = 0
    for border in (*(_COMMA.finditer(rest) if label.common else ()), None):
        stop = border.start() if border else len(rest)
        yield from _items(rest[at:stop], offset + at, said)
        at = border.end() if border else stop


def _being_on(text: str, offset: int, scene: Scene, said: datetime) -> Iterator[Draft]:
    """Yield ``On crutches until Monday``, ``Off the tablets as of today``, ``allergic to nuts``."""
    if scene.implied is not None and scene.speaker is None and (known := allergy_in(text)):
        what, at = known[0], offset + known[1]
        thing = scene.add(Phrase(what, at, at + len(what), False), 0)
        yield Draft(scene.implied, "allergic_to", thing, "", at, at + len(what), Life())
    found = _ON.match(text)
    if found is None or scene.implied is None or _UNSURE.search(text):
        return
    rest = found["rest"]
    times = short_times(rest, said, ahead=True)
    cut = min([time.start for time in times] + [len(rest)])
    words = re.split(r"[,(.!]| and | but | so | then ", rest[:cut])[0].strip()
    noun = words.split()[-1].lower() if words else ""
    which = found["which"].lower()
    relation = "allergic_to" if which == "allergic to" else on_relation(noun.removesuffix("s"))
    relation = relation or on_relation(noun.removesuffix("es"))
    if not words or not relation or len(words.split()) > _LONGEST:
        return
    life = lifetime_of(times, said)
    if which == "off":
        start, precision = life.start or life.end, life.start_precision
        life = Life(end=start or said, end_precision=precision if start else "day", over=True)
    at = offset + found.start("rest")
    thing = scene.add(Phrase(words, at, at + len(words), words[:1].isupper()), 0)
    yield Draft(scene.implied, relation, thing, "", at, at + len(words), life)


def _items(rest: str, offset: int, said: datetime) -> Iterator[Item]:
    """Yield the values one after the other, each with when it is one."""
    for one in _PARENS.finditer(rest):
        if _NEXT.match(rest, one.end()):  # "Ann (until May), then Bo": hers alone
            rest = rest[: one.start()] + one[0].translate(_BRACKETS) + rest[one.end() :]
    outer = rest
    former: list[Item] = []
    aside = ""
    for parens in _PARENS.finditer(rest):
        inner = parens["inner"]
        was = _FORMER.match(inner)
        place = offset + parens.start("inner")
        if was is not None:
            former.append(_item(inner[was.end() :], place + was.end(), said, past=True))
        elif later := _LATER_FORMER.search(inner):
            words = " " * later.end() + inner[later.end() :]
            times = inner[: later.start()] + " " * (len(inner) - later.start())
            item = _item(words, place, said, past=True)
            life = lifetime_of(short_times(times, said, ahead=False), said, past=True)
            former.append(replace(item, life=life))
        else:
            aside = inner
        blank = " " * len(parens.group())
        outer = outer[: parens.start()] + blank + outer[parens.end() :]
    at, before = 0, None
    for joint in (*_NEXT.finditer(outer), None):
        end = joint.start() if joint else len(outer)
        item = _item(outer[at:end], offset + at, said)
        if aside and item.life == Life():
            times = short_times(aside, said, ahead=True)
            item = replace(item, life=lifetime_of(times, said))
        if before is not None and item.life.start is None and before.life.end is not None:
            started = replace(item.life, start=before.life.end, start_precision="exact")
            item = replace(item, life=started)
        yield item
        before = item
        at = joint.end() if joint else len(outer)
    yield from former


def _item(text: str, offset: int, said: datetime, *, past: bool = False) -> Item:
    times: list[TimeExpression] = short_times(text, said, ahead=not past)
    life = lifetime_of(times, said, past=past)
    words = text
    for time in times:
        words = words[: time.start] + " " * (time.end - time.start) + words[time.end :]
    return Item(words, offset, life)


def _values(item: Item, label: Label) -> Iterator[tuple[str, int]]:
    """Yield the names or the number that an item gives, and where each stands."""
    words = item.text
    if _UNSURE.search(words.split("—")[0].split(" - ")[0]):
        return
    words = re.split(r"\s[—–-]\s", words)[0]
    tail = _TAIL.search(words)
    words = words[: tail.start()] if tail else words
    shift = 0
    while (stripped := words.lstrip(" ,:=")) and (filler := _FILLER.match(stripped)):
        shift += len(words) - len(stripped) + filler.end()
        words = stripped[filler.end() :]
    shift += len(words) - len(words.lstrip(" ,:="))
    words = words.strip(" ,:=")
    parts = re.split(r",\s+|\s+and\s+", words) if label.many else [words]
    at = item.start + shift
    for part in parts:
        plain = part.strip(" ,")
        whole = plain.replace(",", "") if label.relation == "lives_in" else plain
        fits = bool(_NAME.fullmatch(whole)) or (label.common and plain[:1].islower())
        if plain and fits and len(plain.split()) <= _LONGEST:
            yield plain, at + words.find(plain)


def _is_somebody(value: str, scene: Scene) -> bool:
    """Tell whether a value reads like somebody's name: with a title, known, or of two words."""
    words = value.split()
    known = scene.names.get(name_key(value))
    if words[0].rstrip(".") in _TITLES or (known is not None and known.votes["person"] > 1):
        return True
    plain = len(words) in (2, 3) and all(word.isalpha() and word[0].isupper() for word in words)
    plain = plain and not any(word.isupper() and len(word) > 1 for word in words)  # "SV Aldwark"
    return plain and not any(word.lower() in ORG_WORDS | PLACE_WORDS for word in words)


def _draft(
    label: Label, value: str, start: int, where: tuple[Scene, Name | None], life: Life
) -> Draft | None:
    scene, about = where
    if label.form == "of_topic" and label.relation in _OF_SOMEBODY:
        if about is None or (label.common and not is_ones_own(label.relation, value, about)):
            return None  # a gym, but whose
    named = value[:1].isupper()
    other = scene.add(Phrase(value, start, start + len(value), named), 0)
    thing = scene.add(Phrase(label.text, start, start, False), 0)
    for name, kind in ((other, label.value),):
        if kind and named:
            name.votes[kind] += 2
    one: Name = about or thing
    match label.form:
        case "role":
            ends = (other, label.relation, thing)
        case "of_label":
            ends = (other, label.relation, thing)
        case _:
            ends = (one, label.relation, other)
    if ends[0] is ends[2]:
        return None
    return Draft(*ends, "", start, start + len(value), life)
