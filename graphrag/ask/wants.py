"""The words of a question: what frames it, what it wants, and which of several by their order."""

import re
from typing import Final, Literal

from graphrag.ask.clause import Token, Tokens
from graphrag.ask.division import AUXILIARIES, WH, shape_of
from graphrag.ask.query import Order, Unit, Wants
from graphrag.index.group import GroupIndex
from graphrag.search.visibility import Visible

_SPEAKER: Final = "user"
_SELF: Final = re.compile(
    r"\b(?:i(?:['’](?:m|ve|d|ll))?|(?P<whose>my|mine)|(?<!tell )(?<!show )(?<!give )(?:me|myself))"
    r"\b(?!['’])",
    re.IGNORECASE,
)
_QUESTION: Final = (
    r"(?:(?:in|at|on|to|for|from|with|by|until|since|of) )?(?:who|whom|whose|what|which|where|when|"
    r"how|whether|if)\b"
)
_GREETING: Final = re.compile(
    r"^(?:(?:please|kindly|ok|okay|so|and|well|hey|hi|hello|um|excuse me|good (?:morning|evening|"
    r"afternoon|day)|sorry(?: to (?:ask|bother)(?: you)?)?(?:,? but)?)\b[ ,.!:-]*)+(?=\w)",
    re.IGNORECASE,
)
_FRAME: Final = re.compile(
    r"^(?!(?i:did|does(?! any)|was|were|is|are|has|had|have|who|whom|whose|what|which|where|when|"
    r"how|why)\b)(?:[A-Za-z][a-z'’]*)?(?:[ ,;-]+(?:[a-z'’]+|I(?:['’][a-z]+)?)){0,13}?[ ,]*"
    r"\b(?i:(?:tell|telling|show|showing|give|remind|reminding)(?: me| us)|let me know|know|ask|"
    r"asking|wonder|wondering|say|check(?: for me)?|find out|any idea)\b[ ,:]*(?:please[ ,]*)?"
    rf"(?={_QUESTION}|the )"
)
"""Words before the question, none of which is a name: "would you be so kind as to tell me"."""
_ORDERED: Final = re.compile(
    r"^(?:(?:could|can|would|will) you |i (?:want|need|would like) you to )(?:please |kindly )?"
    r"(?=(?:name|list|give|show|find|tell)\b)|^(?:please |kindly )?(?:tell|show|give) (?:me|us) ",
    re.IGNORECASE,
)
_COURTESY: Final = re.compile(
    r"[ ,.!-]*\b(?:thanks?(?: you)?(?: very much)?|please|pls|if (?:i|you) (?:may|might|don['’]t|"
    r"happen|could|can|know|would)\b[^?]*)[ !.?]*$",
    re.IGNORECASE,
)
_WRITTEN_OUT: Final = tuple(
    (re.compile(rf"\b(?:{short})(?!\w)", re.IGNORECASE), word)
    for short, word in (
        (r"(?<=who)['’]d|(?<=when)['’]d|(?<=where)['’]d|(?<=what)['’]d|(?<=how)['’]d", " did"),
        ("b4", "before"),
        (r"acc\.? to", "according to"),
        (r"(?:nr\.?|no\.|headcount|tally)(?= of)", "number"),
        ("whoever", "who"),
        (r"^(?:whether|if)", "did"),
    )
)
"""Short forms, and what they stand for."""


def worded(text: str, index: GroupIndex, seen: Visible) -> str:
    """Return what a question asks, with "I" as the user of an assistant if the graph knows one."""
    text = " ".join(text.split())
    for frame in (_GREETING, _FRAME, _FRAME, _ORDERED, _COURTESY):
        text = frame.sub("", text, count=1) or text
    for short, word in _WRITTEN_OUT:
        text = short.sub(word, text)
    if not _SELF.search(text) or not seen.named(_SPEAKER, index):
        return text
    return _SELF.sub(lambda match: f"{_SPEAKER}'s" if match["whose"] else _SPEAKER, text)


PHRASES: Final = tuple(
    (re.compile(rf"\b(?:{words})(?= |$)"), tuple(Token(part, part) for part in word.split()))
    for words, word in (
        ("how (?:much|high|large|heavy)(?= (?:do|does|did|is|was|are|were) )", "what"),
        ("(?:know|knows|knew) how to|back(?= (?:, )?(?:in |on |at )?T)|back then|as well", ""),
        ("at (?:some|any) point", ""),
        (
            "(?:in|during|throughout|over) (?:his|her|their|its|the) (?:whole |entire )?"
            "(?:life|lifetime|career)",
            "",
        ),
        ("in charge of|at the (?:helm|head|top) of", "head of"),
        ("on the (?:payroll|staff) of|in the (?:employ|service) of", "employee of"),
        ("to begin with", "first"),
        ("(?:divorced?|split (?:up )?)(?: from| with)?", "ended marriage"),
        ("(?:give|gives|gave|given) up", "left"),
        ("(?:begin|began|start|started) with", "begin"),
        ("set foot (?:in|on)", "visited"),
        ("(?:came|come) into (?:the world|being|existence)", "born"),
        ("(?:got|get|gets|getting) married", "wed"),
        ("passed away", "died"),
        ("acts? as|acted as|serves? as|served as", "is"),
        ("(?:hold|holds|held|have|had) the (?:title|position|post|role|office|job) of", "was"),
        ("(?:stepped|stepping|step) down", "resigned"),
        ("(?:moved?|moving) (?:away from|out of)", "leave"),
        ("(?:taken|took|take) to court", "sued"),
        ("(?:take|took) over(?= E)", "acquired"),
        ("(?:come|came|comes) out", "been created"),
        ("(?:go|goes|went|been) to", "visited attended"),
    )
)
"""Phrases that are one word: general English, whatever the facts are about."""
_UNITS: Final[dict[str, Unit]] = {
    **dict.fromkeys(("day", "days", "date", "dates"), "day"),
    **dict.fromkeys(("week", "weeks"), "week"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("year", "years"), "year"),
}
_UNIT: Final = "days?|weeks?|months?|years?"
_ASK: Final = r"(?:what|which)(?: exact| calendar)? "
_HOW_OFTEN: Final = re.compile(
    r"\bhow (?:many times|often|frequently)\b|\bnumber of times\b|"
    r"\bhow many (?:separate |different )?(?:occasions|instances|spells|stints|terms)\b"
)
_HOW_LONG: Final = re.compile(
    rf"\b(?:how (?:many|much)|(?:the )?number of) (?:\w+ )?(?P<unit>{_UNIT})\b|\bhow long\b|"
    rf"\b(?P<before>{_UNIT}) , how many\b|\bhow much time\b|"
    rf"\b(?:what|which) (?:is|was) the (?:length|duration|time|gap|interval)\b|"
    rf"\b(?:length|duration) of\b|^count the (?P<count>{_UNIT})\b"
)
_IN_UNITS: Final = re.compile(
    r"\b(?:in|measured in|expressed in) (?P<unit>days|weeks|months|years)\b"
)
_HOW_MANY: Final = re.compile(
    r"\bhow many\b|^E total [a-z]+s$|, number of\b|"
    r"(?:^|\b(?:what|the|total|state) )number of\b|^count\b"
)
_WHEN: Final = re.compile(
    r"(?:^|[,:] |^(?:since|until|till|from|by|up to) )when\b|"
    rf"\b{_ASK}(?P<unit>day|date|week|month|year|time)\b|"
    r"(?:^|what (?:is|was) |give |name |state )(?:the )?(?:[a-z]+ |most recent |very [a-z]+ )?"
    r"(?P<of>date|day|year|month|time)s? (?:of|on|in|when|that|at|from|since|until|till|E)\b|"
    r"\bE (?:'s )?[a-z]+ (?P<end>date|year)$|\bwhen$|"
    r"[,:-] (?:what |which )?(?:date|(?P<last>year))$|"
    r"^E [a-z]+ E on$"
)
_SINCE: Final = re.compile(
    rf"\b(?:since|from) (?:when|{_ASK}(?:{_UNIT}|date|time))\b|\bsince\b\W*$|"
    rf"\b(?:first|earliest) (?:{_UNIT}|date) (?:on|in|that|when|of)\b"
)
_UNTIL: Final = re.compile(
    rf"\b(?:until|till|up to|up until) (?:when|{_ASK}(?:{_UNIT}|date|time))\b|\b(?:until|till)\W*$|"
    rf"\b(?:last|final|latest) (?:{_UNIT}|date) (?:on|in|that|when|of)\b"
)
_AGE: Final = re.compile(
    r"\b(?:how old|(?:at|by) (?:what|which|the) age|(?:what|which) (?:is|was) (?:the )?age of)\b"
    r"|'s age\b"
)
STARTING: Final = frozenset(
    "began begin begins started start starts joined join joins became become becomes moved move "
    "moves entered enter joining becoming moving starting hired appointed elected".split()
)
ENDING: Final = frozenset(
    "ended end ends left leave leaves quit quits resigned resign stopped stop stops ceased cease "
    "finished finish retired retire departed leaving quitting resigning retiring cancel "
    "cancelled".split()
)
EDGES: Final = STARTING | ENDING
_BEGIN: Final = STARTING | frozenset("begun beginning starting marry wed".split())
_END: Final = ENDING | frozenset("ending over".split())


def wants_of(shape: str) -> tuple[Wants, Unit | None]:
    """Return what a question asks for, and the unit that it says."""
    given = _IN_UNITS.search(shape)
    unit = _UNITS[given["unit"]] if given else None
    if _AGE.search(shape):
        return "age", None
    if _HOW_OFTEN.search(shape):
        return "how often", unit
    if length := _HOW_LONG.search(shape):
        said = length["unit"] or length["count"] or length["before"]
        return "how long", _UNITS.get(said or "", unit)
    if _HOW_MANY.search(shape):
        return "how many", unit
    when = _WHEN.search(shape)
    if when is not None and when.start() and when.group().endswith((" when", ": when")):
        # ", when he was there" bounds what another word asks for
        when = None if WH & set(shape[: when.start()].split()) else when
    if when is not None and not re.match(r"(?:[a-z]+ )?when E", shape):
        unit = _UNITS.get(when["unit"] or when["of"] or when["end"] or when["last"] or "", unit)
    else:
        when = None
    if _SINCE.search(shape):
        return "since", unit
    if _UNTIL.search(shape):
        return "until", unit
    if when is not None:
        words = set(re.split(r"\bbefore\b|\bafter\b|\bwhile\b", shape)[0].split())
        return "until" if words & _END else "since" if words & _BEGIN else "when", unit
    first = next((word for word in shape.split() if word not in ("T", ",")), "")
    asks = set(re.sub(r"\b(?:on|in|at|during|for|by) which\b", "", shape).split()) & WH
    # "When" and "which" may open a clause of it: "did A live there when B did".
    if first in AUXILIARIES and not asks - {"when", "which"}:
        return "whether", unit
    return "entities", unit


_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 2
    )
}
_NTH: Final = re.compile(rf"\b(?P<n>{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))\b")
_FROM_END: Final = re.compile(
    r"\b(?:penultimate|last but one|(?:second|next)(?: |-)to(?: |-)last|second(?: |-)last)\b"
)
_FIRST: Final = re.compile(
    r"\b(?:first|earliest|initial|initially|original|originally|1st|oldest|to begin with|"
    r"(?:start|started|begin|began) (?:out|off))\b"
)
_LAST: Final = re.compile(
    r"\b(?:last|latest|final|finally|most recent|most recently|newest|ultimately|lastly)\b"
)


def order_of(tokens: Tokens) -> Order | None:
    """Return which of several some words ask for."""
    shape = shape_of(tokens)
    if _FROM_END.search(shape):
        return Order("last", 2)
    if numbered := re.search(r"\b(?:number|no\.?) (\d+)$", shape):
        return Order("first", int(numbered.group(1)))
    if nth := _NTH.search(shape):
        word = nth["n"]
        number = _ORDINALS.get(word) or int(re.sub(r"\D", "", word))
        kind: Literal["first", "last"] = "last" if f"{word} last" in shape else "first"
        return Order(kind, number)
    if re.search(r"\b(?:longest|for the most (?:time|days|months|years))\b", shape):
        return Order("longest")
    if re.search(r"\b(?:shortest|briefest)\b", shape):
        return Order("shortest")
    first, last = _FIRST.search(shape), _LAST.search(shape)
    if first and not (last and last.start() < first.start()):
        return Order("first")
    return Order("last") if last else None
