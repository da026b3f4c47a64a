"""Read episodes by rules on a parse: no language model, no network, no key.

Precision comes before recall: a wrong fact costs more than a missing one, so whatever is asked,
wished, supposed, denied or unclear in its pronouns gives no claim.
"""

import re
from collections.abc import Iterable

import anyio.to_thread

from graphrag.extraction import Extraction
from graphrag.models import Episode
from graphrag.names import name_key
from graphrag.protocols import ExtractionContext
from graphrag.rules.draft import Draft
from graphrag.rules.name import Name
from graphrag.rules.nlp import SCRIPT, parse
from graphrag.rules.quotes import quoted
from graphrag.rules.reader import Reader
from graphrag.rules.scene import Scene
from graphrag.rules.structure import read_structure
from graphrag.rules.turns import Turn, turns

_CORRECTION = re.compile(r"^\W*(?:correction|erratum|clarification)\b", re.IGNORECASE)


class RulesExtractor:
    """Extract by rules: JSON from its structure, text and messages from a spaCy parse."""

    looks_at_graph = False
    """It reads texts alone, so that a batch may read ahead of what is stored."""

    def __repr__(self) -> str:
        """Show that there is nothing to configure."""
        return "RulesExtractor()"

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return what the episode states; parsing happens in a thread.

        Raises:
            MissingExtraError: if the text needs spaCy and it is not installed.
        """
        return await anyio.to_thread.run_sync(_extract, context)


def _extract(context: ExtractionContext) -> Extraction:
    episode = context.episode
    if episode.source == "json":
        return read_structure(episode.content, episode.valid_at)
    if episode.source == "message" and (said := turns(episode.content)):
        return _messages(said, episode, context.previous)
    return _prose(episode)


def _prose(episode: Episode) -> Extraction:
    scene = Scene()
    reader = Reader(scene, episode.valid_at, corrects=bool(_CORRECTION.match(episode.content)))
    drafts: list[Draft] = []
    for offset, doc in parse(episode.content):
        scene.quotes = quoted(doc.text)
        for sentence in doc.sents:
            drafts += reader.read(sentence, offset)
    for match in SCRIPT.finditer(episode.content):
        name = scene.names.get(name_key(match["name"]))
        if name is not None:
            name.aliases.append(match["alias"].strip())
    return _finished(scene.names.values(), drafts)


def _messages(said: list[Turn], episode: Episode, previous: tuple[Episode, ...]) -> Extraction:
    speakers = list(dict.fromkeys(turn.speaker for turn in said))
    known = list(speakers)
    for other in previous:
        if other.source == "message":
            known += [turn.speaker for turn in turns(other.content)]
    known = list(dict.fromkeys(known))
    names: list[Name] = []
    drafts: list[Draft] = []
    for turn in said:
        others = [name for name in known if name != turn.speaker]
        scene = Scene(speaker=turn.speaker, addressee=others[0] if len(others) == 1 else "")
        reader = Reader(scene, episode.valid_at, prefix=f"{turn.speaker}: ")
        for offset, doc in parse(turn.words):
            for sentence in doc.sents:
                drafts += reader.read(sentence, turn.start + offset)
        for name in scene.names.values():
            if name is scene.speaker:
                name.start, name.end = turn.line_start, turn.line_start + len(turn.speaker)
        names += scene.names.values()
    return _finished(names, drafts)


def _finished(names: Iterable[Name], drafts: list[Draft]) -> Extraction:
    names = list(names)
    used = {id(draft.subject) for draft in drafts} | {id(draft.object) for draft in drafts}
    mentions = [name.mention() for name in names if name.named or id(name) in used]
    claims = dict.fromkeys(draft.finished() for draft in drafts)
    return Extraction(tuple(dict.fromkeys(mentions)), tuple(claims))
