"""What a text puts right of what it said before: ``I said January, it was February``."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.extract.rules.denials import SORRY
from graphrag.extract.rules.lifetime import Life
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.short_dates import short_times
from graphrag.model.extraction import Claim, Mention
from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.temporal.period import Period, shift

_VALUE = r"[\w][\w .&'-]{1,40}?(?:, [A-ZÀ-Þ][\w'-]*)?"
"""A name, a date, or a place with what it lies in."""
_IS = r"(?:it|that|this)(?:'s| is| was| should be| should have been)(?: actually| really)?"
_SLIPS = (
    re.compile(
        rf"\b(?:I|we) (?:said|wrote|told you|put|typed) (?P<old>{_VALUE})"
        rf"(?:,| -|;|:)* (?:but |when )?{_IS} (?P<new>{_VALUE})\s*(?:[,;.!]|$)"
    ),
    re.compile(
        rf"^\W*{SORRY}(?:{_IS} )?(?P<new>{_VALUE}?),? not (?P<old>{_VALUE})\s*[.!]*$", re.IGNORECASE
    ),
    re.compile(rf"^\W*{SORRY}not (?P<old>{_VALUE}) but (?P<new>{_VALUE})\s*[.!]*$", re.IGNORECASE),
    re.compile(rf"^\W*{SORRY}not (?P<old>{_VALUE}), (?P<new>{_VALUE})\s*[.!]*$", re.IGNORECASE),
    re.compile(
        rf"^\W*(?P<sure>{SORRY})(?:{_IS} |(?P<meant>(?:I|"
        rf"we) meant(?: to (?:say|write))? |make that ))?(?P<new>{_VALUE})\s*[.!]*$",
        re.IGNORECASE,
    ),
)
"""``I said January, it was February``, ``Sorry, I meant Globex``, ``Correction: it was 2012``,
``Not Lyon but Paris, France``."""


@dataclass(frozen=True, slots=True)
class Slip:
    """What a sentence puts right: the wrong value, if it names it, and the right one."""

    old: str
    new: str
    text: str
    start: int
    end: int
    said: datetime

    @property
    def name(self) -> str:
        """Return the right name, without what the place lies in; empty if it is a time."""
        named = self.new[:1].isupper() and _time(self.new, self.said) is None
        return self.new.partition(", ")[0] if named else ""

    def means(self, name: str) -> bool:
        """Tell whether a name is the wrong one that is named."""
        return name_key(self.old.partition(", ")[0]) == name_key(name)

    def date(self, life: Life) -> Life | None:
        """Return a lifetime with the right date, if it has the wrong one."""
        period, wrong = _time(self.new, self.said), _time(self.old, self.said)
        if period is None:
            return None
        start, end = life.start, life.end
        if wrong is not None:
            old = wrong.start
            start = start if start and (start.month, start.day) == (old.month, old.day) else None
            end = end if end and (end.month, end.day) == (old.month, old.day) else None
        moment = start or end
        if moment is None or (self.old and wrong is None):
            return None
        if not re.search(r"\d{4}", self.new) and period.start.year != moment.year:
            years = moment.year - period.start.year
            period = replace(period, start=shift(period.start, "year", years))
        return life.beginning(period) if start else life.ending(period)


def _time(text: str, said: datetime) -> Period | None:
    """Return the time that all of a text names, with its preposition or without."""
    for words in (text, f"in {text}"):
        times = short_times(words, said, ahead=False)
        if times and times[0].end - times[0].start >= len(words) - len("the "):
            return times[0].period
    return None


def slip_of(line: Line) -> Slip | None:
    """Return what a sentence says was wrong before, if that is all it says."""
    for pattern in _SLIPS:
        found = pattern.search(line.sentence.text)
        if found is None:
            continue
        words = found.groupdict()
        if _is_clause(line, found):
            continue  # "Scratch that, Ann lives in Linz"
        if "old" in words or words["sure"] or words["meant"] or line.corrects:
            place = line.offset + line.sentence.start_char, line.offset + line.sentence.end_char
            old, new = words.get("old") or "", words["new"].strip()
            return Slip(old, new, line.sentence.text.strip(), *place, line.reference)
    return None


def _is_clause(line: Line, found: re.Match[str]) -> bool:
    """Tell whether what looks like a right value is a clause of its own."""
    start, end = (line.sentence.start_char + at for at in found.span("new"))
    return any(
        start <= token.idx < end and token.tag_ in ("VBD", "VBZ", "VBP", "MD")
        for token in line.sentence
    )


def mend(slip: Slip, line: Line, drafts: Sequence[Draft]) -> bool:
    """Put right what the text said before; tell whether there was anything."""
    for draft in reversed(drafts):
        life = slip.date(draft.life)
        if life is not None:
            wrong = draft.start, draft.life
            for same in drafts:  # all that the same words say
                same.life = life if (same.start, same.life) == wrong else same.life
            return True
        if slip.name and draft.object is not None and draft.object.named:
            if not slip.old or slip.means(draft.object.text):
                at = slip.start + max(line.sentence.text.find(slip.new), 0)
                phrase = Phrase(slip.name, at, at + len(slip.name), True)
                other = line.scene.add(phrase, 0)
                if other is draft.subject:
                    return False
                other.votes.update(draft.object.votes)
                draft.object = other
                return True
    return False


def mended(slip: Slip, claims: Sequence[Claim]) -> Claim | None:
    """Return an earlier text's claim as a later one puts its date right, or its object."""
    for claim in reversed(claims):
        wrong = claim.object
        if slip.old and slip.name and wrong is not None and slip.means(wrong.name):
            at = slip.start + max(slip.text.rfind(slip.name), 0)
            right = Mention(slip.name, wrong.entity_type, at, at + len(slip.name))
            return replace(_again(claim, slip), object=right)
        life = slip.date(
            Life(
                claim.valid_at,
                claim.invalid_at,
                start_precision=claim.valid_precision,
                end_precision=claim.invalid_precision,
            )
        )
        if life is not None:
            return replace(
                _again(claim, slip),
                valid_at=life.start,
                invalid_at=life.end,
                valid_precision=life.start_precision,
                invalid_precision=life.end_precision,
            )
    return None


def _again(claim: Claim, slip: Slip) -> Claim:
    """Return a claim as the words state it that put it right."""
    return replace(
        claim,
        subject=replace(claim.subject, start=slip.start, end=slip.start),
        object=claim.object and replace(claim.object, start=slip.start, end=slip.start),
        text=f"{claim.text} {slip.text}",
        start=slip.start,
        end=slip.end,
        corrects=True,
    )


def mend_earlier(
    slips: Iterable[Slip],
    previous: Sequence[Episode],
    claims_of: Callable[[Episode], Sequence[Claim]],
) -> Iterator[Claim]:
    """Yield what the episodes before said wrongly, as it is put right."""
    for slip in slips:
        for episode in reversed(previous):
            claim = mended(slip, claims_of(episode))
            if claim is not None:
                yield claim
                break
