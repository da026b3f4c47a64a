"""Words that say little or much about who is meant: titles, legal forms, nicknames, numerals."""

LEGAL_FORMS = frozenset(
    "ab ag aps as asa bhd bv co company corp corporation doo gmbh inc incorporated kft kg kk "
    "limited llc llp ltd ltda nv nyrt oao ooo oy oyj pao plc pte pty pvt sa sarl sas sdn se sl spa "
    "srl sro zrt".split()
)
"""What a company's name may end with."""

LEGAL_PHRASES = (("sp", "z", "oo"), ("a", "s"))
"""The same of several words, as a key has them."""

COURTESIES = frozenset("dr doctor prof professor sir dame lady lord mr mrs ms miss mx".split())
"""What may stand before a person's name."""

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
abigail abby
alexander alex sasha
alexandra alex sasha
alfred alf fred
andrew andy drew
anthony tony
barbara barb
benjamin ben
catherine cathy kate katie
charles charlie chuck
christopher chris
christina chris tina
daniel dan danny
david dave
deborah debbie
edward ed eddie ted
elizabeth beth betty eliza liz lizzy
frederick fred
gregory greg
henry harry hank
jacob jake
james jim jimmy jamie
jennifer jen jenny
jessica jess
john johnny jack
jonathan jon
joseph joe joey
joshua josh
katherine kate kathy katie
kenneth ken
lawrence larry
leonard len leo
margaret maggie meg peggy
matthew matt
michael mike mick
nicholas nick
patricia pat trish
patrick pat paddy
peter pete
philip phil
rebecca becky
richard dick rich rick
robert bob bobby rob
ronald ron
samuel sam
samantha sam
stephen steve
steven steve
susan sue
theodore ted theo
thomas tom tommy
timothy tim
victoria vicky
vincent vince
walter walt
william bill billy liam will
zachary zach
"""
NICKNAMES: dict[str, frozenset[str]] = {}
"""The given names that a short one stands for, itself among them."""
for _line in _FAMILIES.split("\n"):
    _full, *_short = _line.split() or [""]
    for _name in (_full, *_short):
        NICKNAMES[_name] = NICKNAMES.get(_name, frozenset({_name})) | {_full}
del _line, _full, _short, _name, NICKNAMES[""]
