"""Reading of an episode: JSON by its keys, a text by its structure and by the network."""

from dataclasses import replace

from graphrag.extract.neural.claims import Source, extraction
from graphrag.extract.neural.passage import Passage
from graphrag.extract.neural.transformer import network
from graphrag.extract.rules import speakers, truth
from graphrag.extract.rules.structure import read_structure
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.text.split import prose_of

_SEEN = 0.05
"""What a statement must reach to count among others of its family."""
_DENIED = "what is denied is not read: take it back by edit.retract if it was stored"
_OFF = "which plan is off or put off is not read: change it by edit.retract or edit.correct"


def read(episode: Episode, sure: float) -> Extraction:
    """Return what an episode states with a probability of ``sure`` and more, and whom it names."""
    if episode.source == "json":
        return read_structure(episode.content, episode.valid_at)
    turns = speakers.turns(episode.content, episode.author)
    content = episode.content
    spoken = episode.source == "message" or speakers.is_dialogue(content, turns)
    letter = speakers.Letter(content) if spoken and turns else speakers.letter_of(content)
    author = episode.author or letter.author
    if not author and not turns:
        author = speakers.speaker_of(letter.text)
    prose = prose_of(letter.text)  # marks of Markdown are blanks in it
    words, taken_back = truth.without_retractions(prose)
    lead = f"{author}: " if author else ""
    passage = Passage(lead + words, network(), min(sure, _SEEN), len(lead))
    source = Source(
        episode.valid_at,
        len(lead),
        author,
        tuple(turns) if spoken else (),
        tuple(speakers.advice_in(turns)) if spoken else (),
        corrects=not spoken and truth.is_correction(prose),
        taken_back=tuple(taken_back),
    )
    found = extraction(passage, source, sure)
    dropped: list[str] = []
    unsigned = 0
    unsaid = not author and not (spoken and turns)
    for (offset, doc), quotes in zip(passage.docs, passage.quotes, strict=True):
        at = offset - len(lead)
        advice = [(start - at, end - at) for start, end in source.silent]
        for sentence in doc.sents:
            if speakers.is_inside(sentence.start_char, sentence.end_char, [*quotes, *advice]):
                continue
            unsigned += unsaid and speakers.is_of_writer(sentence, quotes)
            if truth.is_unreal(sentence.text):
                continue
            if truth.calls_off(sentence.text):
                dropped.append(f"{sentence.text!r}: {_OFF}")
            if truth.denies(sentence):
                dropped.append(f"{sentence.text!r}: {_DENIED}")
    if speakers.advises(episode.author):
        return replace(found, claims=(), dropped=())
    return replace(found, dropped=(*speakers.unsaid(unsigned), *dropped))
