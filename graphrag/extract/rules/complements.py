"""What ``be`` and its like say besides offices and kin: states, conditions, kinds and places."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import Manner
from graphrag.extract.rules.lifetime import GONE, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.note_labels import label_of
from graphrag.extract.rules.phrases import Phrase, phrase_of
from graphrag.extract.rules.slots import conjoined
from graphrag.extract.rules.subjects import region_of
from graphrag.extract.rules.trades import OVER, is_title, is_trade, title_of
from graphrag.names.key import name_key

if TYPE_CHECKING:
    from spacy.tokens import Token

_DIETS = frozenset("vegetarian vegan pescatarian coeliac teetotal".split())
_TO: dict[str, tuple[str, bool]] = {
    "allergic": ("allergic_to", False),
    "intolerant": ("allergic_to", False),
    "fluent": ("speaks", False),
    "responsible": ("responsible_for", False),
    "related": ("related_to", True),
}
"""Adjectives with a complement, to their relation, and whether the complement must have a name."""
_OWN = {
    **dict.fromkeys("laptop phone computer tablet camera".split(), "uses"),
    **dict.fromkeys("doctor gp dentist therapist physiotherapist midwife".split(), "treated_by"),
    **dict.fromkeys("car van motorbike".split(), "drives"),
    **dict.fromkeys("tongue language".split(), "speaks"),
    **dict.fromkeys("hometown birthplace".split(), "comes_from"),
    **dict.fromkeys("dog cat rabbit hamster horse".split(), "has_pet"),
}
"""Nouns for what is somebody's, to the relation with what it is."""
_PEOPLES = frozenset({"speaks", "comes_from", "has_pet", "drives"})
_PARTS = frozenset("part subsidiary division branch unit district suburb quarter".split())
_ABSTRACT = ("tion", "ment", "ness", "ity", "ance", "ence", "ism")
_OPERATIONS = ("replacement", "surgery", "operation", "transplant", "bypass", "appendectomy")


def read_complement(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield ``Ann is vegetarian``, ``allergic to nuts``, ``a wizard``, ``at Brightwell``."""
    for child in clause.verb.children:
        if child.dep_ in ("acomp", "oprd") and not clause.negated:
            yield from _adjective(child, clause, line)
    for which in ("on",) if clause.past else ("on", "off"):
        for target in clause.arguments.get(which, ()) if not clause.negated else ():
            yield from _being_on(target, clause, line, over=which == "off")
    for role in clause.arguments.get("attr", ()):
        for subject in clause.subjects:
            if subject.lower_ == "i" and role.pos_ == "PROPN" and clause.lemma == "be":
                _named(role, line)
            one = line.name(subject)
            if one is None or not one.named or clause.negated or is_title(role):
                continue
            if subject.lower_ == "we":
                continue  # "we are a church": who speaks is none
            if role.lower_ in _DIETS:
                yield from _of_subjects(clause, "has_diet", role.lower_, role, line)
                continue
            if role.lemma_.lower() in _PARTS:
                yield from _part(one, role, clause, line)
                continue
            if is_trade(role) and one.entity_type == "person" and _is_indefinite(role):
                text, start, end = title_of(role)
                trade = line.scene.add(Phrase(text, start, end, False), line.offset)
                yield from _became(clause, (one, "has_role", trade), line, role)
            else:
                yield from _class(one, role, subject, clause, line)


def _named(role: "Token", line: Line) -> None:
    """Note ``I'm Wanjiru`` as a name of who speaks."""
    phrase = phrase_of(role)
    speaker = line.scene.speaker
    if speaker is not None and phrase is not None and phrase.named:
        if role.ent_type_ in ("PERSON", "") and name_key(phrase.text) != name_key(speaker.text):
            speaker.aliases.append(phrase.text)
            line.scene.names[name_key(phrase.text)] = speaker


def _being_on(target: "Token", clause: Clause, line: Line, *, over: bool) -> Iterator[Draft]:
    """Yield ``I'm on the Fibre plan``, ``on crutches``, ``on the payments squad``."""
    relation = lexicon.on_relation(target.lemma_.lower())
    if relation == "member_of" and not any(child.dep_ == "det" for child in target.children):
        return  # "I'm on board with that"
    phrase = phrase_of(target) if relation else None
    for subject in clause.subjects if phrase is not None else ():
        one = line.name(subject)
        if one is not None and one.named and phrase is not None:
            other = line.scene.add(phrase, line.offset)
            if other is not one:
                manner: Manner = "end" if over else "state"
                yield from _draft(clause, (one, relation, other), line, target, manner=manner)


def _part(one: Name, role: "Token", clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield ``the clinic is part of the hospital``, ``Kolm is a subsidiary of Alpmilk``."""
    for child in role.children:
        for target in child.children if child.lower_ == "of" else ():
            other = line.name(target) if target.dep_ == "pobj" else None
            if other is not None and other.named and other is not one:
                for draft in _draft(clause, (one, "part_of", other), line, role):
                    if any(child.lower_ in OVER for child in role.children):
                        draft.life = GONE  # "a former subsidiary"
                    yield draft


def _adjective(adjective: "Token", clause: Clause, line: Line) -> Iterator[Draft]:
    word = adjective.lower_
    if word in _DIETS:
        yield from _of_subjects(clause, "has_diet", word, adjective, line)
    if word in _TO:
        relation, named = _TO[word]
        for child in adjective.children:
            targets = (
                [t for t in child.children if t.dep_ == "pobj"] if child.dep_ == "prep" else []
            )
            for target in (part for one in targets for part in conjoined(one)):
                narrowed = target.doc[target.i + 1 :][:1].text in ("with", "without")
                other = None if narrowed else line.name(target)  # "to animals with fur"
                for subject in clause.subjects if other is not None else ():
                    one = line.name(subject)
                    if one is None or other is None or not one.named or one is other:
                        continue
                    if not named or other.named:
                        yield from _draft(clause, (one, relation, other), line, adjective)


def _of_subjects(
    clause: Clause, relation: str, words: str, token: "Token", line: Line
) -> Iterator[Draft]:
    for subject in clause.subjects:
        one = line.name(subject)
        if one is not None and one.named:
            yield from _of(one, relation, words, token, (clause, line), "state")


def _of(
    one: Name,
    relation: str,
    words: str,
    token: "Token",
    where: tuple[Clause, Line],
    manner: Manner,
) -> Iterator[Draft]:
    clause, line = where
    phrase = Phrase(words, token.idx, token.idx + len(token), False)
    life = lifetime(manner, clause, line.periods(clause.verb, token), line.reference)
    if life is not None:
        yield line.draft(one, relation, line.scene.add(phrase, line.offset), life)


def _class(
    one: Name, role: "Token", subject: "Token", clause: Clause, line: Line
) -> Iterator[Draft]:
    """Yield ``Oz is a wizard``: an indefinite noun says what its subject is."""
    if not _is_indefinite(role) or clause.lemma not in ("be", "become") or role.pos_ != "NOUN":
        return
    aside = clause.perfect or clause.verb.dep_ == "advcl"  # "it has been a joy", "as I was a kid"
    if aside or subject.lower_ in ("it", "you", "this", "that"):
        return
    if line.sentence.text.rstrip().endswith("!"):
        return  # "Guacamole is a classic!"
    word = role.lemma_.lower()
    empty = word in lexicon.OPINIONS | lexicon.EMPTY_NOUNS or word.endswith(_ABSTRACT)
    if empty or any(child.dep_ == "predet" or child.lower_ == "such" for child in role.children):
        return
    if is_trade(role) or role.lemma_.lower() in ("partner", "associate", "fellow"):
        if any(c.lower_ in ("at", "of", "with", "in") for c in role.children):
            return  # "a partner at Crane": a role there
    phrase = phrase_of(role)
    if phrase is not None and not phrase.named:
        other = line.scene.add(phrase, line.offset)
        yield from _became(clause, (one, "is_a", other), line, role)


def _is_indefinite(noun: "Token") -> bool:
    return any(child.lower_ in ("a", "an") for child in noun.children)


def _became(
    clause: Clause, fact: tuple[Name, str, Name], line: Line, role: "Token"
) -> Iterator[Draft]:
    manner: Manner = "start" if clause.lemma == "become" else "state"
    yield from _draft(clause, fact, line, role, manner=manner)


def _draft(
    clause: Clause,
    fact: tuple[Name, str, Name],
    line: Line,
    *owners: "Token",
    manner: Manner = "state",
) -> Iterator[Draft]:
    life = lifetime(manner, clause, line.periods(clause.verb, *owners), line.reference)
    if life is not None:
        yield line.draft(*fact, life)


def read_having(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield what somebody has that is worth keeping: an illness, an operation, a pet."""
    if clause.lemma != "have" or clause.negated or clause.passive:
        return
    for target in clause.arguments.get("dobj", ()):
        word = target.lemma_.lower()
        phrase = phrase_of(target)
        if phrase is None:
            continue
        relation, manner = _had(word, phrase.text.lower())
        for subject in clause.subjects if relation else ():
            one = line.name(subject)
            if one is None or not one.named or one.votes["organization"] > 2:
                continue
            other = line.scene.add(phrase, line.offset)
            life = lifetime(manner, clause, line.periods(clause.verb), line.reference)
            if life is not None and one is not other:
                yield line.draft(one, relation, other, life)


def _had(word: str, text: str) -> tuple[str, Manner]:
    if word.endswith(_OPERATIONS) or word == "op":
        return "had_surgery", "event"
    if word in lexicon.ILLNESSES or word.endswith(lexicon.ILLNESS_ENDINGS):
        return "has_condition", "state"
    if word in lexicon.PETS and not text.startswith(("stuffed ", "toy ", "animal ", "plush ")):
        return "has_pet", "state"
    if word in ("key", "keys"):
        return "keeps", "state"
    if word in ("login", "password"):
        return "has_access", "state"
    return "", "state"


def read_label(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield ``Olaf's bank is ING``, ``my favourite band is Lambchop``."""
    if clause.lemma != "be" or clause.negated:
        return
    for noun in clause.subjects:
        owner = line.scene.possessor_of(noun, line.offset)
        if noun.pos_ != "NOUN" or owner is None or not owner.named:
            continue
        label = label_of(noun.lower_)
        before = {child.lower_ for child in noun.children}
        relation = _OWN.get(noun.lower_, "")
        if relation == "speaks" and not before & {"mother", "native", "first"}:
            relation = ""
        if before & {"favourite", "favorite"}:
            relation = "likes"
        for target in clause.arguments.get("attr", ()):
            other = line.name(target) if target.pos_ == "PROPN" else None
            life = lifetime("state", clause, line.periods(clause.verb), line.reference)
            if other is None or other is owner or life is None:
                continue
            if relation and (relation not in _PEOPLES or owner.votes["organization"] < 2):
                yield line.draft(owner, relation, other, life)
            elif label is not None and label.form == "of_topic" and not relation:
                if label.value:
                    other.votes[label.value] += 2
                yield line.draft(owner, label.relation, other, life)


def read_region(line: Line) -> Iterator[Draft]:
    """Yield that Paris lies in France, which is no correction in ``it was Paris, France``."""
    for token in line.sentence:
        region = region_of(token)
        one, other = (line.name(token), line.name(region)) if region is not None else (None, None)
        if one is None or other is None or one is other or not (one.named and other.named):
            continue
        for name in (one, other):
            name.votes["place"] += 2
        draft = line.draft(one, "located_in", other)
        draft.corrects = False
        yield draft
