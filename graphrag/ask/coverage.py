"""What every word of a clause is used for, so that none is passed over, along one hop or several.

A word means the relation, says what answers are ("which city"), or is one of grammar; with any
other word a question is not understood. Of several hops each must be meant by words of its own; the
path that leaves the fewest words unexplained is taken.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from graphrag.ask import senses
from graphrag.ask.clause import CHANGING, Clause, Token, order_of, shape_of
from graphrag.ask.parse import EDGES
from graphrag.ask.query import Named, Query
from graphrag.ask.senses import Evidence
from graphrag.ask.wording import AUXILIARIES, BE, DIVORCE, DO, stem_of, stems
from graphrag.ask.world import World

_SUPPORT: Final = stems(
    "take make give pay hold put conclude count bring carry receive come serve occupy belong "
    "pertain associate relate connect link file issue"
)
"""Verbs that say nothing beside their noun: "paid a visit", "holds citizenship"."""
_NEAR: Final = 4
"""Words from such a verb to its noun, at most."""


class Coverage(NamedTuple):
    """What the words of a clause beside its relation are used for."""

    left: tuple[str, ...]
    rows: frozenset[int]
    """The entities among the answers that are what the question calls them."""
    kind: str
    """The noun by which some answers were left out."""


def coverage(
    clause: Clause, meant: Evidence, world: World, answers: Iterable[int] = ()
) -> Coverage:
    """Return what the words of a clause are used for, if it means a relation with these answers."""
    tokens, places, rows = clause.tokens, set(meant.places), frozenset(answers)
    left, kind = [] if _together(clause, meant.relation, world) else ["with"], ""
    left += [] if places else _undone(tokens)
    for at, token in enumerate(tokens):
        word = token.word
        grammatical = not token.says or word in CHANGING
        paired = stem_of(word) in EDGES and len(clause.names) > 1
        paired = paired and (word not in DIVORCE or senses.akin(word, meant.relation))
        if grammatical or paired or at in places or _beside(tokens, at, places):
            continue
        kept = frozenset(row for row in rows if senses.is_of(row, word, world))
        typed = {world.kind(row) for row in kept} - senses.UNTYPED
        noun = stem_of(word) in senses.KINDS or typed
        if not noun or (rows and not kept):
            left.append(token.text)
        elif kept != rows:
            rows, kind = kept, word
    return Coverage(tuple(dict.fromkeys(left)), rows, kind)


_DOING: Final = re.compile(r"\b(?:did|does|do) (?:the )?E (?P<what>.*[a-z].*)|\bfrom (?:the )?E\b")


def _undone(tokens: Sequence[Token]) -> list[str]:
    """Return what somebody did, if more than to begin, to end, to be, to do, to have something."""
    doing = _DOING.search(shape_of(tokens))
    words = (doing["what"] or "from").split() if doing else ["be"]
    empty = EDGES | BE | DO | {"get", "go"}
    return [] if any(word in empty or stem_of(word) in empty for word in words) else words[:1]


def _together(clause: Clause, relation: str, world: World) -> bool:
    """Tell whether "with" of a clause, if it is there, is of its relation: "met with"."""
    whom = "with E" if {"which", "what"} & clause.words else "with"  # "which club was A with"
    if not relation or whom not in shape_of(clause.tokens):
        return True
    names = world.relations.same(relation)
    return any("with" in senses.parts_of(name) for name in names) or mutual(relation, world)


def _beside(tokens: Sequence[Token], at: int, places: set[int]) -> bool:
    """Tell whether a word says nothing more than one near it that means the relation."""
    stem = stem_of(tokens[at].word)
    if stem in _SUPPORT and any(abs(at - place) <= _NEAR for place in places):
        return True
    low = high = at  # "party or organisation"
    while low > 0 and _listed(tokens[low - 1]):
        low -= 1
    while high + 1 < len(tokens) and _listed(tokens[high + 1]):
        high += 1
    words = [token.word for token in tokens[low : high + 1]]
    return "or" in words and not places.isdisjoint(range(low, high + 1))


def _listed(token: Token) -> bool:
    return token.word in ("or", ",") or token.says


_HOPS: Final = 4
_BEAM: Final = 12
_COST: Final = 0.7
"""What a hop must explain to be worth taking."""
_BACK: Final = 2.5
"""What a hop against the direction of its words costs: "country" leads to one, not from one."""
_MOST: Final = 40
"""Entities that a hop may start from."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where some hops lead, and the words that they were meant by."""

    rows: tuple[int, ...]
    query: Query | Named
    score: float = 0.0
    used: frozenset[int] = frozenset()
    length: int = 0

    @property
    def worth(self) -> float:
        """Return how well the words are explained, less what the hops cost."""
        return self.score - _COST * self.length


def hops(clause: Clause, owner: Named, world: World) -> Query | None:
    """Return a clause of several hops as nested queries, None if no path explains its words."""
    rows = tuple(world.rows_of(owner))
    ways = ended = [Way(rows, owner)]
    for _ in range(_HOPS):
        ways = [after for way in ways for after in _steps(clause, way, world)]
        ways = sorted(ways, key=lambda way: way.worth, reverse=True)[:_BEAM]
        ended = [*ended, *ways]
    way = max(ended, key=lambda way: way.worth)
    if way.length < 2 or not isinstance(way.query, Query):
        return None
    left = coverage(clause, Evidence("", places=tuple(way.used)), world, way.rows).left
    return None if left else way.query


def _steps(clause: Clause, way: Way, world: World) -> list[Way]:
    """Return the ways one hop longer whose relation is meant by words that are left."""
    if not way.rows or len(way.rows) > _MOST:
        return []
    tokens = [*clause.tokens]
    for at in way.used:
        tokens[at] = replace(tokens[at], text="", word="")
    left = Clause(tuple(tokens))
    rows = world.rows(way.rows)
    relations = list(dict.fromkeys(row.relation for row in rows))
    longer: list[Way] = []
    done = {at for at, token in enumerate(tokens) if token.says and _done(tokens, at)}
    for relation in relations:
        meant = senses.evidence(left, relation, world)
        # The mayor of A is who holds that office.
        alone = not way.length and len(relations) == 1 and senses.akin(senses.POST, relation)
        if not alone and not (meant.places and (way.length or done <= {*meant.places})):
            continue
        # "The first husband of A": the order is of this hop.
        orders = (order_of(left.tokens[at - 1 : at]) for at in meant.places if at)
        order = next((order for order in orders if order), None)
        used, symmetric = way.used | set(meant.places), mutual(relation, world)
        place = next((at for at, token in enumerate(tokens) if token.named), 0)
        said, sure = side_of(left, place, meant)
        straight = meant.swapped or meant.passive or symmetric or alone
        for side in ("subject", "object"):
            near = [row for row in rows if row.relation == relation and row.at(side) in way.rows]
            if not near or (sure and not way.used and side != said):
                continue
            far = dict.fromkeys(row.object if side == "subject" else row.subject for row in near)
            ahead = symmetric or side == "subject"
            ends = (way.query, None) if ahead else (None, way.query)
            query = Query(ends[0], relation, ends[1], order=order)
            score = way.score + meant.score - (0.0 if ahead or straight else _BACK)
            longer.append(Way(tuple(far), query, score, used, way.length + 1))
    return longer


Side = Literal["subject", "object"]
_MUTUAL: Final = "marry sibling friend partner"
_GETTING: Final = frozenset("got get gets getting received".split())
_GIVING: Final = stems("award employ hire")
"""Verbs whose subject is who gives what the relation says that somebody has."""


def mutual(relation: str, world: World) -> bool:
    """Tell whether a relation reads the same from both ends."""
    if world.relations[relation].symmetric:
        return True
    sided = senses.GENDERED | senses.CONVERSE.keys()  # a sister's brother is no sister
    return sided.isdisjoint(senses.stems_of(relation)) and senses.akin(_MUTUAL, relation)


def side_of(clause: Clause, place: int, meant: Evidence) -> tuple[Side, bool]:
    """Return the end at which the entity at a place of a clause has a relation, and if for sure."""
    tokens, words = clause.tokens, [token.word for token in clause.tokens]
    before = [at for at in meant.places if at < place]
    verbs = [at for at in meant.places if _verb(tokens, at)]
    lead = _word(tokens, place - 1)
    acts = [stem_of(tokens[at].word) for at in meant.places if _acts(tokens, at)]
    sure = bool(verbs if meant.sure else acts and not senses.akin(_MUTUAL, meant.relation))
    full = AUXILIARIES | BE | {"who", "whom", "that", "which"}
    owns = place + 1 in meant.places and full.isdisjoint(words)  # "ada employer"
    owns = owns or _word(tokens, place + 1) == "'s"
    owns = owns or (lead in DO and not {"have", "had", "has"}.isdisjoint(words))
    if owns or (before and lead in ("of", "the") and not {*verbs} & {*before}):
        surface, sure = not meant.titled, meant.titled
    elif meant.titled and ("whose" in words or not before):
        surface = sure = True
    elif not meant.places:
        asks_who = not {"who", "whom"}.isdisjoint(words)
        helped = not {"did", "does", "do"}.isdisjoint(words[:place])
        sure = lead in ("at", "in")  # "who was at A"
        surface = not sure and (not asks_who or helped or lead == "E")
    else:
        verbal = lead in full or place - 1 in before  # "the novel A wrote"
        surface = not before or (len(before) < len(meant.places) and verbal)
    turned = meant.swapped ^ meant.passive
    if (lead == "from" and not _GETTING.isdisjoint(words)) or words[:2] == ["with", "whom"]:
        return ("object" if turned else "subject"), True  # who got it from A is given it by A
    if not (turned or _GIVING.isdisjoint(acts)):
        surface, sure = not surface, True
    elif meant.places and passive_in(clause):
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


def _acts(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a word is what somebody does: "who led A", "whom did A lead"."""
    return _word(tokens, place - 1) == "who" or _done(tokens, place)


def _done(tokens: Sequence[Token], place: int) -> bool:
    return _word(tokens, place - 1) == "E" and _word(tokens, place - 2) in DO


def passive_in(clause: Clause) -> bool:
    """Tell whether a clause is in the passive voice with an agent."""
    words = [token.word for token in clause.tokens]
    if "by" not in words:
        return False
    participle = words[max(0, words.index("by") - 1)].endswith(("ed", "en"))
    return participle or not BE.isdisjoint(words)


def _done_to(tokens: Sequence[Token], place: int, meant: Evidence) -> bool:
    """Tell whether an entity is what something is done to: "when A was founded"."""
    if not (meant.sure and senses.parts_of(meant.relation)[-1].endswith("ed")):
        return False
    verbs = (at for at in meant.places if at > place and tokens[at].word.endswith("ed"))
    return any(_word(tokens, at - 1 - (place == at - 1)) in BE for at in verbs)


def _word(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].word if 0 <= place < len(tokens) else ""
