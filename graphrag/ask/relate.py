"""Which relation the words of a clause mean, and from which end an entity has it.

The graph decides: only relations that the named entities have are looked at. Their own words count
most, then those of declared synonyms and inverses, then the senses of a small thesaurus. From which
end is told by the grammar: "whom did A visit", "who visited A", "who was A visited by".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from graphrag.ask.clause import Clause, Token
from graphrag.ask.query import Named
from graphrag.ask.senses import (
    CONVERSE,
    GENDERED,
    KIN,
    deeds_of,
    is_light,
    parts_of,
    senses_of,
    stem_of,
    stems_of,
)
from graphrag.ask.world import FactRow, World

Side = Literal["subject", "object"]
_OWN, _SENSE, _HINT, _WORD = 3.0, 2.0, 1.0, 0.1
"""What a word counts that a relation's name has, that is of one sense with it, that hints at it,
and a small word of the name."""
_BE: Final = frozenset({"is", "was", "were", "are", "be", "been", "being", "am"})
_DO: Final = frozenset({"did", "do", "does", "has", "have", "had"})
_AUX: Final = _BE | _DO | {"will", "would", "can", "could"}
_MADE: Final = frozenset({"made", "paid", "filed", "gave", "launched"})
"""Verbs by which somebody does what a noun before them says: "the visits that A paid"."""
_LEADING: Final = frozenset("in at on to for from with of".split())
_WH: Final = frozenset({"who", "whom", "which", "what"})
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
    """Places of the words that mean it."""
    swapped: bool = False
    """The name that they mean says it from the other end."""
    passive: bool = False
    """That name is passive: ``owned_by``."""
    of: bool = False
    """That name is of a noun at its other end: ``member_of``."""

    @property
    def sure(self) -> bool:
        """Tell whether a word of the name itself says it."""
        return self.score >= _OWN


def evidence(clause: Clause, relation: str, world: World) -> Evidence:
    """Return how well the words of a clause mean a relation."""
    names = world.relations.same(relation)
    return max((_of(clause, relation, name, world) for name in names), key=lambda one: one.score)


def _of(clause: Clause, relation: str, name: str, world: World) -> Evidence:
    stems, parts = stems_of(name), parts_of(name)
    senses = frozenset().union(*map(senses_of, stems)) if stems else frozenset()
    score, places, met, turned, noun = 0.0, [], set[str](), False, False
    agent = False
    deeds = deeds_of(parts[-1]) if len(parts) == 1 else frozenset[str]()
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
        if stem in stems or stem in deeds:
            score += _OWN if stem not in met else 0.0
            noun = True
        elif len(parts) == 1 and not deeds_of(word).isdisjoint(stems):
            score += _OWN if stem not in met else 0.0
            agent = True
        elif senses & senses_of(stem):
            score += _SENSE if stem not in met else 0.0
            noun = noun or stem in CONVERSE
        elif senses & senses_of(CONVERSE.get(stem, "")):
            score += _SENSE if stem not in met else 0.0
            turned = noun = True
        else:
            continue
        met.add(stem)
        places.append(place)
    if "where" in clause.words and "with" in parts:
        score -= _WORD  # with whom, not where
    if not places and "where" in clause.words and senses & _WHERE and not strange(clause):
        score += _HINT
    bare = not places and not clause.content and "do" not in clause.words
    if bare and (senses & _ROLE or parts in _COPULAR):
        score += _HINT
    return Evidence(
        relation,
        score,
        tuple(places),
        swapped=world.relations.canonical(name)[1] is not turned,
        passive="by" in parts[1:],
        of=agent or (noun and len(parts) > 1 and parts[-1] == "of"),
    )


def strange(clause: Clause) -> list[str]:
    """Return the words that the thesaurus has a sense for: what should be explained."""
    return [word for word in clause.content if senses_of(stem_of(word))]


def best(clause: Clause, lines: Sequence[FactRow], world: World) -> list[Evidence]:
    """Return the relations of some facts that the words may mean, the likeliest alone if sure.

    Without any evidence: the only one there is, if no word of the clause speaks of something else.
    """
    names = dict.fromkeys(line.relation for line in lines)
    found = [evidence(clause, name, world) for name in names]
    found.sort(key=lambda one: -one.score)
    top = [one for one in found if one.score >= found[0].score - _WORD / 2] if found else []
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


def owned(clause: Clause, meant: Evidence) -> bool:
    """Tell whether a noun of a relation called "... of" has its owner beside it."""
    words = [token.word for token in clause.tokens]
    return meant.of and any(
        words[at - 1 : at] == ["'s"] or (words[at + 1 : at + 2] == ["of"] and words[at + 2 :])
        for at in meant.places
    )


def owner_of(clause: Clause, meant: Evidence) -> Named | None:
    """Return who has what a noun of a relation called "... of" names: "A's uncle", "uncle of A"."""
    tokens = clause.tokens
    for at in meant.places if meant.of else ():
        if _word(tokens, at - 1) == "'s" and at > 1:
            return tokens[at - 2].named
        if _word(tokens, at + 1) == "of":
            after = tokens[at + 2 : at + 4]
            return next((token.named for token in after if token.word not in _ARTICLES), None)
    return None


_ARTICLES: Final = frozenset({"the", "a", "an"})


def side_of(clause: Clause, place: int, meant: Evidence) -> tuple[Side, bool]:
    """Return the end at which the entity at a place of a clause has a relation, and if for sure."""
    tokens, words = clause.tokens, [token.word for token in clause.tokens]
    before = [at for at in meant.places if at < place]
    verbs = [at for at in meant.places if _verb(tokens, at)]
    lead = _word(tokens, place - 1)
    sure = meant.sure and bool(verbs)
    # Of kin it is plain who has it: a sister's brother is no sister of his.
    kin = meant.sure and not KIN.isdisjoint(stems_of(meant.relation))
    terse = place + 1 in meant.places and clause.words.isdisjoint(
        _AUX | {"who", "whom", "that", "which"}
    )
    owns = _word(tokens, place + 1) == "'s" or terse
    owns = owns or (lead in _DO and not {"have", "had", "has"}.isdisjoint(clause.words))
    if words[0] == "whose" and 1 in meant.places and not KIN.isdisjoint(stems_of(meant.relation)):
        surface, sure = True, True  # "whose daughter is A"
    elif owns or (before and lead in ("of", "the") and not {*verbs} & {*before}):
        surface, sure = not meant.of, kin and meant.of
    elif before and words[1] in _WH and words[0] in _LEADING:
        surface, sure = True, True  # "with whom was negotiating A", "in which town has lived A"
    elif before and place + 1 in meant.places:
        surface = True  # "which society A belonged to"
    elif (lead in _DO and meant.places) or (before and _word(tokens, place + 1) in _MADE):
        surface = True
    elif not meant.places:
        asks_who = not {"who", "whom"}.isdisjoint(words)
        helped = not {"did", "does", "do"}.isdisjoint(words[:place])
        surface, sure = not asks_who or helped or lead == "E", False
    else:
        surface = not before or (len(before) < len(meant.places) and lead in _AUX)
    turned = meant.swapped ^ meant.passive
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
