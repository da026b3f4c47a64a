"""Similarity of question words to relation names, by stems and senses.

A relation matches by its own words ("played", ``plays_for``), then through a small thesaurus of
common English ("spouse", ``married_to``). Domain terms are declared as synonyms.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from graphrag.model.values import Fact
from graphrag.names.words import FATHER, MOTHER
from graphrag.text.tokens import STOP_WORDS, tokenize

_IRREGULAR: Final = dict(
    pair.split(":")
    for pair in (
        "won:win held:hold sent:send led:lead sold:sell bought:buy made:make built:build met:meet "
        "told:tell taught:teach wrote:write written:write sang:sing sung:sing spoke:speak "
        "spoken:speak gave:give given:give took:take taken:take left:leave lost:lose paid:pay "
        "said:say saw:see seen:see went:go gone:go came:come became:become began:begin begun:begin "
        "born:bear bore:bear chose:choose chosen:choose drove:drive driven:drive fought:fight "
        "found:found founded:found flew:fly flown:fly forbade:forbid froze:freeze grew:grow "
        "hid:hide kept:keep knew:know known:know lent:lend rang:ring rung:ring rode:ride ran:run "
        "shot:shoot slept:sleep spent:spend stole:steal stolen:steal struck:strike swore:swear "
        "sworn:swear thought:think threw:throw thrown:throw understood:understand wore:wear "
        "worn:wear caught:catch brought:bring broke:break broken:break drew:draw drawn:draw "
        "ate:eat eaten:eat fell:fall fallen:fall felt:feel got:get gotten:get laid:lay lay:lie "
        "lied:lie slew:slay slain:slay stood:stand swam:swim wed:marry withdrew:withdraw "
        "withdrawn:withdraw overthrew:overthrow overthrown:overthrow beat:beat beaten:beat "
        "dealt:deal fed:feed fled:flee sought:seek shown:show sank:sink spun:spin died:die "
        "dying:die dead:die dies:die rejoin:join "
        "rejoins:join rejoined:join rejoining:join wives:wife children:child people:person men:man "
        "women:woman"
    ).split()
)
_SENSES: Final = """
marry marriage wed wedding spouse husband wife consort
marry divorce split separate separation
partner marry marriage spouse husband wife
partner companion girlfriend boyfriend date
work employ employer employee employment job workplace staff hire career company firm workforce
work employ employee join leave quit resign retire fire dismiss depart enter
work employ colleague coworker workmate
office post position role title job hold function appointment serve tenure incumbent holder sitting
lead leader head chief boss president chair chairman chairwoman chairperson director govern ceo
director direct
lead mayor governor principal headteacher headmaster dean rector editor warden
lead commander commissioner chancellor premier abbot bishop conductor superintendent
lead helm charge direct head run manage oversee
report boss manager supervisor superior
cost price fee charge
take medication medicine drug pill prescription prescribe
lead executive captain skipper commander
lead office post appoint elect resign retire leave inaugurate dismiss step run
live reside residence resident home dwell dwelling inhabit inhabitant abode domicile house settle
live reside move leave relocate arrive depart housemate flatmate roommate
locate location lie situate situation base headquarters headquarter seat site
locate move relocate
bear birth birthplace birthday native
die death decease perish away vital
member membership belong affiliate affiliation join society club organisation association
member affiliate leave quit resign enter
affiliate affiliation party
study student educate education attend graduate graduation degree university school college alma
study alumnus alumni enrol enroll mater almae university school college graduate attend educate
study attend enter leave finish classmate
play player team club side squad footballer
play join leave move transfer teammate
coach train trainer manager
win winner award prize medal medalist honour trophy receive recipient holder laureate
own owner ownership possess possession proprietor property
found founder foundation establish establishment
create creator creation author write writer compose composer invent inventor make maker origin
create work
create book novel poem play film movie album song game
create design designer architect publish
produce producer production manufacture manufacturer make maker build builder
perform performer performance sing singer artist
speak speaker language tongue
write author
religion religious faith belief worship church affiliate affiliation
citizen citizenship nationality national country nation
child son daughter offspring kid
parent father mother
sibling brother sister
friend friendship
visit visitor trip travel journey tour destination
phone telephone call ring
praise commend laud compliment applaud hail
criticise condemn denounce censure rebuke
accuse blame allege
sue lawsuit litigate litigation
threaten threat menace
negotiate negotiation talk bargain
sign treaty pact agreement accord deal
aid help assist assistance support relief
meet meeting encounter
buy purchase acquire acquisition
sell seller sale
teach teacher tutor adviser advisor advise mentor supervise supervisor
field occupation profession job trade vocation work career
broadcast broadcaster air network channel
drive driver
use user
"""
PHRASES: Final = tuple(
    (re.compile(rf"\b(?:{words})(?= |$)"), word)
    for words, word in (
        ("how (?:much|high|large|heavy)(?= (?:do|does|did|is|was|are|were) )", "what"),
        (
            "(?:know|knows|knew) how to|back(?= (?:, )?(?:in |on |at )?T)|back then|as well|"
            "(?:in|over) the course of(?= T)",
            "",
        ),
        ("at (?:some|any) point", ""),
        ("to begin with", "first"),
        ("(?:give|gives|gave|given) up", "left"),
        ("(?:begin|began|start|started) with", "begin"),
        ("(?:came|come) into (?:the world|being|existence)", "born"),
        ("(?:got|get|gets|getting) married", "wed"),
        ("acts? as|acted as|serves? as|served as", "is"),
        ("(?:hold|holds|held|have|had) the (?:title|position|post|role|office|job) of", "was"),
        ("(?:do|did|does|would) (?:i|we|you) [a-z]+ to be", "was"),
        ("which of (?:the|these|those) two(?: [a-z]+s)?", "which"),
        ("(?:stepped|stepping|step) down", "resigned"),
        ("(?:taken|took|take) to court", "sued"),
        ("(?:take|took) over(?= E)", "acquired"),
        ("(?:go|goes|went|been) to", "visited attended"),
    )
)
"""Phrases that are one word: general English, whatever the facts are about."""
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\s_\-/.:]+")
LIGHT: Final = STOP_WORDS | frozenset(
    (
        "will may might those theirs from about among between than so ever still yet also even "
        "any some all each every both only just right immediately directly straight next previous "
        "previously preceding following before after during while until till since first second "
        "third fourth fifth sixth seventh eighth ninth tenth last latest earliest final finally "
        "initial initially original originally recent recently most more many much long often few "
        "least less early earlier late later once twice time times occasion occasions number "
        "count total different distinct various several other another same become became becoming "
        "begin began begun beginning begins start started starting starts end ended ending ends "
        "stop stopped stopping cease ceased finish finished come came comes coming go went goes "
        "gone get got gets name named names list tell say show give find know known person people "
        "someone somebody anyone anybody everyone everybody one ones thing things something "
        "anything who's date day days week weeks month months year years decade century moment "
        "period stretch span duration length overlap overlapped coincide happen happened occur "
        "occurred pass passed elapse elapsed currently now today present presently nowadays "
        "current former formerly please me us i you we my our your way round around alone ago "
        "part parts individual individuals done case order sequence rank existed exist really "
        "actually exactly precisely apart lapse lapsed gap simultaneously concurrently together "
        "longest shortest single continuous altogether overall record recorded shortly soon "
        "pls newest oldest 1st 2nd 3rd up out off over through very"
    ).split()
)
"""Words that say nothing of the relation that is asked for."""


_SHORT: Final = 2
_SPELLED: Final = re.compile(r"(?<=\w\w)is(?=(?:e|es|ed|er|ers|ing|ation)$)")
"""British spelling: criticise."""


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str:
    """Return what the forms of a word share: "won" and "wins", "criticised" and "criticize"."""
    low = word.casefold()
    low = _IRREGULAR.get(low, low)
    terms = tokenize(_SPELLED.sub("iz", low).replace("our", "or"))
    stem = low if "-" in low else next(iter(terms), low)  # a mother-in-law is no mother
    # Of one verb the stemmer leaves "sue" and "su", of "sued".
    return stem.removesuffix("e") if len(stem) > _SHORT else stem


CONVERSE: Final = {
    stem_of(word): stem_of(other)
    for words, other in (
        ("child son daughter offspring kid", "parent"),
        ("parent father mother", "child"),
        ("pupil", "teacher"),
        ("teacher tutor", "pupil"),
    )
    for word in words.split()
}
"""What stands at the other end of a relation: A's children are those that A is a parent of."""
GENDERED: Final = frozenset(map(stem_of, "father mother son daughter brother sister".split()))
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


def is_past(word: str) -> bool:
    """Tell whether a word may be a verb of the past."""
    return word.endswith("ed") or word in _IRREGULAR


def is_light(word: str) -> bool:
    """Tell whether a word says nothing of a relation."""
    return word in LIGHT or not word[:1].isalpha()


@lru_cache(maxsize=20_000)
def parts_of(relation: str) -> tuple[str, ...]:
    """Return the words of a relation's name, small: ``hasWonPrize`` is has, won, prize."""
    return tuple(part.casefold() for part in _CAMEL.split(relation) if part)


@lru_cache(maxsize=20_000)
def stems_of(relation: str) -> tuple[str, ...]:
    """Return the stems of the words of a relation's name that say something."""
    return tuple(stem_of(part) for part in parts_of(relation) if not is_light(part))


@lru_cache(maxsize=1)
def _by_stem() -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for number, words in enumerate(_SENSES.split("\n")):
        for word in words.split():
            stem = stem_of(word)
            found[stem] = found.get(stem, frozenset()) | {number}
    return found
