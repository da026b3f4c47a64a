"""How somebody can be reached: ``my new number is 0170 555 321``, ``Even Moe, phone 555 0182``."""

import re
from collections.abc import Iterator

from graphrag.extract.rules.lifetime import ALWAYS
from graphrag.extract.rules.name import Draft
from graphrag.extract.rules.phrases import Phrase
from graphrag.extract.rules.scene import Scene

_WORDS = (
    r"(?:e-?mail(?: address)?|phone|mobile|telephone|"
    r"(?:(?:mobile|cell|phone|telephone|work|home) )?(?:phone )?number)"
)
_MAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_PHONE = r"\+?\d[\d ()/-]{4,18}\d"
_OWN = re.compile(
    rf"\b[Mm]y (?:new |current |work |private )?{_WORDS} (?:is|:)(?: now)? "
    rf"(?P<value>{_MAIL}|{_PHONE})"
)
_OF = re.compile(
    rf"(?P<who>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+){{0,2}})"
    rf"(?:'s (?:new )?{_WORDS} is|, (?:e-?mail|phone|tel\.?|mobile):?) "
    rf"(?P<value>{_MAIL}|{_PHONE})"
)


def read_contacts(text: str, offset: int, scene: Scene) -> Iterator[Draft]:
    """Yield the addresses and numbers that a paragraph gives of somebody."""
    if "?" in text[-1:]:
        return
    for pattern in (_OWN, _OF):
        for found in pattern.finditer(text):
            if "who" in found.groupdict():
                at = offset + found.start("who")
                person = Phrase(found["who"], at, at + len(found["who"]), True)
                one = scene.add(person, 0)
            elif scene.speaker is not None:
                one = scene.speaker
            else:
                continue
            value, start = found["value"], offset + found.start("value")
            relation = "has_email" if "@" in value else "has_phone"
            other = scene.add(Phrase(value, start, start + len(value), True), 0)
            yield Draft(
                one,
                relation,
                other,
                found.group(),
                offset + found.start(),
                offset + found.end(),
                ALWAYS,
            )
