"""What a question asks, without what surrounds it: politeness, short forms of chats, "I"."""

import re
from typing import Final

from graphrag.index.group import GroupIndex
from graphrag.search.visibility import Visible

_SPEAKER: Final = "user"
_FIRST: Final = re.compile(
    r"\b(?:i(?:['’](?:m|ve|d|ll))?|(?P<whose>my|mine)|(?<!tell )(?<!show )(?<!give )(?:me|myself))"
    r"\b(?!['’])",
    re.IGNORECASE,
)
_ASKS: Final = (
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
    rf"(?={_ASKS}|the )"
)
"""Words before the question, none of which is a name: "would you be so kind as to tell me"."""
_ORDERED: Final = re.compile(
    r"^(?:(?:could|can|would|will) you |i (?:want|need|would like) you to )(?:please |kindly )?"
    r"(?=(?:name|list|give|show|find|tell)\b)|^(?:please |kindly )?(?:tell|show|give) (?:me|us) ",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
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
    for frame in (_GREETING, _FRAME, _FRAME, _ORDERED, _CLOSING):
        text = frame.sub("", text, count=1) or text
    for short, word in _WRITTEN_OUT:
        text = short.sub(word, text)
    if not _FIRST.search(text) or not seen.named(_SPEAKER, index):
        return text
    return _FIRST.sub(lambda match: f"{_SPEAKER}'s" if match["whose"] else _SPEAKER, text)
