"""Stories with answers as a strong model gives them, told to a graph through the real client.

A story is a few episodes of one kind with the answer to each, and the facts that are right at the
end. An answer that means something it was shown names it as ``F:subject|relation|object`` or
``E:name``: the number is looked up in the question, as a model does.
"""

import json
import re
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from graphrag import GraphRAG, Models, NewEpisode, OpenAILLM, Relations
from graphrag.testing import HashEmbedder
from graphrag.text.split import count_tokens
from tests.llm.server import Reply

FOLDER = Path(__file__).with_name("recorded")
KINDS = (
    "announcements", "assistant_chat", "biography", "career", "chat", "corrections", "crm_notes",
    "diary", "documents", "family", "group_chat", "household", "languages", "mail", "minutes",
    "news", "projects", "records",
)  # fmt: skip
_NOTHING = Reply('{"names": [], "exclusive_pairs": []}')
_MEANT = re.compile(r"^(?:(replaces|corrects) )?([EF]):(.+)$")


def stories(kind=None):
    """Return the stories of a kind, or all."""
    kinds = KINDS if kind is None else (kind,)
    lines = (FOLDER / f"{one}.jsonl" for one in kinds)
    return [
        json.loads(line) for path in lines for line in path.read_text("utf-8").splitlines() if line
    ]


@dataclass
class Told:
    """What became of a story."""

    story: dict
    right: int = 0
    wrong: list = field(default_factory=list)
    """Expected facts that are not there as they should be, in words."""
    read: int = 0
    """Facts in the answers, those of the wrong shape as well."""
    kept: int = 0
    """Statements of them that are stored."""
    named: int = 0
    """Those that are reported as dropped."""
    calls: list = field(default_factory=list)
    """By episode, without repairs."""
    asked: list = field(default_factory=list)
    """Tokens of the questions of an episode with their schemas, as our own counter has them."""
    answered: list = field(default_factory=list)
    """Tokens of the answers to them."""
    batched: int = 0
    """Expected facts that are right if the episodes are added as a batch."""


class Recorded:
    """Answers the questions about the episodes of one story."""

    def __init__(self, story):
        self.replies = {one["content"]: self._replies(one["answer"]) for one in story["episodes"]}
        self.decisions = {
            one["content"]: json.dumps(one["decision"])
            for one in story["episodes"]
            if "decision" in one
        }
        self.unknown = []
        """What an answer means that its question did not show."""
        self.asked = self.answered = 0

    def __call__(self, request):
        asked = next(
            one["content"]
            for one in request["messages"]
            if one["content"].startswith("Date: ")
            and any(text in one["content"] for text in self.replies)
        )
        text = next(text for text in self.replies if f"\n{text}\n" in asked)
        schema = json.dumps(request["response_format"], separators=(",", ":"))
        self.asked += count_tokens(schema)
        self.asked += sum(count_tokens(message["content"]) for message in request["messages"])
        if "<<open points" in asked:
            reply = Reply(self.decisions[text]) if text in self.decisions else _NOTHING
        else:
            replies = self.replies[text]
            given = replies.popleft() if len(replies) > 1 else replies[0]
            reply = Reply(self._meant(given["text"], asked), finish_reason=given["finish"])
        self.answered += count_tokens(reply.text)
        return reply

    def _replies(self, answer):
        given = answer if isinstance(answer, list) else [{"text": answer}]
        return deque(
            {
                "text": one["text"]
                if isinstance(one["text"], str)
                else json.dumps(one["text"], ensure_ascii=False),
                "finish": one.get("finish", "stop"),
            }
            for one in given
        )

    def _meant(self, text, asked):
        try:
            answer = json.loads(text)
        except json.JSONDecodeError:
            return text
        for item in (*answer.get("entities", ()), *answer.get("facts", ())):
            for name in ("known", "about"):
                if name in item:
                    item[name] = self._number(item[name], asked)
        return json.dumps(answer, ensure_ascii=False)

    def _number(self, given, asked):
        if not (found := _MEANT.match(given)):
            return given
        effect, letter, parts = found[1], found[2], found[3].split("|")
        line = next(filter(None, (self._line(letter, way, asked) for way in _ways(parts))), None)
        if line is None:
            self.unknown.append(given)
        return " ".join(filter(None, (effect, line)))

    def _line(self, letter, parts, asked):
        words = " ".join(map(re.escape, parts)).replace(re.escape(_ANYBODY), "[^\n]+?")
        lines = re.findall(rf"^({letter}\d+) {words}(?: \(|, |$)", asked, re.MULTILINE)
        return lines[0] if len(set(lines)) == 1 or (lines and _ANYBODY not in parts) else None


_ANYBODY = "ANYBODY"


def _ways(parts):
    """Yield a fact as it may stand in a question: turned around, or of somebody named later."""
    yield parts
    if len(parts) == 3:
        subject, relation, object_ = _stored(*parts)
        yield [subject, relation, object_]
        if "user" in (subject, object_):
            yield [_ANYBODY if end == "user" else end for end in (subject, relation, object_)]


async def tell(story, server):
    """Tell a story to a new graph, one by one and as a batch, and compare what is in it."""
    server.answer = recorded = Recorded(story)
    told = Told(story)
    ids = []
    async with opened(server) as (graph, llm):
        for one in story["episodes"]:
            recorded.asked = recorded.answered = 0
            added = await graph.add_episode(
                one["content"],
                reference_time=one["time"],
                source=one["source"],
                author=one.get("author"),
            )
            usage = llm.usage_of(added.episode.id)
            told.calls.append(usage.calls - usage.repairs)
            told.asked.append(recorded.asked)
            told.answered.append(recorded.answered)
            dropped = [words for words in added.dropped if words.startswith("the fact ")]
            told.named += sum(" named " not in words for words in dropped)
            ids.append(added.episode.id)
        told.read = sum(len(facts_of(one["answer"])) for one in story["episodes"])
        told.kept = await _statements(graph, ids)
        told.wrong = await wrong_facts(story, graph)
    told.right = len(story["facts"]) - len(told.wrong)
    told.wrong += [f"{story['name']}: {one} was not shown" for one in recorded.unknown]
    server.answer = Recorded(story)
    async with opened(server) as (graph, llm):
        await graph.add_episodes(list(_new(story)))
        told.batched = len(story["facts"]) - len(await wrong_facts(story, graph))
    return told


@asynccontextmanager
async def opened(server):
    llm = OpenAILLM("recorded", base_url=server.url, api_key="none")
    async with GraphRAG.open("mem://", models=Models(embedder=HashEmbedder(), llm=llm)) as graph:
        yield graph, llm


def _new(story):
    for one in story["episodes"]:
        yield NewEpisode(one["content"], one["time"], one["source"], author=one.get("author"))


async def wrong_facts(story, graph):
    facts = list(await graph.at(history=True).facts())
    everyone = await graph.at(history=True).entities()
    names = {one.id: {one.name, *one.aliases} for one in everyone}
    pending = [one.fact for one in await graph.edit.pending()]
    found = ((one, _problem(one, facts, pending, names)) for one in story["facts"])
    return [f"{story['name']}: {' '.join(one[:3])}: {problem}" for one, problem in found if problem]


def facts_of(answer):
    """Return the facts that the answers to one question hold together, a repaired one once."""
    given = answer if isinstance(answer, list) else [{"text": answer}]
    found = []
    for one in given:
        text = one["text"]
        if isinstance(text, str):
            decoder, facts = json.JSONDecoder(), []
            at = text.find('"facts": [')
            at = text.find("{", at)
            while at >= 0:
                try:
                    value, end = decoder.raw_decode(text, at)
                except json.JSONDecodeError:
                    break
                facts.append(value)
                at = text.find("{", end)
        else:
            facts = text["facts"]
        found += [fact for fact in facts if _key(fact) not in map(_key, found)]
    return [fact for fact in found if fact.get("relation") != "named"]  # a name is no fact


def _key(fact):
    return fact.get("subject"), fact.get("relation"), fact.get("object"), fact.get("kind")


async def _statements(graph, episodes):
    """Count what the episodes say as the graph has stored it, of facts and of what ended.

    Whoever died somewhere, or on a day, is dead: the library says so itself.
    """
    kinds = {"state", "was", "event", "timeless", "planned", "cancelled"}
    store = graph._context.session.store
    from graphrag.model.values import Entity, Fact

    [fact_ids] = await store.query("SELECT VALUE record::id(id) FROM relates_to;")
    [entity_ids] = await store.query("SELECT VALUE record::id(id) FROM entity;")
    stored = (await store.get(Fact, fact_ids)).values()
    entities = (await store.get(Entity, entity_ids)).values()
    died = {fact.subject_id for fact in stored if fact.relation in ("died_in", "died_on")}
    told = (f for f in stored if not (f.relation == "vital_status" and f.subject_id in died))
    said = {one.id: one for fact in told for one in fact.statements}
    said |= {one.assertion.id: one.assertion for entity in entities for one in entity.endings}
    assert all(one.kind in kinds for one in said.values())
    return sum(one.source in episodes for one in said.values())


def _problem(expected, facts, pending, names):
    subject, relation, object_, since, until = expected
    first, stored, second = _stored(subject, relation, object_)
    same = [
        one
        for one in facts
        if one.relation == stored
        and first in (one.subject, *names.get(one.subject_id, ()))
        and second in (one.object, *names.get(one.object_id, ()))
    ]
    standing = [one for one in same if one.retracted_at is None and one.closed_as != "cancelled"]
    if since == "waits":
        waiting = [one for one in pending if {one.subject, one.object} == {subject, object_}]
        return "" if waiting and not standing else "does not wait for a person"
    if since in ("retracted", "cancelled"):
        running = [one for one in standing if one.closed_as != "overruled"]
        return "" if not running else f"still stands: {_times(running)}"
    if not standing:
        return "is missing"
    fits = [one for one in standing if _fits(since, one.valid_at) and _fits(until, one.invalid_at)]
    return "" if fits else f"expected {since} to {until}, found {_times(standing)}"


def _stored(subject, relation, object_):
    """Return a fact in the direction in which its relation is stored."""
    straight = Relations().straight(relation)
    return (object_, straight, subject) if straight else (subject, relation, object_)


def _fits(expected, moment):
    return expected == "any" or expected == (None if moment is None else f"{moment:%Y-%m-%d}")


def _times(facts):
    return ", ".join(
        f"{one.valid_at and one.valid_at.date()} to {one.invalid_at and one.invalid_at.date()}"
        f" ({one.closed_as})"
        for one in facts
    )
