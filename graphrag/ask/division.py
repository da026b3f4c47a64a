"""Where a question divides: the time of knowledge, its clauses, and what compares two of them."""

import re
from typing import Final

from graphrag.ask import clause
from graphrag.ask.clause import Clause, Condition, Token, Tokens
from graphrag.ask.query import Link
from graphrag.ask.wording import ANY_AUXILIARY, ANY_WH, AUXILIARIES, WH, is_past
from graphrag.search.query_time import Said

_AUX: Final = f"{ANY_AUXILIARY}|'s"
_KNOWING: Final = (
    r"records?|recorded|known|knew|know|books?|registers?|registered|logs?|logged|entered|"
    r"archives?|data|database|documents?|documented|noted|notes|told|learned|information|aware|"
    r"stored|graph|sources?|reported|believed|evidence|understood|info|knowledge"
)
_KNOWN: Final = re.compile(
    rf"(?:(?:^|(?<= ))(?:(?:per|stuff|judging|by|from|on|in|at|with|as|given|going|according|to|so|"
    rf"using|based|far|what|which|everything|anything|all|only|that|the|our|your|my|it|we|you|they|i|one|was|"
    rf"were|had|has|is|been|have|stood|of|state|could|did|then|people|please|answer) )*"
    rf"(?:{_KNOWING})(?! (?:to (?:have|be)|for|as E))"
    rf"(?: (?!(?:{ANY_WH})\b)(?:[a-z]+|'s)){{0,5}} T)"
)
_NEAR: Final = (
    r"immediately|right|just|directly|shortly|straight|next|last|first|most recently|soon|latest"
)
_SPANS: Final = "time|times|moment|day|days|period|year|years"
_LINKS: Final[tuple[tuple[Link, str], ...]] = (
    ("before", r"before|by the time|prior to|preceding|(?:earlier|sooner) (?:[a-z]+ )?than"),
    ("after", r"after|following|(?:later|newer|more recent) (?:[a-z]+ )?than|once|^having"),
    (
        "while",
        rf"while|whilst|during|as long as|throughout|"
        rf"(?:at|on|in|over|during|for) (?:the|any|a|that)? ?(?:same )?"
        rf"(?:{_SPANS}) ?,? (?:when|that|of|as|in which|on which|during which|while)|"
        rf"at the (?:same )?(?:time|moment)(?= E)|"
        rf"the (?:same )?(?:{_SPANS}) (?:when|that|as|in which|on which|during which)|"
        rf"the (?:same )?(?:{_SPANS})(?= E)|"
        rf"(?:overlap|overlapped|overlapping|coincide|coincided) (?:in time )?(?:with|while)|"
        rf"(?:and )?at (?:once|(?:one and )?the same (?:time|moment))(?: as)?|"
        rf"simultaneously with|(?:on|upon)(?= [a-z]+ing )|when",
    ),
    ("since", r"(?:ever )?since"),
    ("until", r"until|till"),
)
LINK: Final = re.compile(
    rf"(?:^|(?<= ))(?:(?P<near>{_NEAR}) )?(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in _LINKS)
    + r")(?= (?!T\b|\?))"
)
_INTERROGATIVE: Final = re.compile(rf"\bwhen (?:exactly )?(?:{_AUX})\b")
_FRONT_END: Final = re.compile(
    rf" [,:;] (?=(?:(?:in|on|at|by|to|for|of|from|since|until|with) )?"
    rf"(?:{ANY_WH}|{_AUX}|name|list)\b|E |the )"
    rf"| (?=(?:(?:in|on|at|by|to|for|since|until) )?(?:{ANY_WH})\b(?! (?:E|he|she|they|it)\b))"
)


def known_in(tokens: Tokens) -> tuple[Said | None, Tokens]:
    """Return the time that knowledge is asked of, "as recorded by T", and the words without it."""
    found = _KNOWN.search(clause.shape_of(tokens))
    if found is None:
        return None, tokens
    said = tokens[clause.place_of(found.string, found.end() - 1)].said
    return said, clause.without(tokens, found)


def divided(tokens: Tokens) -> tuple[Tokens, list[Condition]]:
    """Return what is asked, and the clauses that bound it."""
    shape = clause.shape_of(tokens)
    asking = {match.start() for match in _INTERROGATIVE.finditer(shape)}
    links = [match for match in LINK.finditer(shape) if match.start() not in asking]
    links = [link for link in links if _speaks(shape[link.end() :])]
    if not links:
        return tokens, []
    front = links[0]
    if front.start() == 0:
        end = _FRONT_END.search(shape, front.end())
        if end is not None and _speaks(shape[front.end() : end.start()]):
            main = clause.between(tokens, shape, end.end(), len(shape))
            inside = clause.between(tokens, shape, front.end() + 1, end.start())
            return main, _parts(front, inside)
        links = links[1:]
        if not links:
            return (clause.around(tokens, front)[1] if front["while"] else tokens), []
    both = [link for link in links if _speaks(shape[: link.start()])]
    cut = (both or links)[0]
    left, right = clause.around(tokens, cut)
    if not both:  # "what day was it when A moved"; "who came after A as B"
        return (left + right if cut["while"] else tokens), []
    return left, _parts(cut, right)


def _parts(link: re.Match[str], tokens: Tokens) -> list[Condition]:
    """Return the clauses behind a link: "after A but before B" are two."""
    kind = next(name for name, _ in _LINKS if link[name])
    shape = clause.shape_of(tokens)
    if again := LINK.match(shape):  # "overlap with the time when"
        tokens = clause.around(tokens, again)[1]
    for inner in LINK.finditer(clause.shape_of(tokens)):
        left, right = clause.around(tokens, inner)
        if left and left[-1].word in clause.CLOSING and _speaks(clause.shape_of(left)):
            first = Condition(kind, Clause.of(clause.trimmed(left)), link["near"] is not None)
            return [first, *_parts(inner, right)]
    return [Condition(kind, Clause.of(clause.trimmed(tokens)), link["near"] is not None)]


def _speaks(shape: str) -> bool:
    return "E" in shape.split()


_CAME: Final = r"(?:came|come|comes) (?:right |just |next |directly |immediately |straight )?"
_SUCCEED: Final = re.compile(
    r"\b(?:succeed|succeeds|succeeded|follow|follows|followed|replace|replaces|replaced|successor|"
    rf"succeeding|following|took over|take over|{_CAME}after)\b"
)
_PRECEDE: Final = re.compile(
    r"\b(?:precede|precedes|preceded|predecessor|preceding|handed over|hand over|made way|"
    rf"make way|{_CAME}before)\b"
)


def succession(tokens: Tokens) -> tuple[Tokens, Condition] | None:
    """Read "who succeeded A as B", "A's predecessor as B", "what followed B among A's jobs"."""
    shape = clause.shape_of(tokens)
    link: Link = "after"
    verb = _SUCCEED.search(shape)
    if verb is None:
        link, verb = "before", _PRECEDE.search(shape)
    places = [place for place, token in enumerate(tokens) if token.named is not None]
    if verb is None or len(places) < 2:
        return None
    at, stop = clause.place_of(shape, verb.start()), clause.place_of(shape, verb.end() - 1)
    words = [token.word for token in tokens]
    before, after = [p for p in places if p < at], [p for p in places if p > stop]
    passive = "by" in words and not {"was", "were", "is", "been"}.isdisjoint(words[:at])
    helped = bool(before) and not {"did", "does", "do"}.isdisjoint(words[: before[0]])
    whom = stop + 1 < len(words) and words[stop + 1] in ("whom", "who", "which", "what")
    taken, turned = re.search(r"\bfrom E", shape), False
    if verb.group() in ("successor", "predecessor"):
        owner = next((p for p in before if words[p + 1 : p + 2] == ["'s"]), None)
        anchor = owner if owner is not None else next(iter(after), places[0])
    elif taken:  # "who took over the chair from A"
        anchor = clause.place_of(shape, taken.end() - 1)
    elif before and (helped or passive or whom):
        anchor, turned = before[-1], not passive
    elif after:
        anchor, turned = after[0], passive  # "who was succeeded by A"
    else:
        return None
    if turned:
        link = "before" if link == "after" else "after"
    rest = tuple(
        token for place, token in enumerate(tokens) if place != anchor and not at <= place <= stop
    )
    return rest, Condition(link, Clause.of((tokens[anchor],)), nearest=True)


_EITHER: Final = re.compile(r"E (?:, )?(?:or|and) (?:[a-z]+ ){0,2}?E\b")
_OTHER_WAY: Final = re.compile(r"\bother way (?:round|around)\b|\bvice versa\b")
_COMPARING: Final = re.compile(r"\b(?:first|earlier|earliest|sooner|before|later|last|latest)\b")
LATER: Final = re.compile(r"\b(?:later|last|latest|after|more recent(?:ly)?)\b")


def choice_in(tokens: Tokens) -> tuple[Tokens, tuple[Token, Token]] | None:
    """Return a question that names what it lets one choose from without it, and the choices."""
    shape = clause.shape_of(tokens)
    if not (re.search(r"\bor\b|\bof E and E\b", shape) and _COMPARING.search(shape)):
        return None
    places = [place for place, token in enumerate(tokens) if token.named is not None]
    either = list(_EITHER.finditer(shape))
    if _OTHER_WAY.search(shape) and len(places) > 2:
        # "Did A begin with B before C, or the other way round?"
        chosen = places[-2:]
    elif either and (WH & set(shape.split()) or "or" in shape.split()):
        chosen = [
            clause.place_of(shape, either[-1].start()),
            clause.place_of(shape, either[-1].end() - 1),
        ]
    else:
        return None
    rest = tuple(token for place, token in enumerate(tokens) if place not in chosen)
    return rest, (tokens[chosen[0]], tokens[chosen[1]])


_APART: Final = re.compile(r"\b(?:between|from|separate|separates|separated)\b(?= )")


def apart_in(tokens: Tokens) -> tuple[Tokens, Tokens] | None:
    """Return the two clauses whose distance is asked for: "between A ... and B ..."."""
    shape = clause.shape_of(tokens)
    for opening in _APART.finditer(shape):
        head, inside = clause.around(tokens, opening)
        places = [at for at, token in enumerate(inside) if token.named is not None]
        for cut, token in enumerate(inside):
            if token.word not in ("and", "to", "until", "till"):
                continue
            left = sum(place < cut for place in places)
            right = len(places) - left
            before, after = inside[:cut], inside[cut + 1 :]
            if (left, right) == (2, 2):
                return before, after
            if (left, right) == (2, 1):  # "between A's job at B and hers at C"
                if after[-1].word in _PRONOUNS:
                    return before, (*after[:-1], inside[places[1]])
                return before, (inside[places[0]], *after)
            own = tuple(token for token in head if token.named is not None)
            if (left, right, len(own)) == (1, 1, 1):  # a gap between two holders of one thing
                return before + head, after + head
    return None


_NO_NAME: Final = r"(?:(?!(?:E|T)\b)\S+ )*"
_LEAD: Final = re.compile(rf"(?:(?!(?:E|T|{ANY_WH})\b)\S+ )+(?=(?:{ANY_WH})\b)")
_TOPIC: Final = re.compile(
    rf"(?P<front>{_NO_NAME}E (?:T )?[,:.-] (?:T (?:, )?)?){_NO_NAME}?(?=(?:{ANY_WH})\b)"
)
_SPEAKING: Final = re.compile(r"\b(?:i|me|my|we|us|our|you|your)\b|^(?:the )?E ")
_PRONOUNS: Final = frozenset("he she it they him her them".split())


def direct(tokens: Tokens) -> Tokens:
    """Return a question without what leads to it, and its topic in the place of its pronoun."""
    if (lead := _LEAD.match(clause.shape_of(tokens))) and _SPEAKING.search(lead.group()):
        tokens = tokens[lead.group().count(" ") :]
    topic = _TOPIC.match(clause.shape_of(tokens))
    if topic is None or not _SPEAKING.search(topic["front"]):
        return tokens
    front, rest = tokens[: topic.group().count(" ")], tokens[topic.group().count(" ") :]
    moved, times = standing(front, rest), tuple(token for token in front if token.said)
    if rest[0].word == "who" and not any(token.named for token in moved):
        moved = rest + tuple(token for token in front if token.named)
    return tokens if moved == rest else moved + times


def standing(named: Tokens, tokens: Tokens) -> Tokens:
    """Return some words with the first name of others in the place of their last pronoun."""
    places = [at for at, token in enumerate(tokens) if token.word in _PRONOUNS]
    name = [token for token in named if token.named][:1] if places else []
    return (*tokens[: places[-1]], *name, *tokens[places[-1] + 1 :]) if name else tokens


_BOTH: Final = re.compile(
    rf"(?:{_AUX}) E and E (?P<what>.+) (?:at the same time|together|simultaneously)$"
)


def both_in(tokens: Tokens) -> tuple[Tokens, list[Condition]] | None:
    """Read "were A and B at C at the same time" as "was A at C while B was at C"."""
    if not (found := _BOTH.match(clause.shape_of(tokens))):
        return None
    what = clause.between(tokens, found.string, *found.span("what"))
    other = Clause.of((tokens[0], tokens[3], *what))
    return (*tokens[:2], *what), [Condition("while", other)]


def hanging(tokens: Tokens) -> tuple[str, ...]:
    """Return the words that link a clause where none follows: "on the day of taking office"."""
    return tuple(
        link.group()
        for link in LINK.finditer(clause.shape_of(tokens))
        if not (link["since"] or link.group() == "when")
        and not _speaks(link.string[link.end() :].partition(",")[0])
    )


def states(main: Clause) -> bool:
    """Tell whether a clause says what is so, and asks for nothing: "Ada Vance, still in Hull?"."""
    first, *rest = main.tokens
    verbal = any(token.word in AUXILIARIES or is_past(token.word) for token in rest)
    named = first.named is not None and rest[0].word != "'s"
    stated = named and (verbal or "still" in main.words)
    return WH.isdisjoint(main.words) and (stated or first.word in AUXILIARIES)
