"""Who and what a model names, as mentions: only what stands in a text that it was shown.

Speakers are meant by their role, too; a concept needs only the quote of a fact; two people of one
name in records of JSON stay two. A model that was shown the entities of the graph may say which it
means, but a first name does not make one person of two family names.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from graphrag.extract.llm.grounds import PRONOUNS, Ground, locate_name
from graphrag.extract.llm.people import Namesakes, Speakers
from graphrag.extract.llm.prompt import KNOWN
from graphrag.extract.llm.wire import ReadAttribute, ReadEntity, ReadFact, number_of
from graphrag.model.extraction import Mention
from graphrag.model.values import CONCEPT, JSON
from graphrag.names.key import name_key
from graphrag.protocols import ExtractionContext, Known

_LONGEST_NAME = 200
_PERSON = "person"
_NEW = "new"
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
        self._mentions: dict[str, Mention] = {}
        self._concepts: dict[str, ReadEntity] = {}
        """Concepts that no text spells like this, until a fact quotes them."""

    def mentions(self) -> tuple[Mention, ...]:
        """Return every mention once."""
        return tuple(dict.fromkeys(self._mentions.values()))

    def enter(self, entity: ReadEntity) -> None:
        """Enter an entity that a model lists, if a text names it."""
        kind = entity.type.strip().casefold()
        for alias in entity.aliases:
            self._speakers.call(alias, entity.name.strip())
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
        aliases = (role.capitalize(),) if role else ()
        self._mentions[key] = self._namesakes.identified(Mention(name, kind, start, end, aliases))
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
        one = subject == object_ or None is not subject.entity_id == object_.entity_id
        if one and name_key(old) == name_key(new):
            known = (each.name for each in self._known if each.id == subject.entity_id)
            old = next(known, old)
        dated = fact.effect == "replaces" or bool(fact.since.strip())
        if name_key(old) == name_key(new) or self.is_own(subject) or not (one or dated):
            return subject, object_, "named"
        return replace(subject, name=old), replace(object_, name=new), "renamed_to"

    def means(self, mention: Mention, known: Known) -> bool:
        """Tell whether a mention may be of an entity of the graph, by number or by name."""
        if mention.entity_id is not None:
            return mention.entity_id == known.id
        names = {name_key(name) for name in (known.name, *known.aliases)}
        own = {name_key(name) for name in (mention.name, *mention.aliases)}
        return bool(own & names) or any(
            set(one.split()) <= set(other.split()) or set(other.split()) <= set(one.split())
            for one in own
            for other in names
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

    def _meant(self, given: str, mention: Mention) -> Mention:
        if given.strip().casefold() == _NEW:
            same = [known.id for known in self._known if self.means(mention, known)]
            return replace(mention, distinct_from=tuple(same))
        number = number_of(given, "E")
        if not number or number > len(self._known):
            self._drop("meant", f"that {mention.name!r} is {given!r}, which was not shown")
            return mention
        known = self._known[number - 1]
        if known.entity_type == mention.entity_type == _PERSON and _other_family(mention, known):
            self._drop("meant", f"that {mention.name!r} is {known.name!r}, of another family name")
            return mention
        return replace(mention, entity_type=known.entity_type, entity_id=known.id)


def _is_part(alias: str, mention: Mention) -> bool:
    """Tell whether another name of a person is only a word of the full one."""
    return mention.entity_type == _PERSON and name_key(alias) in name_key(mention.name).split()


def _other_family(mention: Mention, known: Known) -> bool:
    own = [name_key(name).split() for name in (mention.name, *mention.aliases)]
    names = [name_key(name).split() for name in (known.name, *known.aliases)]
    if any(one == other for one in own for other in names):
        return False
    full, other = own[0], names[0]
    return len(full) > 1 and len(other) > 1 and full[-1] != other[-1]
