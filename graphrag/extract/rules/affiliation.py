"""What stands beside a name: ``Ann, of Falmouth``, ``a subsidiary of Oak``, ``a Leeds-based firm``.

What somebody's things are called: ``Olaf's bank is ING``; and to whom something is handed.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules.amounts import read_count
from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import Manner
from graphrag.extract.rules.lifetime import Life, lifetime
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Draft, Name, can_be
from graphrag.extract.rules.note_labels import label_of
from graphrag.extract.rules.open_verbs import dated
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.scene import Scene
from graphrag.extract.rules.subjects import bearer, is_definite, region_of
from graphrag.extract.rules.trades import JOBS, OFFICES, is_trade
from graphrag.temporal.period import unit_from

if TYPE_CHECKING:
    from spacy.tokens import Token

_CAREER = re.compile(
    r"^[ \t]*(?:[-•*][ \t]+)?(?:\d\d/)?(?P<since>(?:19|20)\d\d)[ ]?[-–—][ ]?(?:\d\d/)?"
    r"(?P<until>(?:19|20)\d\d|(?P<open>today|present|now|date))?[ \t]*[:,|–-]?[ \t]+"
    r"(?P<rest>[^\n]+)$",
    re.MULTILINE | re.IGNORECASE,
)
_PART = re.compile(r"(?:(?!,| at | [–—|-] ).)+")
_DEGREE = re.compile(r"\b(?:PhD|DPhil|MA|MSc|BSc|BA|MBA|LLB|LLM|MPhil|BEng|MEng|Diploma)\b")
_PARTS = frozenset({"subsidiary", "division", "branch", "unit", "affiliate"})
_FIRMS = frozenset(
    "company firm startup start-up bank brewery bakery publisher retailer band agency maker "
    "manufacturer developer supplier studio restaurant newspaper charity".split()
)
_MOMENTS = frozenset("star hit success leader name brand player figure household".split())
"""What something can be in a place without being there."""
_PLACES = frozenset({"GPE", "LOC"})
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


def read_beside(line: Line) -> Iterator[Draft]:
    """Yield where those who are named come from, and what they belong to."""
    for token in line.sentence:
        if token.lower_ in ("from", "of") and token.dep_ == "prep":
            yield from _origin(token, line)
        elif token.lower_ in ("in", "on") and token.dep_ == "prep":
            yield from _site(token, line)
        elif token.lower_ == "based" and token.dep_ == "amod" and token.i > 1:
            yield from _seated(token.head, [c for c in token.children if c.i < token.i], line)
        elif token.lower_ in _FIRMS and token.dep_ in ("appos", "attr", "compound"):
            yield from _seated(token, [c for c in token.children if c.dep_ == "compound"], line)
        elif token.lemma_.lower() in _PARTS and token.pos_ == "NOUN":
            yield from _part(token, line)
        elif (region := region_of(token)) is not None:
            yield from _inside(token, region, line)


def _inside(token: "Token", region: "Token", line: Line) -> Iterator[Draft]:
    """Yield that Paris lies in France, which is no correction in ``it was Paris, France``."""
    one, other = line.name(token), line.name(region)
    if one is not None and other is not None and one is not other and one.named and other.named:
        for name in (one, other):
            name.votes["place"] += 2
        draft = line.draft(one, "located_in", other)
        draft.corrects = False
        yield draft


def _origin(preposition: "Token", line: Line) -> Iterator[Draft]:
    """Yield ``Ann Lee, of Falmouth,``, ``a nurse from Dundee``, ``a band from Cork``."""
    noun = preposition.head
    apart = preposition.i > 0 and preposition.nbor(-1).text == ","
    if preposition.lower_ == "of" and not (apart and noun.ent_type_ == "PERSON"):
        return
    if noun.pos_ == "NOUN" and noun.dep_ not in ("appos", "attr"):
        return
    if noun.pos_ not in ("NOUN", "PROPN") or any(c.lower_ == "the" for c in noun.children):
        return
    one = line.name(bearer(noun))
    for target in preposition.children:
        other = line.name(target) if target.ent_type_ in _PLACES else None
        if one is None or other is None or one is other or not (one.named and other.named):
            continue
        relation = "lives_in" if preposition.lower_ == "of" else "comes_from"
        yield line.draft(one, relation, other)


def _site(preposition: "Token", line: Line) -> Iterator[Draft]:
    """Yield ``Tarrow is a village in Kent``, ``Crumb, a bakery in Margate``: not for people."""
    noun = preposition.head
    head = noun.head if noun.dep_ == "appos" and noun.head.pos_ == "PROPN" else bearer(noun)
    if head == noun or noun.pos_ != "NOUN" or is_trade(noun) or noun.lemma_.lower() in _MOMENTS:
        return
    one = line.name(head)
    if one is None or not one.named or one.votes["person"] > 1:
        return
    copula = noun.head
    denied = any(child.dep_ == "neg" for child in copula.children)
    if noun.dep_ == "attr" and (copula.tag_ == "VBD" or denied):
        return
    for target in preposition.children:
        other = line.name(target) if target.ent_type_ in _PLACES else None
        if other is not None and other is not one and other.named:
            yield line.draft(one, "located_in", other)


def _seated(noun: "Token", places: list["Token"], line: Line) -> Iterator[Draft]:
    """Yield ``Verdant, the Leeds-based developer`` and ``Lumio, a Berlin startup``."""
    head = bearer(noun)
    if head == noun and noun.dep_ in ("appos", "compound") and noun.head.pos_ == "PROPN":
        head = noun.head
    one = line.name(head) if head.pos_ in ("PROPN", "PRON") else None
    for place in places:
        other = line.name(place) if place.ent_type_ in _PLACES else None
        if one is None or other is None or one is other or not one.named:
            continue
        if noun.lower_ in _FIRMS:
            one.votes["organization"] += 2  # "Solenta, a Lisbon-based maker of pumps"
        person = one.votes["person"] > one.votes["organization"]
        other.votes["place"] += 2
        yield line.draft(one, "lives_in" if person else "located_in", other)


def _part(noun: "Token", line: Line) -> Iterator[Draft]:
    """Yield ``Acorn, a subsidiary of Oak`` and ``its subsidiary Lumen``."""
    whole: Name | None = line.scene.possessor_of(noun, line.offset)
    named = [c for c in noun.children if c.dep_ == "appos" and c.pos_ == "PROPN"]
    for child in noun.children:
        if child.lower_ == "of" and noun.dep_ == "appos" and noun.head.pos_ == "PROPN":
            named = [noun.head]
            whole = next((line.name(c) for c in child.children if c.pos_ == "PROPN"), None)
    if noun.dep_ == "compound" and noun.head.pos_ == "PROPN":
        named = [noun.head]
    for token in named if whole is not None and whole.named else ():
        one = line.name(token)
        if one is not None and whole is not None and one is not whole:
            yield line.draft(one, "part_of", whole)


def read_career(text: str, scene: Scene, said: datetime) -> Iterator[Draft]:
    """Yield the lines of a CV: ``2014-2018: Stadtwerke Bonn, engineer``."""
    last: tuple[str, int] | None = None
    for found in _CAREER.finditer(text) if scene.implied is not None else ():
        rest = re.sub(r"\([^)]*\)", lambda inner: " " * len(inner.group()), found["rest"])
        start = unit_from(datetime(int(found["since"]), 1, 1, tzinfo=said.tzinfo), "year")
        life = replace(Life().beginning(start), current=not found["until"] or bool(found["open"]))
        if found["until"] and not found["open"]:
            stop = unit_from(datetime(int(found["until"]), 1, 1, tzinfo=said.tzinfo), "year")
            life = life.ending(stop.bounded("until"))
        parts = [
            (hit.group().strip(), hit.start() + found.start("rest")) for hit in _PART.finditer(rest)
        ]
        parts = [part for part in parts if part[0]]
        roles = [part for part in parts if _is_role(part[0])]
        bodies = [part for part in parts if part not in roles and part[0][:1].isupper()]
        if any(part[0].startswith("same ") for part in parts) and last is not None:
            bodies = [last]
        degree = any(_DEGREE.search(part[0]) for part in parts)
        bodies = [part for part in bodies if not _DEGREE.match(part[0])]
        if not bodies or not (roles or degree) or scene.implied is None:
            continue
        words, at = last = bodies[0]
        phrase = Phrase(words, at, at + len(words), True, (("organization", 3),))
        body = scene.add(phrase, 0)
        place = found.start(), found.end()
        relation = "studies_at" if degree else "works_at"
        sentence = " ".join(found.group().split())
        yield Draft(scene.implied, relation, body, sentence, *place, life)
        for words, at in roles[:1] if not degree else ():
            phrase = Phrase(words.lower(), at, at + len(words), False)
            yield Draft(scene.implied, "has_role", scene.add(phrase, 0), sentence, *place, life)


def without_career(text: str) -> str:
    """Return a text with blanks for the lines of a CV, which are no sentences."""
    return _CAREER.sub(lambda found: " " * len(found.group()), text)


def lines_of(text: str) -> frozenset[int]:
    """Return where the lines of a text begin."""
    return frozenset(found.end() for found in re.finditer(r"\n", text))


def _is_role(words: str) -> bool:
    known = {word.lower() for word in words.split()[:4]}
    return bool(known & (JOBS | OFFICES | {"intern", "trainee", "student", "lead"}))


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


def read_handing(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield who keeps what in ``Rob hands the bookings to Ann``, ``Ann takes it over from Rob``."""
    taken = clause.lemma == "take" and "over" in clause.particles
    if "in" in clause.particles or "out" in clause.particles:
        return  # "handed in his notice"
    if clause.passive or clause.negated or not (taken or clause.lemma == "hand"):
        return
    lasting = clause.particles or not clause.past or line.periods(clause.verb)
    others = clause.arguments.get("from" if taken else "to", [])
    for noun in clause.arguments.get("dobj", ()):
        if noun.pos_ == "NOUN" and not others:  # the parser hangs "to Ann" on the thing as often
            steps = [c for c in noun.head.subtree if c.dep_ == "prep" and c.lower_ == "to"]
            steps = steps if clause.lemma == "hand" else []
            others = [c for step in steps for c in step.children if c.pos_ == "PROPN"]
        thing = line.name(noun)
        if thing is None or noun.pos_ == "PRON" or not (thing.named or is_definite(noun)):
            continue
        if not (lasting or thing.named or noun.tag_ == "NNS"):
            continue  # "she handed the basket to him" is a moment of a story
        if not taken and not any((one := line.name(c)) and one.named for c in others):
            continue
        olds, news = (others, []) if taken else (clause.subjects, others)
        for token in (*olds, *news):
            one = line.name(token)
            if one is not None and one.named and can_be(one, "person") and one is not thing:
                manner: Manner = "end" if token in olds else "start"
                yield from dated(clause, manner, (one, "responsible_for", thing), line)


def read_swapping(clause: Clause, line: Line) -> Iterator[Draft]:
    """Yield what somebody uses in ``we replaced Jenkins with Forgejo``."""
    pairs = {"replace": "with", "swap": "for", "exchange": "for"}
    new = clause.arguments.get(pairs.get(clause.lemma, ""), [])
    old = clause.arguments.get("dobj", [])
    for subject in (
        clause.subjects if new and old and not (clause.passive or clause.negated) else ()
    ):
        one = line.name(subject)
        for token in (old[0], new[0]):
            thing = line.name(token)
            if one is None or thing is None or not (one.named and thing.named) or one is thing:
                continue
            if thing.votes["person"] < 2 and token.pos_ == "PROPN":
                manner: Manner = "end" if token == old[0] else "start"
                yield from dated(clause, manner, (one, "uses", thing), line)


CLAUSE_READERS = (read_label, read_count, read_handing, read_swapping)
