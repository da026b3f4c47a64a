"""Words that say little or much about who is meant: titles, legal forms, nicknames, numerals.

Also one name in two languages, and short names that everybody knows: Munich and München, VW. No
rule leads from one to the other, and no library that is kept up has just these. It is a small table
of what a newspaper prints without explaining it; all that it does is that somebody is asked.
"""

from functools import lru_cache

LEGAL_FORMS = frozenset(
    "ab ag aps as asa bhd bv co company corp corporation doo gmbh inc incorporated kft kg kk "
    "limited llc llp ltd ltda nv nyrt oao ooo oy oyj pao plc pte pty pvt sa sarl sas sdn se sl spa "
    "srl sro zrt".split()
)
"""What a company's name may end with."""

LEGAL_PHRASES = (("sp", "z", "oo"), ("a", "s"))

COURTESIES = frozenset("dr doctor prof professor sir dame lady lord mr mrs ms miss mx".split())
"""What may stand before a person's name."""

MOTHER, FATHER = "mother mum mom mummy mama", "father dad daddy papa"
"""What people call theirs."""
DESCRIBING = frozenset(
    "a an the this that these those my your his her its our their some any every each no one two "
    "of and or with in at on from to for by who whose new old former young best good big little "
    "same other another whole first last next team family couple group people men women guys kids "
    "children folks person man woman guy boy girl kid child baby friend friends mate buddy "
    "neighbour neighbor colleague colleagues coworker boss manager lead leader director teacher "
    "student doctor nurse lawyer partner husband wife spouse fiance fiancee boyfriend girlfriend "
    "mother father mom mum dad parents parent brother sister brothers sisters son daughter twin "
    "uncle aunt cousin nephew niece grandmother grandfather grandma grandpa in-law stepfather "
    "stepmother roommate guest guests staff crew owner author user customer client".split()
)
"""What a phrase for somebody has in it, and the name of nobody, written in small letters."""

SMALL = frozenset(
    "a an and at by de der des di du e et for in la le of on the to und von y".split()
)
"""Words that an abbreviation leaves out."""

ROMAN = frozenset("ii iii iv vi vii viii ix xi xii xiii xiv xv xvi".split())
ROMAN_AT_THE_END = frozenset("i v x".split())
"""Numerals that are initials elsewhere in a name."""

OPPOSED = tuple(
    frozenset(words.split())
    for words in (
        "north south east west northern southern eastern western central",
        "upper lower",
        "old new",
        "junior senior jr sr",
        "mr mrs",
        "mr ms",
        "mr miss",
        "men women boys girls",
        "father mother brother sister son daughter",
        "first second third fourth fifth sixth",
    )
)
"""Words of which two names that differ in them mean two things."""

GENERIC = LEGAL_FORMS | frozenset(
    "american association bank british city college committee council department european first "
    "foundation general global great group holdings institute international media ministry museum "
    "national new office old partners party press royal school services society solutions systems "
    "team the union united university world".split()
)
"""Words that many organisations bear: none of them is a short name by itself."""

_FAMILIES = """
abigail abby, alexander alex sasha, alexandra alex sasha, alfred alf fred, andrew andy drew,
anthony tony, barbara barb, benjamin ben, catherine cathy kate katie, charles charlie chuck,
christopher chris, christina chris tina, daniel dan danny, david dave, deborah debbie,
edward ed eddie ted, elizabeth beth betty eliza liz lizzy, frederick fred, gregory greg,
henry harry hank, jacob jake, james jim jimmy jamie, jennifer jen jenny, jessica jess,
john johnny jack, jonathan jon, joseph joe joey, joshua josh, katherine kate kathy katie,
kenneth ken, lawrence larry, leonard len leo, margaret maggie meg peggy, matthew matt,
michael mike mick, nicholas nick, patricia pat trish, patrick pat paddy, peter pete, philip phil,
rebecca becky, richard dick rich rick, robert bob bobby rob, ronald ron, samuel sam, samantha sam,
stephen steve, steven steve, susan sue, theodore ted theo, thomas tom tommy, timothy tim,
victoria vicky, vincent vince, walter walt, william bill billy liam will, zachary zach
"""
NICKNAMES: dict[str, frozenset[str]] = {}
"""The given names that a short one stands for, itself among them."""
for _family in _FAMILIES.split(","):
    _full, *_short = _family.split()
    for _name in (_full, *_short):
        NICKNAMES[_name] = NICKNAMES.get(_name, frozenset({_name})) | {_full}
del _family, _full, _short, _name

_GROUPS = """
antwerp | antwerpen | anvers, athens | athina, basel | basle | bale, beijing | peking,
belgrade | beograd, brunswick | braunschweig, brussels | bruxelles | brussel, bucharest | bucuresti,
chennai | madras, cologne | koln, copenhagen | kobenhavn, florence | firenze,
geneva | geneve | genf, genoa | genova, ghent | gent | gand, gothenburg | goteborg,
guangzhou | canton, hague | den haag, hanover | hannover, ho chi minh city | saigon,
istanbul | constantinople, kolkata | calcutta, kyiv | kiev, lisbon | lisboa, lucerne | luzern,
milan | milano, moscow | moskva, mumbai | bombay, munich | munchen, naples | napoli,
nuremberg | nurnberg, padua | padova, prague | praha, rome | roma,
saint petersburg | st petersburg | sankt peterburg, seville | sevilla, turin | torino,
venice | venezia, vienna | wien, warsaw | warszawa, yangon | rangoon, zagreb | agram,
austria | osterreich, china | zhongguo, croatia | hrvatska, egypt | misr, finland | suomi,
germany | deutschland, greece | hellas, hungary | magyarorszag, ireland | eire, italy | italia,
japan | nippon, netherlands | nederland | holland, norway | norge, poland | polska, spain | espana,
sweden | sverige, switzerland | schweiz | suisse | svizzera, turkey | turkiye, european union | eu,
los angeles | la, new york | ny, new york city | nyc, san francisco | sf,
united kingdom | uk | great britain, united nations | un,
united states | us | usa | united states of america, general electric | ge, general motors | gm,
hewlett packard | hp, mercedes benz | mercedes, microsoft | ms, playstation | ps, volkswagen | vw
"""
_LONGEST = 5
"""Words of an entry."""
_ENTRIES: dict[str, str] = {}
"""The first name of its group by every other one."""
for _group in _GROUPS.split(","):
    _first, *_others = _group.strip().split(" | ")
    for _other in _others:
        _ENTRIES[_other] = _first
del _group, _first, _others, _other


@lru_cache(50_000)
def current(plain: str) -> str:
    """Return a folded key with each name as the first of its group: "ps5" is "playstation 5"."""
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


RENAMED = frozenset(
    "renamed renamed_to renamed_as now_called now_known_as changed_name_to changed_its_name_to "
    "became_known_as rebranded_as rebranded_to".split()
)
"""The object is the new name."""
FORMER = frozenset(
    "formerly formerly_known_as formerly_called previously_known_as previously_called "
    "originally_called renamed_from former_name has_former_name".split()
)
"""The object is the old one."""
ALSO = frozenset("also_known_as aka alias goes_by nickname has_nickname nicknamed".split())
NAMING = frozenset(
    start + relation for start in ("", "is_", "was_") for relation in (RENAMED | FORMER | ALSO)
)
"""Relations between two names of one thing."""
