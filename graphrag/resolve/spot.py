"""What an extractor is shown of the graph, after which other texts, and the names that it states.

The names in the text are looked up, not every entity. A dozen facts are shown, whatever the size of
the graph; they are chosen among the latest of each relation of these entities, and among all facts
by words and vectors.

A claim that renames something becomes a name, not a fact, since both of its ends are one entity.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.model.assertion import Date, EntityName
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import CONCEPT, Episode, Fact
from graphrag.names.key import name_key
from graphrag.names.words import FORMER, NAMING, RENAMED
from graphrag.protocols import ExtractionContext, Extractor, Known, KnownFact, Matrix
from graphrag.store.store import Store
from graphrag.text.split import speakers_of

_SEPARATORS = re.compile(r"[,;:!?()\[\]{}<>\"“”„»«|]+")
_LONGEST = 6
"""Words of the longest name that is looked for."""
_READ = 20_000
"""Characters of each text."""
_LIMIT = 30

_FACTS = 12
_ENTITIES = 12
"""Entities of the text of which facts are shown."""
_RELATIONS, _EACH = 12, 3
"""Facts that are looked at for each entity: of so many relations, so many each."""
_NEAR = 24
"""Facts that share most words and meaning with the text, whomever they are about."""
_ALIKE = 0.3
"""Of words and meaning that a fact shares at least which is over, or about others."""
_NAMED, _SPEAKS = 0.5, 1.0
"""What it counts that the text names an end of a fact, or that this end speaks; all words shared
count 1, the same meaning 1."""
_NAMES = 16
"""Relations in use that are named."""
_ABOUT = 12
"""Words that are said about each entity."""


def spot(texts: Iterable[str], index: GroupIndex, *, limit: int = _LIMIT) -> tuple[Known, ...]:
    """Return the entities named in the texts, first named first."""
    named: dict[str, None] = {}
    for text in texts:
        words = [word.strip(".…") for word in name_key(_SEPARATORS.sub(" ", text[:_READ])).split()]
        for at in range(len(words)):
            for stop in range(min(at + _LONGEST, len(words)), at, -1):
                if ids := index.names.keyed(" ".join(words[at:stop])):  # hardly any words are one
                    named |= dict.fromkeys(index.heirs.each(ids))
            if index.names.people(words[at]):
                named |= dict.fromkeys(sorted(index.people_called(words[at])))
            if len(named) >= limit:
                break
    return tuple(
        Known(id_, index.entity_name(id_), index.entity_type(id_)) for id_ in list(named)[:limit]
    )


def looks_at_graph(extractor: Extractor) -> bool:
    """Tell whether an extractor wants to know what the graph says."""
    return bool(getattr(extractor, "looks_at_graph", True))


async def context_of(
    episode: Episode,
    previous: Sequence[Episode],
    extractor: Extractor,
    index: GroupIndex,
    store: Store,
    *,
    at: int,
    vector: Matrix | None = None,
) -> ExtractionContext:
    """Return what an extractor may look at.

    ``at`` is the reference time in microseconds, ``vector`` the meaning of the episode if known.
    """
    if not looks_at_graph(extractor):
        return ExtractionContext(episode, tuple(previous))
    texts = (episode.content, *(other.content for other in reversed(previous)))
    known = spot(texts, index)
    own = (episode.content, episode.author or "", episode.name)
    named = [known.id for known in spot(own, index, limit=_ENTITIES)]
    ids = _relevant(episode, named, index, at, vector)
    stored = index.heirs.follow(await store.get(Fact, ids), index.entity_name)
    facts = [_shown(fact, index) for fact in stored.values()]
    ends = (end.id for fact in facts for end in (fact.subject, fact.object))
    near = dict.fromkeys((*named, *ends, *(entity.id for entity in known)))
    entities = tuple(_known(id_, index) for id_ in list(near)[:_LIMIT])
    relations = tuple(_in_use(named, facts, index))
    return ExtractionContext(episode, tuple(previous), entities, tuple(facts), relations)


def _relevant(
    episode: Episode, named: Sequence[str], index: GroupIndex, at: int, vector: Matrix | None
) -> list[str]:
    """Return the facts that a text may say again, end or replace, the likeliest first.

    The words and the meaning that they share with the text count, and whether it names one of their
    ends or one of them speaks. A fact that is over has to share some: it can only be corrected.
    """
    facts = index.facts
    if not len(facts):
        return []
    shared = facts.postings.scores(episode.content[:_READ])
    shared /= max(float(shared.max()), 1e-9)
    if vector is not None:
        shared += np.clip(facts.vectors.scores(vector), 0.0, 1.0)
    speakers = {known.id for known in spot(speakers_of(episode), index)}
    count = min(_NEAR, len(shared))
    nearest = np.argpartition(-shared, count - 1)[:count]
    scores = {row: float(shared[row]) for row in nearest.tolist() if shared[row] >= _ALIKE}
    for entity in named:
        share = _SPEAKS if entity in speakers else _NAMED
        for rows in index.latest_facts(entity, relations=_RELATIONS, each=_EACH).values():
            for row in rows:
                scores[row] = max(scores.get(row, 0.0), float(shared[row]) + share)

    def fits(row: int) -> bool:
        stands = not facts["pending"][row] and facts["retracted"][row] == FOREVER
        return bool(stands and (facts["invalid"][row] > at or shared[row] >= _ALIKE))

    best = sorted(filter(fits, scores), key=lambda row: (-scores[row], -row))[:_FACTS]
    return [facts.ids[row] for row in best]


def _shown(fact: Fact, index: GroupIndex) -> KnownFact:
    subject, object_ = _known(fact.subject_id, index), _known(fact.object_id, index)
    start, end = fact.valid_at, fact.invalid_at
    return KnownFact(
        fact.id, subject, fact.relation, object_, start, fact.observed, end, fact.planned
    )


def _known(id_: str, index: GroupIndex) -> Known:
    name = index.entity_name(id_)
    about = " ".join(index.summary(id_).removeprefix(name).lstrip(" :").split()[:_ABOUT])
    return Known(id_, name, index.entity_type(id_), index.names.names[id_][1:], about)


def _in_use(named: Iterable[str], facts: Iterable[KnownFact], index: GroupIndex) -> list[str]:
    """Return the relations of these entities, then those of the graph, as far as there is room."""
    near = [fact.relation for fact in facts]
    for entity in named:
        near += index.latest_facts(entity, relations=_RELATIONS, each=1)
    return list(dict.fromkeys((*near, *index.relations[:_NAMES])))[:_NAMES]


def with_named_mentions(extraction: Extraction) -> Extraction:
    """Return an extraction in which names are said of mentions, and not of two that are one."""
    naming = [claim for claim in extraction.claims if _is_naming(claim)]
    if not naming:
        return extraction
    named: dict[str, Mention] = {}
    for claim in naming:
        assert claim.object is not None, "it names another"
        key = name_key(claim.subject.name)
        owner = named.get(key, claim.subject)
        names = tuple(_names(claim, claim.object.name))
        aliases = (*owner.aliases, claim.object.name)
        owner = replace(owner, aliases=tuple(dict.fromkeys(aliases)), names=(*owner.names, *names))
        stale = [other for other, mention in named.items() if name_key(mention.name) == key]
        named |= dict.fromkeys((key, name_key(claim.object.name), *stale), owner)
    claims = tuple(claim for claim in extraction.claims if claim not in naming)
    rest = replace(extraction, claims=claims)
    rest = rest.with_mentions(lambda mention: named.get(name_key(mention.name), mention))
    return replace(rest, mentions=tuple(dict.fromkeys((*rest.mentions, *named.values()))))


def _is_naming(claim: Claim) -> bool:
    own, other = claim.subject, claim.object
    if other is None:
        return False
    same = own.entity_id is not None and own.entity_id == other.entity_id
    return (
        claim.relation in NAMING
        and (same or CONCEPT not in (own.entity_type, other.entity_type))
        and name_key(other.name) not in ("", name_key(own.name))
        and not claim.corrects
    )


def _names(claim: Claim, other: str) -> Iterable[EntityName]:
    name, relation = claim.subject.name, claim.relation.removeprefix("is_").removeprefix("was_")
    since = None if claim.valid_at is None else Date(claim.valid_at, claim.valid_precision)
    until = None if claim.invalid_at is None else Date(claim.invalid_at, claim.invalid_precision)
    if relation in RENAMED:
        yield EntityName(other, "name", since)
        yield EntityName(name, "former", None, since)
    elif relation in FORMER:
        if relation == "renamed_from" and until is None:
            since, until = None, since
        yield EntityName(name, "name", until)
        yield EntityName(other, "former", since, until)
    else:
        yield EntityName(other, "nickname", since, until)


_WORD = re.compile(r"\w{3,}")
_INSIDE = re.compile(r"(?:(?<=[\w,;)] )|(?<=\"))\w{3,}")
"""A word that does not begin a sentence."""
_FEW = 16
"""Texts of a stream that may share a name which still says something."""
_COUNTED = 10_000
"""Texts after which what was counted is halved, so that it does not grow with the stream."""


class ReadingOrder:
    """The names, speakers and sagas of the texts of a stream, which tell which depend on which."""

    def __init__(self) -> None:
        self._texts = 0
        self._named: Counter[str] = Counter()
        self._inside: set[str] = set()
        """Capitalised words that stood inside a sentence, too: the others only begin one."""
        self._of: dict[str, tuple[set[str], set[str]]] = {}

    def enter(self, episodes: Iterable[Episode], kept: Iterable[Episode]) -> None:
        """Take in some episodes, and forget those before that are not ``kept``."""
        self._of = {episode.id: self._of[episode.id] for episode in kept}
        for episode in episodes:
            voices = {name_key(voice) for voice in speakers_of(episode)}
            voices.add(f"saga {episode.saga}" if episode.saga else "")
            text = f"{episode.name} {episode.content[:_READ]}"
            names = {word for word in _WORD.findall(text) if word[0].isupper()}
            self._inside.update(word for word in _INSIDE.findall(text) if word[0].isupper())
            self._of[episode.id] = voices - {""}, names
            self._named.update(names)
            self._texts += 1
            if self._texts >= _COUNTED:
                self._texts //= 2
                self._named = Counter({it: n // 2 for it, n in self._named.items() if n > 1})
                self._inside &= self._named.keys()

    def depends_on(self, later: Episode, earlier: Episode) -> bool:
        """Tell whether a text may end or correct what an earlier one of its group states.

        They share a saga, an author, a speaker or a name; of many texts a name that a quarter of
        them have says nothing. Texts of a script without capitals depend on all before.
        """
        (voices, names), (others, their) = self._of[earlier.id], self._of[later.id]
        common = max(_FEW, self._texts // 4)
        shared = names & their & self._inside
        related = bool(voices & others) or any(self._named[name] <= common for name in shared)
        unmarked = later.content.upper() == later.content.lower()
        return earlier.group_id == later.group_id and (related or unmarked)
