"""Who has been spoken of so far in one text: names, their types, and what pronouns mean.

A pronoun is resolved only when one antecedent is clear; otherwise what it says is not extracted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphrag.extraction import Mention
from graphrag.names import name_key
from graphrag.rules.lexicon import KIN
from graphrag.rules.phrases import Phrase, phrase_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_FIRST = frozenset({"i", "me", "my", "mine", "myself"})
_SECOND = frozenset({"you", "your", "yours"})
_GENDER = {
    **dict.fromkeys(("he", "him", "his", "himself"), "m"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "f"),
}
_NEUTER = frozenset({"it", "its", "itself"})
_RELATIVE = frozenset({"who", "which", "that", "whom"})
_MALE = frozenset("brother father son husband uncle king prince mr grandpa dad grandfather".split())
_FEMALE = frozenset(
    "sister mother daughter wife aunt queen princess mrs ms miss grandma mom mum "
    "grandmother".split()
)


@dataclass(slots=True)
class Name:
    """One entity of the text while it is being read."""

    text: str
    start: int
    end: int
    named: bool = True
    votes: Counter[str] = field(default_factory=Counter)
    gender: str = ""
    aliases: list[str] = field(default_factory=list)

    @property
    def entity_type(self) -> str:
        """Return the best supported type, ``thing`` if none is."""
        kinds = self.votes.most_common(2)
        if not kinds or kinds[0][1] < 2 or (len(kinds) > 1 and kinds[0][1] == kinds[1][1]):
            return "thing"
        return kinds[0][0]

    def mention(self) -> Mention:
        """Return the finished mention."""
        return Mention(
            self.text, self.entity_type, self.start, self.end, tuple(dict.fromkeys(self.aliases))
        )


class Scene:
    """The names of one text in reading order."""

    def __init__(
        self, *, known: Iterable[str] = (), speaker: str = "", addressee: str = ""
    ) -> None:
        self.names: dict[str, Name] = {}
        self._previous: list[tuple[int, Name, bool]] = []
        self._current: list[tuple[int, Name, bool]] = []
        self._known = {name_key(name): name for name in known}
        self.speaker = self._person(speaker) if speaker else None
        self.addressee = self._person(addressee) if addressee else None

    def enter(self, sentence: "Span", offset: int) -> None:
        """Move on to a sentence: note its names, and where pronouns may look back to."""
        if self._current:
            self._previous = self._current
        self._current = []
        for token in sentence:
            if token.pos_ == "PROPN" and token.dep_ not in ("compound", "flat"):
                name = self._noun(token, offset)
                if name is not None:
                    subject = token.dep_.startswith("nsubj") and token.head.dep_ == "ROOT"
                    self._current.append((token.i, name, subject))

    def name_of(self, token: "Token", offset: int) -> Name | None:
        """Return what a noun or pronoun stands for, or None if that is not clear."""
        return self._pronoun(token, offset) if token.pos_ == "PRON" else self._noun(token, offset)

    def possessor_of(self, token: "Token", offset: int) -> Name | None:
        """Return whose it is: ``my sister``, ``Bob's wife``, ``its chair``."""
        for child in token.children:
            if child.dep_ == "poss":
                return self.name_of(child, offset)
        return None

    def add(self, phrase: Phrase, offset: int) -> Name:
        """Return the name for a phrase, the same one for each of its spellings."""
        key = name_key(phrase.text)
        name = self.names.get(key) or (self._longer(key, phrase) if phrase.named else None)
        if name is None:
            text = self._known.get(key, phrase.text)
            name = Name(text, offset + phrase.start, offset + phrase.end, phrase.named)
            self.names[key] = name
        for kind, weight in phrase.hints:
            name.votes[kind] = max(name.votes[kind], weight)
        return name

    def _person(self, text: str) -> Name:
        name = Name(text, 0, 0, True, Counter({"person": 5}))
        self.names[name_key(text)] = name
        return name

    def _noun(self, token: "Token", offset: int) -> Name | None:
        kin = token.lemma_.lower() in KIN and token.pos_ == "NOUN"
        if kin:
            inner = next(
                (c for c in token.children if c.dep_ == "appos" and c.pos_ == "PROPN"), None
            )
            if inner is None:
                return None  # "my brother" without a name is nobody we can tell apart
            name = self._noun(inner, offset)
            if name is not None:
                name.votes["person"] = max(name.votes["person"], 4)
                name.gender = name.gender or _gender_of(token.lemma_.lower())
            return name
        phrase = phrase_of(token)
        if phrase is None:
            return None
        if not phrase.named:
            definite = next((c for c in token.children if c.dep_ == "det"), None)
            if definite is not None and definite.lower_ in ("the", "this"):
                named = self._ending_in(token.lower_)
                if named is not None:
                    return named
        name = self.add(phrase, offset)
        first = token.doc.text[max(0, phrase.start - 5) : phrase.start].strip(" .").lower()
        name.gender = name.gender or _gender_of(first.split()[-1] if first.split() else "")
        return name

    def _pronoun(self, token: "Token", offset: int) -> Name | None:
        word = token.lower_
        if word in _FIRST:
            return self.speaker
        if word in _SECOND:
            return self.addressee
        if word in _RELATIVE and token.head.dep_ == "relcl":
            return self._noun(token.head.head, offset)
        if word in _GENDER:
            return self._antecedent(
                token, lambda name: _may_be_person(name) and _fits(name, _GENDER[word])
            )
        if word in _NEUTER:
            return self._antecedent(
                token,
                lambda name: (
                    name.named and name.entity_type not in ("person",) and name.votes["person"] == 0
                ),
            )
        return None

    def _antecedent(self, token: "Token", fits: Callable[[Name], bool]) -> Name | None:
        here = _unique(name for at, name, _ in self._current if at < token.i and fits(name))
        before = _unique(name for _, name, _ in self._previous if fits(name))
        if len(here) == 1 and (not before or before == here or token.dep_ == "poss"):
            found = here[0]
        elif not here and len(before) == 1:
            found = before[0]
        elif not here and token.dep_.startswith("nsubj"):
            # Two candidates: the subject of the last sentence, if its gender is known to agree.
            subjects = _unique(
                name for _, name, main in self._previous if main and name.gender and fits(name)
            )
            if len(subjects) != 1:
                return None
            found = subjects[0]
        else:
            return None
        if token.lower_ in _GENDER:
            found.gender = found.gender or _GENDER[token.lower_]
        return found

    def _longer(self, key: str, phrase: Phrase) -> Name | None:
        """Return the only longer name that a lone first, last or family name can stand for."""
        if " " in key:
            return None
        candidates = _unique(
            name
            for other, name in self.names.items()
            if name.named
            and " " in other
            and (
                other.split()[-1] == key
                or (other.split()[0] == key and name.entity_type == "person")
            )
        )
        return candidates[0] if len(candidates) == 1 else None

    def _ending_in(self, word: str) -> Name | None:
        candidates = _unique(
            name
            for key, name in self.names.items()
            if name.named and key.split()[-1:] == [word] and " " in key
        )
        return candidates[0] if len(candidates) == 1 else None


def _may_be_person(name: Name) -> bool:
    others = max((votes for kind, votes in name.votes.items() if kind != "person"), default=0)
    return name.named and (name.votes["person"] > 0 or others < 2)


def _fits(name: Name, gender: str) -> bool:
    return name.gender in ("", gender)


def _gender_of(word: str) -> str:
    return "m" if word in _MALE else "f" if word in _FEMALE else ""


def _unique(names: Iterable[Name]) -> list[Name]:
    found: dict[int, Name] = defaultdict()
    for name in names:
        found.setdefault(id(name), name)
    return list(found.values())
