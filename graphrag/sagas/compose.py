"""Saga summaries composed of the saga's own sentences, without a model.

The run is cut into one stretch per sentence. The best sentence of each has the words that the saga
repeats (SumBasic: Nenkova and Vanderwende, 2005), names its entities and states its facts; a word
that was used once counts less. The period, the people and the final state frame them. By words and
facts alone, sentences such as "I suppose so" stand for whole chapters of a novel.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from graphrag.display.cards import lifetime, triple
from graphrag.display.lists import listed, some
from graphrag.model.values import CONCEPT, PLAIN, Entity, Episode, Fact
from graphrag.text.tokens import tokenize

LONGEST = 2000  # characters of a summary
_SENTENCES = 12
_NAMED = 4
_HOLDING = 4
_BUSIEST = 60  # entities that sentences are looked through for
_SHORT, _LONG = 30, 240  # characters: shorter says too little, longer takes too much room
_STOP = (
    r"(?<=[.!?…。！？])(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\b[A-Z]\.)"
    r"[\"'”’)\]]*\s+(?=[^\W\d_a-z]|[\"'“‘(\d])"
)
_BORDERS = {
    "message": re.compile(rf"{_STOP}|\n+"),
    "text": re.compile(rf"{_STOP}|\n\s*\n|\n(?=\s*[-*#•])"),
}
"""Where a sentence ends: a message is one line, prose may be wrapped."""
_QUOTES = '"“”'
_CLOSING = ".!?…。！？\"'”’)"  # what may end a line
_SPEAKER = re.compile(r"\s*[^\W\d_][\w .'’-]{0,40}: +(?=\S)")


@dataclass(slots=True)
class _Sentence:
    place: int  # number of its episode
    start: int
    text: str
    speaker: str  # who says it, if that stands before an earlier sentence
    terms: frozenset[str]
    worth: float  # of the entities that it names and the facts that it states
    until: datetime | None  # when all that it states was over, if it came to its end since
    score: float = 0.0  # as it was when it was chosen


def composed(
    episodes: Sequence[Episode],
    entities: Sequence[Entity],
    facts: Sequence[Fact],
    holding: Sequence[Fact],
    taken: Sequence[Fact] = (),
) -> str:
    """Return a summary of episodes in their order.

    ``facts`` are those that they state, of all times; ``holding`` the ones that hold at the end;
    ``taken`` those that were never true: a sentence that says nothing else is left out.
    """
    if not episodes:
        return ""
    weight = _weights(entities, facts)
    sentences = list(_sentences(episodes, entities, facts, taken, weight))
    head, tail = _head(episodes, entities, weight), _tail(holding, entities, weight)
    room = LONGEST - len(head) - len(tail) - 2
    chosen = _chosen(sentences, len(episodes))
    while sum(len(line) + 1 for line in _lines(chosen, episodes)) > room:
        # The beginning and the end of the saga stay as long as anything does.
        inner = chosen[1:-1] or chosen
        chosen.remove(min(inner, key=lambda sentence: sentence.score / len(sentence.text)))
    return "\n".join(filter(None, (head, *_lines(chosen, episodes), tail)))


def _lines(chosen: Sequence[_Sentence], episodes: Sequence[Episode]) -> list[str]:
    lines: dict[int, str] = {}
    for sentence in chosen:
        until = f" (until {sentence.until.date()})" if sentence.until else ""
        words = " ".join(sentence.text.split())
        text = f"{words}{'' if words[-1:] in _CLOSING else '.'}{until}"
        if line := lines.get(sentence.place):
            speaker = "" if sentence.speaker.strip() in line else sentence.speaker
            lines[sentence.place] = f"{line} {speaker}{text}"
        else:
            day = f"{episodes[sentence.place].valid_at:%Y-%m-%d}"
            lines[sentence.place] = f"{day}: {sentence.speaker}{text}"
    return list(lines.values())


def _weights(entities: Sequence[Entity], facts: Sequence[Fact]) -> Mapping[str, float]:
    """Return how much of the saga each entity is, from 0 to 1."""
    counts = Counter(end for fact in facts for end in (fact.subject_id, fact.object_id))
    for place, entity in enumerate(entities):
        counts[entity.id] += 2 if place < _NAMED else 0  # spoken of in the most episodes
    most = max(counts.values(), default=1)
    return {id_: count / most for id_, count in counts.items()}


def _worth(fact: Fact, weight: Mapping[str, float]) -> float:
    """Return how much of the saga a fact is: what it says of the hero's umbrella is little."""
    ends = weight.get(fact.subject_id, 0), weight.get(fact.object_id, 0)
    return 2 * min(ends) + max(ends) / 4


def _head(
    episodes: Sequence[Episode], entities: Sequence[Entity], weight: Mapping[str, float]
) -> str:
    days = dict.fromkeys(f"{episode.valid_at:%Y-%m-%d}" for episode in (episodes[0], episodes[-1]))
    known = [entity for entity in entities if entity.entity_type not in PLAIN] or list(entities)
    central = sorted(known, key=lambda entity: -weight.get(entity.id, 0))[:_NAMED]
    about = f", about {listed([entity.name for entity in central])}" if central else ""
    return f"{some(len(episodes), 'episode')}, {' to '.join(days)}{about}."


def _tail(holding: Sequence[Fact], entities: Sequence[Entity], weight: Mapping[str, float]) -> str:
    concepts = {entity.id for entity in entities if entity.entity_type == CONCEPT}
    best = sorted(
        holding,
        key=lambda fact: (
            not concepts.isdisjoint((fact.subject_id, fact.object_id)),
            -_worth(fact, weight),
        ),
    )[:_HOLDING]
    order = sorted(best, key=lambda fact: (fact.valid_at is not None, fact.valid_at, fact.id))
    lines = [f"{triple(fact)} ({lifetime(fact)})" for fact in order]
    while lines and sum(map(len, lines)) > LONGEST // 3:
        lines.pop()
    return f"At the end: {'; '.join(lines)}." if lines else ""


def _sentences(
    episodes: Sequence[Episode],
    entities: Sequence[Entity],
    facts: Sequence[Fact],
    taken: Sequence[Fact],
    weight: Mapping[str, float],
) -> Iterator[_Sentence]:
    """Yield the sentences that say more than what was taken back."""
    stated: defaultdict[str, list[tuple[int, Fact, bool]]] = defaultdict(list)
    for true, told in ((True, facts), (False, taken)):
        for fact in told:
            for span in fact.sources:
                stated[span.episode_id].append((span.start, fact, true))
    busiest = sorted(entities, key=lambda entity: -weight.get(entity.id, 0))[:_BUSIEST]
    worth_of = {
        name: weight.get(entity.id, 0)
        for entity in busiest
        for name in (entity.name, *entity.aliases)
        if len(name) > 1
    }
    longest = sorted(worth_of, key=len, reverse=True)
    names = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest)) or '(?!)'})(?!\w)")
    for place, episode in enumerate(episodes):
        own = stated[episode.id]
        if episode.source == "json":  # a record does not read as sentences: its facts do
            texts = [(start, triple(fact), "") for start, fact, true in own if true]
        else:
            texts = list(_split(episode))
        for start, text, speaker in texts:
            inside = [entry for entry in own if start <= entry[0] < start + len(text)]
            says = [fact for _, fact, true in inside if true]
            if inside and not says:
                continue
            over = [
                fact.invalid_at
                for fact in says
                if fact.invalid_at and fact.expired_at and fact.closed_as in ("ended", "superseded")
            ]
            until = max(over) if over and len(over) == len(says) else None
            worth = sum(worth_of[name] for name in {*names.findall(text)}) / 2
            worth += sum(_worth(fact, weight) for fact in says)
            yield _Sentence(place, start, text, speaker, frozenset(tokenize(text)), worth, until)


def _split(episode: Episode) -> Iterator[tuple[int, str, str]]:
    """Yield where each sentence of an episode begins, its text, and who says it."""
    start, content, speaker = 0, episode.content, ""
    borders = _BORDERS["message" if episode.source == "message" else "text"]
    for border in (*borders.finditer(content), None):
        end = len(content) if border is None else border.start()
        # What closes a quotation stands before the space, inside the border.
        closing = "" if border is None else border.group().rstrip()
        text = content[start:end] + closing
        if text.strip():
            named = _SPEAKER.match(text) if episode.source == "message" else None
            speaker = named.group() if named else speaker
            yield start, text.strip(), "" if named else speaker
        start = len(content) if border is None else border.end()


def _chosen(sentences: Sequence[_Sentence], episodes: int) -> list[_Sentence]:
    """Return the most telling sentence of each stretch, in order."""
    counts = Counter(term for sentence in sentences for term in sentence.terms)
    most = max(counts.values(), default=1)
    used: Counter[str] = Counter()

    def score(sentence: _Sentence) -> float:
        text, length = sentence.text, len(sentence.text)
        if length > 2 * _LONG or not sentence.terms:
            return 0.0
        common: float = sum(counts[term] / most / 4 ** used[term] for term in sentence.terms)
        fit = min(1.0, length / _SHORT, _LONG / length)
        if text.count('"') % 2 or text.count("“") != text.count("”"):
            fit /= 4  # a part of what somebody says
        elif text[0] in _QUOTES or text.endswith(("?", ":")):
            fit /= 2
        return fit * (common / len(sentence.terms) + sentence.worth / 4)

    each = max(1, min(2, _SENTENCES // episodes))
    chosen = []
    for first, last in _stretches(episodes):
        inside = [sentence for sentence in sentences if first <= sentence.place < last]
        for _ in range(each):
            best = max(inside, key=score, default=None)
            if best is None or (worth := score(best)) <= 0:
                break
            best.score = worth
            inside.remove(best)
            used.update(best.terms)
            chosen.append(best)
    return sorted(chosen, key=lambda sentence: (sentence.place, sentence.start))


def _stretches(episodes: int) -> list[tuple[int, int]]:
    """Cut a saga into parts of about equal size; how it begins and how it ends are two of them."""
    count = min(_SENTENCES, episodes)
    if count < 3:
        return [(number, number + 1) for number in range(count)]
    inner, parts = episodes - 2, count - 2
    cuts = [1 + inner * part // parts for part in range(parts + 1)]
    return [(0, 1), *pairwise(cuts), (episodes - 1, episodes)]
