"""Who and what a model names, as mentions: only what stands in a text that it was shown.

Speakers are meant by their role, too; a concept needs only the quote of a fact; two people of one
name in records of JSON stay two. A model that was shown the entities of the graph may say which it
means, but a first name does not make one person of two family names.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from graphrag.extract.llm.grounds import PRONOUNS, Ground, locate, locate_name
from graphrag.extract.llm.people import Namesakes, Speakers
from graphrag.extract.llm.prompt import KNOWN
from graphrag.extract.llm.wire import (
    ReadAttribute,
    ReadEntity,
    ReadFact,
    Reading,
    number_of,
    relation_name,
)
from graphrag.model.assertion import EntityName
from graphrag.model.extraction import Mention
from graphrag.model.values import CONCEPT, JSON
from graphrag.names.key import name_key
from graphrag.names.words import NAMING
from graphrag.protocols import ExtractionContext, Known

_LONGEST_NAME = 200
_PERSON = "person"
_UNTYPED = "thing"
_NEW = "new"
_RENAMING = NAMING | {"named"}
Drop = Callable[[str, str], None]
"""Takes the reason of a rejection, as a key and as a sentence."""


class Cast:
    """The mentions of one episode by name."""

    def __init__(self, context: ExtractionContext, drop: Drop) -> None:
        episode = context.episode
        self._content = episode.content
        self._known = context.known[:KNOWN]
        self._drop = drop
        self._speakers = Speakers(context)
        self._namesakes = Namesakes(episode)
        shown = [end for fact in context.facts for end in (fact.subject, fact.object)]
        self.names = [
            name for known in (*context.known, *shown) for name in (known.name, *known.aliases)
        ]
        """Names of entities that the model was shown."""
        titles = (episode.name, episode.author or "", episode.source_description)
        before = (other.content for other in context.previous)
        self._ground = Ground((episode.content, *titles, *before, *self.names))
        self._types = {name_key(known.name): known.entity_type for known in context.known}
        self._renamed: set[str] = set()
        """Names of which a reading says that one replaced the other."""
        self._listed: set[str] = set()
        """Names of what a reading lists."""
        self._mentions: dict[str, Mention] = {}
        self._concepts: dict[str, ReadEntity] = {}
        """Concepts that no text spells like this, until a fact quotes them."""

    def mentions(self) -> tuple[Mention, ...]:
        """Return every mention once."""
        return tuple(dict.fromkeys(self._mentions.values()))

    def introduce(self, reading: Reading, content: str, start: int) -> None:
        """Learn the names of the speakers, and the entities that a reading of ``content`` lists."""
        for entity in reading.entities:
            for alias in entity.aliases:
                self._speakers.call(alias, entity.name.strip())
        for fact in reading.facts:
            if relation_name(fact.relation) in _RENAMING:
                self._renamed |= {name_key(fact.subject), name_key(fact.object)}
                self._speakers.call(fact.subject, fact.object.strip())
        self._listed |= {name_key(entity.name) for entity in reading.entities}
        people = [entity.name.strip() for entity in reading.entities if entity.type == _PERSON]
        self._speakers.complete(people)
        for fact in reading.facts:
            if place := locate(fact.quote, content):
                self._speakers.hear(fact.subject, fact.quote, fact.fact, start + place[0])

    def enter(self, entity: ReadEntity) -> None:
        """Enter an entity that a model lists, if a text names it."""
        kind = entity.type.strip().casefold()
        for bearer in (bearers := self._namesakes.several(entity.name)):
            self._mentions[f"{name_key(bearer.name)}#{bearer.start}"] = bearer
        if bearers:
            return
        if kind == CONCEPT and not self._is_named(entity.name):
            self._concepts[name_key(entity.name)] = entity
            return
        mention = self.mention(entity.name, None, kind=kind)
        if mention is None:
            return
        mention = replace(
            mention,
            aliases=tuple(dict.fromkeys((*mention.aliases, *self._aliases(entity, mention)))),
            attributes={**mention.attributes, **self.attributes(entity.attributes, mention.name)},
        )
        if entity.known.strip():
            mention = self._meant(entity.known, mention)
        parts = [alias for alias in entity.aliases if _is_part(alias, mention)]
        for name in (entity.name, mention.name, *mention.aliases, *parts):
            self._mentions[name_key(name)] = mention

    def leave(self) -> None:
        """Report the concepts that no fact has quoted."""
        for entity in self._concepts.values():
            self._drop("entity", f"the concept {entity.name[:80]!r}, which no text names")
        self._concepts.clear()

    def mention(
        self, name: str, place: int | None, *, kind: str = "", quoted: bool = False
    ) -> Mention | None:
        """Return the mention of a name; a ``quoted`` concept need not be named in the text."""
        given, name = name.strip(), self._speakers.name(name.strip(), place)
        key = name_key(name)
        if self._namesakes.several(name):
            bearer = None if place is None else self._namesakes.beside(name, place)
            if bearer is None:
                self._drop("entity", f"{name[:80]!r}, of whom there are several in the text")
            return bearer
        if known := self._mentions.get(key) or self._mentions.get(name_key(given)):
            return known
        if not self._is_named(name) and not self._speakers.role_of(name):
            concept = self._concepts.pop(key, None)
            if concept is None and not (quoted and name.islower() and key not in PRONOUNS):
                self._drop("entity", f"the entity {name[:80]!r}, which no text names")
                return None
            kind = CONCEPT
        start, end = locate_name(name, self._content) or (0, 0)
        role = self._speakers.role_of(name)
        kind = kind or self._types.get(key, _PERSON if role else "thing")
        mention = Mention(name, kind, start, end, (role.capitalize(),) if role else ())
        if role and any(name_key(known.name) == role for known in self._known):
            mention = replace(mention, names=(EntityName(name),))
        self._mentions[key] = self._namesakes.identified(mention)
        return self._mentions[key]

    def stored(self, known: Known) -> Mention:
        """Return the mention of an entity of the graph."""
        for mention in self._mentions.values():
            if mention.entity_id == known.id:
                return mention
        key = name_key(known.name)
        start, end = locate_name(known.name, self._content) or (0, 0)
        mention = self._mentions.get(key) or Mention(known.name, known.entity_type, start, end)
        mention = replace(mention, entity_type=known.entity_type, entity_id=known.id)
        self._mentions[key] = mention
        return mention

    def renamed(
        self, fact: ReadFact, subject: Mention, object_: Mention
    ) -> tuple[Mention, Mention, str]:
        """Return both names and ``renamed_to``; ``named`` for what had no other name before."""
        old, new = fact.subject.strip(), fact.object.strip()
        same = subject == object_ or None is not subject.entity_id == object_.entity_id
        if same and name_key(old) == name_key(new):
            known = (each.name for each in self._known if each.id == subject.entity_id)
            old = next(known, old)
        dated = fact.effect == "replaces" or bool(fact.since.strip())
        if name_key(old) == name_key(new) or self.is_own(subject) or not (same or dated):
            return subject, object_, "named"
        return replace(subject, name=old), replace(object_, name=new), "renamed_to"

    def means(self, mention: Mention, known: Known) -> bool:
        """Tell whether a mention may be of an entity of the graph, by number or by name."""
        if mention.entity_id is not None:
            return mention.entity_id == known.id
        names = {name_key(name) for name in (known.name, *known.aliases)}
        own = {name_key(name) for name in (mention.name, *mention.aliases)}
        return bool(own & names) or any(
            set(name.split()) <= set(listed.split()) or set(listed.split()) <= set(name.split())
            for name in own
            for listed in names
        )

    def is_own(self, mention: Mention) -> bool:
        """Tell whether it is a speaker of the text, or who wrote it."""
        return any(map(self._speakers.is_own, (mention.name, *mention.aliases)))

    def attributes(self, read: Iterable[ReadAttribute], of: str) -> dict[str, JSON]:
        """Return the attributes whose values occur in the text; report the others as dropped."""
        kept: dict[str, JSON] = {}
        for read_attribute in read:
            if read_attribute.name and self._ground.bears(read_attribute.value):
                kept[read_attribute.name] = read_attribute.value
            else:
                name, value = read_attribute.name[:40], read_attribute.value[:80]
                words = f"the attribute {name!r} of {of!r}, {value!r}"
                self._drop("attribute", f"{words}, which the text does not give")
        return kept

    def _is_named(self, name: str) -> bool:
        if not name_key(name) or len(name) > _LONGEST_NAME:
            return False
        return self._speakers.speaks(name) or self._ground.bears(name)

    def _aliases(self, entity: ReadEntity, mention: Mention) -> list[str]:
        kept = []
        for alias in map(str.strip, entity.aliases):
            if name_key(alias) == name_key(mention.name) or _is_part(alias, mention):
                continue
            if self._is_named(alias):
                kept.append(alias.capitalize() if self._speakers.is_role(alias) else alias)
            else:
                words = f"the alias {alias[:80]!r} of {mention.name!r}"
                self._drop("alias", f"{words}, which the text does not give")
        return kept

    def _mismatch(self, mention: Mention, known: Known) -> str:
        """Return why a mention cannot be the listed entity that a model takes it for."""
        types = {mention.entity_type, known.entity_type}
        if len(types) > 1 and not types & {CONCEPT, _UNTYPED}:
            return f"of type {known.entity_type}, not {mention.entity_type}"
        if types == {_PERSON} and _other_family(mention, known):
            return "of another family name"
        if same := [it.name for it in self._known if name_key(it.name) == name_key(mention.name)]:
            return "" if known.name in same else "while another listed one has that name"
        if name_key(mention.name) in self._renamed or self._speakers.is_role(known.name):
            return ""
        own = (mention.name, *mention.aliases)
        names = (known.name, *known.aliases)
        if known.entity_type != _PERSON and self._is_said(names):
            return ""  # "Burma, that is Myanmar"
        if self.means(mention, known) or any(_akin(name, alias) for name in own for alias in names):
            return ""
        return "with which it shares no word"

    def _is_said(self, names: Iterable[str]) -> bool:
        """Tell whether the text has one of these names, and a reading lists none of them."""
        listed = any(name_key(name) in self._listed for name in names)
        return not listed and any(locate_name(name, self._content) for name in names)

    def _meant(self, given: str, mention: Mention) -> Mention:
        if given.strip().casefold() == _NEW:
            same = [known.id for known in self._known if self.means(mention, known)]
            return replace(mention, distinct_from=tuple(same))
        number = number_of(given, "E")
        if not number or number > len(self._known):
            self._drop("meant", f"that {mention.name!r} is {given!r}, which was not shown")
            return mention
        known = self._known[number - 1]
        if problem := self._mismatch(mention, known):
            self._drop("meant", f"that {mention.name!r} is {known.name!r}, {problem}")
            return mention
        named = (EntityName(mention.name),) if self._speakers.is_role(known.name) else ()
        return replace(
            mention, entity_type=known.entity_type, entity_id=known.id, names=mention.names or named
        )


def _is_part(alias: str, mention: Mention) -> bool:
    """Tell whether another name of a person is only a word of the full one."""
    return mention.entity_type == _PERSON and name_key(alias) in name_key(mention.name).split()


def _akin(name: str, other: str) -> bool:
    """Tell whether two names share a word, or one has the initials of the other."""
    words, others = name_key(name).split(), name_key(other).split()
    short, long = sorted((words, others), key=len)
    initials = "".join(word[0] for word in long)
    return bool({*words} & {*others}) or (len(short) == 1 < len(long) and short[0] == initials)


def _other_family(mention: Mention, known: Known) -> bool:
    own = [name_key(name).split() for name in (mention.name, *mention.aliases)]
    names = [name_key(name).split() for name in (known.name, *known.aliases)]
    if any(name in names for name in own):
        return False
    full, listed = own[0], names[0]
    return len(full) > 1 and len(listed) > 1 and full[-1] != listed[-1]
