"""Noun phrases as names and things: which words of a parse name an entity."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.extract.rules.lexicon import (
    ANIMATE,
    CLUB_WORDS,
    EMPTY_NOUNS,
    GENERIC,
    INTERJECTIONS,
    MEASURES,
    ORG_WORDS,
    PERSON_TITLES,
    PLACE_WORDS,
    STATEMENTLESS,
    UNDERTAKINGS,
    VAGUE,
    WATERS,
)
from graphrag.extract.rules.slots import complement_of
from graphrag.extract.rules.trades import JOBS, KEPT, OFFICES, is_title, is_trade
from graphrag.local.parser import GIVEN

if TYPE_CHECKING:
    from spacy.tokens import Token

_DROPPED_TITLES = frozenset("mr mrs ms miss dr prof sir mayor president professor".split())
_INNER = frozenset({"compound", "flat", "nmod", "amod", "nummod", "poss", "case"})
_LONGEST_THING = 5
_NER_TYPES = {
    "PERSON": "person", "ORG": "organization", "GPE": "place", "LOC": "place", "FAC": "place",
    "EVENT": "event", "WORK_OF_ART": "work",
}  # fmt: skip
_NOT_NAMES = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "PERCENT", "QUANTITY"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase cut down to the words that name something."""

    text: str
    start: int
    end: int
    """Character offsets in the parsed paragraph."""
    named: bool
    """True for a proper name, false for a common noun."""
    hints: tuple[tuple[str, int], ...] = ()
    """Entity types that its form suggests, with their weight."""


def phrase_of(head: "Token") -> Phrase | None:
    """Return the phrase that a noun heads, or None if it names nothing."""
    if is_name(head) and head.ent_type_ not in _NOT_NAMES:
        phrase = _name(head)
        return None if phrase is None or _is_cited(phrase, head.doc.text) else phrase
    if head.pos_ == "ADJ" and head.ent_type_ in ("NORP", "LANGUAGE"):
        return Phrase(head.text, head.idx, head.idx + len(head), True)  # "I'm learning Italian"
    if head.pos_ == "NOUN":
        return _thing(head)
    if head.tag_ == "VBG":
        return _activity(head)
    return None


def is_name(token: "Token") -> bool:
    """Tell whether a word is a proper name; a capital inside a sentence counts as one."""
    inside = token.text.istitle() and not token.is_sent_start
    return token.pos_ == "PROPN" or (token.pos_ == "NOUN" and inside)


def _is_cited(phrase: Phrase, text: str) -> bool:
    """Tell whether a phrase stands alone in quotes: a word spoken of, not somebody."""
    return text[: phrase.start].endswith('"') and text[phrase.end :].lstrip(".,").startswith('"')


def is_capitalised(token: "Token") -> bool:
    """Tell whether a word is written like a name."""
    return token.text[:1].isupper() or (token.pos_ == "PROPN" and not token.text[:1].islower())


def _name(head: "Token") -> Phrase | None:
    first, last = _left_end(head), _right_end(head)
    joined = _joined(head) or _joined(first) or (first.i, last.i)
    words = list(head.doc[min(first.i, joined[0]) : max(last.i, joined[1]) + 1])
    titled = words[0].lower_ in JOBS | OFFICES and words[0].lower_ not in KEPT
    if len(words) > 2 and titled and words[1].pos_ == "PROPN":
        words = words[1:]  # "Coach Petra Nyman": what she is, not her name
    hints: list[tuple[str, int]] = []
    title = words[0].lower_.rstrip(".") if len(words) > 1 else ""
    hints += [("person", 4)] if title in PERSON_TITLES else []
    words = words[1:] if title in _DROPPED_TITLES | {"pt"} and words[0].text != "PT" else words
    text = head.doc.text[words[0].idx : words[-1].idx + len(words[-1])]
    text = " ".join(text.strip(" '\"").split())  # a nickname between left a gap
    short = words[-1].lower_ in ("jr.", "sr.") or len(words[-1]) < len("Co.")
    if text.endswith(".") and not short:
        text = text[:-1]  # "Acme Corp." and the end of a sentence look alike
    if len(text) < 2 or not any(character.isalpha() for character in text):
        return None
    office = (
        is_title(head)
        and text.lower() not in KEPT
        and any(child.dep_ in ("det", "poss") for child in head.children)
    )
    if len(words) == 1 and (office or text.lower() in INTERJECTIONS or _only_starts(head)):
        return None
    hints += _form_hints(words, head)
    return Phrase(text, words[0].idx, words[0].idx + len(text), True, tuple(hints))


def _joined(head: "Token") -> tuple[int, int] | None:
    """Return the words of ``Mensah & Partners``, which is one name, from any of its own."""
    first, last = head.i, head.i
    doc = head.doc
    while last + 2 < len(doc) and doc[last + 1].text == "&" and is_capitalised(doc[last + 2]):
        last += 2
        while (
            last + 1 < len(doc) and doc[last + 1].pos_ == "PROPN" and is_capitalised(doc[last + 1])
        ):
            last += 1
    while first > 1 and doc[first - 1].text == "&" and is_capitalised(doc[first - 2]):
        first -= 2
        while first > 0 and doc[first - 1].pos_ == "PROPN" and doc[first - 1].text[0].isupper():
            first -= 1
    return (first, last) if last > first else None


def _left_end(head: "Token") -> "Token":
    first = head
    placed = head.lower_ in PLACE_WORDS or head.lower_ in ORG_WORDS
    while first.i > 0:
        left = head.doc[first.i - 1]
        hyphen = left.text == "-" and not left.whitespace_
        owned = placed and left.tag_ == "POS"  # "Abbot's Bridge", but not "Bob's Wish"
        if not (hyphen or owned or (left.is_space and left.i and left.nbor(-1).pos_ == "PROPN")):
            inner = left.dep_ in _INNER and (placed or left.dep_ != "poss")
            inner = inner or (left.dep_ == "conj" and left.head.dep_ == "nmod")
            if not (inner and left.head in head.subtree and is_capitalised(left)):
                break
            if left.ent_type_ in _NOT_NAMES or (left.is_sent_start and _only_leads(left)):
                break
        first = left
    while first.i < head.i and not is_capitalised(first):
        first = first.nbor()
    return first


def _only_leads(token: "Token") -> bool:
    """Tell whether a sentence's first word is no part of the name after it."""
    return token.is_stop or bool(_ADVERB.search(token.lower_) or token.lower_ in _ORDERS)


def _right_end(head: "Token") -> "Token":
    """Return the last word of a name such as ``Witch of the West`` or ``Apollo 11``."""
    doc, last = head.doc, head
    following = doc[head.i + 1] if head.i + 1 < len(doc) else None
    if following is not None and following.pos_ in ("PROPN", "NUM") and following.head == head:
        if following.dep_ in ("flat", "nummod") and following.ent_type_ not in _NOT_NAMES:
            return following
    if following is not None and following.lower_ == "of" and following.head == head:
        for target in following.children:
            inside = doc[following.i + 1 : target.i]
            if (
                target.dep_ == "pobj"
                and target.pos_ == "PROPN"
                and all(token.lower_ == "the" or is_capitalised(token) for token in inside)
            ):
                # "Witch of the West" is a name, "Bank of Dunmarle" too, "Mayor of Dunmarle" not.
                if (
                    (is_capitalised(head) and head.ent_type_ != "PERSON")
                    and head.lower_ not in PERSON_TITLES
                    and not (head.text.isupper() and head.lower_ in JOBS | OFFICES)
                    and target.ent_type_ not in _NOT_NAMES
                ):
                    return target
    return last


def _form_hints(words: list["Token"], head: "Token") -> list[tuple[str, int]]:
    hints = []
    if len(words) > 1 and GIVEN.fullmatch(words[0].text):
        return [("person", 4)]  # "Min-jun Park" is no park
    # Of "Witch of the North" the head tells the type.
    last = (words[-1] if head.i >= words[-1].i else head).lower_.rstrip(".")
    the = head.doc[max(0, words[0].i - 1)].lower_ == "the"  # "the River Tarn", not "River Phoenix"
    water = words[0].lower_ in WATERS and (the or head.ent_type_ in ("LOC", "GPE", "FAC"))
    if {last, re.sub("ies$", "y", last)} & ORG_WORDS and len(words) > 1:
        hints.append(("organization", 3))
    elif len(words) > 1 and (last in PLACE_WORDS or water):
        hints.append(("place", 3))
    if last in ANIMATE or last.endswith(("man", "woman")):
        hints.append(("person", 2))
    if (kind := _NER_TYPES.get(head.ent_type_)) and not (
        kind == "person" and words[0].lower_ in UNDERTAKINGS
    ):
        hints.append((kind, 2 if kind == "person" and len(words) > 1 else 1))
    return hints


def _thing(head: "Token") -> Phrase | None:
    inside = complement_of(head)
    if inside is not None and head.lemma_.lower() in MEASURES:
        return phrase_of(inside)  # "the ground floor of the mill"
    if head.ent_type_ in _NOT_NAMES or len(head.text) < 3:
        return None
    first = head
    while first.i > 0:
        left = head.doc[first.i - 1]
        if left.head != head and left.head.head != head:
            break
        outer = left.dep_ not in ("compound", "amod") or left.pos_ not in ("NOUN", "ADJ", "PROPN")
        if outer or left.lemma_.lower() in VAGUE or left.ent_type_ in _NOT_NAMES - {"TIME"}:
            break
        first = left
    words = head.doc[first.i : head.i + 1]
    if inside is not None and inside.i - first.i < _LONGEST_THING:
        words = head.doc[first.i : inside.i + 1]
    plain = all(_WORD.fullmatch(token.text) for token in words)
    if not plain or len(words.text.split()) > _LONGEST_THING:
        return None
    # A "group" is no thing, a "book group" is.
    qualified = any(token.dep_ == "compound" for token in words)
    if head.lemma_.lower() in EMPTY_NOUNS and not qualified:
        return None
    named = any(
        word.pos_ == "PROPN" and word.dep_ == "compound" for word in words
    )  # "Palmer account"
    kind = ANIMATE | ORG_WORDS | PLACE_WORDS | GENERIC.keys() | CLUB_WORDS
    other = head.lemma_.lower() not in kind and not is_trade(head)
    hints = (("thing", 2),) if named and other else ()
    return Phrase(words.text, words.start_char, words.end_char, named, hints)


def _activity(verb: "Token") -> Phrase | None:
    """Return what one does by a gerund alone: ``painting``."""
    alone = not any(child.dep_ in _OBJECTS for child in verb.children)
    plain = verb.lemma_.lower() not in STATEMENTLESS and _WORD.fullmatch(verb.text)
    return Phrase(verb.text, verb.idx, verb.idx + len(verb), False) if alone and plain else None


def _only_starts(head: "Token") -> bool:
    """Tell whether a word is capitalised only because a sentence begins with it."""
    return bool(head.is_sent_start) and not head.ent_type_ and not head.dep_.startswith("nsubj")


_OBJECTS = frozenset("dobj prt ccomp xcomp acomp attr dative neg".split())
_ADVERB = re.compile(r".{4}(?:ully|ously|edly|ingly|antly|ently|ately|ically)$")
_ORDERS = frozenset("imagine suppose tell ask call remind meet thank see let visit".split())
_WORD = re.compile(r"[^\W\d_][\w+&'.’-]*|[-/]|'s")
