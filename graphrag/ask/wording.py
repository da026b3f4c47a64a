"""The English of a question: its small words, phrases that are one word, and what frames it."""

import re
from functools import lru_cache
from typing import Final

from graphrag.index.group import GroupIndex
from graphrag.search.visibility import VisibleRows
from graphrag.text.tokens import STOP_WORDS, tokenize

WH: Final = frozenset("who whom whose what which where when how why".split())
BE: Final = frozenset("is was were are am be been being".split())
DO: Final = frozenset("did do does has have had".split())
AUXILIARIES: Final = (BE - {"be", "been", "being"}) | DO | {"will", "would", "can", "could"}
ANY_WH: Final = "|".join(sorted(WH))
ANY_AUXILIARY: Final = "|".join(sorted(AUXILIARIES))
DIVORCE: Final = "divorce split"
_COURTEOUS: Final = "please|pls|kindly"
_REQUEST: Final = "name|list|give|show|find|tell"
_LIGHT: Final = STOP_WORDS.union(
    _COURTEOUS.split("|"),
    """
will may might those theirs from about among between than so ever still yet also even any some all
each every both only just right immediately directly straight next previous previously preceding
following before after during while until till since first second third fourth fifth sixth seventh
eighth ninth tenth last latest earliest final finally initial initially original originally recent
recently most more many much long often few least less early earlier late later once twice time
times occasion occasions number count total different distinct various several other another same
become became becoming begin began begun beginning begins start started starting starts end ended
ending ends stop stopped stopping cease ceased finish finished come came comes coming go went goes
gone get got gets name named names list tell say show give find know known person people someone
somebody anyone anybody everyone everybody one ones thing things something anything who's date day
days week weeks month months year years decade century moment period stretch span duration length
overlap overlapped coincide happen happened occur occurred pass passed elapse elapsed currently now
today present presently nowadays current former formerly me us i you we my our your way round around
alone ago part parts individual individuals done case order sequence rank existed exist really
actually exactly precisely apart lapse lapsed gap simultaneously concurrently together longest
shortest single continuous altogether overall record recorded shortly soon newest oldest 1st 2nd 3rd
up out off over through very term terms tenure stint stints spell spells period starting counting
counted going but true so already yet far full whole complete vacant vacancy unoccupied penultimate
ultimately fall falls fell
""".split(),
)
"""Words that say nothing of the relation that is asked for."""
PHRASES: Final = tuple(
    (re.compile(rf"\b(?:{words})(?= |$)"), word)
    for words, word in (
        ("how (?:much|high|large|heavy)(?= (?:do|does|did|is|was|are|were) )", "what"),
        ("(?:know|knows|knew) how to|back then|as well|at (?:some|any) point", ""),
        ("back(?= (?:, )?(?:in |on |at )?T)|(?:in|over) the course of(?= T)", ""),
        ("to begin with", "first"),
        ("(?:stay|stays|stayed|remain|remains|remained)", "is"),
        ("(?<=was )given|(?<=was E )given", "received"),
        ("(?:bring|brings|brought|put|come|comes|came) out", "published"),
        ("(?:give|gives|gave|given) up", "left"),
        ("(?:begin|began|start|started) with", "begin"),
        ("(?:came|come) into (?:the world|being|existence)", "born"),
        ("(?:got|get|gets|getting) married", "wed"),
        ("acts? as|acted as|serves? as|served as", "is"),
        ("(?:hold|holds|held|have|had) the (?:title|position|post|role|office|job) of", "was"),
        ("(?:do|did|does|would) (?:i|we|you) [a-z]+ to be", "was"),
        ("which of (?:the|these|those) two(?: [a-z]+s)?", "which"),
        ("(?:stepped|stepping|step) down", "resigned"),
        ("(?:move|moves|moved|relocate|relocated) (?:away |out )?from", "leave"),
        ("(?:employed|hired|work|works|worked|working) as", "role"),
        ("(?:taken|took|take) to court", "sued"),
        ("(?:take|took) over(?= E)", "acquired"),
        ("(?:go|goes|went|been) to", "visited attended"),
    )
)
"""Phrases that are one word: general English, whatever the facts are about."""


def is_light(word: str) -> bool:
    """Tell whether a word says nothing of a relation."""
    return word in _LIGHT or not word[:1].isalpha()


_IRREGULAR: Final = dict(
    pair.split(":")
    for pair in """
born:born won:win held:hold sent:send led:lead sold:sell bought:buy made:make built:build met:meet
told:tell taught:teach wrote:write written:write sang:sing sung:sing spoke:speak spoken:speak
gave:give given:give took:take taken:take left:leave lost:lose paid:pay said:say saw:see seen:see
went:go gone:go came:come became:become began:begin begun:begin chose:choose chosen:choose
drove:drive driven:drive fought:fight found:found founded:found flew:fly flown:fly forbade:forbid
froze:freeze grew:grow hid:hide kept:keep knew:know known:know lent:lend rang:ring rung:ring
rode:ride ran:run shot:shoot slept:sleep spent:spend stole:steal stolen:steal struck:strike
swore:swear sworn:swear thought:think threw:throw thrown:throw understood:understand wore:wear
worn:wear caught:catch brought:bring broke:break broken:break drew:draw drawn:draw ate:eat eaten:eat
fell:fall fallen:fall felt:feel got:get gotten:get laid:lay lay:lie lied:lie slew:slay slain:slay
stood:stand swam:swim wed:marry withdrew:withdraw withdrawn:withdraw overthrew:overthrow
overthrown:overthrow beat:beat beaten:beat dealt:deal fed:feed fled:flee sought:seek shown:show
sank:sink spun:spin died:die dying:die dead:die dies:die rejoin:join rejoins:join rejoined:join
rejoining:join wives:wife children:child people:person men:man women:woman
""".split()
)
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


def stems(words: str) -> frozenset[str]:
    """Return the stems of some words."""
    return frozenset(map(stem_of, words.split()))


def is_past(word: str) -> bool:
    """Tell whether a word may be a verb of the past."""
    return word.endswith("ed") or word in _IRREGULAR


ASKS: Final = re.compile(rf"(?i)\A\W*(?:\w+\W+){{0,12}}?(?:{ANY_WH}|{ANY_AUXILIARY}|{_REQUEST})\b")
"""A text that may be a question."""
EARLIER: Final = frozenset(
    "was were did had old previous previously prior earlier earliest original originally "
    "initially once before".split()
)
"""Words that ask for a name that is over."""
_WHEN: Final = rf"(?:now|today|currently|still|then|first|{'|'.join(sorted(EARLIER))})"
NAMING: Final = re.compile(
    rf"(?:(?:what|how) (?:is|'s|was|were|did|had) E (?:(?:{_WHEN}|use to|used to|be|been) )*"
    rf"(?:called|named|known as)|what (?:is|'s|was) (?:E 's (?:(?:{_WHEN}|new|current) )?name|"
    rf"the (?:(?:{_WHEN}|new|current) )?name of E))(?: (?:{_WHEN}|in|on|at|back))*"
)
PLANNED: Final = re.compile(r"\b(?:will|shall|going to|planned to|scheduled to|about to)\b")
_SPEAKER: Final = "user"
_SELF: Final = re.compile(
    r"(?i)\b(?:i(?:'(?:m|ve|d|ll))?|(?P<whose>my|mine)|"
    r"(?<!tell )(?<!show )(?<!give )(?:me|myself))\b(?!')"
)
_GREETING: Final = re.compile(
    rf"(?i)^(?:(?:{_COURTEOUS}|ok|okay|so|and|well|hey|hi|hello|um|excuse me|good (?:morning|"
    r"evening|afternoon|day)|sorry(?: to (?:ask|bother)(?: you)?)?(?:,? but)?)\b[ ,.!:-]*)+(?=\w)"
)
_FRAME: Final = re.compile(
    rf"^(?!(?i:(?!(?:do|will|would|can|could|does any)\b)(?:{ANY_AUXILIARY}|{ANY_WH})\b))"
    r"(?:[A-Za-z][a-z']*)?(?:[ ,;-]+(?:[a-z']+|I(?:'[a-z]+)?)){0,13}?[ ,]*"
    r"\b(?i:(?:tell|telling|show|showing|give|remind|reminding)(?: me| us)|let me know|know|ask|"
    rf"asking|wonder|wondering|say|check(?: for me)?|find out|any idea)\b[ ,:]*"
    rf"(?:(?:{_COURTEOUS})[ ,]*)?(?=(?:(?:in|at|on|to|for|from|with|by|until|since|of) )?"
    rf"(?:{ANY_WH}|whether|if)\b|the )"
)
"""Words before the question, none of which is a name: "would you be so kind as to tell me"."""
_ORDERED: Final = re.compile(
    rf"(?i)^(?:(?:could|can|would|will) you |i (?:want|need|would like) you to )"
    rf"(?:(?:{_COURTEOUS}) )?(?=(?:{_REQUEST})\b)|"
    rf"^(?:(?:{_COURTEOUS}) )?(?:tell|show|give) (?:me|us) "
)
_COURTESY: Final = re.compile(
    rf"(?i)[ ,.!-]*\b(?:thanks?(?: you)?(?: very much)?|{_COURTEOUS}|if (?:i|you) (?:may|might|"
    r"don't|happen|could|can|know|would)\b[^?]*|(?:can|could) you help(?: me)?)[ !.?]*$"
)
_WRITTEN_OUT: Final = tuple(
    (re.compile(rf"(?i)\b(?:{short})(?!\w)"), word)
    for short, word in (
        ("|".join(rf"(?<={word})'d" for word in ("who", "when", "where", "what", "how")), " did"),
        ("b4", "before"),
        (r"acc\.? to", "according to"),
        ("whoever", "who"),
        ("^(?:whether|if)", "did"),
    )
)


def worded(text: str, index: GroupIndex, seen: VisibleRows) -> str:
    """Return what a question asks, with "I" as the user of an assistant if the graph knows one."""
    text = " ".join(text.replace("’", "'").split())
    for frame in (_GREETING, _FRAME, _FRAME, _ORDERED, _COURTESY):
        text = frame.sub("", text, count=1) or text
    for short, word in _WRITTEN_OUT:
        text = short.sub(word, text)
    if not _SELF.search(text) or not seen.named(_SPEAKER, index):
        return text
    return _SELF.sub(lambda match: f"{_SPEAKER}'s" if match["whose"] else _SPEAKER, text)
