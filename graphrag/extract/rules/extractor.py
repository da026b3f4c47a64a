"""Rule-based extraction on a parse, without a model, network or key.

Precision before recall: questions, wishes, suppositions, denials and unclear pronouns give no
claim. The genre (letter, conversation, prose) decides who "I" is.
"""

from collections.abc import Sequence
from dataclasses import replace

import anyio.to_thread

from graphrag.extract.rules import denials, speakers, truth
from graphrag.extract.rules.letter import letter_of, speaker_of
from graphrag.extract.rules.name import CandidateClaim, Name, finished
from graphrag.extract.rules.reader import FIRST_PERSON, Reader
from graphrag.extract.rules.renames import without_names
from graphrag.extract.rules.scene import Discourse
from graphrag.extract.rules.speakers import quoted
from graphrag.extract.rules.structure import read_structure
from graphrag.local.parser import SCRIPT, parse, parse_ahead
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.names.key import name_key
from graphrag.ontology.types import UNTYPED
from graphrag.protocols import ExtractionContext
from graphrag.text.markdown import prose_of


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

    async def prepare_texts(self, texts: Sequence[str]) -> None:
        """Parse texts together that will be read soon."""
        await anyio.to_thread.run_sync(parse_ahead, texts)


def _extract(context: ExtractionContext) -> Extraction:
    episode = context.episode
    if episode.source == "json":
        return read_structure(episode.content, episode.valid_at)
    said = speakers.turns(episode.content, episode.author)
    if said and (episode.source == "message" or speakers.is_dialogue(episode.content, said)):
        return _messages(said, episode, context.previous)
    read = _prose(episode)
    return replace(read, claims=()) if speakers.advises(episode.author) else read


def _prose(episode: Episode) -> Extraction:
    letter = letter_of(episode.content)
    author = episode.author or letter.author or speaker_of(letter.text)
    scene = Discourse(speaker=author, addressee=letter.addressee, text=episode)
    prose = prose_of(letter.text)
    named = without_names(prose.text, 0, scene, episode.valid_at)
    reader_text, taken_back, denied = denials.without_denials(named)
    reader = Reader(scene, episode.valid_at, corrects=denials.is_correction(prose.text))
    reader.taken_back, reader.denied = taken_back, denied
    titles, unsigned = list[Name](), 0
    scene.implied = scene.speaker
    for offset, doc in parse(reader_text, borders=prose.borders, items=prose.items):
        scene.quotes, before = quoted(doc.text), set(scene.names)
        for sentence in doc.sents:
            own = author and FIRST_PERSON.search(sentence.text)
            reader.prefix = f"{author}: " if own else ""
            unsigned += not author and speakers.is_of_writer(sentence, scene.quotes)
            reader.read(sentence, offset)
        if offset in prose.headings:
            titles += [name for key, name in scene.names.items() if key not in before]
    reader.deny(named, 0)
    for match in SCRIPT.finditer(episode.content):
        if (name := scene.names.get(name_key(match["name"]))) is not None:
            name.aliases.append(match["alias"].strip())
    used = {id(end) for draft in reader.drafts for end in (draft.subject, draft.object)}
    # Who only writes is not spoken of; "Paper" above a paragraph is no thing called Paper.
    silent = {id(name) for name in titles if name.entity_type == UNTYPED} - used
    silent |= {id(scene.speaker), id(scene.addressee)} - used
    names = (name for name in scene.names.values() if id(name) not in silent)
    read = finished(names, reader.drafts)
    return replace(read, dropped=(*speakers.unsaid(unsigned), *reader.dropped))


def _messages(
    said: list[speakers.Turn], episode: Episode, previous: tuple[Episode, ...]
) -> Extraction:
    known = list(dict.fromkeys(turn.speaker for turn in said))
    for other in previous:
        if other.source == "message":
            known += [turn.speaker for turn in speakers.turns(other.content, other.author)]
    known = list(dict.fromkeys(known))
    names, drafts = list[Name](), list[CandidateClaim]()
    dropped, asked = list[str](), ""
    for turn in said:
        others = [name for name in known if name not in ("", turn.speaker)]
        scene = Discourse(speaker=turn.speaker, addressee=others[0] if len(others) == 1 else "")
        prefix = f"{turn.speaker}: " if turn.speaker else ""
        reader = Reader(scene, episode.valid_at, prefix=prefix)
        scene.implied = scene.about(asked) if asked not in ("", turn.speaker) else scene.speaker
        scene.asked = scene.implied if asked not in ("", turn.speaker) else None
        asked = ""
        prose = prose_of(turn.words)
        named = without_names(prose.text, turn.start, scene, episode.valid_at)
        words, taken_back, denied = denials.without_denials(named)
        reader.taken_back = [turn.start + end for end in taken_back]
        reader.denied = [turn.start + at for at in denied]
        for offset, doc in parse(words, borders=prose.borders, items=prose.items):
            scene.quotes = quoted(doc.text)
            for sentence in doc.sents:
                reader.read(sentence, turn.start + offset)
                scene.implied = scene.speaker
                asked = truth.asked_about(sentence) or asked
        reader.deny(named, turn.start)
        # What an assistant says is kept as text and for its names.
        if not speakers.advises(turn.speaker):
            drafts += reader.drafts
            dropped += reader.dropped
        for name in scene.names.values():
            if name is scene.speaker:
                name.start, name.end = turn.line_start, turn.line_start + len(turn.speaker)
        names += scene.names.values()
    return replace(finished(names, drafts), dropped=tuple(dropped))
