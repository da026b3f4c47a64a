"""Registers made up with known answers: people with namesakes and slips, and two shops' lists.

Nothing in them is from a data set. Every person has namesakes born on another day, a third of the
second records has a slip in the identifier, the birth date or the name. The shops write one product
in two ways, and sell its siblings: other numbers, other suffixes, other sizes.
"""

import random
import string
from collections.abc import Callable, Iterator

from graphrag.model.extraction import Mention

Pair = frozenset[str]
Register = tuple[dict[str, Mention], frozenset[Pair], dict[str, int]]
"""Records by id, the pairs that are one, and the list that each record is in."""

_SYLLABLES = [a + b for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]
_NOUNS = "camera printer kettle drill keyboard monitor router speaker charger lamp vacuum".split()
_WORDS = "compact wireless digital portable silent heavy-duty bluetooth stainless cordless".split()
_COLOURS = "black white silver blue red".split()


def people(count: int = 1_500, seed: int = 1) -> Register:
    """Return people of whom a third is recorded twice, in one list."""
    chance = random.Random(seed)
    given, family = _names(chance, 150), _names(chance, 300)
    records: dict[str, Mention] = {}
    gold: set[Pair] = set()
    for number in range(count):
        first, last = chance.choice(given), chance.choice(family)
        attributes = {
            "birth_date": f"{chance.randrange(1930, 2005)}-{chance.randrange(1, 13):02}"
            f"-{chance.randrange(1, 29):02}",
            "address": f"{chance.randrange(1, 200)} {chance.choice(family)} road, "
            f"{chance.choice(given)}ton {chance.randrange(1_000, 9_999)}",
            "member_id": f"{chance.randrange(10**7, 10**8)}",
        }
        one, other = f"p{number}", f"p{number}-again"
        records[one] = Mention(f"{first} {last}", "person", attributes=_some(attributes, chance))
        if number % 3 == 0:
            first, last, attributes = _slips(first, last, attributes, chance)
            name = f"{first} {last}"
            records[other] = Mention(name, "person", attributes=_some(attributes, chance))
            gold.add(frozenset((one, other)))
    ids = list(records)
    chance.shuffle(ids)
    return {id_: records[id_] for id_ in ids}, frozenset(gold), dict.fromkeys(ids, 0)


def products(count: int = 600, seed: int = 2) -> Register:
    """Return what two shops sell; half of what the first one has, the second one has too."""
    chance = random.Random(seed)
    makers, lines = _names(chance, 25), _names(chance, 60)
    records: dict[str, Mention] = {}
    gold: set[Pair] = set()
    sides: dict[str, int] = {}
    for number in range(count):
        maker, line, noun = chance.choice(makers), chance.choice(lines), chance.choice(_NOUNS)
        letters = "".join(chance.choices(string.ascii_uppercase, k=chance.randrange(2, 4)))
        code = f"{letters}{chance.randrange(10, 9_999)}"
        words = chance.sample(_WORDS, 3)
        size = f"{chance.choice((12, 16, 24, 32, 64))}"
        siblings = [code, f"{letters}{int(code[len(letters) :]) + 10}", f"{code}B"]
        for at, sibling in enumerate(siblings[: chance.randrange(1, 4)]):
            one, other = f"a{number}.{at}", f"b{number}.{at}"
            title = f"{maker} {line} {words[0]} {noun} - {sibling}"
            told = f"{title}/ {size}-inch {words[1]} {noun}/ {words[2]}/ {chance.choice(_COLOURS)}"
            records[one] = Mention(title, "product", attributes={"description": told})
            sides[one] = 0
            if chance.random() < 0.5:
                records[other] = _elsewhere(maker, line, words, noun, sibling, letters, chance)
                sides[other] = 1
                gold.add(frozenset((one, other)))
    return records, frozenset(gold), sides


def _elsewhere(
    maker: str,
    line: str,
    words: list[str],
    noun: str,
    code: str,
    letters: str,
    chance: random.Random,
) -> Mention:
    hyphened = f"{letters}-{code[len(letters) :]}"
    written = chance.choice((code, hyphened, hyphened.lower()))
    shapes: tuple[Callable[[], str], ...] = (
        lambda: f"{maker} {written} {words[1]} {noun}",
        lambda: f"{maker} {line} {written} {noun} {chance.choice(_COLOURS)}",
        lambda: f"{line} {noun} {words[0]} {words[2]} ({written})",
        lambda: f"{maker} {line} {noun} {words[0]}",
    )
    title = chance.choice(shapes)()
    told = f"{words[0]} {noun} {words[2]}" if chance.random() < 0.5 else ""
    return Mention(title, "product", attributes={"description": told, "manufacturer": maker})


def _slips(
    first: str, last: str, attributes: dict[str, str], chance: random.Random
) -> tuple[str, str, dict[str, str]]:
    changed = dict(attributes)
    if chance.random() < 0.3:
        changed["member_id"] = _misspelt(changed["member_id"], string.digits, chance)
    if chance.random() < 0.15:
        year, month, day = changed["birth_date"].split("-")
        changed["birth_date"] = f"{year}-{month}-{int(day) % 28 + 1:02}"
    if chance.random() < 0.3:
        last = _misspelt(last, string.ascii_lowercase, chance)
    if chance.random() < 0.1:
        first, last = last, first
    if chance.random() < 0.1:
        changed["address"] = f"{chance.randrange(1, 200)} other street, elsewhere 1234"
    return first, last, changed


def _some(attributes: dict[str, str], chance: random.Random) -> dict[str, str]:
    return {name: value for name, value in attributes.items() if chance.random() < 0.85}


def _misspelt(text: str, letters: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(text))
    return text[:place] + chance.choice(letters) + text[place + 1 :]


def _names(chance: random.Random, count: int) -> list[str]:
    found = (_name(chance) for _ in range(4 * count))
    return list(dict.fromkeys(found))[:count]


def _name(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=chance.randrange(2, 4))).title()


def registers() -> Iterator[tuple[str, Register]]:
    """Yield each of them with its name."""
    yield "made-up people", people()
    yield "made-up shops", products()
