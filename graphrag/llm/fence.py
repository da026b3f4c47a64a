"""Source text as data: between marks that the text itself cannot contain.

The mark is a hash of all that is fenced, so a text would have to contain a hash of itself to close
its own fence; and the same question gets the same mark, so that its answer can be kept.
"""

import hashlib
from collections.abc import Iterable

_LENGTH = 16


def fence_of(texts: Iterable[str]) -> str:
    """Return the mark for a set of texts, one that none of them contains."""
    texts = tuple(texts)
    digest = hashlib.sha256("\x00".join(texts).encode(errors="surrogatepass")).hexdigest()
    while any(digest[:_LENGTH] in text for text in texts):
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return digest[:_LENGTH]


def fenced(label: str, text: str, fence: str) -> str:
    """Return a text between two marks that name what it is."""
    return f"<<{label} {fence}>>\n{text}\n<<end {label} {fence}>>"
