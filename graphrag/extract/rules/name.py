"""Entities and claims of a text while it is read; names may still grow and change type."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from graphrag.extract.rules.lexicon import FEMALE, MALE, ORG_WORDS, PERSON_TITLES
from graphrag.extract.rules.lifetime import ALWAYS, Life
from graphrag.model.assertion import EntityName
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import CONCEPT, JSON


@dataclass(slots=True, eq=False)
class Name:
    """One entity of the text; its type and gender are settled by votes as the text goes on."""

    text: str
    start: int
    end: int
    named: bool = True
    """True for a proper name, false for a common noun."""
    votes: Counter[str] = field(default_factory=Counter)
    gender: str = ""
    """``m``, ``f`` or unknown."""
    aliases: list[str] = field(default_factory=list)
    names: list[EntityName] = field(default_factory=list)
    """What is said of its names, and of their times."""
    plays: bool = False
    """True for a player: of a club, not of a firm."""
    acted: bool = False
    """True once it was the subject of a verb."""

    @property
    def entity_type(self) -> str:
        """Return the best supported type; ``thing`` if none is, ``concept`` for a common noun."""
        if not self.named:
            return CONCEPT
        kinds = self.votes.most_common(2)
        if not kinds or kinds[0][1] < 2 or (len(kinds) > 1 and kinds[0][1] == kinds[1][1]):
            return "thing"
        return kinds[0][0]

    def may_be_person(self) -> bool:
        """Tell whether ``he`` or ``she`` can mean it."""
        others = max((votes for kind, votes in self.votes.items() if kind != "person"), default=0)
        return self.named and (self.votes["person"] > 0 or (self.acted and others < 2))

    def mention(self) -> Mention:
        """Return the finished mention."""
        aliases, names = dict.fromkeys(self.aliases), dict.fromkeys(self.names)
        place = self.start, self.end
        return Mention(self.text, self.entity_type, *place, tuple(aliases), names=tuple(names))


def gender_of(word: str) -> str:
    """Return ``m`` or ``f`` for a noun or title that says so, else nothing."""
    if word in FEMALE or word.endswith("woman"):
        return "f"
    return "m" if word in MALE or word.endswith("man") else ""


@dataclass(slots=True)
class CandidateClaim:
    """A claim whose ends are names of the scene."""

    subject: Name
    relation: str
    object: Name | None
    text: str
    start: int
    end: int
    life: Life = ALWAYS
    corrects: bool = False
    confidence: float = 0.8
    attributes: dict[str, JSON] = field(default_factory=dict)

    def finished(self) -> Claim:
        """Return the claim with the names as the whole text has made them."""
        life = self.life
        start = life.start
        if start is not None and (life.over or (life.end is not None and start >= life.end)):
            start = None
        return Claim(
            subject=self.subject.mention(),
            relation=self.relation,
            object=None if self.object is None else self.object.mention(),
            text=self.text,
            start=self.start,
            end=self.end,
            valid_at=start,
            invalid_at=life.end,
            ends=life.over,
            corrects=self.corrects,
            confidence=self.confidence,
            attributes=self.attributes,
            current=life.current,
            kind=life.kind,
            valid_precision=life.start_precision,
            invalid_precision=life.end_precision,
        )


def telling(drafts: list[CandidateClaim]) -> list[CandidateClaim]:
    """Leave out what says without a date what the same text says with one."""

    def key(draft: CandidateClaim) -> tuple[int, str, int]:
        return id(draft.subject), draft.relation, id(draft.object)

    dated = {key(draft) for draft in drafts if draft.life.start or draft.life.end}
    off = {key(draft) for draft in drafts if draft.life.kind == "cancelled"}
    return [
        draft
        for draft in drafts
        if not (draft.life.kind == "state" and draft.life.start and key(draft) in off)
        if draft.life.start or draft.life.end or draft.life.over or key(draft) not in dated
    ]


def sound(drafts: Iterable[CandidateClaim]) -> Iterator[CandidateClaim]:
    """Yield the drafts whose ends are no bare titles, and whose roles are not those of places."""
    for draft in drafts:
        ends = (end for end in (draft.subject, draft.object) if end is not None)
        if any(end.named and end.text.lower().rstrip(".") in PERSON_TITLES for end in ends):
            continue
        if draft.relation != "has_role" or not _is_place(draft.subject):
            yield draft


def _is_place(name: Name) -> bool:
    """Tell whether only its title speaks for a person: ``welding engineer, Leeds``."""
    built = {word.lower() for word in name.text.split()} & ORG_WORDS
    placed = name.votes["place"] and " " not in name.text
    return name.votes["person"] <= 2 and bool(placed or built)


_IN_PLACES = frozenset({"lives_in", "born_in", "died_in"})


def finished(names: Iterable[Name], drafts: Iterable[CandidateClaim]) -> Extraction:
    """Return what a text says: its names and its drafts."""
    drafts = list(drafts)
    for draft in drafts:
        if draft.relation in _IN_PLACES and draft.object is not None and draft.object.named:
            draft.object.votes["place"] += 3  # "from Delft to Gouda"
    used = {id(draft.subject) for draft in drafts} | {id(draft.object) for draft in drafts}
    mentions = [name.mention() for name in names if name.named or id(name) in used]
    claims = dict.fromkeys(draft.finished() for draft in telling(list(sound(drafts))))
    return Extraction(tuple(dict.fromkeys(mentions)), tuple(claims))


def can_be(name: Name, type_: str, *, bare: bool = False) -> bool:
    """Tell whether a name may have a type: it has it, or nothing speaks strongly for another.

    A common noun has none, so that it can be anything but a person.
    """
    if not type_:
        return True
    if not name.named:
        return bare or type_ != "person"
    rivals = [votes for kind, votes in name.votes.items() if kind != type_]
    return name.votes[type_] >= max(rivals, default=0) or max(rivals, default=0) <= 1
