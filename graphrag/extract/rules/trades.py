"""The nouns for what somebody is, offices and jobs, and for which bodies they are held."""

from typing import TYPE_CHECKING

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.slots import conjoined
from graphrag.names import words

if TYPE_CHECKING:
    from spacy.tokens import Token

    from graphrag.extract.rules.clauses import Clause
    from graphrag.extract.rules.name import Name
    from graphrag.extract.rules.sentence import Sentence

_SUFFIXES = (
    "ologist", "ographer", "grapher", "ician", "smith", "maker", "wright", "ronomer", "iatrist",
    "tectress", "ngineer", "ductor", "nomist", "cientist", "rnalist", "elist", "uitarist", "ianist",
    "iolinist", "chemist", "ysicist", "keeper", "master", "monger",
)  # fmt: skip
"""How nouns for who does something for a living end."""
_LEADERS = words.LEADING | frozenset(
    "commissioner chancellor premier minister bishop abbot abbess rector warden provost "
    "headteacher chef conductor commander skipper founder spokesperson chief superintendent "
    "sheriff supervisor executive officer ceo commodore convener bursar".split()
)
JOBS = lexicon.WORKING | frozenset(
    "actor actress artist author barber barrister biologist blacksmith bookseller botanist builder "
    "butcher buyer carer cashier cleaner composer counsellor courier dancer dentist detective "
    "dietitian diver economist farmer filmmaker firefighter fisherman florist fundraiser geologist "
    "grocer guide hairdresser historian illustrator inspector interpreter investigator janitor "
    "jeweller joiner judge keeper lawyer lifeguard linguist locksmith lighthouse-keeper magistrate "
    "mathematician merchant miner model musician negotiator novelist nun nutritionist optician "
    "organist painter paramedic pediatrician philosopher physicist physiotherapist pianist pilot "
    "planner playwright plumber poet policeman policewoman politician postman potter priest "
    "printer producer proofreader psychiatrist psychologist publisher radiographer radiologist "
    "ranger realtor roofer sailor salesman saleswoman salesperson sculptor seamstress shepherd "
    "shopkeeper singer social-worker sociologist solicitor sommelier statistician steward stylist "
    "surveyor tailor therapist trader translator treasurer undertaker vet veterinarian vicar "
    "violinist watchmaker weaver welder winemaker writer zoologist attorney banker bookkeeper "
    "bartender astronomer astronaut chemist dean drummer guitarist cellist soprano tenor trainer "
    "supervisor storekeeper stagehand sous-chef prosecutor administrator postdoc fellow pastor "
    "rabbi imam butler bricklayer beekeeper auctioneer curator archivist ambassador senator "
    "councillor councilman deputy representative recruiter auditor spokesman spokeswoman rapper "
    "engraver cyclist rower swimmer boxer sprinter jockey goldsmith bassist percussionist "
    "choirmaster stonemason apothecary monk nun goalkeeper striker defender midfielder forward "
    "winger cfo cto coo cio cmo vp dealer soprano alto oboist flautist trombonist registrar "
    "paralegal notary coroner curate deacon maintainer lieutenant sergeant corporal constable "
    "colonel admiral cardiologist apprentice".split()
)
"""What somebody can be for a living."""
OFFICES = _LEADERS | frozenset(
    "treasurer secretary captain coach chair trustee member delegate ambassador governor "
    "representative deputy vice-president vice-chair speaker guarantor archbishop prior prioress "
    "almoner reeve churchwarden marshal duke duchess earl count countess emperor empress pope "
    "viceroy consul envoy".split()
)
"""What somebody is appointed or elected to."""
LEADING = _LEADERS - {"officer", "chef", "founder", "supervisor"}
OVER = frozenset({"former", "ex", "previous", "erstwhile", "onetime", "then", "late", "retired"})
"""Before a title: it is held no more."""


def is_title(noun: "Token") -> bool:
    """Tell whether a noun says what somebody is by office or trade."""
    if noun.pos_ not in ("NOUN", "PROPN") and noun.dep_ != "acomp":
        return False
    word = noun.lemma_.lower()
    return (
        word in OFFICES
        or word in JOBS
        or word in lexicon.STUDYING
        or word in lexicon.OWNING
        or (len(word) > len("xxxxxx") and word.endswith(_SUFFIXES))
    )


def is_job(word: str) -> bool:
    """Tell whether a word is what one does for a living, by the list or by its ending."""
    return word in JOBS or (len(word) > len("xxxxxx") and word.endswith(_SUFFIXES))


_AGENTIVE = ("er", "or", "ist", "ian", "eur", "ess")


def is_trade(noun: "Token") -> bool:
    """Tell whether ``a Dutch engraver`` may be what somebody does, by its form alone."""
    word = noun.lemma_.lower()
    trade = noun.tag_ == "NN" and len(word) > len("xxxxx") and word.endswith(_AGENTIVE)
    return is_title(noun) or trade


def _is_apposed_trade(noun: "Token") -> bool:
    """Tell whether ``Mieke, an oboist`` is said of somebody."""
    if noun.dep_ != "appos" or noun.head.ent_type_ != "PERSON":
        return False
    return is_trade(noun) and any(child.lower_ in ("a", "an") for child in noun.children)


def is_office(noun: "Token") -> bool:
    """Tell whether a noun may be held by somebody: one office, or a trade beside a name."""
    if noun.tag_ not in ("NN", "NNP", "JJ"):
        return False
    return is_title(noun) or _is_apposed_trade(noun)


def title_of(noun: "Token") -> tuple[str, int, int]:
    """Return a title with the words that belong to it, and where it stands.

    ``chief financial officer``, ``head of operations``: not whose, and not whether it is new.
    """
    first = noun
    while first.i > 0:
        left = noun.doc[first.i - 1]
        joined = left.head in (noun, noun.head) and left.dep_ in ("compound", "amod", "nmod")
        if left.text == "-" and not left.whitespace_ and left.i > 0:
            left = noun.doc[left.i - 1]  # "co-founder", "vice-president"
            if left.tag_ in ("VBN", "JJ", "NNP"):
                break
            joined = True
        if not joined or left.lower_ in PASSING or left.pos_ == "PROPN":
            break
        first = left
    last = noun
    for child in noun.children:
        if child.dep_ == "prep" and child.lower_ == "of" and child.i == noun.i + 1:
            for target in child.children:
                common = target.pos_ == "NOUN" or target.text.islower()
                if target.dep_ == "pobj" and common:
                    last = target
    text = noun.doc[first.i : last.i + 1].text
    return text, first.idx, last.idx + len(last)


PASSING = OVER | frozenset(
    "new current acting interim outgoing incoming longtime long-time veteran first second third "
    "own next present sole old young longstanding last only".split()
)
"""Adjectives of who holds a title, not of the title."""
KEPT = frozenset("king queen emperor empress pope prince princess duke duchess earl count".split())
"""Titles that are a part of the name; the others, before two words at least, are not."""


def is_former(noun: "Token") -> bool:
    """Tell whether a word before a title or a relative says that it is over: ``ex-``, ``late``."""
    hyphen = noun.doc[max(0, noun.i - 2) : noun.i].text.lower() == "ex-"
    return hyphen or any(child.lower_ in OVER for child in noun.children)


_PREPOSITIONS = ("of", "at", "for", "with", "in", "to")
_PARTS = frozenset(
    "finance financial sales marketing research technical technology operations operating hr "
    "personnel communications design art creative music sporting sports commercial medical legal "
    "resources it product engineering development strategy quality safety regional information "
    "security data compliance audit training digital customer supply logistics production".split()
)
"""Parts of a body: their director is not that of the body."""
_WRITING = frozenset({"author", "writer", "co-author", "composer", "illustrator"})
_OVER_PARTS = frozenset("director head chief editor president".split())
_WHOLE = frozenset({"general", "club", "team"})
_STATES = frozenset({"state", "government"})


def heads(noun: "Token") -> bool:
    """Tell whether who has a title leads all of what it is of: no deputy, no head of sales."""
    title, _, part = title_of(noun)[0].lower().replace("-", " ").partition(" of ")
    parts = title.split()
    beside = {child.lower_ for child in noun.children if child.i < noun.i}
    if words.SUBORDINATE & {*parts, *beside} or (part and not _STATES & {*part.split()}):
        return False
    if parts[-1] == "manager" and len(parts) > 1:
        return bool(_WHOLE & {*parts})  # no branch or project manager
    return parts[-1] not in _OVER_PARTS or not _PARTS & {*parts}


def relation_of(title: str, preposition: str, body: "Name") -> str | None:
    """Return what a title with a preposition says of its holder and that body."""
    if title in lexicon.OWNING:
        return "owned_by" if preposition == "of" else None
    if title in lexicon.PLAYING:
        return None if preposition == "to" else "plays_for"
    if title in lexicon.STUDYING:
        return "studies_at" if preposition in ("of", "at") else None
    if title in _WRITING and preposition == "of":
        return "author_of" if body.votes["organization"] < 2 else "works_at"
    if title == "member":
        return "member_of" if preposition == "of" else None
    if title in LEADING and preposition in ("of", "at", "for"):
        return "leads" if body.votes["person"] < 3 or title in lexicon.OVER_PEOPLE else None
    if is_job(title) or title in ("treasurer", "secretary", "captain", "coach", "officer"):
        if body.votes["person"] >= 2 or preposition == "to":
            return None
        return "works_at" if preposition in ("at", "for", "with", "of", "in") else None
    return None


def bodies_of(noun: "Token", clause: "Clause | None", line: "Sentence") -> "list[tuple[Name, str]]":
    """Return what a title is held for, each with its preposition."""
    found: list[tuple[Name, str]] = []
    owner = line.scene.possessor_of(noun, line.offset)
    if owner is not None:
        found.append((owner, "of"))
    end = title_of(noun)[2]
    inner = [c for child in noun.children for c in child.children if c.idx < end and c.i > noun.i]
    behind = [c for part in inner for c in part.children if c.lower_ == "of" and c.i == part.i + 1]
    for child in (*noun.children, *behind):  # "minister of health of Ulm"
        if child.dep_ == "prep" and child.lower_ in _PREPOSITIONS:
            for target in child.children:
                if target in inner and target.pos_ == "PROPN":
                    continue
                if target.dep_ == "pobj" and target.tag_ != "NNS":  # "with AI tools"
                    for part in conjoined(target):
                        if (name := line.name(part)) and noun.text not in name.text.split():
                            found.append((name, child.lower_))
    return [(name, preposition) for name, preposition in found if name.named]
