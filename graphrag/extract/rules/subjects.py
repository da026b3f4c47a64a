"""Of whom a verb or a noun is said, though the parse hangs it elsewhere or it is "the company"."""

from typing import TYPE_CHECKING

from graphrag.extract.rules.lexicon import ORG_WORDS, PLACE_WORDS

if TYPE_CHECKING:
    from spacy.tokens import Token


SUBJECTS = ("nsubj", "nsubjpass")
_SITED = frozenset({"base", "headquarter", "locate"})
_DEFINITE = frozenset({"the", "this", "our", "my", "their", "its", "his", "her"})


def is_definite(noun: "Token") -> bool:
    """Tell whether a noun is that one: ``the farm``, ``our farm``."""
    return any(child.lower_ in _DEFINITE for child in noun.children)


def bearer(noun: "Token", verb: "Token | None" = None) -> "Token":
    """Return who is ``a nurse who lives in Cardiff`` where a sentence says so of somebody."""
    if verb is not None and verb.lemma_ in _SITED and noun.dep_ == "pobj":
        if noun.head.lower_ == "of":
            noun = noun.head.head  # "a maker of lenses based in Jena"
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


def is_told(verb: "Token") -> bool:
    """Tell whether a participle is a past tense: ``joined in 2010, left in 2015 and works``."""
    if verb.tag_ != "VBN" or verb.dep_ != "advcl" or verb.i < verb.head.i:
        return False
    plain = not any(child.dep_ in ("aux", "auxpass", "agent", "mark") for child in verb.children)
    joined = any(c.dep_ == "conj" and c.tag_ in ("VBD", "VBZ", "VBP") for c in verb.children)
    return plain and joined and verb.head.tag_ == "VBD"


def is_task(verb: "Token") -> bool:
    """Tell whether a verb is what somebody was chosen for: ``elected to replace him``."""
    head = verb.head
    chosen = head.lemma_ in ("elect", "appoint", "hire", "choose", "recruit") and head.tag_ == "VBN"
    chosen = chosen and not any(child.dep_ == "dobj" for child in head.children)
    return verb.tag_ == "VB" and verb.dep_ in ("xcomp", "advcl") and chosen


def is_next_subject(noun: "Token") -> bool:
    """Tell whether a finite verb follows: in ``when she woke the sun was up`` she woke no sun."""
    following = noun.doc[noun.i + 1] if noun.i + 1 < len(noun.doc) else None
    return (
        following is not None
        and following.tag_ in ("VBD", "VBZ", "VBP", "MD")
        and following.pos_ in ("VERB", "AUX")
        and not any(child.dep_ in SUBJECTS for child in following.children)
    )


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


def region_of(place: "Token") -> "Token | None":
    """Return what a place is said to lie in: ``Paris, France``; in a list it is another place."""
    if not _is_place(place) or place.dep_ not in ("pobj", "dobj"):
        return None
    above = place.head.head if place.dep_ == "pobj" else place
    beside = [above, *(child for child in above.children if child.dep_ == "dobj")]
    if any(noun.tag_ in ("NNS", "NNPS") for noun in beside):
        return None  # "offices in Paris, Berlin"
    named = [child for child in place.children if child.dep_ in ("appos", "conj", "npadvmod", "cc")]
    if len(named) != 1 or not _is_place(named[0]):
        return None
    if named[0].dep_ == "conj" and place.dep_ == "dobj":
        return None
    listed = any(child.dep_ in ("appos", "conj", "cc") for child in named[0].children)
    between = place.doc[place.i + 1 : named[0].left_edge.i].text
    return named[0] if between == "," and not listed else None


def _is_place(token: "Token") -> bool:
    return token.pos_ == "PROPN" and token.ent_type_ in ("GPE", "LOC")


def is_ruled_out(word: "Token") -> bool:
    """Tell whether ``nor`` or ``neither`` joins a verb or a name to others that are denied, too."""
    joining = [child for child in word.children if child.dep_ in ("cc", "preconj", "det")]
    if word.dep_ == "conj":
        before = (child for child in word.head.children if word.head.i < child.i < word.i)
        joining += [child for child in before if child.dep_ == "cc"]
        if word.pos_ in ("NOUN", "PROPN") and is_ruled_out(word.head):
            return True
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
