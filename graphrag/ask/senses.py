"""Similarity of question words to relation names, by stems and senses.

A relation matches by its own words ("played", ``plays_for``), then through a small thesaurus of
common English ("spouse", ``married_to``). Domain terms are declared as synonyms.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from graphrag.ask.clause import Clause
from graphrag.ask.wording import BE, DIVORCE, is_light, stem_of, stems
from graphrag.ask.world import FactRow, World
from graphrag.model.values import Fact
from graphrag.names.words import FATHER, MOTHER

_SENSES: Final = f"""
marry marriage wed wedding spouse husband wife consort | marry {DIVORCE}
partner marry marriage spouse husband wife | partner companion girlfriend boyfriend date
work employ employer employee employment job workplace staff hire career company firm workforce
work employ employee join leave quit resign retire depart enter
work employ colleague coworker workmate
office post position role title job hold function appointment serve tenure incumbent holder sitting
lead leader head chief boss president chair chairman chairwoman chairperson director govern ceo
director direct | lead mayor governor principal headteacher headmaster dean rector editor warden
lead commander commissioner chancellor premier abbot bishop conductor superintendent
lead helm charge direct head run manage oversee | report boss manager supervisor superior
cost price fee charge | take medication medicine drug pill prescription prescribe
lead executive captain skipper commander
lead office post appoint elect resign retire leave step run
live reside residence resident home dwell dwelling inhabit inhabitant abode domicile house settle
live reside move leave relocate arrive depart housemate flatmate roommate
locate location lie situate situation base headquarters headquarter seat site | locate move relocate
born birth birthplace birthday native | die death decease perish away vital
member membership belong affiliate affiliation join society club organisation association
member affiliate leave quit resign enter | affiliate affiliation party
study student educate education attend graduate graduation degree university school college alma
study alumnus alumni enrol enroll mater almae university school college graduate attend educate
study attend enter leave finish classmate | play player team club side squad footballer
play join leave move transfer teammate | coach train trainer manager
win winner award prize medal medalist honour trophy receive recipient holder laureate
own owner ownership possess possession proprietor property
found founder foundation establish establishment
create creator creation author write writer compose composer invent inventor make maker origin
create work | create book novel poem play film movie album song game
create design designer architect publish
produce producer production manufacture manufacturer make maker build builder
perform performer performance sing singer artist | speak speaker language tongue | write author
religion religious faith belief worship church affiliate affiliation
citizen citizenship nationality national country nation | child son daughter offspring kid
parent father mother | sibling brother sister | friend friendship
visit visitor trip travel journey tour destination | phone telephone call ring
praise commend laud compliment applaud hail | criticise condemn denounce censure rebuke
accuse blame allege | sue lawsuit litigate litigation | threaten threat menace
negotiate negotiation talk bargain | sign treaty pact agreement accord deal
aid help assist assistance support relief | meet meeting encounter
buy purchase acquire acquisition | sell seller sale
teach teacher tutor adviser advisor advise mentor supervise supervisor
field occupation profession job trade vocation work career
broadcast broadcaster air network channel | drive driver | use user
"""
"""Words of one sense each; some have several."""
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\s_\-/.:]+")


CONVERSE: Final = {
    stem_of(word): stem_of(other)
    for word, _, other in (
        pair.partition(":")
        for pair in "child:parent son:parent daughter:parent offspring:parent kid:parent "
        "parent:child father:child mother:child pupil:teacher teacher:pupil tutor:pupil "
        "husband:wife wife:husband".split()
    )
}
"""What stands at the other end of a relation: A's children are those that A is a parent of."""
GENDERED: Final = stems("father mother son daughter brother sister")
"""Words that say more than a relation that holds of both."""


def belied(word: str, facts: Iterable[Fact]) -> bool:
    """Tell whether facts call somebody by the word of the other sex: ``my mum`` is no father."""
    pair = {"mother": (MOTHER, FATHER), "father": (FATHER, MOTHER)}.get(word.strip("?.!,"))
    texts = [{*fact.text.casefold().replace(",", " ").split()} for fact in facts]
    return pair is not None and any(
        text.isdisjoint(pair[0].split()) and not text.isdisjoint(pair[1].split()) for text in texts
    )


@lru_cache(maxsize=20_000)
def senses_of(stem: str) -> frozenset[int]:
    """Return the numbers of the senses that a stem may have; none for a word that is not listed."""
    return _by_stem().get(stem, frozenset())


@lru_cache(maxsize=20_000)
def parts_of(relation: str) -> tuple[str, ...]:
    """Return the words of a relation's name, small: ``hasWonPrize`` is has, won, prize."""
    return tuple(part.casefold() for part in _CAMEL.split(relation) if part)


@lru_cache(maxsize=20_000)
def stems_of(relation: str) -> tuple[str, ...]:
    """Return the stems of the words of a relation's name that say something."""
    return tuple(stem_of(part) for part in parts_of(relation) if not is_light(part))


@lru_cache(maxsize=20_000)
def senses_in(relation: str) -> frozenset[int]:
    """Return the numbers of the senses that the words of a relation's name may have."""
    return frozenset().union(*map(senses_of, stems_of(relation)))


def akin(name: str, other: str) -> bool:
    """Tell whether words of two names may be of one sense."""
    return not senses_in(name).isdisjoint(senses_in(other))


@lru_cache(maxsize=1)
def _by_stem() -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for number, words in enumerate(re.split(r"[|\n]", _SENSES)):
        for word in words.split():
            stem = stem_of(word)
            found[stem] = found.get(stem, frozenset()) | {number}
    return found


_LINES: Final = """
place location spot
city town village municipality settlement
country nation
state county province region district
continent
person people man woman men women human somebody
organisation organization body institution group
company firm business corporation enterprise
club society team side
school university college hospital clinic museum theatre
building house mill hall
thing entity name party
"""
_ABOVE: Final = {0: (1, 2, 3, 4, 10), 6: (7, 8, 9), 11: tuple(range(11))}
"""The lines of kinds that are of the kind of a line: a town is a place."""
_REGIONS: Final = (2, 3, 4)
UNTYPED: Final = frozenset({"", "thing", "entity"})
KINDS: Final = {
    stem_of(word): number
    for number, line in enumerate(_LINES.strip().split("\n"))
    for word in line.split()
}


def is_of(row: int, word: str, world: World) -> bool:
    """Tell whether an entity is what a word calls it, by its type.

    What has no type may be anything but a country, a region or a continent.
    """
    kind = world.kind(row)
    if kind in UNTYPED:
        return KINDS.get(stem_of(word)) not in _REGIONS
    return is_kind(word, kind) or is_kind(kind, word)


def is_kind(word: str, kind: str) -> bool:
    """Tell whether something of a type is what a word calls it: a city is a place."""
    stem, other = stem_of(word), stem_of(kind)
    group, below = KINDS.get(stem), KINDS.get(other)
    if stem == other or (group is not None and group == below):
        return True
    above = () if group is None else _ABOVE.get(group, ())
    return below in above or bool(senses_of(stem) & senses_of(other))


_OWN, _SENSE, _HINT, _WORD = 3.0, 2.0, 1.0, 0.1
"""What a word counts that a relation's name has, that is of one sense with it, that hints at it,
and a small word of the name."""
_WHERE: Final = senses_in("live locate birth")
POST: Final = "incumbent"
"""What leads from somebody to a post is of its sense: ``has_office``."""
_COPULAR: Final = (("is",), ("is", "a"), ("costs",), ("has", "value"))
"""Relations that "what is A" asks for."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """How well the words of a clause mean a relation."""

    relation: str
    score: float = 0.0
    places: tuple[int, ...] = ()
    swapped: bool = False
    """The name that they mean says it from the other end."""
    passive: bool = False
    titled: bool = False
    """They call an end what the name calls it: the parent, or the child, of ``parent_of``."""

    @property
    def sure(self) -> bool:
        """Tell whether a word of the name itself says it."""
        return self.score >= _OWN

    @property
    def vague(self) -> bool:
        """Tell whether no word says it or hints at it."""
        return not self.places and self.score < _HINT


def evidence(clause: Clause, relation: str, world: World) -> Evidence:
    """Return how well the words of a clause mean a relation."""
    meanings = [_of(clause, relation, name, world) for name in world.relations.same(relation)]
    return max(meanings, key=lambda meant: meant.score)


def _of(clause: Clause, relation: str, name: str, world: World) -> Evidence:
    stems, parts, senses = stems_of(name), parts_of(name), senses_in(name)
    score, places, met, ways, titled = 0.0, [], set[str](), set[bool](), False
    for place, token in enumerate(clause.tokens):
        word = token.word
        if word in ("E", "T"):
            continue
        if is_light(word):
            score += _WORD if word in parts and word not in BE else 0.0
            continue
        stem = stem_of(word)
        if stem in GENDERED and stem not in stems and not GENDERED.isdisjoint(stems):
            if CONVERSE.get(stem) == CONVERSE.get(*(GENDERED & {*stems})):
                continue  # a mother is no father
        converse = CONVERSE.get(stem, "")
        straight = stem in stems or (senses & senses_of(stem) and converse not in stems)
        if not straight and not senses & senses_of(converse):
            continue
        titled = titled or (parts[-1] == "of" and stem_of(parts[-2]) in (stem, converse))
        ways.add(bool(straight))
        if stem not in met:
            score += _OWN if stem in stems else _SENSE
        met.add(stem)
        places.append(place)
    if len(ways) > 1:
        return Evidence(relation)  # "the father of A's child"
    if not places and "where" in clause.words and senses & _WHERE and not strange(clause):
        score += _HINT
    bare = not places and not clause.content and "do" not in clause.words
    if bare and (akin(POST, name) or parts in _COPULAR):
        score += _HINT
    swapped = world.relations.canonical(name)[1] is not (False in ways)
    return Evidence(relation, score, tuple(places), swapped, "by" in parts[1:], titled)


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
    return [] if strange(clause) else [m for m in found if not akin("lead", m.relation)]
