"""Clauses to claims: which relation a verb or a role noun states between which names."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.names import name_key
from graphrag.rules import lexicon
from graphrag.rules.clauses import Clause, clauses, conjoined
from graphrag.rules.draft import Draft
from graphrag.rules.lexicon import PATTERNS, Kind, Pattern
from graphrag.rules.lifetime import lifetime, times_of
from graphrag.rules.phrases import Phrase, phrase_of
from graphrag.rules.scene import Name, Scene
from graphrag.temporal.phrase import Period

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PATTERNS: dict[str, list[Pattern]] = {}
for _pattern in PATTERNS:
    for _verb in _pattern.verbs:
        _PATTERNS.setdefault(_verb, []).append(_pattern)

_NAMING = frozenset({"rename", "call", "know", "change"})
_STATES = {"open": "open", "closed": "closed", "shut": "closed"}
_SPEECH = frozenset(
    "say ask think cry answer reply exclaim know believe feel laugh smile walk".split()
)
_ROLE_PREPOSITIONS = ("of", "at", "for", "with", "in", "to")


@dataclass(slots=True)
class Reader:
    """Reads one text's sentences into drafts."""

    scene: Scene
    reference: datetime
    prefix: str = ""
    """Put before each sentence to make it readable alone: ``Caroline: ``."""
    corrects: bool = False

    def read(self, sentence: "Span", offset: int) -> Iterator[Draft]:
        """Yield the claims of a sentence whose paragraph starts at ``offset``."""
        self.scene.enter(sentence, offset)
        times = times_of(sentence, self.reference)
        stated = list(clauses(sentence))
        for clause in stated:
            self._note_people(clause, offset)
        for clause in stated:
            periods = [period for owner, period in times if owner == clause.verb]
            yield from self._clause(clause, periods, times, sentence, offset)
        yield from self._roles(sentence, times, offset)

    def _note_people(self, clause: Clause, offset: int) -> None:
        if clause.lemma in _SPEECH:
            for subject in clause.subjects:
                name = self.scene.name_of(subject, offset) if subject.pos_ == "PROPN" else None
                if name is not None:
                    name.votes["person"] += 2

    # -- verbs ---------------------------------------------------------------------------------

    def _clause(
        self,
        clause: Clause,
        periods: list[Period],
        times: list[tuple["Token", Period]],
        sentence: "Span",
        offset: int,
    ) -> Iterator[Draft]:
        matched = False
        if clause.lemma in _NAMING and self._renamed(clause, offset):
            return
        if clause.lemma in ("be", "become", "appoint", "elect", "name", "make", "serve", "remain"):
            role = list(clause.arguments.get("attr", ()))
            if clause.lemma in ("serve", "appoint"):
                role += clause.arguments.get("as", [])
            yield from self._copula(clause, role, times, sentence, offset)
            return
        if clause.lemma in ("close", "open", "reopen", "shut"):
            yield from self._status(clause, periods, sentence, offset)
            return
        if clause.lemma == "sell":
            yield from self._sold(clause, periods, sentence, offset)
            return
        for pattern in _PATTERNS.get(clause.lemma, ()):
            if pattern.passive and not clause.passive:
                continue
            if not pattern.passive and clause.passive and pattern.slot in ("dobj",):
                continue
            for subject in clause.subjects:
                for target in clause.arguments.get(pattern.slot, ()):
                    draft = self._matched(
                        pattern, clause, subject, target, periods, sentence, offset
                    )
                    if draft is not None:
                        matched = True
                        yield draft
        if not matched and not clause.negated and clause.lemma not in _PATTERNS:
            yield from self._open(clause, periods, sentence, offset)

    def _matched(
        self,
        pattern: Pattern,
        clause: Clause,
        subject: "Token",
        target: "Token",
        periods: list[Period],
        sentence: "Span",
        offset: int,
    ) -> Draft | None:
        one = self.scene.name_of(subject, offset)
        other = self.scene.name_of(target, offset)
        if one is None or other is None or one is other:
            return None
        if not (_can_be(one, pattern.subject) and _can_be(other, pattern.object)):
            return None
        if not one.named or (not other.named and pattern.object):
            return None
        if pattern.swap and pattern.relation == "owned_by" and not other.named:
            return None  # "he bought a hat" owns no hat that one could speak of again
        relation, kind = pattern.relation, pattern.kind
        if relation == "works_at" and clause.lemma == "join" and _is_club(other):
            relation = "member_of"
        for name, type_ in ((one, pattern.subject), (other, pattern.object)):
            if type_:
                name.votes[type_] += 3
        if clause.no_longer:
            kind = "end"
        start, end = lifetime(kind, clause, periods, self.reference)
        if pattern.swap:
            one, other = other, one
        return self._draft(one, relation, other, sentence, offset, start, end, kind == "end")

    def _open(
        self, clause: Clause, periods: list[Period], sentence: "Span", offset: int
    ) -> Iterator[Draft]:
        """Yield what an unlisted verb links: named subject, verb, specific object."""
        if clause.lemma in lexicon.STATEMENTLESS or clause.passive or clause.future:
            return
        if clause.verb.pos_ != "VERB" or any(c.dep_ == "prt" for c in clause.verb.children):
            return
        for slot in ("dobj", "with", "to", "from", "into", "at", "in", "on", "through", "for"):
            if slot != "dobj" and "dobj" in clause.arguments:
                break
            for target in clause.arguments.get(slot, ()):
                other = self.scene.name_of(target, offset)
                if other is not None and slot != "dobj" and not other.named:
                    continue
                if other is None or target.pos_ == "PRON" and target.lower_ in ("it", "that"):
                    continue
                for subject in clause.subjects:
                    one = self.scene.name_of(subject, offset)
                    if one is None or one is other or not one.named:
                        continue
                    relation = clause.lemma if slot == "dobj" else f"{clause.lemma}_{slot}"
                    start, end = lifetime("event", clause, periods, self.reference)
                    if relation.replace("_", "").isalpha():
                        yield self._draft(one, relation, other, sentence, offset, start, end, False)

    def _sold(
        self, clause: Clause, periods: list[Period], sentence: "Span", offset: int
    ) -> Iterator[Draft]:
        """Yield the new owner in ``sold the mill to the dairy``."""
        sold = clause.subjects if clause.passive else clause.arguments.get("dobj", [])
        for thing in sold:
            for buyer in clause.arguments.get("to", ()):
                one, other = self.scene.name_of(thing, offset), self.scene.name_of(buyer, offset)
                if one is not None and other is not None and one.named and other.named:
                    start, end = lifetime("start", clause, periods, self.reference)
                    yield self._draft(one, "owned_by", other, sentence, offset, start, end, False)

    def _renamed(self, clause: Clause, offset: int) -> bool:
        """Note ``Globex was renamed Initech`` and its like as another name of one thing."""
        old = clause.subjects if clause.passive else clause.arguments.get("dobj", [])
        new = [*clause.arguments.get("attr", ()), *clause.arguments.get("to", ()),
               *clause.arguments.get("as", ())]  # fmt: skip
        if clause.lemma == "change":
            if not any(token.lower_ == "name" for token in old):
                return False
            old, new = clause.subjects, clause.arguments.get("to", [])
        for token in old:
            one = self.scene.name_of(token, offset)
            for other in new:
                phrase = phrase_of(other)
                if one is not None and one.named and phrase is not None and phrase.named:
                    one.aliases.append(phrase.text)
                    self.scene.names[name_key(phrase.text)] = one
                    return True
        return False

    def _status(
        self, clause: Clause, periods: list[Period], sentence: "Span", offset: int
    ) -> Iterator[Draft]:
        """Yield ``the bridge is closed``, ``will be under repair``, ``reopened``."""
        found = _status_of(clause)
        if found is None:
            return
        words, token = found
        for subject in clause.subjects:
            one = self.scene.name_of(subject, offset)
            if one is None or not one.named or one.votes["person"] > 1:
                continue
            phrase = Phrase(words, token.idx, token.idx + len(token.text), False)
            status = self.scene.add(phrase, offset)
            start, end = lifetime("start", clause, periods, self.reference)
            yield self._draft(one, "has_status", status, sentence, offset, start, end, False)

    # -- roles ---------------------------------------------------------------------------------

    def _copula(
        self,
        clause: Clause,
        roles: list["Token"],
        times: list[tuple["Token", Period]],
        sentence: "Span",
        offset: int,
    ) -> Iterator[Draft]:
        kind: Kind = "state" if clause.lemma in ("be", "remain", "serve") else "start"
        if clause.no_longer:
            kind = "end"
        for role in roles:
            periods = [period for owner, period in times if owner in (clause.verb, role)]
            for subject in clause.subjects:
                one = self.scene.name_of(subject, offset)
                if one is None:
                    continue
                if role.pos_ == "PROPN" and subject.pos_ == "NOUN":
                    continue
                if one.named:
                    yield from self._role(one, role, clause, kind, periods, sentence, offset)
        if not roles and clause.lemma in ("be", "remain"):
            periods = [period for owner, period in times if owner == clause.verb]
            yield from self._status(clause, periods, sentence, offset)

    def _roles(
        self, sentence: "Span", times: list[tuple["Token", Period]], offset: int
    ) -> Iterator[Draft]:
        """Yield what appositions and possessives say: ``Vang, director of the creamery,``."""
        for token in sentence:
            if token.dep_ == "appos" and token.pos_ == "NOUN" and token.head.pos_ == "PROPN":
                one = self.scene.name_of(token.head, offset)
                periods = [period for owner, period in times if owner == token]
                if one is not None:
                    yield from self._role(one, token, None, "state", periods, sentence, offset)
            if token.pos_ == "NOUN" and token.lemma_.lower() in lexicon.KIN:
                yield from self._kin(token, sentence, offset)

    def _role(
        self,
        one: Name,
        role: "Token",
        clause: Clause | None,
        kind: Kind,
        periods: list[Period],
        sentence: "Span",
        offset: int,
    ) -> Iterator[Draft]:
        title = role.lemma_.lower()
        owner = self.scene.possessor_of(role, offset)
        targets = [(owner, "of")] if owner is not None else []
        for child in role.children:
            if child.dep_ == "prep" and child.lower_ in _ROLE_PREPOSITIONS:
                for target in child.children:
                    if target.dep_ == "pobj":
                        targets += [
                            (name, child.lower_)
                            for part in conjoined(target)
                            if (name := self.scene.name_of(part, offset)) is not None
                        ]
        if clause is not None and role.dep_ in ("attr", "oprd"):
            # The parser hangs "at Ostrey Creamery" on the verb as often as on the job.
            targets += [
                (name, preposition)
                for preposition in ("at", "of", "for")
                for target in clause.arguments.get(preposition, ())
                if (name := self.scene.name_of(target, offset)) is not None
            ]
        for other, preposition in targets:
            relation = _role_relation(title, preposition, other)
            if relation is None or other is one or not (one.named and other.named):
                continue
            one.votes["person"] += 2
            if relation in ("works_at", "studies_at", "plays_for", "member_of"):
                other.votes["organization"] += 2
            start, end = lifetime(kind, clause, periods, self.reference)
            if relation == "owned_by":
                one, other = other, one
            draft = self._draft(one, relation, other, sentence, offset, start, end, kind == "end")
            draft.attributes["title"] = title
            yield draft

    def _kin(self, noun: "Token", sentence: "Span", offset: int) -> Iterator[Draft]:
        """Yield ``my sister Vera``, ``Bob's wife Alice``, ``Vera is Bob's sister``."""
        owner = self.scene.possessor_of(noun, offset)
        if owner is None or not owner.named:
            return
        named = [
            child for child in noun.children if child.dep_ == "appos" and child.pos_ == "PROPN"
        ]
        if not named and noun.dep_ == "appos" and noun.head.pos_ == "PROPN":
            named = [noun.head]
        if not named and noun.dep_ == "attr" and noun.head.lemma_ == "be":
            if any(child.dep_ == "neg" for child in noun.head.children):
                return
            named = [c for c in noun.head.children if c.dep_ == "nsubj" and c.pos_ == "PROPN"]
        relation, reverse = lexicon.KIN[noun.lemma_.lower()]
        for token in named:
            other = self.scene.name_of(token, offset)
            if other is None or other is owner:
                continue
            for name in (owner, other):
                name.votes["person"] += 2
            one, two = (owner, other) if reverse else (other, owner)
            yield self._draft(one, relation, two, sentence, offset, None, None, False)

    def _draft(
        self,
        one: Name,
        relation: str,
        other: Name,
        sentence: "Span",
        offset: int,
        start: datetime | None,
        end: datetime | None,
        ends: bool,
    ) -> Draft:
        text = " ".join(sentence.text.split())
        if start is not None and end is not None and start >= end:
            start = None
        return Draft(
            one,
            relation,
            other,
            self.prefix + text,
            offset + sentence.start_char,
            offset + sentence.end_char,
            None if ends else start,
            end,
            ends,
            self.corrects,
        )


def _status_of(clause: Clause) -> tuple[str, "Token"] | None:
    """Return the state a clause puts its subject in, and the word that says so."""
    if clause.lemma in ("reopen", "open") and not clause.arguments.get("dobj"):
        return "open", clause.verb
    if clause.lemma in ("close", "shut") and not clause.arguments.get("dobj"):
        return "closed", clause.verb
    for child in clause.verb.children:
        if child.dep_ == "acomp" and child.lower_ in _STATES:
            return _STATES[child.lower_], child
        if child.dep_ == "prep" and child.lower_ == "under":
            for target in child.children:
                if target.lower_ in ("repair", "construction", "renovation"):
                    return f"under {target.lower_}", target
    return None


def _role_relation(title: str, preposition: str, other: Name) -> str | None:
    if title in lexicon.KIN:
        return None  # read as kinship
    if title in lexicon.LEADING and preposition in ("of", "at", "for"):
        return "leads"
    if title in lexicon.PLAYING and preposition in ("of", "at", "for"):
        return "plays_for"
    if title in lexicon.STUDYING and preposition in ("of", "at"):
        return "studies_at"
    if title in lexicon.MEMBERSHIP and preposition == "of":
        return "member_of"
    if title in lexicon.OWNING and preposition == "of":
        return "owned_by"
    if title in lexicon.WORKING and preposition in ("at", "for", "with", "of"):
        return None if other.votes["place"] > other.votes["organization"] else "works_at"
    return None


def _can_be(name: Name, type_: str) -> bool:
    """Tell whether a name may have a type: it has it, or nothing speaks strongly for another."""
    if not type_:
        return True
    if not name.named:
        return False
    rivals = [votes for kind, votes in name.votes.items() if kind != type_]
    return name.votes[type_] >= max(rivals, default=0) or max(rivals, default=0) <= 1


def _is_club(name: Name) -> bool:
    return name.text.split()[-1].lower() in lexicon.CLUB_WORDS
