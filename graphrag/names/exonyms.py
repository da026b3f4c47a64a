"""One name in two languages, and short names that everybody knows: Munich and München, VW.

No rule leads from one to the other, and no library that is kept up has just these. It is a small
table of what a newspaper prints without explaining it; all that it does is that somebody is asked.
"""

from functools import lru_cache

_GROUPS = """
antwerp | antwerpen | anvers
athens | athina
basel | basle | bale
beijing | peking
belgrade | beograd
brunswick | braunschweig
brussels | bruxelles | brussel
bucharest | bucuresti
chennai | madras
cologne | koln
copenhagen | kobenhavn
florence | firenze
geneva | geneve | genf
genoa | genova
ghent | gent | gand
gothenburg | goteborg
guangzhou | canton
hague | den haag
hanover | hannover
ho chi minh city | saigon
istanbul | constantinople
kolkata | calcutta
kyiv | kiev
lisbon | lisboa
lucerne | luzern
milan | milano
moscow | moskva
mumbai | bombay
munich | munchen
naples | napoli
nuremberg | nurnberg
padua | padova
prague | praha
rome | roma
saint petersburg | st petersburg | sankt peterburg
seville | sevilla
turin | torino
venice | venezia
vienna | wien
warsaw | warszawa
yangon | rangoon
zagreb | agram
austria | osterreich
china | zhongguo
croatia | hrvatska
egypt | misr
finland | suomi
germany | deutschland
greece | hellas
hungary | magyarorszag
ireland | eire
italy | italia
japan | nippon
netherlands | nederland | holland
norway | norge
poland | polska
spain | espana
sweden | sverige
switzerland | schweiz | suisse | svizzera
turkey | turkiye
european union | eu
los angeles | la
new york | ny
new york city | nyc
san francisco | sf
united kingdom | uk | great britain
united nations | un
united states | us | usa | united states of america
general electric | ge
general motors | gm
hewlett packard | hp
mercedes benz | mercedes
microsoft | ms
playstation | ps
volkswagen | vw
"""
_LONGEST = 5
"""Words of an entry."""
_ENTRIES: dict[str, str] = {}
"""The first name of its group by every other one."""
for _line in _GROUPS.strip().split("\n"):
    _first, *_others = _line.split(" | ")
    for _other in _others:
        _ENTRIES[_other] = _first
del _line, _first, _others, _other


@lru_cache(50_000)
def current(plain: str) -> str:
    """Return a folded key in which each name of the table is the first one of its group.

    "ps5" is "playstation 5"; words that are in no group stay.
    """
    words = _apart(plain).split()
    said: list[str] = []
    at = 0
    while at < len(words):
        for stop in range(min(at + _LONGEST, len(words)), at, -1):
            name = " ".join(words[at:stop])
            if name in _ENTRIES or stop == at + 1:
                said.append(_ENTRIES.get(name, name))
                at = stop
                break
    return " ".join(said)


def _apart(plain: str) -> str:
    """Return a key in which a short name of the table stands apart from the number after it."""
    words = plain.split()
    for at, word in enumerate(words):
        letters = word.rstrip("0123456789")
        if letters != word and letters in _ENTRIES:
            words[at] = f"{letters} {word[len(letters) :]}"
    return " ".join(words)
