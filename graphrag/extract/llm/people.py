"""People of an episode: who "I", "user" and "assistant" are, and who of two bears a shared name.

A conversation names its speakers before each line. A role is the name that was once given: by the
author, by the words of the speaker ("my name is Nora"), or by the graph, which knows the role as
another name of that person. People of one name in the records of a JSON text, whom a model names
alike, are kept apart by their identifiers: a quote means the one in whose record it stands.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphrag.model.extraction import Mention
from graphrag.model.values import JSON, Episode
from graphrag.names.identifiers import identifiers, unique
from graphrag.names.key import name_key
from graphrag.protocols import ExtractionContext, Known
from graphrag.text.split import SPEAKER, json_objects, speaker_lines

ROLES = frozenset({"user", "assistant", "human", "ai", "bot"})
_MINE = frozenset(
    "i me my myself mine ich mich mir mein yo mí mi me je moi eu io speaker narrator".split()
)
"""What a speaker says of himself, and what models call who does."""
_I = re.compile(
    r"\W*(?:and |but |yes,? |und |ja,? |et )?(?:i|ich|je|j|yo|io|eu)\b\W*", re.IGNORECASE
)
_OWN_VERBS = {"m": "is", "am": "is", "have": "has", "ve": "has", "do": "does", "bin": "ist",
              "habe": "hat", "suis": "est", "ai": "a", "soy": "es", "sono": "è"}  # fmt: skip
"""Verbs of "I" and of a name that do not begin alike."""
_ALIKE = 3  # letters that other verbs share: "I moved" and "Dana moved", "ich wohne" and "wohnt"
_NAME = r"(?-i:([A-ZÀ-ÖØ-ÞŁŚŽ][\w'’-]+(?: [A-ZÀ-ÖØ-ÞŁŚŽ][\w'’-]+){0,2}))"
_INTRODUCED = re.compile(
    r"\b(?:my name(?: is|['’]s)|call me|i am called|(?:hi|hello|hey)[,!.]? i['’ ]a?m|"
    r"ich hei(?:ß|ss)e|mein name ist|me llamo|mi nombre es|je m['’]appelle|mi chiamo|"
    r"meu nome é|me chamo)\s+" + _NAME,
    re.IGNORECASE,
)


class Speakers:
    """The speakers of one episode, and what their roles are called."""

    def __init__(self, context: ExtractionContext) -> None:
        self._episode = episode = context.episode
        self._author = (episode.author or "").strip()
        lines = list(speaker_lines(episode.content)) if episode.source == "message" else []
        self._starts = [line.start() for line in lines]
        self._labels = [line[1].strip() for line in lines]
        self.roles = ROLES.intersection(map(name_key, (*self._labels, self._author)))
        """The roles that speak here."""
        self._named = dict(_named(self.roles, self._author, context))

    def name(self, given: str, place: int | None = None) -> str:
        """Return the name behind ``user``, ``I`` or the like at ``place``; others as they are."""
        key = name_key(given)
        if key in _MINE:
            given = self.at(place) or given
            key = name_key(given)
        return self._named.get(key, given.capitalize()) if key in self.roles else given

    def at(self, place: int | None) -> str:
        """Return who speaks at a place of the content, empty if nobody is known to."""
        if self._starts and place is not None:
            line = bisect_right(self._starts, place) - 1
            return self._labels[line] if line >= 0 else ""
        return self._author

    def speaks(self, name: str) -> bool:
        """Tell whether a line of the text is his by name, or all of it."""
        key = name_key(name)
        return any(key == name_key(label) for label in (*self._labels, self._author) if label)

    def is_role(self, name: str) -> bool:
        """Tell whether a name is only a role that speaks here."""
        return name_key(name) in self.roles

    def role_of(self, name: str) -> str:
        """Return the role that this name was given to, empty if none."""
        key = name_key(name)
        return next((role for role, own in self._named.items() if name_key(own) == key), "")

    def call(self, role: str, name: str) -> None:
        """Take in that a role has a name, or a fuller one."""
        key = name_key(role)
        known = name_key(self._named.get(key, ""))
        if self.is_role(role) and (not known or _goes_on(name_key(name), known)):
            self._named[key] = name

    def complete(self, names: Sequence[str]) -> None:
        """Take in the people of a reading: "Dana, Dana Whitfield" is one who introduces herself."""
        for role, own in list(self._named.items()):
            fuller = [name for name in names if _goes_on(name_key(name), name_key(own))]
            if len(fuller) == 1 and _introduced(role, (self._episode,)) == own:
                self._named[role] = fuller[0]

    def hear(self, subject: str, quote: str, sentence: str, place: int) -> None:
        """Take in whom a model means by "I": "I live in Hull" is "Dana lives in Hull"."""
        role, name = self.at(place), name_key(subject)
        if not self.is_role(role) or not name or name in _MINE or self.is_role(subject):
            return
        if not (begins := _I.match(quote)) or not name_key(sentence).startswith(f"{name} "):
            return
        said = quote[begins.end() :].casefold().split()
        stated = name_key(sentence).removeprefix(name).split()
        if said and stated and _one_verb(said[0], stated[0]):
            self.call(role, subject)

    def is_own(self, name: str) -> bool:
        """Tell whether it is a speaker of the text, or who wrote it."""
        key = name_key(name)
        own = {name_key(label) for label in (*self._labels, self._author) if label}
        own |= set(map(name_key, self._named.values()))
        return bool(key) and not own.isdisjoint((key, key.split()[0]))


def _goes_on(name: str, known: str) -> bool:
    """Tell whether a name is a known one with more words."""
    return name.startswith(f"{known} ") or name.endswith(f" {known}")


def _one_verb(own: str, other: str) -> bool:
    """Tell whether one verb stands after "I" and after a name."""
    letters = min(_ALIKE, len(own), len(other))
    return _OWN_VERBS.get(own) == other or (letters > 1 and own[:letters] == other[:letters])


def _named(
    roles: Iterable[str], author: str, context: ExtractionContext
) -> Iterable[tuple[str, str]]:
    for role in roles:
        name = author if role != "assistant" and name_key(author) not in ROLES else ""
        name = name or _introduced(role, (*context.previous, context.episode))
        if name or (name := _known(role, context.known)):
            yield role, name


def _introduced(role: str, episodes: Sequence[Episode]) -> str:
    for episode in episodes:
        label = ""
        for line in episode.content.splitlines():
            if spoken := SPEAKER.match(line):
                label = name_key(spoken[1])
            if label == role and (found := _INTRODUCED.search(line)):
                return found[1]
    return ""


def _known(role: str, known: Iterable[Known]) -> str:
    """Return the one entity of the graph that has the role as another name."""
    names = [
        entity.name for entity in known if role in {name_key(alias) for alias in entity.aliases}
    ]
    return names[0] if len(names) == 1 else ""


class Namesakes:
    """The names in the records of an episode that have an identifier."""

    def __init__(self, episode: Episode) -> None:
        self._bearers: defaultdict[str, list[Mention]] = defaultdict(list)
        self._records: list[tuple[int, int]] = []
        if episode.source != "json":
            return
        from graphrag.extract.rules.register import parsed  # most texts are no JSON

        self._records = list(json_objects(episode.content))
        try:
            self._walk(parsed(episode.content))
        except (ValueError, RecursionError):
            return

    def _walk(self, value: JSON) -> None:
        from graphrag.extract.rules.entry import name_of, plain, type_of

        if isinstance(value, dict):
            key, name = name_of(value, "")
            kind = type_of(value, key, "")
            known = {
                field: item
                for field, item in plain(value)
                if any(unique(identifiers({field: item}), kind, {}))
            }
            if known and name is not None:
                bearers = self._bearers[name_key(name)]
                if known not in [bearer.attributes for bearer in bearers]:
                    place = name.start, name.end
                    bearers.append(Mention(str(name), kind, *place, attributes=known))
            value = list(value.values())
        for item in value if isinstance(value, list) else ():
            self._walk(item)

    def several(self, name: str) -> list[Mention]:
        """Return each bearer of a name, as a mention of its own; none if there is only one."""
        bearers = self._bearers.get(name_key(name), [])
        return bearers if len(bearers) > 1 else []

    def identified(self, mention: Mention) -> Mention:
        """Return a mention with the identifiers of the only one who bears its name."""
        bearers = self._bearers.get(name_key(mention.name), ())
        if len(bearers) != 1:
            return mention
        return replace(mention, attributes={**bearers[0].attributes, **mention.attributes})

    def beside(self, name: str, place: int) -> Mention | None:
        """Return the one of this name in whose record a place lies, None if that is not clear."""
        holding = [
            (end - start, bearer)
            for bearer in self.several(name)
            for start, end in self._records
            if start <= bearer.start < end and start <= place < end
        ]
        smallest = min((size for size, _ in holding), default=0)
        nearest = {bearer.start: bearer for size, bearer in holding if size == smallest}
        return next(iter(nearest.values())) if len(nearest) == 1 else None
