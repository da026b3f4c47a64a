"""What role nouns state: ``the mayor of Dunmarle``, ``my sister Vera``, ``it is closed``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause, conjoined
from graphrag.extract.rules.lexicon import Kind
from graphrag.extract.rules.line import Line, lifetime
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.phrases import Phrase, phrase_of

if TYPE_CHECKING:
    from spacy.tokens import Token

COPULAS = frozenset("be become appoint elect name make serve remain".split())
OPENING = {"open": "open", "reopen": "open", "close": "closed", "shut": "closed"}
_STATES = {"open": "open", "closed": "closed", "shut": "closed"}
_PAIRS = {"engaged": "engaged_to", "married": "married_to"}
_UNDER = frozenset({"repair", "construction", "renovation"})
_PREPOSITIONS = ("of", "at", "for", "with", "in", "to")
_RELATIONS: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    ("leads", lexicon.LEADING, frozenset({"of", "at", "for"})),
    ("plays_for", lexicon.PLAYING, frozenset({"of", "at", "for"})),
    ("studies_at", lexicon.STUDYING, frozenset({"of", "at"})),
    ("member_of", lexicon.MEMBERSHIP, frozenset({"of"})),
    ("owned_by", lexicon.OWNING, frozenset({"of"})),
    ("works_at", lexicon.WORKING, frozenset({"at", "for", "with", "of"})),
)


def read_copula(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield ``X is the mayor of Y``, ``X was elected mayor of Y``, ``X is closed``."""
    roles = list(clause.arguments.get("attr", ()))
    if clause.lemma in ("serve", "appoint"):
        roles += clause.arguments.get("as", [])
    kind: Kind = "state" if clause.lemma in ("be", "remain", "serve") else "start"
    if clause.no_longer:
        kind = "end"
    for role in roles:
        for subject in clause.subjects:
            one = line.name(subject)
            if one is None or not one.named or (role.pos_ == "PROPN" and subject.pos_ == "NOUN"):
                continue
            stated = list(_role(one, role, clause, kind, line))
            yield from stated
            if not stated and subject.lower_ not in ("it", "you") and kind != "end":
                yield from _class(one, role, clause, line)
    if not roles and clause.lemma in ("be", "remain"):
        yield from read_status(clause, line)


def read_pair(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield ``Anna and Ben became engaged``, ``Anna is married to Ben``."""
    states = [child for child in clause.verb.children if child.dep_ == "acomp"]
    states += [clause.verb] if clause.passive else []
    relation = next((_PAIRS[state.lower_] for state in states if state.lower_ in _PAIRS), None)
    if relation is None or clause.negated:
        return
    people = [*clause.subjects, *(target for state in states for target in _partners(state))]
    names = list(dict.fromkeys(name for token in people if (name := line.name(token))))
    if len(names) != 2:
        return
    for name in names:
        name.votes["person"] += 3
    life = lifetime("start", clause, line.periods(clause.verb, *states), line.reference)
    yield line.draft(names[0], relation, names[1], life)


def _partners(state: "Token") -> Iterator["Token"]:
    for child in state.children:
        if child.dep_ == "prep" and child.lower_ == "to":
            yield from (target for target in child.children if target.dep_ == "pobj")


def read_status(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield ``the bridge is closed``, ``will be under repair``, ``reopened``."""
    found = _status_of(clause)
    if found is None or clause.negated:
        return
    words, token = found
    for subject in clause.subjects:
        one = line.name(subject)
        if one is None or not one.named or subject.pos_ == "PRON" or one.entity_type == "person":
            continue
        status = line.scene.add(
            Phrase(words, token.idx, token.idx + len(token), False), line.offset
        )
        life = lifetime("start", clause, line.periods(clause.verb), line.reference)
        yield line.draft(one, "has_status", status, life)


def read_nouns(line: Line) -> Iterator[Draft]:
    """Yield what appositions, possessives and kinship nouns say, outside of any verb."""
    for token in line.sentence:
        if token.dep_ == "appos" and token.pos_ == "NOUN" and token.head.pos_ == "PROPN":
            one = line.name(token.head)
            if one is not None:
                yield from _role(one, token, None, "state", line)
        if token.pos_ == "NOUN" and token.lemma_.lower() in lexicon.KIN:
            yield from _kin(token, line)
        if token.pos_ == "PROPN":
            yield from _place(token, line)


def _role(
    one: Name, role: "Token", clause: Clause | None, kind: Kind, line: Line
) -> Iterator[Draft]:
    title = role.lemma_.lower()
    for other, preposition in _targets(role, clause, line):
        relation = _relation(title, preposition, other)
        if relation is None or other is one or not (one.named and other.named):
            continue
        if relation != "part_of":
            if one.votes["organization"] > 2:
                continue
            one.votes["person"] += 2
        if relation in ("works_at", "studies_at", "plays_for", "member_of"):
            other.votes["organization"] += 2
        owners = (role,) if clause is None else (role, clause.verb)
        life = lifetime(kind, clause, line.periods(*owners), line.reference)
        ends = (other, one) if relation == "owned_by" else (one, other)
        draft = line.draft(ends[0], relation, ends[1], life, ends=kind == "end")
        draft.attributes["title"] = title
        yield draft


def _class(one: Name, role: "Token", clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield ``Oz is a wizard``: an indefinite noun says what its subject is."""
    indefinite = any(child.lower_ in ("a", "an") for child in role.children)
    if not indefinite or clause.lemma not in ("be", "become") or role.pos_ != "NOUN":
        return
    if clause.verb.dep_ == "advcl":
        return  # "since I was a kid"
    phrase = None if role.lemma_.lower() in lexicon.OPINIONS else phrase_of(role)
    if phrase is not None and not phrase.named:
        other = line.scene.add(phrase, line.offset)
        life = lifetime("state", clause, line.periods(role, clause.verb), line.reference)
        yield line.draft(one, "is_a", other, life)


def _targets(role: "Token", clause: Clause | None, line: Line) -> Iterator[tuple[Name, str]]:
    owner = line.scene.possessor_of(role, line.offset)
    if owner is not None:
        yield owner, "of"
    for child in role.children:
        if child.dep_ == "prep" and child.lower_ in _PREPOSITIONS:
            for target in child.children:
                if target.dep_ == "pobj":
                    for part in conjoined(target):
                        if (name := line.name(part)) is not None:
                            yield name, child.lower_
    if clause is not None and role.dep_ in ("attr", "oprd"):
        # The parser hangs "at Ostrey Creamery" on the verb as often as on the job.
        for preposition in ("at", "of", "for"):
            for target in clause.arguments.get(preposition, ()):
                if (name := line.name(target)) is not None:
                    yield name, preposition


def _kin(noun: "Token", line: Line) -> Iterator[Draft]:
    """Yield ``my sister Vera``, ``Bob's wife Alice``, ``Vera is Bob's sister``."""
    owner = line.scene.possessor_of(noun, line.offset)
    if owner is None or not owner.named:
        return
    named = [child for child in noun.children if child.dep_ == "appos" and child.pos_ == "PROPN"]
    if not named and noun.dep_ == "appos" and noun.head.pos_ == "PROPN":
        named = [noun.head]
    if not named and noun.dep_ == "attr" and noun.head.lemma_ == "be":
        if any(child.dep_ == "neg" for child in noun.head.children):
            return
        named = [c for c in noun.head.children if c.dep_ == "nsubj" and c.pos_ == "PROPN"]
    relation, reverse = lexicon.KIN[noun.lemma_.lower()]
    for token in named:
        other = line.name(token)
        if other is None or other is owner:
            continue
        for name in (owner, other):
            name.votes["person"] += 2
        one, two = (owner, other) if reverse else (other, owner)
        yield line.draft(one, relation, two)


def _place(token: "Token", line: Line) -> Iterator[Draft]:
    """Yield ``the Tannery Mill in Sarnbridge``: a named building or body in a named place."""
    for child in token.children:
        if child.dep_ != "prep" or child.lower_ not in ("in", "at"):
            continue
        for target in child.children:
            if target.dep_ != "pobj" or target.ent_type_ not in ("GPE", "LOC", "ORG", "PERSON"):
                continue
            one, other = line.name(token), line.name(target)
            if one is None or other is None or one is other or not other.named:
                continue
            body = one.votes["organization"] >= 3 or one.votes["place"] >= 3
            if body and other.votes["organization"] < 3 and other.votes["person"] < 2:
                other.votes["place"] += 2
                yield line.draft(one, "located_in", other)


def _status_of(clause: Clause) -> tuple[str, "Token"] | None:
    """Return the state a clause puts its subject in, and the word that says so."""
    if clause.lemma in OPENING:
        acted = clause.arguments.get("dobj") or clause.arguments.get("agent")
        return None if acted else (OPENING[clause.lemma], clause.verb)
    for child in clause.verb.children:
        if child.dep_ == "acomp" and child.lower_ in _STATES:
            return _STATES[child.lower_], child
        if child.dep_ == "prep" and child.lower_ == "under":
            for target in child.children:
                if target.lower_ in _UNDER:
                    return f"under {target.lower_}", target
    return None


def _relation(title: str, preposition: str, other: Name) -> str | None:
    if title == "part":
        return "part_of" if preposition == "of" else None
    if title in lexicon.KIN:
        return None  # read as kinship
    for relation, titles, prepositions in _RELATIONS:
        if title in titles and preposition in prepositions:
            placed = other.votes["place"] > other.votes["organization"]
            return None if relation == "works_at" and placed else relation
    return None
