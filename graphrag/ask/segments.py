"""Where a question divides: frames of politeness, what was known when, and its two clauses.

The words are read as a shape, ``who was E before E first visited E ?``, in which every name is an
``E`` and every time a ``T``: patterns over it are grammar, whatever the names are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from graphrag.ask.asked import Link, Token
from graphrag.search.query_time import Said
from graphrag.temporal.interval import Interval

Tokens = tuple[Token, ...]
_AUX: Final = "did|do|does|was|were|is|are|am|has|have|had|will|would|can|could|'s"
_WH: Final = "who|whom|whose|what|which|where|when|how|why"
_NEAR: Final = (
    r"immediately|right|just|directly|shortly|straight|next|last|first|most recently|soon|latest|"
    r"closest|nearest"
)
_WHENEVER: Final = (
    r"time|times|moment|moments|day|days|date|point|instant|period|periods|year|years|stretch|"
    r"interval|span|spell|phase"
)
_POLITE: Final = re.compile(
    r"^(?:please |kindly |ok |okay |so |and |well ,? ?|hey ,? ?)*(?:"
    r"(?:do|can|could|would|will) you (?:please |kindly |perhaps |possibly )?"
    r"(?:know|tell|say|name|list|give|find|show|recall|remember|work)?(?: me| us| out)?|"
    r"(?:please |kindly )?(?:tell|show|give) (?:me|us)|i(?: would| 'd|'d) like to (?:know|learn)|"
    r"i (?:want|need) to know|i wonder|i 'm wondering|any idea|let me know|find out|say|determine|"
    r"state|what i want to know is|remind me)\b ?[,:]? ?(?=\w)"
)
_KNOWING: Final = (
    r"record(?:s|ed|ing|ings)?|known|knew|knowledge|know|file|files|filed|book|books|booked|"
    r"register|registers|registered|registry|log|logs|logged|enter|entered|entries|ledger|ledgers|"
    r"archive|archives|archived|data|database|database's|document|documents|documented|noted|"
    r"notes|written down|put down|set down|told|learned|learnt|heard|informed|information|"
    r"aware|stored|graph|sources|source|reported|reports|believed|thought|evidence|understood|"
    r"understanding|taken down|on paper|catalogue|catalogued|minutes|chronicle|chronicles"
)
_KNOWN: Final = re.compile(
    rf"(?:(?:^|(?<= ))(?:(?:by|from|on|in|at|with|as|given|going|judging|according|to|using|based|"
    rf"consulting|considering|so|far|what|which|everything|anything|all|only|that|the|our|your|my|"
    rf"their|its|it|we|you|they|i|one|people|us|was|were|had|has|is|been|have|stood|stand|looked|"
    rf"of|state|knowledge|could|did|then|anybody|anyone|everybody|everyone|somebody) )*"
    rf"(?:{_KNOWING})(?! (?:to (?:have|be)|for|as E))"
    rf"(?: (?!{_WH}\b)(?:[a-z]+|'s)){{0,5}} T)"
)
_LINKS: Final[tuple[tuple[Link, str], ...]] = (
    ("before", r"before|prior to|preceding|ahead of|(?:earlier|sooner|older) (?:[a-z]+ )?than"),
    (
        "after",
        r"after|following|(?:later|newer|more recent) (?:[a-z]+ )?than|subsequent to|"
        r"once|succeeding|^having",
    ),
    (
        "while",
        rf"while|whilst|during|as long as|throughout|"
        rf"(?:at|on|in|over|during|for|within) (?:the|any|a|that)? ?(?:same )?"
        rf"(?:{_WHENEVER}) ?,? (?:when|that|of|as|in which|on which|at which|during which|while)|"
        rf"at the (?:same )?(?:time|moment)(?= E)|"
        rf"the (?:same )?(?:{_WHENEVER}) (?:when|that|as|in which|on which|during which)|"
        rf"(?:overlap|overlapped|overlapping|coincide|coincided|coinciding|intersect|intersected) "
        rf"(?:in time )?(?:with|while)|"
        rf"and (?:, )?(?:simultaneously|concurrently|meanwhile)(?: ,)?|"
        rf"(?:and )?at (?:once|(?:one and )?the same (?:time|moment))(?: as)?|"
        rf"simultaneously with|concurrently with|when",
    ),
    ("since", r"(?:ever )?since"),
    ("until", r"until|till|up to the (?:time|moment|day)(?: when| that)?"),
)
LINK: Final = re.compile(
    rf"(?:^|(?<= ))(?:(?P<near>{_NEAR}) )?(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in _LINKS)
    + r")(?= (?!T\b|\?))"
)
LINK_NAMES: Final = tuple(name for name, _ in _LINKS)
_LEADING: Final = re.compile(
    r"\b(?:(?P<after>following|(?:later|newer|more recent) than|subsequent to|after)"
    r"|preceding|(?:earlier|older) than|ahead of|before|prior to)$"
)
_INTERROGATIVE: Final = re.compile(rf"\bwhen (?:exactly )?(?:{_AUX})\b")
_FRONT_END: Final = re.compile(
    rf" [,:;] (?=(?:(?:in|on|at|by|to|for|of|from|since|until|with) )?"
    rf"(?:{_WH}|{_AUX}|name|list)\b|E |the )"
    rf"| (?=(?:(?:in|on|at|by|to|for|since|until) )?(?:{_WH})\b(?! (?:E|he|she|they|it)\b))"
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A question in two: what is asked, and the clause that bounds it."""

    main: Tokens
    link: Link | None = None
    near: bool = False
    anchor: Tokens = ()


def shape_of(tokens: Sequence[Token]) -> str:
    """Return the words of a question with ``E`` for every name and ``T`` for every time."""
    return " ".join(token.word for token in tokens)


def place_of(shape: str, at: int) -> int:
    """Return which token stands at a place of a shape."""
    return shape.count(" ", 0, at)


def without_frame(tokens: Tokens) -> Tokens:
    """Leave out what only makes it a question: "Can you tell me", "please"."""
    shape = shape_of(tokens)
    frame = _POLITE.match(shape)
    return tokens[place_of(shape, frame.end()) :] if frame else tokens


def known_in(tokens: Tokens) -> tuple[Said | None, Tokens]:
    """Return the time that knowledge is asked of, "as recorded by T", and the words without it."""
    shape = shape_of(tokens)
    found = _KNOWN.search(shape)
    if found is None:
        return None, tokens
    first = place_of(shape, found.start())
    last = place_of(shape, found.end() - 1)
    rest = last + 1
    if first == 0 and rest < len(tokens) and tokens[rest].word in (",", ":", ";", "-"):
        rest += 1
    before = tokens[:first]
    while before and before[-1].word in (",", "(", "-"):
        before = before[:-1]
    return tokens[last].said, before + tokens[rest:]


def divided(tokens: Tokens) -> Parts:
    """Divide a question at the word that links its two clauses, if it has two."""
    shape = shape_of(tokens)
    asking = {one.start() for one in _INTERROGATIVE.finditer(shape)}
    links = [one for one in LINK.finditer(shape) if one.start() not in asking]
    links = [
        one for one in links if "E" in shape[one.end() :].split() or _pronoun(shape[one.end() :])
    ]
    if not links:
        return Parts(tokens)
    front = links[0]
    if front.start() == 0:
        end = _FRONT_END.search(shape, front.end())
        if end is not None and _has_entity(shape[front.end() : end.start()]):
            main = shape_slice(tokens, shape, end.end(), len(shape))
            return _parts(front, main, shape_slice(tokens, shape, front.end() + 1, end.start()))
    inner = [one for one in links if one.start() > 0]
    if not inner:
        return Parts(shape_slice(tokens, shape, front.end() + 1, len(shape)))
    cut = _best(inner, shape)
    if not _has_entity(shape[: cut.start()]):
        if cut["while"]:  # "what day was it when A moved"
            return Parts(
                shape_slice(tokens, shape, 0, cut.start())
                + shape_slice(tokens, shape, cut.end() + 1, len(shape))
            )
        return Parts(tokens)  # "who came after A as B"
    main = shape_slice(tokens, shape, 0, cut.start())
    anchor = shape_slice(tokens, shape, cut.end() + 1, len(shape))
    return _parts(cut, main, _led(anchor))


def _led(anchor: Tokens) -> Tokens:
    """Leave out a second opening: "overlap with the time when"."""
    shape = shape_of(anchor)
    again = LINK.match(shape)
    return shape_slice(anchor, shape, again.end() + 1, len(shape)) if again else anchor


_PHRASES: Final = tuple(
    (re.compile(rf"\b(?:{words})(?= |$)"), one)
    for words, one in (
        ("in charge of|at the (?:helm|head|top) of", "head of"),
        ("(?:stood|stands|stand)(?= head of)", "was"),
        ("without (?:a |any )?(?:break|interruption)|in one go|at a stretch", ""),
        ("on the (?:payroll|staff) of|in the (?:employ|service) of", "employee of"),
        ("(?:turn|turned|turns) out for", "played for"),
        ("set foot (?:in|on)", "visited"),
        ("(?:came|come) into (?:the world|being|existence)", "born"),
        ("(?:got|get|gets|getting) (?:married|engaged)", "wed"),
        ("(?:tied|tie) the knot", "wed"),
        ("passed away", "died"),
        ("(?:breathed?|took|take) (?:his|her|their|its) last(?: breath)?", "died"),
        ("(?:used|recogni[sz]ed|regarded|considered|seen|treated) as", ""),
        ("(?:acts?|acted|functions?|functioned) as", "is"),
        ("responsible for(?= [a-z]+ing )", ""),
        ("(?:know|knows|knew) how to", ""),
        ("(?:gave|gives?|given) rise to", "originated"),
        ("hail(?:s|ed)? from", "from"),
        ("(?<=be )found", ""),
        ("^(?:at|in) (?:what|which) (?:location|place|spot)(?= (?:is|was|did|does|do))", "where"),
        ("(?:job title|line of work)", "job"),
        ("significant other", "partner"),
        ("holds? the (?:title|position|post|role) of(?= [a-z])", "is"),
        ("held the (?:title|position|post|role) of(?= [a-z])", "was"),
        ("(?:took|take|takes|taking) over(?! (?:from|E from|the [a-z]+ from))(?= E)", "led"),
        ("in the career of", "of"),
        ("do you know(?: of)?$", ""),
        ("(?:stepped|stepping|step) down", "resigned"),
        ("(?:came|come|comes|coming|went|go|goes|gone|going|got) back", "returned"),
        ("(?:moved|move|moves|moving) back", "moved returned"),
    )
)
"""Phrases that are one word: general English, whatever the facts are about."""


def plain(tokens: Tokens) -> Tokens:
    """Return the words of a question with every phrase of them as the word that it stands for."""
    for pattern, word in _PHRASES:
        shape = shape_of(tokens)
        if found := pattern.search(shape):
            rest = shape_slice(tokens, shape, found.end() + 1, len(shape))
            own = tuple(Token(one, one) for one in word.split())
            tokens = shape_slice(tokens, shape, 0, max(0, found.start() - 1)) + own + rest
    return tokens


def shape_slice(tokens: Tokens, shape: str, start: int, end: int) -> Tokens:
    """Return the tokens of a part of their shape."""
    if start >= end:
        return ()
    return tokens[place_of(shape, start) : place_of(shape, end - 1) + 1]


def _best(links: list[re.Match[str]], shape: str) -> re.Match[str]:
    """Choose the link that both sides of it are about something."""
    both = [
        one
        for one in links
        if _has_entity(shape[: one.start()]) and _has_entity(shape[one.end() :])
    ]
    return (both or links)[0]


def _has_entity(shape: str) -> bool:
    return "E" in shape.split() or _pronoun(shape)


def _pronoun(shape: str) -> bool:
    return not {"he", "she", "they", "it", "him", "her", "them", "this", "that"}.isdisjoint(
        shape.split()
    )


def _parts(link: re.Match[str], main: Tokens, anchor: Tokens) -> Parts:
    kind = next(name for name, _ in _LINKS if link[name])
    while anchor and anchor[-1].word in ("?", ".", ",", "!"):
        anchor = anchor[:-1]
    return Parts(main, kind, link["near"] is not None, anchor)


def timed(tokens: Tokens) -> tuple[Tokens, Said | None]:
    """Return some words without their time, and the time."""
    place = next((at for at, token in enumerate(tokens) if token.said is not None), None)
    if place is None:
        return tokens, None
    said = tokens[place].said
    assert said is not None
    lead = _LEADING.search(shape_of(tokens[:place]))
    if lead is None or said.bound != "in":
        return tokens[:place] + tokens[place + 1 :], said
    begin = place_of(shape_of(tokens[:place]), lead.start())
    rest = tokens[:begin] + tokens[place + 1 :]
    words = f"{lead.group()} {said.words}"
    if lead["after"]:
        return rest, replace(said, words=words, bound="after", interval=Interval(said.interval.end))
    return rest, replace(
        said, words=words, bound="before", interval=Interval(end=said.interval.start)
    )
