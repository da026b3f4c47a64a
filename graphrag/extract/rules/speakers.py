"""Who speaks in a text: turns, quotes, and the header, greeting and signature of a letter."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span

_TURN = re.compile(
    r"^[ \t]*(?:[\[(][^\])\n]{1,40}[\])][ \t]*)?"  # "[10:02] "
    r"(?P<speaker>[^\W\d_][\w .'’-]{0,40}?(?:[ ]\([^)\n]{1,30}\))?)[ \t]*:[ \t]+(?P<words>\S.*)$",
    re.MULTILINE,
)
_INLINE = re.compile(
    r"(?<=[^\w\s,:;(-])[ ]+(?P<speaker>[A-Z][\w'’-]*(?:[ ][A-Z][\w'’-]*)?):[ ]+(?P<words>\S)"
)
"""Who speaks next on the same line: behind the end of a sentence."""
_SPOKEN = re.compile(r"\b(?:i|i'm|i’m|im|i've|i’ve|my|me|we|our|you|your)\b", re.IGNORECASE)
_SELF = re.compile(r"(?:me|i|myself)[ ]\((?P<name>[^)]+)\)", re.IGNORECASE)
_STOPPED = re.compile(r"[^\W\d_]{4,}\. ")
_ASIDE = re.compile(r"[ ]\([^)]*\)$")
_LABELS = frozenset(
    "from to cc bcc subject date sent note notes todo re fwd location time place attendees agenda "
    "present title status tags ps n.b".split()
)
_LEADS = frozenset(
    "update updates correction erratum reminder news fyi edit warning question answer p.s "
    "background summary result results conclusion reason outcome".split()
)
"""What is said before what one says: nobody is called so."""
_NAMED = frozenset(
    "de la las los van von der den del da di al el bin ibn zu ter ten dos du le st one two three "
    "name user agent person speaker client caller guest host".split()
)
"""Small words of names, and of who is called by a number."""
GENERIC = frozenset("user me human customer client you".split())
"""Speakers who have a name besides."""
_BODY = re.compile(r"^The\b|\b(?:news|times|post|press|media|magazine|radio|tv)\b", re.IGNORECASE)
_GROUPS = frozenset("all everyone team staff colleagues".split())
INTERVIEW = frozenset({"Q", "A"})
"""Labels of questions and answers, which name nobody."""
_QUOTED = re.compile(r'"[^"]*(?:"|$)')

Stretch = tuple[int, int]
"""Where quoted words start and end in a parsed paragraph, quotes included."""
_PARTICLES, _LONGEST = 2, 4
"""Words in lower case, and words in all, that a name may have: ``Ana de la Cruz``."""
_ASSISTANTS = frozenset("assistant ai bot system chatbot".split())
_ROLES = frozenset("user human assistant ai chatbot".split())
"""Speakers of a talk with an assistant. Where one of them begins a text, a label in what is said
("Step 1: ...") begins no turn."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says; ``start`` is where the words begin in the text."""

    speaker: str
    words: str
    start: int
    line_start: int


def turns(text: str, author: str | None = None) -> list[Turn]:
    """Return the turns of a text; lines without a speaker continue the turn before them.

    In questions and answers, ``Q:`` and ``A:``, it is the author who answers.
    """
    found = [match for match in _TURN.finditer(text) if not _is_clause(match["speaker"])]
    if found and not text[: found[0].start()].strip():
        found = sorted((*found, *_inline(text, found)), key=re.Match[str].start)
        if _is_role(found[0]):
            found = list(filter(_is_role, found))
    ends = [*(match.start() for match in found[1:]), len(text)][: len(found)]
    asked = {match["speaker"] for match in found} == INTERVIEW
    answers = "" if author is None or _BODY.search(author) else author
    names = {"Q": "", "A": answers} if asked else {}
    said = []
    for match, end in zip(found, ends, strict=True):
        speaker = names.get(match["speaker"], _speaker(match["speaker"].strip()))
        start = match.start("words")
        said.append(Turn(speaker, text[start:end].rstrip(), start, match.start()))
    return said


def _inline(text: str, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return the turns within lines, ``Ann: Still in Oslo? Bo: No, I left``: not those of a list.

    In a list of labels nobody speaks, and who speaks there speaks on a line of their own.
    """
    inline = [match for match in _INLINE.finditer(text) if match["speaker"].lower() not in _LABELS]
    if len(found) > 1 or found[0]["speaker"].lower() in _LABELS or not inline:
        return []
    # Whoever has spoken needs no mark before: "No, I left in May Ann: And now?"
    names = "|".join({re.escape(match["speaker"]) for match in (*found, *inline)})
    again = re.finditer(rf"(?<=\w)[ ]+(?P<speaker>{names}):[ ]+(?P<words>\S)", text)
    inline = sorted((*inline, *again), key=re.Match[str].start)
    starts = [found[0].start("words"), *(match.start("words") for match in inline)]
    ends = [*(match.start() for match in inline), len(text)]
    said = (text[start:end] for start, end in zip(starts, ends, strict=True))
    return inline if any(map(_SPOKEN.search, said)) else []


def is_dialogue(text: str, said: list[Turn]) -> bool:
    """Tell whether a text that nobody calls a conversation is one.

    Every line of it is a turn or goes on with one, and somebody speaks twice: a list of labels
    names each once. Questions and answers, and a talk with an assistant, may be one turn each.
    """
    roles = GENERIC - {"you"} | _ROLES
    alone = bool(said) and all(turn.speaker.lower() in roles for turn in said)
    asked = {text[turn.line_start : turn.line_start + 2] for turn in said} == {"Q:", "A:"}
    if (alone or asked) and said[0].line_start == 0:
        return True
    if len(said) < len(("one", "other")) or text[: said[0].line_start].strip():
        return False
    times = Counter(turn.speaker for turn in said)
    labels = any(name.lower() in _LABELS or name[:1].islower() for name in times)
    if labels or len(times) < len(("one", "other")):
        return False
    stamped = all(text[turn.line_start :].lstrip()[:1] in "[(" for turn in said)
    return stamped or max(times.values()) > 1


def advises(speaker: str | None) -> bool:
    """Tell whether somebody is an assistant: advice and examples state nothing of the world."""
    return speaker is not None and speaker.lower() in _ASSISTANTS


def advice_in(said: list[Turn]) -> list[tuple[int, int]]:
    """Return where an assistant speaks."""
    advice = (turn for turn in said if advises(turn.speaker))
    return [(turn.line_start, turn.start + len(turn.words)) for turn in advice]


def turn_at(said: Sequence[Turn], at: int) -> Turn | None:
    """Return the turn of a place; None before the first."""
    number = bisect_right(said, at, key=attrgetter("start"))
    return said[number - 1] if number else None


def is_of_writer(sentence: "Span", quotes: Iterable[tuple[int, int]]) -> bool:
    """Tell whether a sentence says something of who wrote it, outside of quotes: ``I moved``."""
    return any(
        token.text == "I"
        and token.dep_.startswith("nsubj")
        and not any(start <= token.idx < end for start, end in quotes)
        for token in sentence
    )


def unsaid(sentences: int) -> tuple[str, ...]:
    """Return what to say of sentences in the first person that nobody is known to have written."""
    if not sentences:
        return ()
    what = f"{sentences} sentences say" if sentences > 1 else "a sentence says"
    return (f'{what} something of "I", and its author is unknown: give author=',)


def _is_clause(label: str) -> bool:
    """Tell whether words before a colon are no name: ``Today we can say it: Acme is ours``."""
    words = label.split()
    plain = [word for word in words if word.islower() and len(word) > 1]
    if (words[0].islower() and len(words) > _PARTICLES) or _STOPPED.search(label):
        return True  # "translate this please: ...", "Monday. Ann rang: ..."
    if label.lower() in _LEADS or (plain and words[0][:1].isupper() and not _NAMED >= {*plain}):
        return True  # "Big news: I moved"
    pronoun = len(words) > 1 and re.split("['’]", words[0].lower())[0] in ("i", "we", "it", "this")
    return pronoun or (len(plain) > _PARTICLES and len(words) > _LONGEST)


def _is_role(match: re.Match[str]) -> bool:
    return match["speaker"].lower() in _ROLES


def _speaker(name: str) -> str:
    """Return ``Edie`` for ``Me (Edie)``."""
    found = _SELF.fullmatch(name)
    return found["name"].strip() if found else _ASIDE.sub("", name)


def quoted(text: str) -> list[Stretch]:
    """Return the quoted stretches; one left open runs to the end of the paragraph."""
    return [match.span() for match in _QUOTED.finditer(text)]


def is_inside(start: int, end: int, stretches: list[Stretch]) -> bool:
    """Tell whether a span is mostly quoted words."""
    covered = sum(max(0, min(end, b) - max(start, a)) for a, b in stretches)
    return covered > 0.5 * (end - start)


_HEADER = re.compile(
    r"(?P<field>from|to|cc|bcc|date|sent|subject|reply-to)[ \t]*:[ \t]*(?P<value>[^\n]*)(?:\n|\Z)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\s*[<(\[]?[\w.+-]+@[\w.-]+[>)\]]?")
_PERSON = re.compile(r"[A-ZÀ-Þ][\w'’-]*(?:[ ](?:[A-ZÀ-Þ][\w'’.-]*|de|van|von|der|la|bin|al))*")
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))\b[^,:!\n.]{0,40}[,:!\n]+",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:^|(?<=[\n.!?]))[ \t]*(?:best(?: wishes| regards)?|(?:kind |warm |with )?regards|cheers|"
    r"thanks|thank you|many thanks|love|yours(?: \w+)?|sincerely|all the best|take care|xx?|"
    r"see you)[,!.]?[ \t]*\n*[ \t]*(?P<name>[A-ZÀ-Þ][\w'’-]*(?:[ ][A-ZÀ-Þ][\w'’.-]*){0,2})?"
    r"(?P<rest>(?:,[^\n]*)?(?:[ \t]*\n[^\n]*){0,3})\s*\Z",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"\n[ \t]*[-–]?[ \t]*(?P<name>[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*)?)\s*\Z")
_NAME = r"[A-ZÀ-Þ][\w'’-]+(?: (?:de |van |von |al-)?[A-ZÀ-Þ][\w'’-]+)"
OF_WRITER = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Oo]ur)\b")
"""Words by which who writes means themselves."""
_INTRODUCED = re.compile(
    rf"\b(?:I['’]m|I am|[Mm]y name(?: is|['’]s)|[Tt]his is) "
    rf"(?P<name>{_NAME}?|[A-ZÀ-Þ][\w'’-]+)(?=\s*(?:[,.!;(–—-]|\n|$| and (?:I|my)\b|[^\w\s]))"
)
_PEOPLES = re.compile(r"(?:ish|ese|ian|can|ch|OK|Ok)$")
"""``I'm Swedish``: a people, and no name."""
_OPENING = 120
"""Characters in which somebody says who speaks."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A text without the parts of a letter that are no sentences, and who they name."""

    text: str
    """As long as the whole: what is left out is blank."""
    author: str = ""


def letter_of(text: str) -> Letter:
    """Return a text's letter; a text that is none is returned as it is."""
    fields: dict[str, str] = {}
    start = 0
    while found := _HEADER.match(text, start):
        fields[found["field"].lower()] = found["value"].strip()
        start = found.end()
    body = re.compile(r"\s*").match(text, start)
    begun = body.end() if body else start
    greeting = _GREETING.match(text, begun)
    if greeting is not None:
        begun = greeting.end()
    author, stop = _signature(text, begun)
    if not fields and greeting is None and not (author and OF_WRITER.search(text[:stop])):
        return Letter(text)
    author = _one_name(fields.get("from", "")) or author
    plain = _blank(text[:begun]) + text[begun:stop] + _blank(text[stop:])
    return Letter(plain, author)


def speaker_of(text: str) -> str:
    """Return who says ``I'm Ann`` or ``my name is Ann Lee`` where a text begins."""
    found = _INTRODUCED.search(text[:_OPENING])
    return "" if found is None or _PEOPLES.search(found["name"]) else found["name"]


def _signature(text: str, begun: int) -> tuple[str, int]:
    """Return who signs, and where that begins."""
    closing = _CLOSING.search(text, begun)
    if closing is not None and closing["name"] and closing["name"][0].isupper():
        return closing["name"], closing.start()
    signed = _SIGNED.search(text, begun) if begun else None
    return ("", len(text)) if signed is None else (signed["name"], signed.start())


def _one_name(value: str) -> str:
    """Return the person that a header names, or nothing."""
    plain = _ADDRESS.sub("", value).strip().strip("\"'")
    return plain if _PERSON.fullmatch(plain) and plain.lower() not in _GROUPS else ""


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
