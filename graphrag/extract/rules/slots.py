"""Who and what a verb is said of: its subjects, objects and what its prepositions lead to.

The parse tells; where it hangs a phrase on the noun before, the order of the words does.
"""

from typing import TYPE_CHECKING

from graphrag.extract.rules.lexicon import ORG_WORDS, PLACE_WORDS

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = ("nsubj", "nsubjpass")
_DEFINITE = frozenset({"the", "this", "our", "my", "their", "its", "his", "her"})


def is_definite(noun: "Token") -> bool:
    """Tell whether a noun is that one: ``the farm``, ``our farm``."""
    return any(child.lower_ in _DEFINITE for child in noun.children)


def bearer(noun: "Token") -> "Token":
    """Return who is ``a nurse who lives in Cardiff`` where a sentence says so of somebody."""
    copula = noun.head
    if noun.dep_ != "attr" or copula.lemma_ != "be" or noun.pos_ != "NOUN":
        return noun
    subjects = [child for child in copula.children if child.dep_ == "nsubj"]
    plain = [
        subject for subject in subjects if subject.lower_ not in ("this", "that", "there", "who")
    ]
    return plain[-1] if plain and plain[-1].pos_ in ("PROPN", "PRON") else noun


def own_subjects(verb: "Token") -> list["Token"]:
    """Return the subjects that hang on a verb, or on its helper: ``Ruth got divorced``."""
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    helpers = [child for child in verb.children if child.dep_ in ("aux", "auxpass")]
    return own or [child for word in helpers for child in word.children if child.dep_ in SUBJECTS]


def joined_to(verb: "Token") -> "Token | None":
    """Return the verb that this one is joined to by ``and``.

    Of ``leaving Acme in May and starting at Brill`` the parser joins the second to ``in``.
    """
    head = verb.head
    if verb.dep_ == "conj" and head.pos_ == "ADP" and head.head.tag_ == verb.tag_ == "VBG":
        head = head.head
    return head if verb.dep_ == "conj" and head.pos_ in ("VERB", "AUX") else None


def is_task(verb: "Token") -> bool:
    """Tell whether a verb is what somebody was chosen for: ``elected to replace him``."""
    head = verb.head
    chosen = head.lemma_ in ("elect", "appoint", "hire", "choose", "recruit") and head.tag_ == "VBN"
    chosen = chosen and not any(child.dep_ == "dobj" for child in head.children)
    return verb.tag_ == "VB" and verb.dep_ in ("xcomp", "advcl") and chosen


def apposed(noun: "Token") -> "Token | None":
    """Return the name that says who or what a noun is: ``the painter Luc``, ``her shop, Luna``."""
    if noun.pos_ != "NOUN" or noun.tag_ == "NNS":
        return None
    for child in noun.children:
        if child.dep_ == "appos" and child.pos_ == "PROPN" and child.i > noun.i:
            between = noun.doc[noun.i + 1 : child.left_edge.i].text
            if between in ("", ","):
                return child
    return None


def is_ruled_out(word: "Token") -> bool:
    """Tell whether ``nor`` or ``neither`` joins a verb or a name to others that are denied, too."""
    joining = [child for child in word.children if child.dep_ in ("cc", "preconj", "det")]
    if word.dep_ == "conj":
        before = (child for child in word.head.children if word.head.i < child.i < word.i)
        joining += [child for child in before if child.dep_ == "cc"]
    return any(
        child.lower_ in ("nor", "neither")
        for child in joining
        if child.i < word.i or word.pos_ in ("NOUN", "PROPN")
    )


def beyond(noun: "Token", relative: "Token") -> "Token":
    """Return of whom a relative clause tells that stands behind where they are.

    That is the scientist in ``a scientist at the creamery, who was born in Kunming`` and the plant
    in ``a plant in Penang, which Acme bought``: nobody buys a town.
    """
    while noun.dep_ == "pobj":
        bought = relative.lower_ == "which" and relative.dep_ == "dobj" and noun.ent_type_ == "GPE"
        built = noun.lower_ in ORG_WORDS | PLACE_WORDS or noun.ent_type_ == "GPE"
        body = relative.lower_ == "who" and built
        above = noun.head.head
        if not (body or bought) or above.pos_ not in ("NOUN", "PROPN"):
            break
        noun = above
    return noun


_PASTIMES = frozenset(
    "hike swim run jog walk dance paint draw sketch cook bake read write sing knit sew crochet "
    "garden fish camp climb ski skate snowboard surf cycle bike ride sail row kayak canoe dive "
    "travel photograph sculpt code program box fence wrestle bowl hunt shop volunteer game "
    "meditate stretch train teach act juggle skydive snorkel backpack birdwatch craft "
    "woodwork blog stream collect compose improvise weave embroider quilt".split()
)
"""What is a pastime without an object."""


def is_pastime(verb: "Token") -> bool:
    """Tell whether a gerund says what somebody does for pleasure: ``painting``, not ``talking``."""
    return verb.lemma_.lower() in _PASTIMES and not any(c.dep_ == "poss" for c in verb.subtree)


Arguments = dict[str, list["Token"]]
"""``dobj``, ``attr``, ``agent`` and prepositions to head nouns; ``gerund`` to verbs."""
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
        if not following:
            return found
        current = following[0]
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
            slot = "attr" if child.dep_ == "oprd" else child.dep_
            arguments.setdefault(slot, []).extend(conjoined(child))
        elif child.dep_ in ("prep", "agent", "dative") and not _is_excepted(child):
            slot = "agent" if child.dep_ == "agent" else child.lower_
            again = [part for part in child.children if part.dep_ == "conj" and part.pos_ == "ADP"]
            for other in again:  # "no longer in Rome but in Paris"
                for target in other.children:
                    if target.dep_ == "pobj":
                        arguments.setdefault(other.lower_, []).extend(conjoined(target))
            for target in child.children:
                if target.dep_ == "pobj" and target.pos_ in ("NOUN", "PROPN", "PRON"):
                    arguments.setdefault(slot, []).extend(conjoined(target))
                if target.dep_ == "prep":  # "over at", "out of"
                    for inner in target.children:
                        if inner.dep_ == "pobj" and child.lower_ == "out":
                            arguments.setdefault("out_of", []).extend(conjoined(inner))
                        elif inner.dep_ == "pobj":
                            arguments.setdefault(target.lower_, []).extend(conjoined(inner))
    _follow(arguments, verb)


def relate(arguments: Arguments, verb: "Token") -> None:
    """Note what a relative clause is about as its argument: ``the farm that she bought``."""
    noun = verb.head
    if verb.lemma_.lower() not in _TRANSITIVE:
        return
    objects = arguments.get("dobj", [])
    meant = [
        beyond(noun, object_) if object_.lower_ in _RELATIVE else object_ for object_ in objects
    ]
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


def _goes_on(noun: "Token") -> bool:
    """Tell whether a noun is not the last word of its phrase."""
    if noun.i + 1 >= len(noun.doc):
        return False
    following = noun.nbor()
    return following.pos_ in ("NOUN", "PROPN") or following.tag_ in ("POS", "HYPH", "NNP")


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
