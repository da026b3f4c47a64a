r"""Text of the graph for people: nothing in it steers the terminal or the page that shows it.

Names and texts come from anywhere. An escape sequence among them could clear a screen, set a title
or write lines that nobody wrote, and an override of the writing direction turns words around. Every
display shows such characters as JSON writes them, ``\u001b``; what is stored stays as it was given.
"""

import html
import re

# C0 and C1 codes but tab and the ends of lines, separators that terminals take for those, overrides
# and isolates of the writing direction, and halves of surrogate pairs, which no output can encode.
_STEERING = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    r"|\r(?!\n)"
)


def visible(text: str) -> str:
    """Return a text with its control characters shown; tabs and ends of lines stay."""
    if text.isascii() and text.isprintable():
        return text
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def flatten(text: str) -> str:
    """Return a text on one line, with its control characters shown."""
    return " ".join(visible(text).split())


def cut(text: str, room: int) -> str:
    """Return a text of no more characters than there is room for."""
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"


class Html(str):
    """Text that is HTML already, which ``escape`` leaves as it is."""

    __slots__ = ()


def escape(text: str, quote: bool = True) -> Html:
    """Return a text as HTML, with its control characters shown."""
    return text if isinstance(text, Html) else Html(html.escape(visible(text), quote))
