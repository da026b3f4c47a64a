"""Text in XML 1.0, which has no place for most control characters.

They are written as spreadsheets do, ``_x0007_`` for the bell, and a text that looks so itself has
its underscore written as ``_x005F_``: whatever was told comes back.
"""

import re

_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_CODE = re.compile("_x([0-9A-Fa-f]{4})_")
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


def escaped(text: str) -> str:
    """Return a text as it may stand between tags or quotes."""
    if _UNFIT.search(text):
        text = _UNFIT.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    return text.translate(_MARKUP)


def unescaped(text: str) -> str:
    """Return the text that was written so, after XML's own escapes were read."""
    return _CODE.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text
