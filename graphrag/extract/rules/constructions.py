"""Table of constructions, with the relations they state: ``buy {o} from {x}`` gives two owners.

A pattern is a row of units (``units``): ``V:buy,sell`` active, ``P:`` passive, ``F:`` without a
subject, ``?:`` an order; ``{o}`` noun phrase, ``{o:p}`` name, ``{o:c}`` any noun, ``{o*}`` list,
``{n=post,office}`` one of these nouns, ``{r}`` trade or office, ``~`` optional phrases. ``s`` is
the verb's subject, else the name before it, else the person the text is about.
"""

import re
from dataclasses import dataclass
from typing import cast

from graphrag.extract.rules import lexicon
from graphrag.extract.rules.lexicon import Manner


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation between two groups of a pattern, and how it speaks of time."""

    subject: str
    relation: str
    object: str
    manner: Manner


@dataclass(frozen=True, slots=True)
class Construction:
    """A pattern and what it states."""

    pattern: re.Pattern[str]
    facts: tuple[Fact, ...]
    nouns: tuple[tuple[str, frozenset[str]], ...] = ()
    """Groups whose noun must be one of these."""
    needs: frozenset[str] = frozenset()
    """Words one of which must stand beside the verb."""
    verb: bool = True


_SLOT = re.compile(r"\{(?P<name>\w)(?P<kind>:[a-z]+)?(?P<many>\*)?(?:=(?P<nouns>[\w,-]+))?\}")
_NP = "N[%s]\\d+"
_CLASSES = {
    "CLUB": lexicon.CLUB_WORDS,
    "ILLNESS": lexicon.ILLNESSES,
    "PANEL": lexicon.PANELS,
    "PET": lexicon.PETS,
    "PRIZE": lexicon.PRIZES,
    "SCHOOL": lexicon.SCHOOLS,
    "SUBJECT": lexicon.SUBJECTS,
    "WORK": lexicon.WORKS,
}
_FILLER = r"(?:(?:(?:of|in|at|on|for|with|by|from|to|under|as|,) N[a-z]\d+ |, |and )*?)"


def _nouns(words: str) -> frozenset[str]:
    one = words.split(",")
    return frozenset().union(*(_CLASSES.get(word, (word,)) for word in one))


def _build(line: str) -> Construction:
    pattern, _, rest = line.partition(" => ")
    stated, _, needs = rest.partition(" if ")
    nouns: list[tuple[str, frozenset[str]]] = []
    pieces: list[str] = []
    for piece in pattern.split():
        verb = re.fullmatch(r"(?P<voice>[VPF?]):(?P<words>\S+)", piece)
        slot = _SLOT.fullmatch(piece)
        if verb is not None:
            words = "|".join(verb["words"].split(","))
            mark = {"V": "V", "P": "V", "F": "F", "?": r"\?"}[verb["voice"]]
            voice = r"\.p" if verb["voice"] == "P" else ""
            pieces.append(f"{mark}(?:{words}){voice} ")
        elif slot is not None:
            kinds = (slot["kind"] or ":pthci")[1:]
            kinds = "ctp" if slot["name"] in "rn" else kinds if slot["kind"] else "pthi"
            one = rf"{_NP % kinds}(?! 's N)"
            listed = rf"{one}(?: (?:, and|,|and|&|\+) {one})*" if slot["many"] else one
            pieces.append(rf"(?P<{slot['name']}>{listed}) ")
            if slot["nouns"]:
                nouns.append((slot["name"], _nouns(slot["nouns"])))
        elif piece == "~":
            pieces.append(_FILLER)
        elif piece in ("(", ")", "^"):
            pieces.append({"(": r"\( ", ")": r"\) ", "^": r"(?:^|(?<=[;:,.-] ))"}[piece])
        else:
            pieces.append(rf"(?:{piece.replace(',', '|') if len(piece) > 1 else piece}) ")
    said = map(str.split, stated.split("; "))
    facts = (Fact(one, name, other, cast(Manner, how)) for one, name, other, how in said)
    return Construction(
        re.compile(rf"(?<!\S){''.join(pieces)}"),
        tuple(facts),
        tuple(nouns),
        frozenset(needs.split(",")) if needs else frozenset(),
        pattern.startswith(("V:", "P:")),
    )


_TABLE = """V:buy,purchase,acquire,take {o} ~ from {x} => o owned_by s start; o owned_by x end
V:sell,resell {o} ~ to {x} => o owned_by x start; o owned_by s end
V:give,donate,bequeath,transfer {o} ~ to {x:p} => o owned_by x start; o owned_by s end
P:sell,give,donate,bequeath,transfer,hand ~ to {x:p} => s owned_by x start
V:pass ~ from {x} ~ to {o:p} => s owned_by x end; s owned_by o start
V:pass,revert ~ to {o:p} => s owned_by o start
V:inherit {o} ~ from {x} => o owned_by s start; o owned_by x end
V:complete,finalise,finalize,close {n=purchase,acquisition,takeover,buyout} of {o} ~ from {x} => o
    owned_by s start; o owned_by x end
V:complete,finalise,finalize,close {n=purchase,acquisition,takeover,buyout} of {o} => o owned_by s
    start
V:complete,finalise,finalize,close {n=purchase,acquisition,takeover,buyout} ~ from {x} => x sold_to
    s event
V:be,remain,stay,lie in {n=hand,ownership,possession} of {o} => s owned_by o state
V:hold,occupy,have {n=chair,post,office,professorship,presidency,seat,title} ~ at {o:p} => s
    has_role n state; s works_at o state
V:hold,occupy {n=chair,post,office,professorship,presidency,seat,title,position} => s has_role n
    state
V:serve,do,have,spend,complete {n=spell,stint,term} as {r} => s has_role r state
after {n=spell,stint,term} as {r} => s has_role r state
after {n=year,season,decade,month,spell} at,with,for {o:p} => s works_at o end
V:have {n=lesson,lessons} with {o:p} => s taught_by o state
V:become {n=partner,associate,fellow,director} at,with {o:p} => s has_role n start; s works_at o
    start
V:spend {n=year,season,decade,month} at,with,for {o:p} => s works_at o end
V:be,stay,remain {r} at,for,with,in,on,of {o:p} => s has_role r state; s works_at o state
V:make,become {r} at,for,with,of {o:p} => s has_role r start
V:leave {o:p} ~ for {x:p} => s works_at o end; s works_at x start
V:move,transfer ~ from {o:p} ~ to {x:p} => s works_at o end; s works_at x start
V:start,begin,take,accept,land,get {n=role,job,post,position} as {r} => s has_role r start
V:start,begin,accept,land {n=role,job,post,position} ~ at,with {o:p} => s works_at o start
V:give {n=notice} at,to {o:p} => s works_at o end
V:have {n=headquarters,headquarter,base} in {o:p} => s located_in o state
V:go,move,come,return,fly,travel back,home ~ to {o:p} => s lives_in o start
V:be back,home in {o:p} => s lives_in o state
V:be,live,stay in {o:p} => s lives_in o state if still,now,currently,nowadays,since
V:be,remain,stay in,at {o:p} => s located_in o state
V:sleep,lodge,board,camp at,in {o:p} => s lives_in o state
at {n=home} in {o:p} => s lives_in o state
{n=native} of {o:p} => s born_in o timeless
{n=engagement} of {x*} to {o:p} => x engaged_to o start
{n=marriage,wedding} of {x:p} to {o:p} => x married_to o start
V:start,begin,enter {n=SCHOOL} => s studies_at n start
V:start,begin at {n=SCHOOL} => s studies_at n start
V:do,take,follow,attend {n=course,training,programme,program,degree,apprenticeship} ~ at,in,with
    {o:p} => s studies_at o state
{i:i} V:be,stay,remain on,with {o:p} => i uses o state
{k:tc} V:be with {o:p} => o keeps k state
V:pick,take up,over,on {o} ~ from {x:p} => s responsible_for o start; x responsible_for o end
V:hand {o} ~ over to {x:p} => x responsible_for o start; s responsible_for o end
V:hand over {o} ~ to {x:p} => x responsible_for o start; s responsible_for o end
{j:tc=question,query,enquiry,invoice,bill,request,complaint,application,order,booking,report,reply,
    mail,letter,message,feedback,comment,issue,claim,parcel} V:go to {o:p} => o contact_for j state
?:contact,call,ring,email,mail,ask,phone,see {x:p} for,about,regarding,with {o} => x contact_for o
    state
?:write to {x:p} for,about,regarding {o} => x contact_for o state
for {o} ~ ?:write to {x:p} => x contact_for o state
{n=supplier,vendor,provider} for,of {o:ctp} =,: {x:p} => x supplies o state
V:order,source {o:ctp} ~ from {x:p} => x supplies o event
V:sing,play,row,dance,perform,march in {o:p} => s member_of o state
V:sing,play,perform with {o:pt=orchestra,choir,band,ensemble,quartet} => s member_of o state
V:enter,join,leave {n=league,division,federation,union,association} => s member_of n start
V:stand,lie,sit in,on,at,near,by {o:p} => s located_in o state
V:take over ~ from {x:p} as {r} => s has_role r start; x has_role r end
V:take over as {r} ~ from {x:p} => s has_role r start; x has_role r end
V:replace,succeed,relieve,follow {x:p} as {r} => s has_role r start; x has_role r end
{r} ~ in {n=place,stead} of {x:p} => x has_role r end
V:hand {n=running,management,control,leadership,direction} of {o:pt} ~ to {x:p} => x leads o start;
    s leads o end
V:preside over {o:pt} => s leads o state
V:be in {n=charge,command} of {o:pt} => s leads o state
V:be at {n=head,helm} of {o:pt} => s leads o state
V:keep,own,hold,have,retain {n=stake,share,majority,percent,cent} in,of {o:pt} => o owned_by s state
V:drive,fly,cook,report,bake,sail,code,freelance,consult,clean,drum,sew,nurse,translate for {o:pt}
    => s works_at o state
V:work,teach at,for,in {o:t=bank,school,hospital,clinic,library,museum,bakery,brewery,dairy,
    creamery,mill,factory,shop,hotel,office,university,college,council,post,station,laboratory,lab,
    theatre,theater,newspaper,restaurant,café,nursery,farm} => s works_at o state
V:have,get,take,keep,find,land {n=job,post,position} at,in,with {o:pt} => s works_at o start
{n=pupil,student,apprentice,disciple} of {x:p} ~ at {o:p} => s taught_by x state; s studies_at o
    state
{n=graduate,alumnus,alumna} of {o:p} => s studies_at o end
V:take,win,receive,get,earn,collect,land {o:p=PRIZE,shield,bowl} => s won o event
{n=WORK} , {o:p} => s author_of o timeless
P:convict of {o:ct} => s convicted_of o event
V:plead guilty to {o:ct} => s convicted_of o event
V:admit {o:c=theft,fraud,assault,accounting,robbery,murder,manslaughter,burglary,embezzlement,
    bribery,perjury,arson,possession,dealing,driving,smuggling,harassment,corruption,forgery,
    laundering} => s convicted_of o event
V:meet,rehearse,worship,assemble,gather at,in {o:pt} => s meets_in o state
P:store,keep,house,hold,display,park,berth,moor,exhibit,stock at,in,on {o:pt} => s located_in o
    state
V:move,relocate,shift ~ from {o:pt} ~ to {x:pt} => s located_in o end; s located_in x start
V:move,relocate,shift ~ to {n=premise,premises,site,building,office,factory,quarter,headquarters,
    workshop} in {o:p} => s located_in o start
V:move,relocate,shift ~ to {o:pt} => s located_in o start
V:run,operate,manage {k:c} , {o:p} , => s leads o state
V:run,operate {o:pt} => s operates o state
P:find guilty of {o:ct} => s convicted_of o event
V:be,become,stay,remain {n=volunteer} at,with,in,for {o:p} => s volunteers_at o state
V:be,stay,remain {n=partner,associate,fellow,consultant,intern,trainee,apprentice,employee,postdoc,
    colleague,freelancer} at,with,in {o:p} => s works_at o state
V:be,become,remain {n=associate,employee,trainee,postdoc} of {o:p} => s works_at o state
P:base at {o:p} => s works_at o state
V:be {k:c} at {o:p} => s has_role k state; s works_at o state
V:step,stand down,aside,back ~ in {n=favour,favor} of {x:p} => x succeeds s event
V:make {n=way} for {x:p} => x succeeds s event
V:get,receive {o:t} from {x:p} => o owned_by s start
P:own by {x*} => s owned_by x state
P:run,operate by {x*} => x operates s state
P:support,fund,finance by {x:p} => x supports s state
P:make,brew,bake,produce,print,publish by {x:p} => s created_by x state
V:get,buy {o:c} ~ from {x:p} => x supplies s state if usually,always,now,still,weekly,daily
P:supply,cater,deliver,provide by {x:p} => x supplies s state
V:provide,deliver,cater {o:c} ~ to,for {x:p} => s supplies x state
V:live,stay with {x:p} => s lives_with x state
V:share {n=flat,house,room,apartment,home} with {x:p} => s lives_with x state
V:move in with {x:p} => s lives_with x start
V:date,see {x:p} => s partner_of x state if still,now,currently
V:tie {n=knot} with {x:p} => s married_to x start
{n=widow,widower} of {x:p} => s married_to x end
V:move,switch,change to {o:p} ~ from {x:p} => s uses o start; s uses x end
V:switch,change {k:ct=coach,trainer,doctor,dentist,supplier,therapist,teacher,tutor,manager} ~ from
    {x:p} ~ to {o:p} => o has_role k start; x has_role k end
V:see,visit {o:p} ~ for {x:ct=treatment,checkup,therapy,physio,physiotherapy,counselling} => s
    treated_by o state
P:treat,operate,examine by {o:p} => s treated_by o state
V:appear,play,perform,sing at {o:p} => s performs_at o event
V:insure with {o:p} => s insured_with o state
P:insure with,by {o:p} => s insured_with o state
V:raise {m:a} ~ from {x*} => x funds s event
{k:tc=contact,owner,manager,coach,lead,trainer,handler,captain,skipper} V:change,pass ~ from {x:p} ~
    to {o:p} => o has_role k start; x has_role k end
V:award,grant,pledge,donate {m:a} ~ to {x:p} => s funds x event
V:drop,abandon,quit {o=SUBJECT} => s studies o end
V:take up {o=SUBJECT} => s studies o start
V:buy,purchase,acquire {o:c=house,flat,farm,boat,cottage,mill,shop,pub,barn,workshop,plot,allotment,
    car,van,piano,apartment,building,castle,bakery,brewery,vineyard,orchard,garage} => o owned_by s
    start
V:get {n=PET} => s has_pet n start
V:quit,leave,lose {n=job,post,position} at,with {o:pt} => s works_at o end
P:promote to {k:c} => s has_role k start
V:go,return ~ to {o:pt=SCHOOL} => s studies_at o state
V:take {n=care,charge} of {o:pt} => s responsible_for o start
P:keep,hold by {x:p} => x keeps s state
V:hand,give,turn in,back {o:t=key,keys,badge,pass,laptop,licence,fob,card} => s keeps o end
V:cancel,end,terminate {n=subscription,contract,membership,policy,account,plan} to,with,at {o:p} =>
    s subscribed_to o end
V:have,hold,get {n=subscription,contract,membership,policy,account,plan} to,with,at {o:p} => s
    subscribed_to o state
V:have {o:c=ILLNESS} => s has_condition o state
V:work {n=night,nights,day,days,shift,shifts} at {o:p} => s works_at o state
V:rent,lease {o:ct=house,flat,room,studio,office,shop,plot,allotment,garage,cottage,apartment,
    workshop} => s rents o state
V:give up {o:t=flat,room,allotment,plot,office,lease,studio} => s rents o end
V:coach,train,manage,captain {o:pt=team,side,squad,boys,girls,juniors,youth} => s coaches o state
V:lead,head,run,direct {n=group,team,unit,department,section,lab,laboratory,division} at,of {o:p} =>
    s works_at o state
V:chair {o:pt=CLUB,trust} => s leads o state
V:sign,recruit,poach {o:p} ~ from {x:p} => o plays_for s start; o plays_for x end
V:join {o:p} ~ from {x:p} => s plays_for o start; s plays_for x end
V:extend,renew,sign {n=contract,deal} with,at {o:p} => s signed_to o start
V:play {k:c} for {o:p} => s plays_for o state
P:elect,appoint,co-opt to {o:pt=CLUB} => s member_of o start
P:swear in as {r} => s has_role r start
V:report to {o:p} => s reports_to o state
V:join {o:pt=CLUB,company} => s member_of o start
V:leave,quit {o:pt=CLUB} => s member_of o end
V:sit,serve on {o:pt=PANEL} => s member_of o state
V:live and V:work in {o:p} => s lives_in o state
V:settle in {o:p} => s lives_in o start
V:leave {o:p} ~ for {x:p} => s lives_in o end; s lives_in x start
P:base in {o:p} => s lives_in o state
V:rent,lease {o:pt} from {x:p} => s rents o start; x owns o state
V:be on {o:ct=leave,sabbatical,secondment,parole,bail,holiday} => s has_status o state
V:work,live as {r} => s has_role r state
V:collect,handle,organise,organize,cover {o:t} => s responsible_for o state
V:care for {o:p} => s cares_for o state
^ with {o:p} => s works_at o state
^ {r} at,of,for,with {o:p} => s has_role r state; s works_at o state"""
_LINES = re.sub(r"\n +", " ", re.sub(r"(?<=,)\n +", "", _TABLE))
TABLE = tuple(_build(line) for line in _LINES.splitlines())
"""The first that fits a verb counts; of the patterns without one each."""
