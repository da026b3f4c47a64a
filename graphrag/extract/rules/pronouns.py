"""What ``he``, ``she`` and ``it`` mean: the one clear antecedent, or nobody.

A pronoun with two possible antecedents, or with an unnamed person near it, is left unresolved, and
what it says is not extracted.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from graphrag.extract.rules.lexicon import ANIMATE, GENERIC
from graphrag.extract.rules.name import Name, gender_of

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

GENDER = {
    **dict.fromkeys(("he", "him", "his", "himself"), "m"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "f"),
}
NEUTER = frozenset({"it", "its", "itself"})

_OF_PLACES = frozenset(
    "be lie have become remain belong stand border cover house date contain adjoin get host".split()
)
"""Verbs that a town is a subject of; who sells or announces is a body."""
_SAME = frozenset({"appos", "attr", "oprd"})
"""Roles of a noun that says more of somebody named, and is nobody else."""

Spoken = tuple[int, Name, bool]
"""A name, the index of its word, and whether it is a subject there."""


@dataclass(slots=True)
class _Mentions:
    """Whom and what one sentence speaks of."""

    names: list[Spoken] = field(default_factory=list)
    people: list[tuple[int, str, bool]] = field(default_factory=list)
    """Unnamed people: where, of which gender, and whether as a subject."""
    things: list[int] = field(default_factory=list)
    """Where nouns for what bears no name are subjects."""

    def those(
        self, fits: Callable[[Name], bool], before: float = inf, *, led: bool = False
    ) -> list[Name]:
        """Return the names that fit, each once: those before a word, or subjects only."""
        fitting = (
            name for at, name, first in self.names if at < before and first >= led and fits(name)
        )
        return list(dict.fromkeys(fitting))

    def led(self, before: float = inf) -> list[int]:
        """Return where names are subjects."""
        return [at for at, _, first in self.names if first and at < before]


class Antecedents:
    """The names of this sentence and the one before it."""

    def __init__(self) -> None:
        self._here = _Mentions()
        self._before = _Mentions()

    def enter(self, sentence: "Span") -> None:
        """Move on to a sentence; one that spoke of nobody does not push others out."""
        if self._here.names or self._here.people or self._here.things:
            self._before = self._here
        self._here = _Mentions([], _people(sentence), _things(sentence))

    def note(self, token: "Token", name: Name) -> None:
        """Note a name of the current sentence."""
        bearer = token
        while bearer.dep_ in ("appos", "compound") and bearer.head.i < bearer.i:
            bearer = bearer.head  # "the cyclist Marek Dolny"
        subject = bearer.dep_.startswith("nsubj")
        name.acted |= subject and token.head.lemma_ != "be"
        self._here.names.append((token.i, name, subject))

    def of(self, pronoun: "Token") -> Name | None:
        """Return whom or what a third-person pronoun means, or None if that is not clear."""
        gender = GENDER.get(pronoun.lower_)
        if gender is None:
            if not pronoun.dep_.startswith(("nsubj", "poss")) or self._something(pronoun):
                return None  # as an object, "it" is most often a thing that bears no name
            acts = pronoun.dep_ == "nsubj" and pronoun.head.lemma_ not in _OF_PLACES

            def fits(name: Name) -> bool:
                town = acts and name.votes["place"] > name.votes["organization"]
                known = name.named and name.votes.total() > 0 and not name.votes["person"]
                return known and not town

            return self._only(pronoun, fits)
        if self._somebody(pronoun, gender):
            return None
        acting = self._acting(pronoun)
        found = self._only(
            pronoun,
            lambda name: (
                name.may_be_person() and name.gender in ("", gender) and name not in acting
            ),
        )
        if found is not None:
            self._here.names.append((pronoun.i, found, pronoun.dep_.startswith("nsubj")))
            found.gender = found.gender or gender
            found.votes["person"] = max(found.votes["person"], 2)  # "she" is somebody
        return found

    def _acting(self, pronoun: "Token") -> set[Name]:
        """Return who cannot be meant, as they do it: in ``Ann replaces her`` not Ann."""
        verb = pronoun.head
        if pronoun.dep_ not in ("dobj", "dative") or pronoun.lower_.endswith("self"):
            return set()
        own = {child.i for child in verb.children if child.dep_ == "nsubj"}
        return {name for at, name, _ in self._here.names if at in own}

    def _somebody(self, token: "Token", gender: str) -> bool:
        """Tell whether an unnamed person stands near whom the pronoun may mean as well."""
        near = [sex for at, sex, _ in self._here.people if at < token.i]
        if not any(at < token.i for at, _, _ in self._here.names):
            led = self._before.led()
            near += [sex for _, sex, first in self._before.people if first or not led]
        return any(sex in ("", gender) for sex in near)

    def _something(self, token: "Token") -> bool:
        """Tell whether a thing without a name leads the clause before: ``the archive was``."""
        led = self._here.led(token.i)
        things = [at for at in self._here.things if at < token.i]
        if things or led:
            return max(things, default=-1) > max(led, default=-1)
        return bool(self._before.things) and not self._before.led()

    def _only(self, token: "Token", fits: Callable[[Name], bool]) -> Name | None:
        here, before = self._here.those(fits, token.i), self._before.those(fits)
        if len(here) == 1 and (not before or before == here or token.dep_ == "poss"):
            return here[0]
        led = self._here.those(fits, token.i, led=True)
        if len(led) == 1 and token.dep_.startswith("nsubj"):
            return led[0]
        if here:
            return None
        subjects = self._before.those(fits, led=True)
        if len(before) == 1:
            others = self._before.those(lambda name: name.votes["organization"] < 2)
            alone = token.dep_ == "nsubj" and others == before and before[0].votes["person"] > 1
            if before[0].gender or subjects or alone:
                return before[0]
        # Two candidates: the subject of the last sentence, if there was one only.
        sole = token.dep_.startswith(("nsubj", "poss")) and len(subjects) == 1
        return subjects[0] if sole else None


def _people(sentence: "Span") -> list[tuple[int, str, bool]]:
    found = [
        (token.i, gender_of(token.lemma_.lower()), token.dep_.startswith("nsubj"))
        for token in sentence
        if token.tag_ == "NN"
        and token.lemma_.lower() in ANIMATE
        and token.dep_ not in _SAME
        and not any(child.dep_ == "appos" and child.pos_ == "PROPN" for child in token.children)
    ]
    return found


def _things(sentence: "Span") -> list[int]:
    return [
        token.i
        for token in sentence
        if token.tag_ == "NN"
        and token.dep_.startswith("nsubj")
        and token.lemma_.lower() not in ANIMATE | GENERIC.keys()
        and any(child.lower_ in ("the", "this") for child in token.children)
        and not any(child.pos_ == "PROPN" for child in token.children)
    ]
