"""Which relation the words of a clause mean, and from which end an entity has it.

The graph decides: only relations that the named entities have are looked at. Their own words count
most, then those of declared synonyms and inverses, then the senses of a small thesaurus. From which
end is told by the grammar: "whom did A visit", "who visited A", "who was A visited by".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphrag.ask.clause import Clause, Token
from graphrag.ask.senses import CONVERSE, GENDERED, is_light, parts_of, senses_of, stem_of, stems_of
from graphrag.ask.world import FactRow, World

Side = Literal["subject", "object"]
_OWN, _SENSE, _HINT, _WORD = 3.0, 2.0, 1.0, 0.1
"""What a word counts that a relation's name has, that is of one sense with it, that hints at it,
and a small word of the name."""
_BE: Final = frozenset({"is", "was", "were", "are", "be", "been", "being", "am"})
_DO: Final = frozenset({"did", "do", "does", "has", "have", "had"})
_AUX: Final = _BE | _DO | {"will", "would", "can", "could"}
_GETTING: Final = frozenset("got get gets getting received".split())
_WHERE: Final = frozenset().union(*(senses_of(stem_of(w)) for w in ("live", "locate", "birth")))
_ROLE: Final = senses_of(stem_of("office")) | senses_of(stem_of("lead"))
_COPULAR: Final = (("is",), ("is", "a"), ("costs",), ("has", "value"))
"""Relations that "what is A" asks for."""
_MUTUAL: Final = frozenset().union(
    *(senses_of(stem_of(word)) for word in ("marry", "sibling", "friend", "partner"))
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """How well the words of a clause mean a relation."""

    relation: str
    score: float = 0.0
    places: tuple[int, ...] = ()
    swapped: bool = False
    """The name that they mean says it from the other end."""
    passive: bool = False

    @property
    def sure(self) -> bool:
        """Tell whether a word of the name itself says it."""
        return self.score >= _OWN


def evidence(clause: Clause, relation: str, world: World) -> Evidence:
    """Return how well the words of a clause mean a relation."""
    meanings = [_of(clause, relation, name, world) for name in world.relations.same(relation)]
    return max(meanings, key=lambda meant: meant.score)


def _of(clause: Clause, relation: str, name: str, world: World) -> Evidence:
    stems, parts = stems_of(name), parts_of(name)
    senses = frozenset().union(*map(senses_of, stems)) if stems else frozenset()
    score, places, met, turned = 0.0, [], set[str](), False
    for place, token in enumerate(clause.tokens):
        word = token.word
        if word in ("E", "T"):
            continue
        if is_light(word):
            score += _WORD if word in parts and word not in _BE else 0.0
            continue
        stem = stem_of(word)
        if stem in GENDERED and stem not in stems and not GENDERED.isdisjoint(stems):
            if CONVERSE.get(stem) == CONVERSE.get(*(GENDERED & {*stems})):
                continue  # a mother is no father
        straight = stem in stems or senses & senses_of(stem)
        if not straight and not senses & senses_of(CONVERSE.get(stem, "")):
            continue
        turned = turned or not straight
        if stem not in met:
            score += _OWN if stem in stems else _SENSE
        met.add(stem)
        places.append(place)
    if not places and "where" in clause.words and senses & _WHERE and not strange(clause):
        score += _HINT
    bare = not places and not clause.content and "do" not in clause.words
    if bare and (senses & _ROLE or parts in _COPULAR):
        score += _HINT
    swapped = world.relations.canonical(name)[1] is not turned
    return Evidence(relation, score, tuple(places), swapped, passive="by" in parts[1:])


def strange(clause: Clause) -> list[str]:
    """Return the words that the thesaurus has a sense for: what should be explained."""
    return [word for word in clause.content if senses_of(stem_of(word))]


def best(clause: Clause, lines: Sequence[FactRow], world: World) -> list[Evidence]:
    """Return the relations of some facts that the words may mean, the likeliest alone if sure.

    Without any evidence: the only one there is, if no word of the clause speaks of something else.
    """
    names = dict.fromkeys(line.relation for line in lines)
    found = [evidence(clause, name, world) for name in names]
    found.sort(key=lambda meant: -meant.score)
    top = [meant for meant in found if meant.score >= found[0].score - _WORD / 2] if found else []
    if top and top[0].score >= _HINT:
        return top
    return [] if strange(clause) else found


def mutual(relation: str, world: World) -> bool:
    """Tell whether a relation reads the same from both ends."""
    if world.relations[relation].symmetric:
        return True
    if not GENDERED.isdisjoint(stems_of(relation)):
        return False  # a sister's brother is no sister
    senses = frozenset().union(*map(senses_of, stems_of(relation)))
    return bool(senses & _MUTUAL)


def side_of(clause: Clause, place: int, meant: Evidence) -> tuple[Side, bool]:
    """Return the end at which the entity at a place of a clause has a relation, and if for sure."""
    tokens, words = clause.tokens, [token.word for token in clause.tokens]
    before = [at for at in meant.places if at < place]
    verbs = [at for at in meant.places if _verb(tokens, at)]
    lead = _word(tokens, place - 1)
    sure = meant.sure and bool(verbs)
    terse = place + 1 in meant.places and clause.words.isdisjoint(
        _AUX | {"who", "whom", "that", "which"}
    )
    owns = _word(tokens, place + 1) == "'s" or terse
    owns = owns or (lead in _DO and not {"have", "had", "has"}.isdisjoint(clause.words))
    if owns or (before and lead in ("of", "the") and not {*verbs} & {*before}):
        surface, sure = True, False
    elif not meant.places:
        asks_who = not {"who", "whom"}.isdisjoint(words)
        helped = not {"did", "does", "do"}.isdisjoint(words[:place])
        surface, sure = not asks_who or helped or lead == "E", False
    else:
        verbal = lead in _AUX or place - 1 in before  # "the novel A wrote"
        surface = not before or (len(before) < len(meant.places) and verbal)
    turned = meant.swapped ^ meant.passive
    if (lead == "from" and not _GETTING.isdisjoint(words)) or words[:2] == ["with", "whom"]:
        return ("object" if turned else "subject"), True  # who got it from A is given it by A
    if meant.places and passive_in(clause):
        surface = not surface
    elif _done_to(tokens, place, meant):
        surface, sure = turned, True
    return ("subject" if surface is not turned else "object"), sure


def _verb(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a word is used as a verb: after "who" or an auxiliary, or in the past."""
    word, lead = tokens[place].word, _word(tokens, place - 1)
    return lead in ("who", "that", "did", "does", "do", "to", "has", "have", "had", "E") or (
        lead not in ("the", "which", "what", "a", "an", "'s", "of") and word.endswith("ed")
    )


def passive_in(clause: Clause) -> bool:
    """Tell whether a clause is in the passive voice with an agent."""
    words = [token.word for token in clause.tokens]
    if "by" not in words:
        return False
    participle = words[max(0, words.index("by") - 1)].endswith(("ed", "en"))
    return participle or not _BE.isdisjoint(words)


def _done_to(tokens: Sequence[Token], place: int, meant: Evidence) -> bool:
    """Tell whether an entity is what something is done to: "when A was founded"."""
    if not (meant.sure and parts_of(meant.relation)[-1].endswith("ed")):
        return False
    return any(
        tokens[at].word.endswith("ed") and at > place and _word(tokens, at - 1 - inverted) in _BE
        for at in meant.places
        for inverted in (place == at - 1,)
    )


def _word(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].word if 0 <= place < len(tokens) else ""
