"""Who was spoken of so far in one text: names, relatives and speakers."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.extract.rules.lexicon import KIN, ORG_WORDS, OWNED
from graphrag.extract.rules.name import Name, gender_of
from graphrag.extract.rules.phrases import Phrase, is_name, phrase_of
from graphrag.extract.rules.pronouns import GENDER, NEUTER, Antecedents
from graphrag.extract.rules.slots import apposed, bearer, beyond
from graphrag.extract.rules.speakers import Stretch
from graphrag.names.key import name_key
from graphrag.temporal.period import Period

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_FIRST = frozenset({"i", "me", "my", "mine", "myself", "we"})
"""``we`` is who speaks and others; what they did, the speaker did."""
_SECOND = frozenset({"you", "your", "yours"})
_OF_FIRMS = frozenset({"parent", "child", "twin"})
"""Kinship of towns and companies too."""
_RELATIVE = frozenset({"who", "which", "that", "whom"})


class Discourse:
    """The names of one text in reading order."""

    def __init__(self, *, speaker: str = "", addressee: str = "") -> None:
        self.names: dict[str, Name] = {}
        self.antecedents = Antecedents()
        self.speaker = self._person(speaker) if speaker else None
        self.addressee = self._person(addressee) if addressee else None
        self.quotes: list[Stretch] = []
        """The quoted stretches of the paragraph being read."""
        self.time: Period | None = None
        """The time named last."""

    def _owner_of(self, whose: "Token", offset: int) -> Name | None:
        """Return whom ``whose`` refers to."""
        above = next((ancestor for ancestor in whose.ancestors if ancestor.dep_ == "relcl"), None)
        return None if above is None else self._noun(above.head, offset)

    def is_quoted(self, token: "Token") -> bool:
        """Tell whether a word stands in quotes."""
        return any(start <= token.idx < end for start, end in self.quotes)

    def enter(self, sentence: "Span", offset: int) -> None:
        """Move on to a sentence: note its names, and where pronouns may look back to."""
        self.antecedents.enter(sentence)
        for token in sentence:
            if is_name(token) and token.dep_ not in ("compound", "flat"):
                name = self._noun(token, offset)
                if name is not None:
                    self.antecedents.note(token, name)

    def name_of(self, token: "Token", offset: int) -> Name | None:
        """Return what a noun or pronoun stands for, or None if that is not clear."""
        if token.pos_ == "PRON" or token.tag_ == "WP$":
            return self._pronoun(token, offset)
        return self._noun(token, offset)

    def members(self, token: "Token") -> list["Token"]:
        """Return the words for each of those whom a plural word means; else the word itself."""
        if token.tag_ == "NNS" and token.lemma_.lower() in KIN:  # "their twins, Noor and Bas"
            named = [
                child for child in token.children if child.dep_ == "appos" and child.pos_ == "PROPN"
            ]
            return [part for one in named for part in (one, *one.conjuncts)] or [token]
        if token.pos_ == "PROPN":  # of "Ann Bell and Tom Hale married" as it is often read
            before = [c for c in token.children if c.dep_ == "nmod" and c.pos_ == "PROPN"]
            return [c for c in before if any(w.dep_ == "cc" for w in c.children)] + [token]
        return [token]

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
            name = Name(phrase.text, offset + phrase.start, offset + phrase.end, phrase.named)
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
        surnames = (one for one in token.lefts if one.dep_ == "compound" and one.pos_ == "PROPN")
        family = token.tag_ == "NNS" and any(surnames)
        kin = kin and not family  # "the Petrou brothers"
        if kin:
            inner = next(
                (c for c in token.children if c.dep_ == "appos" and c.pos_ == "PROPN"), None
            )
            if inner is None:
                return self._relative_of(token, offset)
            name = self._noun(inner, offset)
            if name is not None:
                name.votes["person"] = max(name.votes["person"], 4)
                name.gender = name.gender or gender_of(token.lemma_.lower())
            return name
        beside = apposed(token)
        other = None if beside is None else self._noun(beside, offset)
        if other is not None and other is not self.addressee:  # "You play clarinet, Bob."
            return other
        if token.dep_ == "appos" and is_name(token.head) and not is_name(token):
            return self._noun(token.head, offset)  # "Globex, a firm based in Oslo"
        phrase = phrase_of(token)
        if phrase is None:
            return None
        if not phrase.named:
            owner = self.possessor_of(token, offset) if token.lemma_.lower() in OWNED else None
            if owner is not None and owner.named:
                phrase = replace(phrase, text=f"{owner.text}'s {phrase.text}", named=True)
        name = self.add(phrase, offset)
        relative = _kin_before(token.doc, phrase.start)
        if relative and phrase.named and name.votes["organization"] < 2:  # "her brother Edwin"
            name.votes["person"] = max(name.votes["person"], 4)
            name.gender = name.gender or gender_of(relative)
        first = token.doc.text[max(0, phrase.start - 5) : phrase.start].strip(" .").lower()
        name.gender = (
            name.gender
            or gender_of(token.lower_)
            or gender_of(first.split()[-1] if first.split() else "")
        )
        return name

    def _relative_of(self, token: "Token", offset: int) -> Name | None:
        """Return ``Mira's brother`` for ``my brother``; without an owner it is nobody."""
        owner = self.possessor_of(token, offset)
        if owner is None or not owner.named or token.lemma_.lower() == "friend":
            return None  # one has many friends
        start = min(child.idx for child in token.children if child.dep_ == "poss")
        name = self.add(
            Phrase(f"{owner.text}'s {token.lower_}", start, token.idx + len(token), True), offset
        )
        name.votes["person"] = max(name.votes["person"], 4)
        name.gender = name.gender or gender_of(token.lemma_.lower())
        return name

    def _pronoun(self, token: "Token", offset: int) -> Name | None:
        word = token.lower_
        if word in _FIRST:
            return None if self.is_quoted(token) else self.speaker
        if word in _SECOND:
            return self.addressee
        if word == "whose":
            return self._owner_of(token, offset)
        if word in _RELATIVE and token.head.dep_ == "relcl":
            noun = bearer(beyond(token.head.head, token))
            one = noun.dep_ == "pobj" and noun.head.head.tag_ in {"DT", "CD"}  # "one of them"
            so = one or any(
                part.lower_ in ("so", "such") for part in noun.subtree if part.i < noun.i
            )
            return None if so else self.name_of(noun, offset)  # "such a roar that she screamed"
        if word in GENDER or word in NEUTER:
            return self.antecedents.of(token)
        return None

    def _longer(self, key: str, phrase: Phrase) -> Name | None:
        """Return the only longer name that a lone first, last or family name can stand for."""
        if " " in key:
            return None
        candidates = dict.fromkeys(
            name
            for other, name in self.names.items()
            if name.named
            and " " in other
            and (
                (other.split()[-1] == key and not _is_of(other))
                or (other.split()[0] == key and name.entity_type == "person")
            )
        )
        return next(iter(candidates)) if len(candidates) == 1 else None


def _is_of(name: str) -> bool:
    """Tell whether a body is named after what it is of: ``University of Oulu`` is not Oulu."""
    words = name.split()
    return words[-2] == "of" and words[0] in ORG_WORDS


def _kin_before(doc: "Doc", start: int) -> str:
    """Return the word of kinship just before a phrase, if there is one."""
    before = doc.text[:start].rstrip().rpartition(" ")[2].lower()
    return before if before in KIN and before not in _OF_FIRMS else ""
