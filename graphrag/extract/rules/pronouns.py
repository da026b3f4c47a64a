"""What ``he``, ``she`` and ``it`` mean: the one clear antecedent, or nobody.

A pronoun with two possible antecedents, or with an unnamed person near it, is left unresolved, and
what it says is not extracted.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from graphrag.extract.rules.epithets import FIRMS, is_a, is_another
from graphrag.extract.rules.lexicon import ANIMATE, GENERIC, LEADING
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

_THERE = {
    **dict.fromkeys("work start teach begin study train".split(), "organization"),
    **dict.fromkeys("live settle".split(), "place"),
}
"""Verbs with ``there``, to what that is."""
PLURAL = frozenset({"they", "their", "them", "both", "themselves", "theirs"})
_UNITING = frozenset("marry married wed engage engaged divorce date wife husband partner".split())
PAIRS = frozenset({"couple", "pair", "newlyweds"})

Spoken = tuple[int, Name, bool]
"""A name, the index of its word, and whether it is a subject there."""


class Antecedents:
    """The names of this sentence and the one before it."""

    def __init__(self) -> None:
        self._current: list[Spoken] = []
        self._previous: list[Spoken] = []
        self._all: dict[Name, None] = {}
        self._tokens: dict[Name, Token] = {}
        self._rivals: list[tuple[int, str, bool]] = []
        """Unnamed people: where, of which gender, and whether as a subject."""
        self._rivals_before: list[tuple[int, str, bool]] = []
        self._going_on: Name | None = None
        """Of whom the sentence before was a fragment."""
        self._things: list[int] = []
        """Where nouns for what bears no name are subjects."""
        self._things_before = self._posts = self._posts_before = False

    def enter(self, sentence: "Span") -> None:
        """Move on to a sentence; one that spoke of nobody does not push others out."""
        if self._current or self._rivals or self._things:
            self._previous, self._rivals_before = self._current, self._rivals
            self._things_before, self._posts_before = bool(self._things), self._posts
        self._posts = any(
            token.tag_ == "NN" and token.lemma_.lower() in LEADING and token.dep_ == "dobj"
            for token in sentence
        )
        self._things = [
            token.i
            for token in sentence
            if token.tag_ == "NN"
            and token.dep_.startswith("nsubj")
            and token.lemma_.lower() not in ANIMATE | GENERIC.keys()
            and any(child.lower_ in ("the", "this") for child in token.children)
            and not any(child.pos_ == "PROPN" for child in token.children)
        ]
        self._current = []
        self._rivals = [
            (token.i, gender_of(token.lemma_.lower()), token.dep_.startswith("nsubj"))
            for token in sentence
            if token.tag_ == "NN"
            and token.lemma_.lower() in ANIMATE
            and token.dep_ not in _SAME
            and not any(child.dep_ == "appos" and child.pos_ == "PROPN" for child in token.children)
        ]
        if any(token.dep_.startswith("nsubj") for token in sentence):
            self._going_on = None
        first = sentence[0]
        if first.tag_ == "NN" and first.text.istitle() and first.dep_ == "nsubj":
            self._rivals.append((first.i, "", True))  # a name that the parser does not know, maybe

    def note(self, token: "Token", name: Name) -> None:
        """Note a name of the current sentence."""
        bearer = token
        while bearer.dep_ in ("appos", "compound") and bearer.head.i < bearer.i:
            bearer = bearer.head  # "the cyclist Marek Dolny"
        subject = bearer.dep_.startswith("nsubj")
        name.acted |= subject and token.head.lemma_ != "be"
        self._current.append((token.i, name, subject))
        self._all[name] = None
        self._tokens[name] = token

    def there(self, verb: "Token") -> "Token | None":
        """Return the word for where ``she works there`` says so: the only one before it."""
        kind = _THERE.get(verb.lemma_.lower())
        if kind is None or not any(child.lower_ == "there" for child in verb.children):
            return None
        names = _unique(name for _, name, _ in self._previous if name.votes[kind] >= 2)
        return self._tokens[names[0]] if len(names) == 1 else None

    def group(self, plural: "Token") -> list["Token"]:
        """Return the words for the two people that ``they`` or ``the couple`` means.

        They are the only two people of its own sentence before it, or of the one before, and
        joined there by ``and`` or by marriage.
        """
        here = [name for at, name, _ in self._current if at < plural.i]
        for near in (here, [name for _, name, _ in self._previous]):
            people = _unique(name for name in near if name.may_be_person())
            if people:
                clear = len(people) == len(("one", "other"))
                clear = clear and all(name.votes["organization"] < 2 for name in people)
                words = [self._tokens[name] for name in people]
                return words if clear and (plural.lower_ == "both" or _is_pair(*words)) else []
        return []

    def of(self, pronoun: "Token") -> Name | None:
        """Return whom or what a third-person pronoun means, or None if that is not clear."""
        gender = GENDER.get(pronoun.lower_)
        if gender is None:
            if not pronoun.dep_.startswith(("nsubj", "poss")) or self._something(pronoun):
                return None  # as an object, "it" is most often a thing that bears no name
            verb = pronoun.head
            acts = pronoun.dep_ == "nsubj" and verb.lemma_ not in _OF_PLACES

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
            self._current.append((pronoun.i, found, pronoun.dep_.startswith("nsubj")))
            found.gender = found.gender or gender
            found.votes["person"] = max(found.votes["person"], 2)  # "she" is somebody
        return found

    def _acting(self, pronoun: "Token") -> set[Name]:
        """Return who cannot be meant, as they do it: in ``Ann replaces her`` not Ann."""
        verb = pronoun.head
        if pronoun.dep_ not in ("dobj", "dative") or pronoun.lower_.endswith("self"):
            return set()
        own = {child.i for child in verb.children if child.dep_ == "nsubj"}
        return {name for at, name, _ in self._current if at in own}

    def body(self, sentence: "Span") -> Name | None:
        """Return what a sentence calls a company, a club or a school: ``Oak is a bakery``."""
        led = _unique(name for _, name, first in self._current if first and name.named)
        classed = (
            sentence.root.lemma_ == "be"
            and sentence.root.tag_ == "VBZ"
            and any(
                child.dep_ == "attr" and child.pos_ == "NOUN" for child in sentence.root.children
            )
        )
        if not classed or len(led) != 1 or led[0].votes["person"] or led[0].votes["place"] > 1:
            return None
        led[0].votes["organization"] += 2
        return led[0]

    def sole(self, noun: "Token") -> "Token | None":
        """Return the word for the one person whom a sentence without a subject goes on about."""
        people = _unique(name for _, name, _ in self._previous if name.may_be_person())
        unnamed = self._rivals_before or self._posts_before
        if self._going_on is None and (len(people) != 1 or unnamed):
            return None
        found = self._going_on or people[0]
        gender = gender_of(noun.lemma_.lower())
        if gender and found.gender and gender != found.gender:
            return None  # "Anna married Tom. Son of Eva Hale."
        found.votes["person"] = max(found.votes["person"], 2)
        self._going_on = found
        self._current.insert(0, (noun.i, found, True))
        return self._tokens[found]

    def is_first(self) -> bool:
        """Tell whether nobody was spoken of before but in this sentence."""
        return not self._previous

    def somebody(self, noun: "Token") -> Name | None:
        """Return whom ``the 31-year-old`` means."""
        return self._only(noun, lambda name: name.may_be_person() and name.votes["person"] > 0)

    def described(self, noun: "Token") -> Name | None:
        """Return the one thing that ``the company`` or ``the town`` can mean."""
        kind = GENERIC.get(noun.lower_)
        if kind is None:
            return None
        near = [name for _, name, _ in self._previous]
        near += [name for at, name, _ in self._current if at < noun.i]
        for names in (near, self._all):
            fitting = _unique(name for name in names if is_a(name, kind))
            if fitting:
                sole = len(fitting) == 1 and not is_another(fitting[0], noun.lower_)
                if sole and noun.dep_.startswith("nsubj"):
                    self._current.append((noun.i, fitting[0], True))
                return fitting[0] if sole else None
        led = _unique(name for _, name, first in self._previous if first and name.named)
        vague = [name for name in led if not name.votes["person"] and not name.votes["place"]]
        others = [name for _, name, _ in self._previous if name.named and name not in vague]
        alone = all(name.votes["person"] or name.votes["place"] for name in others)
        if noun.lower_ not in FIRMS or not alone or led != vague or len(vague) != 1:
            return None
        body = vague[0].votes["organization"] or (" " in vague[0].text and not vague[0].votes)
        if not body or is_another(vague[0], noun.lower_):
            return None
        vague[0].votes["organization"] += 2
        return vague[0]

    def _somebody(self, token: "Token", gender: str) -> bool:
        """Tell whether an unnamed person stands near whom the pronoun may mean as well."""
        near = [sex for at, sex, _ in self._rivals if at < token.i]
        if not any(at < token.i for at, _, _ in self._current):
            led = any(first for _, _, first in self._previous)
            near += [sex for _, sex, first in self._rivals_before if first or not led]
        return any(sex in ("", gender) for sex in near)

    def _something(self, token: "Token") -> bool:
        """Tell whether a thing without a name leads the clause before: ``the archive was``."""
        led = [at for at, _, first in self._current if first and at < token.i]
        things = [at for at in self._things if at < token.i]
        if things or led:
            return max(things, default=-1) > max(led, default=-1)
        return self._things_before and not any(first for _, _, first in self._previous)

    def _only(self, token: "Token", fits: Callable[[Name], bool]) -> Name | None:
        here = _unique(name for at, name, _ in self._current if at < token.i and fits(name))
        before = _unique(name for _, name, _ in self._previous if fits(name))
        if len(here) == 1 and (not before or before == here or token.dep_ == "poss"):
            return here[0]
        led = _unique(
            name for at, name, first in self._current if first and at < token.i and fits(name)
        )
        if len(led) == 1 and token.dep_.startswith("nsubj"):
            return led[0]
        if here:
            return None
        sure = len(before) == 1 and (before[0].gender or self._led(before[0]))
        others = [name for _, name, _ in self._previous if name.votes["organization"] < 2]
        alone = token.dep_ == "nsubj" and {*others} == {*before[:1]}
        if sure or (alone and len(before) == 1 and before[0].votes["person"] > 1):
            return before[0]
        if not token.dep_.startswith(("nsubj", "poss")):
            return None
        # Two candidates: the subject of the last sentence, if there was one only.
        subjects = _unique(name for _, name, subject in self._previous if subject and fits(name))
        return subjects[0] if len(subjects) == 1 else None

    def _led(self, name: Name) -> bool:
        """Tell whether a name was a subject in the sentence before."""
        return any(other is name and subject for _, other, subject in self._previous)


def _unique(names: Iterable[Name]) -> list[Name]:
    return list(dict.fromkeys(names))


def _is_pair(one: "Token", other: "Token") -> bool:
    joined = other in one.conjuncts or other.dep_ == "conj" or one.dep_ == "nmod"
    between = one.doc[one.sent.start : one.sent.end] if other.doc == one.doc else ()
    return joined or any(word.lemma_.lower() in _UNITING for word in between)


def is_plural(verb: "Token") -> bool:
    """Tell whether a verb is one of several: ``who were married``."""
    helpers = [verb, *(child for child in verb.children if child.dep_ in ("aux", "auxpass"))]
    return any(word.lower_ in ("were", "are", "have") or word.tag_ == "VBP" for word in helpers)
