"""A question answered with its sources: worked out, or else found and written or copied."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from graphrag.ask.answer import NOT_THERE, Answer, By, CitedAnswer, Sentence, standing_of
from graphrag.ask.prompts import ANSWERING, Written, messages
from graphrag.ask.sentences import UNANSWERED, Named, Source, believed, extract
from graphrag.display.cards import episode_title, lifetime, triple
from graphrag.errors import QueryError
from graphrag.model.values import Episode, Fact
from graphrag.protocols import Figures, Message, StreamingLLM, call, traced
from graphrag.search.context import Citation, Context, assemble, numbered
from graphrag.search.near import named_entities
from graphrag.search.request import Request
from graphrag.search.results import Results
from graphrag.text.split import count_tokens
from graphrag.view import asking
from graphrag.view.context import ViewContext, steady
from graphrag.view.searches import run

_ENDED = 5  # facts that are over which the memory of a question of now has beside those that hold
_LEAST = 50  # tokens without which no fact has room
_LETTER = re.compile(r"[^\W_]")
_NOT_FOUND = "nothing was found for the question"


@dataclass(frozen=True, slots=True)
class _Memory:
    question: str
    exact: Answer
    results: Results
    memory: Context
    named: Named  # what a text names of the graph
    now: datetime

    @property
    def sources(self) -> dict[int, Source]:
        """Return what each number of the memory stands for."""
        texts = {passage.id: passage.content for passage in self.results.passages}
        texts |= {hit.item.id: hit.item.content for hit in self.results.episodes}
        facts = {hit.item.id: hit.item for hit in self.results.facts}
        return {
            citation.number: Source(
                texts.get(citation.episode_id, ""), tuple(facts[id_] for id_ in citation.fact_ids)
            )
            for citation in self.memory.citations
        }

    def written(self, written: Written, *, complete: bool = True) -> CitedAnswer:
        """Return what a model wrote, checked."""
        sources = self.sources
        checked = [
            believed(sentence, sources, self.question, self.named, now=self.now)
            for sentence in (written.sentences if written.answered else ())
        ]
        kept = [sentence for sentence in checked if not sentence.problem]
        answer = self.answer("model", kept)
        if not complete:  # no verdict before the end
            answer = replace(answer, by="model", missing="")
        missing = answer.missing
        if complete and not kept and checked:
            missing = f"{NOT_THERE}: no source supports the answer of the model"
        dropped = tuple(replace(sentence, citations=()) for sentence in checked if sentence.problem)
        return replace(answer, dropped=dropped, missing=missing, complete=complete)

    def extracted(self) -> CitedAnswer:
        """Return the sentences of the sources that answer."""
        numbers = {
            id_: citation.number
            for citation in self.memory.citations
            for id_ in ((citation.episode_id,) if citation.episode_id else citation.fact_ids)
        }
        sentences, why = extract(self.results, self.named(self.question), numbers, now=self.now)
        return self.answer("texts", sentences, why)

    def answer(self, by: By, sentences: Iterable[Sentence], why: str = UNANSWERED) -> CitedAnswer:
        """Return an answer of these sentences, its sources numbered in the order of their use."""
        kept = tuple(sentences)
        used = dict.fromkeys(number for sentence in kept for number in sentence.citations)
        new = {number: place for place, number in enumerate(used, 1)}
        known = {citation.number: citation for citation in self.memory.citations}
        return CitedAnswer(
            self.question,
            by if kept else "nothing",
            tuple(
                replace(sentence, citations=tuple(new[n] for n in sentence.citations))
                for sentence in kept
            ),
            tuple(replace(known[number], number=place) for number, place in new.items()),
            exact=self.exact,
            missing="" if kept else f"{NOT_THERE}: {why if self.results else _NOT_FOUND}",
        )


async def answer(context: ViewContext, question: str, max_tokens: int) -> CitedAnswer:
    """Answer a question from a viewpoint."""
    with traced(context.session.tracer, "answer", group=context.group, text=question) as note:
        found = await steady(context, partial(_found, context, question, max_tokens))
        answered = found if isinstance(found, CitedAnswer) else await _answered(found, context)
        note(_figures(answered))
        return answered


async def _answered(found: _Memory, context: ViewContext) -> CitedAnswer:
    llm = context.session.llm
    if llm is None or not found.results:
        return found.extracted()
    return found.written(await call(partial(llm.complete, _asked(found), answer=Written)))


async def stream(
    context: ViewContext, question: str, max_tokens: int
) -> AsyncIterator[CitedAnswer]:
    """Give the answer as far as it is written, sentence by sentence; the last is all of it.

    A task of its own writes it, so that a span around it has one beginning and one end.
    """
    ready: asyncio.Queue[CitedAnswer | None] = asyncio.Queue()

    async def write() -> None:
        try:
            with traced(
                context.session.tracer, "answer", group=context.group, text=question
            ) as note:
                async for part in _parts(context, question, max_tokens):
                    if part.complete:
                        note(_figures(part))
                    ready.put_nowait(part)
        finally:
            ready.put_nowait(None)

    writing = asyncio.create_task(write())
    try:
        while (part := await ready.get()) is not None:
            yield part
        await writing
    finally:
        writing.cancel()


async def _parts(
    context: ViewContext, question: str, max_tokens: int
) -> AsyncIterator[CitedAnswer]:
    found = await steady(context, partial(_found, context, question, max_tokens))
    if isinstance(found, CitedAnswer):
        yield found
        return
    llm = context.session.llm
    if not isinstance(llm, StreamingLLM) or not found.results:
        yield await _answered(found, context)
        return
    last, said = Written(answered=False, sentences=[]), 0
    async for last in llm.stream(_asked(found), answer=Written):
        if last.answered and len(last.sentences) > said:
            said = len(last.sentences)
            yield found.written(last, complete=False)
    yield found.written(last)


def _figures(answer: CitedAnswer) -> Figures:
    return {
        "by": answer.by,
        "sentences": len(answer.sentences),
        "dropped": len(answer.dropped),
        "sources": len(answer.citations),
    }


def _asked(found: _Memory) -> list[Message]:
    return messages(ANSWERING, found.question, found.memory.text, now=found.now)


async def _found(context: ViewContext, question: str, max_tokens: int) -> CitedAnswer | _Memory:
    """Return the exact answer, or what was found: commits never wait for what a model writes."""
    if max_tokens < _LEAST:
        raise QueryError(f"max_tokens {max_tokens}: give at least {_LEAST}, room for a fact")
    exact = await asking.parsed(context, question)
    if exact:
        return await _exact(context, question, exact)
    results = await _searched(context, question) if _LETTER.search(question) else Results(question)
    memory = assemble(
        results, max_tokens=max_tokens, format="text", count=count_tokens, direct=True
    )
    index, past = await context.index(), await context.past()
    seen = context.ever(index, past)

    def named(text: str) -> list[list[str]]:
        ids = (index.entities.ids[row] for row in named_entities(text, index, seen))
        return [[past.name(id_, index), *index.names.names[id_]] for id_ in ids]

    return _Memory(question, exact, results, memory, named, context.now())


async def _searched(context: ViewContext, question: str) -> Results:
    """Return what holds, and of a question of now some of what is over, after it."""
    request = Request.of(question, context.group, context.viewpoint)
    results = await run(request, [context])
    if context.viewpoint.valid_at is not None or context.viewpoint.history:
        return results
    every = replace(context, viewpoint=replace(context.viewpoint, history=True))
    over = await run(replace(request, scopes=("facts",)), [every])
    known = {hit.item.id for hit in results.facts}
    ended = [hit for hit in over.facts if hit.item.id not in known and not hit.item.retracted_at]
    ended = ended[:_ENDED]
    ids = {id_ for hit in ended for id_ in hit.item.episodes} - {
        passage.id for passage in results.passages
    }
    passages = (passage for passage in over.passages if passage.id in ids)
    return replace(results, facts=(*results.facts, *ended), passages=(*results.passages, *passages))


async def _exact(context: ViewContext, question: str, exact: Answer) -> CitedAnswer:
    """Return what ``ask`` worked out, with the sources of its facts."""
    facts = tuple({fact.id: fact for fact in (*exact.facts, *exact.bounds)}.values())
    ids = [id_ for fact in facts for id_ in fact.episodes]
    episodes = await context.store.get(Episode, ids)
    numbers = numbered(id_ for id_ in ids if id_ in episodes)
    return CitedAnswer(
        question,
        "facts",
        tuple(_stated(fact, numbers, context.now()) for fact in facts),
        tuple(
            Citation(
                number,
                id_,
                episode_title(episodes[id_]),
                episodes[id_].valid_at,
                tuple(fact.id for fact in facts if id_ in fact.episodes),
            )
            for id_, number in numbers.items()
        ),
        exact=exact,
    )


def _stated(fact: Fact, numbers: dict[str, int], now: datetime) -> Sentence:
    cited = tuple(numbers[id_] for id_ in fact.episodes if id_ in numbers)
    text = f"{triple(fact)}, {lifetime(fact)}"
    return Sentence(text, cited, fact.text, (fact,), standing_of((fact,), now))
