"""What a verb is said of besides its subject: objects, and what its prepositions lead to.

The parse tells; where it hangs a phrase on the noun before, the order of the words does.
"""

from typing import TYPE_CHECKING

from graphrag.extract.rules.lexicon import EMPTY_NOUNS, ORG_WORDS
from graphrag.extract.rules.subjects import SUBJECTS, beyond, is_next_subject, region_of

if TYPE_CHECKING:
    from spacy.tokens import Token

Arguments = dict[str, list["Token"]]
"""``dobj``, ``attr``, ``agent`` and prepositions to head nouns; ``gerund`` to verbs."""
_LIGHT = frozenset("job position post degree phd year month".split())
"""Nouns that carry the meaning of a verb: ``took a job at``, ``signed a contract with``."""
_DWELLING = frozenset({"live", "reside", "stay"})
_CARRIED = frozenset("from to at in with for as on under into".split())
_RELATIVE = frozenset({"that", "which", "whom", "who"})
_TRANSITIVE = frozenset("buy found own inherit lead marry acquire purchase".split())
"""What is done to the noun of a relative clause: ``the house she bought``."""
_PLAIN = frozenset({"det", "compound", "amod", "poss"})
_TIMES = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "PERCENT", "QUANTITY"})


def conjoined(head: "Token") -> list["Token"]:
    """Return a noun and those joined to it by ``and``; a disjunction gives none."""
    found, current = [head], head
    if head.pos_ == "PROPN" and head.dep_ == "pobj":
        before = [c for c in head.children if c.dep_ == "nmod" and c.lower_ in ORG_WORDS]
        found[:0] = [token for token in before if any(c.lower_ == "and" for c in token.children)]
    if head.pos_ == "PRON" and head.dep_ in ("dobj", "pobj"):
        return found  # "oiled them and the Scarecrow bent ...": a new clause as often
    while True:
        joints = {child.lower_ for child in current.children if child.dep_ == "cc"}
        if joints & {"or", "nor"}:
            return []
        if "but" in joints and head.dep_ not in ("attr", "pobj"):
            return found  # "tea but not coffee"
        behind = current.i + 1
        following = [
            child
            for child in current.children
            if child.dep_ == "conj" and ";" not in current.doc[behind : child.left_edge.i].text
        ]
        if following and region_of(current) is not None:
            return found  # "moved to Lyon, France"
        if not following:
            return found
        current = following[0]
        if head.dep_ in ("dobj", "pobj") and is_next_subject(current):
            return found  # "she runs the lab and Leo is her deputy"
        found += following


def collect(arguments: Arguments, verb: "Token") -> None:
    """Note the arguments of a verb by their slots."""
    lemma = verb.lemma_.lower()
    for child in verb.children:
        doing = child.dep_ == "advcl" and child.i == verb.i + 1 and lemma == "go"
        outing = lemma == "go" and child.dep_ == "dobj" and child.lower_.endswith("ing")
        if outing or (child.tag_ == "VBG" and (child.dep_ in ("xcomp", "dobj") or doing)):
            arguments.setdefault("gerund", []).extend(conjoined(child))
        elif child.dep_ in ("dobj", "attr", "oprd", "dative") and (
            child.pos_ in ("NOUN", "PROPN", "PRON") or child.ent_type_ in ("NORP", "LANGUAGE")
        ):
            if child.dep_ == "dobj" and (is_next_subject(child) or _is_heading(child, verb)):
                continue
            if child.dep_ == "dobj" and child.lemma_.lower() in _LIGHT:
                _collect_light(arguments, child)
            slot = "attr" if child.dep_ == "oprd" else child.dep_
            arguments.setdefault(slot, []).extend(conjoined(child))
        elif child.dep_ in ("prep", "agent", "dative") and not _is_excepted(child):
            slot = "agent" if child.dep_ == "agent" else child.lower_
            again = [
                token for token in child.children if token.dep_ == "conj" and token.pos_ == "ADP"
            ]
            for other in again:  # "educated at Brecon and at Oxford"
                for target in other.children:
                    if target.dep_ == "pobj":
                        arguments.setdefault(other.lower_, []).extend(conjoined(target))
            for target in child.children:
                if target.dep_ == "pobj" and target.pos_ in ("NOUN", "PROPN", "PRON"):
                    arguments.setdefault(slot, []).extend(conjoined(target))
                    if lemma in _DWELLING:  # "lives over his shop in Dunmarle"
                        _collect_inner(arguments, target)
                if target.ent_type_ == "DATE":  # "on 1 July to the bank"
                    _collect_below(arguments, target)
                if target.dep_ == "prep":  # "over at", "out of"
                    for inner in target.children:
                        if inner.dep_ == "pobj" and child.lower_ == "out":
                            arguments.setdefault("out_of", []).extend(conjoined(inner))
                        elif inner.dep_ == "pobj":
                            arguments.setdefault(target.lower_, []).extend(conjoined(inner))
    _follow(arguments, verb)


def relate(arguments: Arguments, verb: "Token", *, passive: bool) -> None:
    """Note what a relative clause is about as its argument: ``the farm (that) she bought``."""
    noun = verb.head
    if any(child.lower_ == "where" for child in verb.children):
        arguments.setdefault("at", []).append(noun)  # "the school where she taught"
        return
    if verb.lemma_.lower() not in _TRANSITIVE:
        return
    objects = arguments.get("dobj", [])
    meant = [
        beyond(noun, object_) if object_.lower_ in _RELATIVE else object_ for object_ in objects
    ]
    own = {child.lower_ for child in verb.children if child.dep_ in SUBJECTS}
    open_ = any(child.dep_ == "prep" and not list(child.children) for child in verb.children)
    timed = noun.ent_type_ in ("DATE", "TIME") or noun.lemma_.lower() in EMPTY_NOUNS
    bare = not objects and own and not own & _RELATIVE and not passive
    if bare and not open_ and not timed:
        meant = [noun]
    if meant:
        arguments["dobj"] = meant


def _follow(arguments: Arguments, verb: "Token") -> None:
    """Note the names that follow a verb's prepositions before the next verb, wherever they hang.

    Of ``bought the weekly from Ivo Lund`` the parser gives ``from`` to ``weekly`` as often.
    """
    slot = ""
    inside = False
    for token in verb.doc[verb.i + 1 : verb.sent.end]:
        if token.text in "()":
            inside = token.text == "("
        if inside:
            continue
        if token.text in (";", ":") or token.pos_ in ("VERB", "AUX", "SCONJ"):
            return
        if token.tag_.startswith("W") or token.lower_ == "but":
            return
        if token.pos_ == "ADP":
            slot = token.lower_
        elif token.text == ",":
            slot = ""
        elif token.pos_ in ("NOUN", "PROPN") and not _goes_on(token):
            known = slot in arguments or token.ent_type_ in _TIMES
            if slot in _CARRIED and not known and token.pos_ == "PROPN":
                arguments[slot] = conjoined(token)
            slot = ""


def _is_heading(noun: "Token", verb: "Token") -> bool:
    """Tell whether a noun only says what a line is about: ``Colours: I used gold``."""
    return any(token.text == ":" for token in noun.doc[noun.i : verb.i])


def _goes_on(noun: "Token") -> bool:
    """Tell whether a noun is not the last word of its phrase."""
    if noun.i + 1 >= len(noun.doc):
        return False
    following = noun.nbor()
    return following.pos_ in ("NOUN", "PROPN") or following.tag_ in ("POS", "HYPH", "NNP")


def _collect_below(arguments: Arguments, date: "Token") -> None:
    for child in date.children:
        if child.dep_ == "prep":
            inner = [target for target in child.children if target.dep_ == "pobj"]
            arguments.setdefault(child.lower_, []).extend(inner)


def _collect_light(arguments: Arguments, noun: "Token") -> None:
    """Note ``at Acme`` of ``took a job at Acme`` as what the verb is done with."""
    for child in noun.children:
        for target in child.children if child.dep_ == "prep" else ():
            if target.dep_ == "pobj":
                slot = f"{noun.lemma_.lower()}_{child.lower_}"
                arguments.setdefault(slot, []).extend(conjoined(target))
    for child in noun.head.children:
        for target in child.children if child.dep_ == "prep" and child.i > noun.i else ():
            if target.dep_ == "pobj" and target.pos_ == "PROPN":
                slot = f"{noun.lemma_.lower()}_{child.lower_}"
                arguments.setdefault(slot, []).extend(conjoined(target))


def _collect_inner(arguments: Arguments, noun: "Token") -> None:
    for child in noun.children:
        if child.dep_ == "prep" and child.lower_ in ("in", "at"):
            inner = [target for target in child.children if target.pos_ == "PROPN"]
            arguments.setdefault("in", []).extend(inner)


def _is_excepted(preposition: "Token") -> bool:
    """Tell whether ``not`` stands before it: ``born in Pellow, not in Ostrey``."""
    before = preposition.doc[preposition.i - 1] if preposition.i else None
    return before is not None and before.lower_ in ("not", "rather", "than")


def complement_of(head: "Token") -> "Token | None":
    """Return the noun after ``of`` in ``bucket of water``, if it follows closely."""
    for child in head.children:
        if child.dep_ == "prep" and child.lower_ == "of" and child.i == head.i + 1:
            for target in child.children:
                if target.dep_ == "pobj" and target.pos_ in ("NOUN", "PROPN"):
                    plain = all(token.dep_ in _PLAIN for token in head.doc[child.i + 1 : target.i])
                    return target if plain and target.ent_type_ not in _TIMES else None
    return None


def hyphenated(last: "Token") -> "Token":
    """Return the first word of ``face-to-face``, given its last one."""
    first = last
    while first.i > 1:
        hyphen, before = first.doc[first.i - 1], first.doc[first.i - 2]
        if hyphen.text != "-" or hyphen.whitespace_ or before.whitespace_:
            break
        first = before
    return first
