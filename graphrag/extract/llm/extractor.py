"""Extraction by a language model, one question per passage, and its cost estimate.

Only what the text supports is believed. The rest is in ``Extraction.dropped``, corrections are in
``Extraction.adjusted``. The estimate builds and counts the real questions without asking.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial

from graphrag.errors import GraphRAGError, InputError, LLMError
from graphrag.extract.llm.belief import Belief
from graphrag.extract.llm.prompt import ask_reading
from graphrag.extract.llm.wire import DetailedReading, Reading
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.llm.spending import accounted_to
from graphrag.model.checks import printable
from graphrag.model.extraction import Extraction, Price, Usage
from graphrag.model.values import Episode
from graphrag.ontology.conform import READ, UNTYPED
from graphrag.ontology.ontology import ANYTHING, Ontology
from graphrag.ontology.relations import Relations
from graphrag.protocols import LLM, Answer, ExtractionContext, Message, call
from graphrag.text.split import count_tokens, split_passages

_LOG = logging.getLogger("graphrag")
TYPES = (*READ, UNTYPED)
"""Types of entities that a model may use where no ontology declares others."""
_ANSWER_SHARE = 0.4
"""Of the room that the rules leave: an answer with quotes is about as long as its text."""
_LEAST = 200  # tokens of text below which a question is not worth asking
_CONTEXT_EPISODES = 4
_ANSWER = 1.5  # tokens of an answer for each of its text: names, quotes and sentences repeat it
_LEAST_ANSWER = 40
_DECISION = 900  # tokens of a second question and its answer, rules and example included


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens of a run; true figures differ by the tokeniser and by what texts hold."""

    episodes: int
    calls: int
    """If nothing is open in any episode."""
    calls_at_most: int
    """If something is open in every episode; repairs are not counted."""
    tokens: int
    """Of both directions, with the calls of ``calls``."""
    tokens_at_most: int
    answered: int = 0
    """Of ``tokens``, those of answers."""

    def cost(self, price: Price) -> tuple[float, float]:
        """Return the cost of ``tokens`` and of ``tokens_at_most``."""
        asked = self.tokens - self.answered
        least = price.of(Usage(0, asked, self.answered))
        return least, least + price.of(Usage(0, self.tokens_at_most - self.tokens))


async def ask_model(llm: LLM, asked: Sequence[Message], answer: type[Answer]) -> Answer:
    """Ask anybody's model: whatever fails in it is an ``LLMError``, by which texts are kept."""
    model = type(llm).__name__
    try:
        given = await call(partial(llm.complete, asked, answer=answer))
    except GraphRAGError:
        raise
    except Exception as error:  # the model is anybody's code
        failure = f"{type(error).__name__}: {printable(str(error))}"
        raise LLMError(f"{model}.complete failed with {failure}") from error
    if not isinstance(given, answer):
        wrong = type(given).__name__
        raise LLMError(f"{model}.complete returned {wrong}; return answer.model_validate(...)")
    return given


class PassageExtractor:
    """What extractors by language models share: they ask about passages, side by side."""

    def __init__(self, llm: LLM, side_by_side: int) -> None:
        if side_by_side < 1:
            raise InputError(f"side_by_side is {side_by_side}: read at least 1 episode at a time")
        self.side_by_side = side_by_side
        self._llm = llm
        self.dropped: Counter[str] = Counter()
        """How often what was read was not believed, by reason."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._llm!r})"

    def usage_of(self, episode_id: str) -> Usage | None:
        """Return what an episode has cost; None if the model does not count that."""
        counted = getattr(self._llm, "usage_of", None)
        return None if counted is None else counted(episode_id)

    async def _read(
        self, questions: Iterable[Sequence[Message]], episode: Episode, answer: type[Answer]
    ) -> list[Answer]:
        with accounted_to(episode.id):
            return await asyncio.gather(*(ask_model(self._llm, it, answer) for it in questions))

    def _believed(self, belief: Belief, episode: Episode) -> Extraction:
        self.dropped.update(belief.reasons)
        if words := [*belief.dropped, *belief.adjusted]:
            _LOG.info("not believed as read of episode %s: %s", episode.id, words)
        return belief.extraction()


class LLMExtractor(PassageExtractor):
    """Extract with a language model: entities, facts and times in one question."""

    def __init__(
        self,
        llm: LLM,
        *,
        relations: Relations | None = None,
        ontology: Ontology = ANYTHING,
        context_tokens: int = 8192,
        instructions: str = "",
        side_by_side: int = 8,
    ) -> None:
        """Take the model.

        Args:
            llm: Any model, such as ``OpenAILLM``.
            relations: Whose names the model should prefer; default: the built-in ones.
            ontology: Types that it should use, with their attributes; default: any.
            context_tokens: How much the model can hold, question and answer together.
            instructions: What to look for or leave out, in words; said after our rules.
            side_by_side: Episodes of a batch that are read at a time, within the limits of the
                model; with 1 each is shown every entity added before it.
        """
        super().__init__(llm, side_by_side)
        self._given, self._context_tokens = (relations, instructions), context_tokens
        self._use(ontology)

    def _use(self, ontology: Ontology) -> None:
        relations, instructions = self._given
        self._relations = ontology.relations(relations)
        self._types = (*ontology.entities, UNTYPED) if ontology.entities else TYPES
        self._attributes = "those given below for its type" if ontology else ""
        self._answer = DetailedReading if ontology else Reading
        self._instructions = "\n".join(filter(None, (ontology.prompt(), instructions)))

    def with_ontology(self, ontology: Ontology) -> "LLMExtractor":
        """Return an extractor that uses these types instead, with the same model and counts."""
        extractor = copy(self)
        extractor._use(ontology)
        return extractor

    async def extract(self, context: ExtractionContext) -> Extraction:
        """Return what the episode states.

        Raises:
            ExtractionError: if the model could not be asked or gave no valid answer.
        """
        episode, spans = context.episode, self.passages(context)
        asked = (self.question(context, episode.content[start:end]) for start, end in spans)
        readings = await self._read(asked, episode, self._answer)

        def believed() -> Belief:
            belief = Belief(context, tuple(self._relations))
            for span, reading in zip(spans, readings, strict=True):
                belief.take(reading, *span)
            return belief

        # In a thread: checking the facts of a long text takes seconds.
        return self._believed(await asyncio.to_thread(believed), episode)

    def estimate(self, episodes: Iterable[NewEpisode]) -> Estimate:
        """Say what adding these episodes in this order would take; nothing is asked or written.

        Raises:
            InputError: if one of them cannot be used.
        """
        count = calls = tokens = answered = second = 0
        previous: tuple[Episode, ...] = ()
        for episode in map(prepare, episodes):
            context = ExtractionContext(episode, previous)
            for start, end in self.passages(context):
                text = episode.content[start:end]
                calls += 1
                tokens += sum(count_tokens(part.content) for part in self.question(context, text))
                answered += max(_LEAST_ANSWER, round(count_tokens(text) * _ANSWER))
            second += _DECISION + count_tokens(episode.content)
            count += 1
            previous = (*previous, episode)[-_CONTEXT_EPISODES:]
        tokens += answered
        return Estimate(count, calls, calls + count, tokens, tokens + second, answered)

    def question(self, context: ExtractionContext, text: str) -> list[Message]:
        """Return what the model is asked about a text of the episode."""
        return ask_reading(
            context,
            text,
            types=self._types,
            relations=self._relations,
            attributes=self._attributes,
            instructions=self._instructions,
        )

    def passages(self, context: ExtractionContext) -> Sequence[tuple[int, int]]:
        """Return the stretches of the content that are read together: one, if it has room."""
        content = context.episode.content
        rules = sum(count_tokens(message.content) for message in self.question(context, ""))
        room = int((self._context_tokens - rules) * (1 - _ANSWER_SHARE))
        if room < _LEAST:
            raise InputError(
                f"a context of {self._context_tokens} tokens has no room for a text beside "
                f"{rules} tokens of rules and previous episodes: pass a larger context_tokens"
            )
        tokens = count_tokens(content)
        if tokens <= room:
            return [(0, len(content))]
        longest = max(1, len(content) * room // tokens)
        return split_passages(content, longest=longest, over=longest)
