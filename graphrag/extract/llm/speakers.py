"""Who speaks in an episode: "I", "user" and "assistant" are somebody.

A conversation names its speakers before each line. A role is the name that was once given: by the
author, by the words of the speaker ("my name is Nora"), or by the graph, which knows the role as
another name of that person.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.protocols import ExtractionContext, Known

ROLES = frozenset({"user", "assistant", "human", "ai", "bot"})
_MINE = frozenset(
    "i me my myself mine ich mich mir mein yo mí mi me je moi eu io speaker narrator".split()
)
"""What a speaker says of himself, and what models call who does."""
_LINE = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?([^\W\d_][^:\n]{0,40}?):(?=\s)", re.MULTILINE
)
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
        episode = context.episode
        self._author = (episode.author or "").strip()
        lines = list(_LINE.finditer(episode.content)) if episode.source == "message" else []
        self._starts = [line.start() for line in lines]
        self._labels = [line[1].strip() for line in lines]
        roles = {name_key(label) for label in self._labels} & ROLES
        if name_key(self._author) in ROLES:
            roles.add(name_key(self._author))
        self.roles = frozenset(roles)
        """The roles that speak here."""
        self._named = dict(_named(roles, self._author, context))

    def name(self, given: str, place: int | None = None) -> str:
        """Return the name of who is called ``user``, ``I`` or the like; others as they are.

        Args:
            given: What a model calls somebody.
            place: Where the text says what it says of them.
        """
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
        """Take in that a role has a name."""
        if self.is_role(role) and name_key(role) not in self._named:
            self._named[name_key(role)] = name

    def is_own(self, name: str) -> bool:
        """Tell whether it is a speaker of the text, or who wrote it."""
        key = name_key(name)
        own = {name_key(label) for label in (*self._labels, self._author) if label}
        own |= {name_key(one) for one in self._named.values()}
        return bool(key) and any(key == one or key.split()[0] == one for one in own)


def _named(
    roles: Iterable[str], author: str, context: ExtractionContext
) -> Iterable[tuple[str, str]]:
    for role in roles:
        name = author if role != "assistant" and name_key(author) not in ROLES else ""
        name = name or _introduced(role, (*context.previous, context.episode))
        if name or (name := _known(role, context.known)):
            yield role, name


def _introduced(role: str, episodes: Sequence[Episode]) -> str:
    """Return the name that a speaker gave in his own lines, the first one."""
    for episode in episodes:
        label = ""
        for line in episode.content.splitlines():
            if spoken := _LINE.match(line):
                label = name_key(spoken[1])
            if label == role and (found := _INTRODUCED.search(line)):
                return found[1]
    return ""


def _known(role: str, known: Iterable[Known]) -> str:
    """Return the one entity of the graph that has the role as another name."""
    names = [one.name for one in known if role in {name_key(alias) for alias in one.aliases}]
    return names[0] if len(names) == 1 else ""
