"""What words mean: verbs and nouns to relations, as data.

Classes of general English; which verb states which relation stands in ``verbs``.
"""

from typing import Literal

Manner = Literal["start", "state", "end", "event", "timeless"]
"""How words speak of time: ``start`` begins a lasting relation, ``state`` says that it holds,
``end`` that it stopped; an ``event`` happened once, and what is ``timeless`` always holds."""
PERSON, ORG, PLACE = "person", "organization", "place"


WORKING = frozenset(
    "teacher nurse doctor engineer baker reporter journalist editor cook clerk apprentice "
    "scientist cheesemaker librarian porter driver accountant designer developer analyst "
    "researcher professor lecturer pharmacist technician consultant researcher intern trainee "
    "assistant surgeon physician midwife electrician mechanic carpenter foreman secretary "
    "receptionist employee worker waiter waitress chef barista guard officer lawyer architect "
    "programmer photographer correspondent columnist instructor tutor caretaker gardener miller "
    "brewer manager director".split()
)
"""Jobs that one has at or for an organisation."""
PLAYING = frozenset("goalkeeper striker defender midfielder forward winger player".split())
STUDYING = frozenset("student pupil undergraduate schoolboy schoolgirl".split())
OWNING = frozenset("owner proprietor".split())
KIN = {
    **dict.fromkeys("brother sister sibling twin".split(), ("sibling_of", False)),
    **dict.fromkeys("mother father parent mum mom dad".split(), ("parent_of", False)),
    **dict.fromkeys("grandmother grandfather grandma grandpa".split(), ("grandparent_of", False)),
    **dict.fromkeys("son daughter child kid".split(), ("parent_of", True)),
    **dict.fromkeys("wife husband spouse".split(), ("married_to", False)),
    **dict.fromkeys("fiancé fiancée fiance fiancee".split(), ("engaged_to", False)),
    **dict.fromkeys("friend".split(), ("friend_of", False)),
    **dict.fromkeys("twins triplets".split(), ("parent_of", True)),
    **dict.fromkeys("boyfriend girlfriend partner".split(), ("partner_of", False)),
    **dict.fromkeys("widow widower".split(), ("married_to", False)),
    **dict.fromkeys("stepmother stepfather".split(), ("parent_of", False)),
    **dict.fromkeys("stepson stepdaughter".split(), ("parent_of", True)),
    **dict.fromkeys("half-brother half-sister".split(), ("sibling_of", False)),
    **dict.fromkeys("grandson granddaughter grandchild".split(), ("grandparent_of", True)),
    **dict.fromkeys("cousin".split(), ("cousin_of", False)),
    **dict.fromkeys("aunt uncle".split(), ("aunt_or_uncle_of", False)),
    **dict.fromkeys("nephew niece".split(), ("aunt_or_uncle_of", True)),
    **dict.fromkeys("neighbour neighbor".split(), ("neighbour_of", False)),
    **dict.fromkeys("flatmate roommate housemate".split(), ("lives_with", False)),
    "supervisor": ("supervises", False),
    "mentor": ("mentors", False),
    "predecessor": ("succeeds", True),
    "successor": ("succeeds", False),
}
"""``X is Y's NOUN`` to a relation from X to Y, or from Y to X if True."""

REPORTING = frozenset(
    "say announce confirm report write tell add explain reveal state note declare know see learn "
    "find show mention remember realize realise discover declare remark reply answer exclaim "
    "cry".split()
)
"""Verbs whose complement is stated as true."""
HEDGED = frozenset(
    "want hope plan intend deny claim allege rumour rumor suggest think believe suppose wish dream "
    "pretend doubt fear expect consider try attempt refuse fail ask wonder seem appear need "
    "decide agree offer promise threaten like love hate prefer imagine guess decline hesitate long "
    "mean aim propose order command beg request tell let allow make help get have advise urge "
    "persuade warn forbid encourage invite swear vow".split()
)
"""Verbs whose complement is not stated as true."""
STATEMENTLESS = frozenset(
    "say think know want look seem tell ask hear feel mean guess hope wonder believe let try need "
    "do be happen appear stay remain call cry shout reply answer exclaim return thank sound "
    "deserve allow cause understand remember forget suppose consider expect decide agree mention "
    "add explain note matter concern involve include keep get put set hold turn stand sit lie rise "
    "grow notice nod sigh wish bet hop remind stop wait fall continue leave strike fling lead lean "
    "raise shake show reach throw bring wind bound".split()
)
"""Verbs that say too little, by themselves, about what they link."""
MEDICINES = frozenset(
    "medication medicine tablet pill antibiotic insulin vitamin supplement painkiller inhaler "
    "antidepressant antihistamine statin steroid drop ointment syrup iron".split()
)
MEDICINE_ENDINGS = (
    "cillin", "mycin", "formin", "statin", "pril", "sartan", "azole", "olol", "dipine", "profen",
    "etamol", "aline", "oxetine", "azepam", "oxin", "solone", "sone", "mab", "aspirin", "thyroxine",
)  # fmt: skip
SUBJECTS = frozenset(
    "law medicine history physics chemistry biology geography economics philosophy classics "
    "theology engineering mathematics maths math music art english french german spanish latin "
    "greek literature science sciences psychology sociology politics architecture nursing "
    "dentistry pharmacy linguistics botany zoology geology astronomy drama dance design "
    "accounting needlework woodwork singing piano violin guitar cello swimming yoga judo "
    "computing informatics statistics journalism".split()
)
"""What is taught and studied."""


EMPTY_NOUNS = frozenset(
    "thing way lot bit kind sort one time day something anything nothing everything someone anyone "
    "everyone nobody somebody people part side end place fact case point reason matter problem "
    "stuff year month week hour minute moment while piece number couple few many much other "
    "another rest all both half hand eye head face voice word name body heart mind self man woman "
    "boy girl person child life world idea chance turn top back front middle bottom share use care "
    "look breath step sight help need love fun luck trouble sense pair set group one ones morning "
    "evening afternoon night today tomorrow yesterday tonight weekend summer winter spring autumn "
    "fall date second course rate while hi hello yes no thanks goodbye what who which that this "
    "it them minute mile foot inch dozen hundred thousand million distance direction length "
    "answer question headlong blow tail neck leg arm finger mouth ear chin mane shoulder hair plan "
    "opportunity experience issue effort difference goal favorite favourite blast support advice "
    "surprise delight wonder astonishment dismay horror fear joy relief silence haste reply safety "
    "vexation terror amazement might roar gasp scream laugh smile manner trust will courage "
    "feeling memory moment detail example type size amount level".split()
)
"""Nouns that name nothing by themselves."""
INTERJECTIONS = frozenset(
    "yep yup yeah yes nope nah hey hi hello wow thanks thank congrats gosh ok okay ha haha lol omg "
    "aw aww awww absolutely totally definitely sure cool awesome great nice oh ah well so bye mom "
    "dad god lord christmas halloween thanksgiving easter".split()
)
VAGUE = frozenset(
    "own other same such many much more most few several new old good great nice little big last "
    "next first second whole certain different only very real true".split()
)
OWNED = frozenset(
    "bakery shop store clinic studio practice workshop farm firm company business restaurant café "
    "cafe hotel school office brewery gallery garage house flat cottage garden boat car startup "
    "band orchard vineyard mill gym salon".split()
)
"""What is told apart by whose it is: two of them are two."""
ORG_WORDS = frozenset(
    "inc corp ltd llc gmbh company corporation co bank university college school academy institute "
    "hospital clinic council club fc united rovers athletic society association union committee "
    "party ministry department agency bureau foundation trust media press courier times news "
    "gazette herald tribune works dairy creamery bakery brewery engineering motors airlines group "
    "holdings partners studio studios labs laboratories systems technologies software library "
    "museum theatre theater orchestra choir band ramblers team federation league court police army "
    "records ales logistics dental consulting robotics foods energy shipping insurance bros sons "
    "industries railways pharma telecom publishing books films productions ventures solutions "
    "services international ag plc kg bv nv primary secondary "
    "authority cooperative co-operative firm store shop restaurant café cafe hotel".split()
)
PLACE_WORDS = frozenset(
    "room river bridge street road avenue lane square park lake sea ocean mountain mount hill "
    "valley island city town village county state kingdom country land forest desert bay harbour "
    "harbor beach castle palace airport station cross exchange mill lido weir house hall tower "
    "gate garden gardens north south east west".split()
)
CLUB_WORDS = frozenset(
    "club society association union party choir band ramblers team group league committee council "
    "army navy board panel jury parliament senate squad crew cabinet commission orchestra ensemble "
    "quartet trio troupe guild federation".split()
)
SCHOOLS = frozenset(
    "school university academy college conservatoire conservatory polytechnic seminary institute "
    "gymnasium lyceum kindergarten preschool nursery primary uni".split()
)
UNDERTAKINGS = frozenset(
    "project operation team mission campaign initiative programme program".split()
)
"""What these open is nobody's name: ``Project Aurora``."""
MEASURES = frozenset("lot piece pair group kind sort type floor wing storey ownership".split())
GENERIC = {
    **dict.fromkeys(
        "company firm business organisation organization club team charity foundation school "
        "plant agency newspaper".split(),
        ORG,
    ),
    **dict.fromkeys("town city village municipality".split(), PLACE),
    **dict.fromkeys("building structure".split(), "building"),
}
"""Nouns that stand for a named body or place, to what it is."""
WATERS = frozenset("river lake loch lough".split())
"""First words of names of the land: ``River Tarn``."""
MALE = frozenset(
    "brother father son husband uncle king prince mr grandpa dad grandfather wizard lord sir boy "
    "man gentleman grandson nephew fiancé".split()
)
FEMALE = frozenset(
    "sister mother daughter wife aunt queen princess mrs ms miss grandma mom mum grandmother witch "
    "lady girl woman maid waitress actress granddaughter niece fiancée".split()
)
ANIMATE = (
    MALE
    | FEMALE
    | frozenset(
        "child person agent soldier farmer guard driver doctor nurse teacher student friend "
        "neighbour neighbor colleague boss dog cat horse animal beast monkey bird officer captain "
        "traveler traveller stranger guest player singer writer author leader member visitor "
        "worker defendant claimant plaintiff accused suspect victim patient client customer tenant "
        "applicant".split()
    )
)
"""Nouns for somebody: what ``he`` or ``she`` may mean."""
PERSON_TITLES = frozenset(
    "mr mrs ms miss dr prof professor sir madam lady lord aunt uncle mayor president king queen "
    "prince princess captain father sister brother grandma grandpa".split()
)
OVER_PEOPLE = frozenset({"boss", "manager", "supervisor", "leader", "captain", "coach"})
