"""On which side of the reference an undated day lies: "on Friday", "in March", "May 12".

Nearest past is right for a memory and wrong for a plan, and the words around tell which: "we met on
Friday", "see you on Friday". Where they do not, a month's day counts if it is near, and a weekday
or a whole month is left alone: more of those are plans or habits ("it is dry in June") than events.
"""

import re
from datetime import timedelta
from typing import Final

from graphrag.temporal.period import Period, Prefer, Reference

_AROUND: Final = 150
"""Characters looked at on each side, within the sentence."""
_SENTENCE_END: Final = re.compile(r"[.!?;\n]")
_FUTURE: Final = re.compile(
    r"\b(?:will|won't|shall|should|gonna|(?:go|look)ing (?:to|forward)|can't wait|let's|upcoming|"
    r"(?:see|catch|join|invite|meet) (?:you|us|me)|(?:how|what) about|want to|wanna|"
    r"plan(?:s|ning)?|(?:can|could|would) (?:you|we|i)|excited (?:for|about|to)|free|available|"
    r"tomorrow|deadline|ready for|due|hope|next)\b|\w'll\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:was|were|did|didn't|had|went|saw|said|told|met|got|made|took|came|won|lost|left|bought|"
    r"found|gave|began|became|held|led|ran|sold|wrote|been|felt|kept|spent|heard|brought|fell|ago|"
    r"(?!excited|planned|scheduled|need|interested|indeed|speed|tired)[a-z]{3,}ed)\b",
    re.IGNORECASE,
)
_NEAR: Final = timedelta(days=60)
_HALF_YEAR: Final = timedelta(days=183)


def tense(text: str, start: int, end: int) -> Prefer | None:
    """Tell whether the sentence around a stretch of text looks back, ahead, or does not say."""
    before = _SENTENCE_END.split(text[max(0, start - _AROUND) : start])[-1]
    after = _SENTENCE_END.split(text[end : end + _AROUND])[0]
    sentence = f"{before} {after}"
    back, ahead = _PAST.search(sentence), _FUTURE.search(sentence)
    if bool(back) == bool(ahead):
        return None
    return "past" if back else "future"


def choose(
    past: Period, future: Period, leaning: Prefer | None, reference: Reference, *, vague: bool
) -> Period | None:
    """Pick one of the two readings of an undated expression, or neither.

    Args:
        past: The nearest reading that has begun.
        future: The nearest one that is not over.
        leaning: What the sentence says, if it does.
        reference: When the text was written, and the caller's preference.
        vague: True for weekdays, which lie equally near on both sides, and for whole months.
    """
    if past == future and not vague:
        return past
    far = not vague and reference.moment - past.start > _HALF_YEAR
    soon = future.start - reference.moment <= _NEAR
    if leaning == "past":
        # "It was wise to choose May 12", written on May 5: two signs that disagree.
        return None if far and soon else past
    if leaning == "future" or reference.prefer == "future":
        return future
    if vague or (far and not soon):
        return None
    return future if far else past
