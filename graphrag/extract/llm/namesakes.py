"""Two people of one name in the records of a JSON text, kept apart by their identifiers.

A model names them alike. The records themselves say who is who: their names and identifiers are
read as they are without a model, and a quote means the one in whose record it stands.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from graphrag.model.extraction import Mention
from graphrag.model.values import JSON, Episode
from graphrag.names.identifiers import identifiers, unique
from graphrag.names.key import name_key

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]')


class Namesakes:
    """The names in the records of an episode that an identifier stands beside."""

    def __init__(self, episode: Episode) -> None:
        self._bearers: defaultdict[str, list[Mention]] = defaultdict(list)
        self._records: list[tuple[int, int]] = []
        if episode.source != "json":
            return
        # Imported here: most texts are no JSON.
        from graphrag.extract.rules.register import parsed

        self._records = list(_records(episode.content))
        try:
            self._walk(parsed(episode.content))
        except (ValueError, RecursionError):
            return

    def _walk(self, value: JSON) -> None:
        for item in value if isinstance(value, list) else ():
            self._walk(item)
        if not isinstance(value, dict):
            return
        from graphrag.extract.rules.entry import name_of, plain, type_of, unwrapped

        fields = unwrapped(value)
        key, name = name_of(fields, "", "")
        if name is not None:
            kind = type_of(fields, key, "")
            mention = Mention(str(name), kind, name.start, name.end)
            if kept := _identifying(dict(plain(fields)), kind):
                bearers = self._bearers[name_key(name)]
                if kept not in [bearer.attributes for bearer in bearers]:
                    bearers.append(replace(mention, attributes=kept))
        for item in value.values():
            self._walk(item)

    def several(self, name: str) -> bool:
        """Tell whether the text has several of this name."""
        return len(self._bearers.get(name_key(name), ())) > 1

    def identified(self, mention: Mention) -> Mention:
        """Return a mention with the identifiers of the only one who bears its name."""
        bearers = self._bearers.get(name_key(mention.name), ())
        if len(bearers) != 1:
            return mention
        return replace(mention, attributes={**bearers[0].attributes, **mention.attributes})

    def all(self, name: str) -> list[Mention]:
        """Return each of this name, as a mention of its own."""
        return self._bearers.get(name_key(name), [])

    def beside(self, name: str, place: int) -> Mention | None:
        """Return the one of this name in whose record a place lies, None if that is not clear."""
        best = [
            (end - start, mention)
            for mention in self.all(name)
            for start, end in self._records
            if start <= mention.start < end and start <= place < end
        ]
        if not best:
            return None
        smallest = min(size for size, _ in best)
        found = {id(mention): mention for size, mention in best if size == smallest}
        return next(iter(found.values())) if len(found) == 1 else None


def _identifying(attributes: dict[str, JSON], kind: str) -> dict[str, JSON]:
    found = set(unique(identifiers(attributes), kind, {}))
    return {
        name: value for name, value in attributes.items() if found & set(identifiers({name: value}))
    }


def _records(content: str) -> Iterable[tuple[int, int]]:
    opened: list[int] = []
    for token in _TOKEN.finditer(content):
        if token.group() == "{":
            opened.append(token.start())
        elif token.group() == "}" and opened:
            yield opened.pop(), token.end()
