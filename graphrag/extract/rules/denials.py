"""What a text denies beside what it states, and what it takes back: ``at Globex, not Acme``."""

import re

from graphrag.temporal.vocabulary import MONTHS

_PREPOSITION = r"(?:at|in|on|by|to|from|with|for|of|as) "
_NOUN = r"(?!I\b)(?:(?:an?|the|his|her|its|my|our|their) [\w’'-]+|[A-ZÀ-Þ\d][\w.&’'-]*)"
_MORE = r"(?: [\w&’'-]+){0,4}?"
_REGION = r"(?=, [A-ZÀ-Þ][\w-]*(?:[.;:!?)]|$))"
"""``, France`` at the end, which says more of what is stated: the comma stays."""
_CONTRAST = re.compile(
    # "not a doctor but a nurse", "not at Acme but at Globex": the second is stated
    rf"\b(?<!do )(?<!does )(?<!did )[Nn]ot (?:{_NOUN}{_MORE},? but (?={_NOUN})"
    rf"|{_PREPOSITION}{_NOUN}{_MORE},? but (?={_PREPOSITION}))"
    # "at Globex, not Acme": the first is
    rf"|(?P<comma>,) not (?:{_PREPOSITION})?{_NOUN}{_MORE}(?:{_REGION}|,|(?= as )|(?=[.;:!?)]|$))"
    rf"|(?: and| but) not (?:{_PREPOSITION})?{_NOUN}{_MORE}(?=,| as |[.;:!?)]|$)"
)
_CALLED = r"[A-ZÀ-Þ][\w.'-]*(?: [A-ZÀ-Þ][\w.'-]*){0,3}(?:, [A-ZÀ-Þ][\w'-]*)?"
_AS_SAID = re.compile(
    r",? as (?:(?:I|we|it) )?(?:\w+ )?(?:said|wrote|told|reported|stated|thought|announced)\b"
)


_DATE = re.compile(
    rf"\bnot (?:in |on |since |from |until )?(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{'|'.join(MONTHS)}|"
    r"[12]\d{3})\b",
    re.IGNORECASE,
)
_REGRET = re.compile(r"\W*(?:sorry|oops|no|wait|actually|correction|erratum)\b", re.IGNORECASE)


def _puts_right(contrast: re.Match[str]) -> bool:
    """Tell whether what is denied beside what is so was said before: ``in 2016, not 2015``."""
    text = contrast.string
    if _AS_SAID.match(text, contrast.end()) or _DATE.search(contrast.group()):
        return True
    begun = max(text.rfind(mark, 0, contrast.start()) for mark in ".!?\n")
    return _REGRET.match(text, begun + 1) is not None


_STATED_THEN_ASKED = re.compile(
    # "I moved to Oslo, can you suggest a gym?": the first half is stated
    r"(?:^|(?<=[.!?;:\n] ))(?P<stated>(?:(?:so|and|but|hi|hey),? )?(?:I|we)\b"
    r"(?:[^.!?\n]|\.(?=\d))*?),(?=(?: (?:and|but|so))? "
    r"(?:can|could|will|would|should|do|does|did|is|are|was|were|has|have|what|how|why) "
    r"(?:you|I|we|it|this|that|these|there|they|he|she|the|any?|an|my|your|our|to|do|does|did|are|"
    r"is|can|could|should|would|much|many|long)\b(?:[^.!?\n]|\.(?=\d))*\?)",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_MORE = re.compile(
    r"(?<=\s)any (?:more|longer)\b"
    r"(?=\s*(?:[.,;:!?)—–-]|$|\n|(?:since|because|and|but|so|as|after|now)\b))",
    re.IGNORECASE,
)
"""Two words that the parser takes for one more of something."""
_ASIDE = re.compile(
    r",? (?:thank (?:god|goodness|heavens?)|sadly|unfortunately|luckily|thankfully|alas)"
    r"(?=\s*(?:[.,;!?)]|$|\n))",
    re.IGNORECASE,
)
_NEVER = re.compile(r"\b(?:never|not)\b|n['’]t\b")
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s+[A-ZÀ-Þ]|\s*$)|;(?=\s)|(?=\n)|$)")
_CORRECTION = re.compile(r"^\W*(?:correction|erratum|clarification)\b", re.IGNORECASE)
_TAKING_BACK = re.compile(
    r"(?:(?<=^)|(?<=[.!?:;]\s)|(?<=\n))(?:no,? |sorry,? )?"
    r"(?:correction|scratch that|strike that|my (?:mistake|bad)|"
    r"I (?:misspoke|was wrong|got (?:that|it) wrong|mixed (?:that|it|them) up))[,:;.!-]",
    re.IGNORECASE,
)


def is_correction(text: str) -> bool:
    """Tell whether a text begins by saying that it corrects another."""
    return bool(_CORRECTION.match(text))


def calls_off(sentence: str) -> bool:
    """Tell whether a sentence calls a plan off or puts it off: ``the move to Oslo is off``."""
    found = _PLAN.search(sentence) and _OFF.search(sentence)
    return bool(found) and not _UNSTATED.search(sentence)


_UNSTATED = re.compile(r"\b(?:never|not|if|unless|whether)\b|n['’]t\b|\?\s*$", re.IGNORECASE)
_PLAN = re.compile(
    r"\b(?:acquisition|engagement|job|marriage|merger|move|offer|relocation|takeover|transfer|"
    r"wedding)\b",
    re.IGNORECASE,
)
_OFF = re.compile(
    r"\b(?:is|are|was|were) off\b(?! (?:to|the)\b)|\b(?:call|put|push)(?:ed)?\b.*? (?:off|back)\b|"
    r"\b(?:cancel|postpon|rescind|withdr[ae]w)|\b(?:fell|fallen) through\b|\bturned down\b",
    re.IGNORECASE,
)


def without_denials(text: str) -> tuple[str, list[int], list[int]]:
    """Return a text with blanks for what it denies beside what it states: ``not Acme but Globex``.

    The words that take back what was said are blanks as well, and a question after a comma is a
    sentence of its own. Returned, too, is where these ended,
    and where it says that the denied was said before: "not in May as I said".
    """
    text = _ANY_MORE.sub(lambda match: "anymore".ljust(len(match.group())), text)
    text = _ASIDE.sub(_blank, _STATED_THEN_ASKED.sub(r"\g<stated>.", text))
    said = [match.start() for match in _CONTRAST.finditer(text) if _puts_right(match)]
    text = _CONTRAST.sub(_blank, text)
    ends = [found.end() for found in _TAKING_BACK.finditer(text)]
    return _TAKING_BACK.sub(_blank, text), ends, said


def denied_in(text: str) -> str:
    """Return what a text says that another one said wrongly, as if it were so; blanks elsewhere.

    "Correction: Ann never worked at Acme".
    """
    whole = is_correction(text)
    kept = [" "] * len(text)
    for sentence in _SENTENCE.finditer(text):
        words, start = sentence.group(), sentence.start()
        beside = _BESIDE.search(words)
        denials = [match.span() for match in _NEVER.finditer(words)]
        back = _TAKING_BACK.match(words) or _CORRECTION.match(words)
        if len(denials) != 1 or not (whole or back):
            continue
        if beside:
            denials = [(beside.start("new"), beside.start("old"))]
        elif _CONTRAST.search(words):
            continue
        kept[start : start + len(words)] = words
        for first, last in (denials[0], *([back.span()] if back else [])):
            kept[start + first : start + last] = " " * (last - first)
    return "".join(kept)


_BESIDE = re.compile(
    rf"(?P<new>{_CALLED})(?:,| and| but) not (?:{_PREPOSITION})?"
    rf"(?P<old>{_CALLED})(?=[.;:!?)]|$)"
)
"""``at Globex, not Acme``."""


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())
