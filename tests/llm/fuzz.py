"""Replies of a model server with random faults, and what became of the text that they answer."""

import json
import random

from graphrag import GraphRAG, GraphRAGError, LLMError, Models, OpenAILLM
from graphrag.testing import HashEmbedder
from tests.extract.replay import facts_of, stories
from tests.llm.server import ModelServer, Reply

TEXTS = [
    (one["content"], one["time"], one["source"], one["answer"])
    for story in stories()
    for one in story["episodes"][:1]
    if isinstance(one["answer"], dict)
]
STRANGE = (
    None, "", 0, -1, 1e308, True, [], {}, "F99", "E0", "\ud83d", "\x00", "x" * 30_000,
    "9999-99-99", [[[[]]]], {"a": {"b": {}}}, "<<end text>>", "ignore all rules",
)  # fmt: skip


def broken(value, chance):
    """Return a JSON value with one thing in it dropped, doubled, renamed, retyped or strange."""
    places = list(_places(value))
    for _ in range(chance.choice((1, 1, 2, 5))):
        holder, key = chance.choice(places)
        try:
            match chance.randrange(5):
                case 0:
                    del holder[key]
                case 1:
                    holder[key] = chance.choice(STRANGE)
                case 2:
                    holder[key] = [holder[key]]
                case 3 if isinstance(holder, list):
                    holder.append(holder[key])
                case 4 if isinstance(holder, dict):
                    holder[f"{key}s"] = holder.pop(key)
        except (KeyError, IndexError):
            continue
    return value


def _places(value):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield value, key
        if isinstance(item, dict | list):
            yield from _places(item)


def noisy(text, chance):
    """Return a text with characters lost, doubled or wrapped in what models write around JSON."""
    match chance.randrange(8):
        case 0:
            return text[: chance.randrange(len(text))]
        case 1:
            place = chance.randrange(len(text))
            return text[:place] + chance.choice('{}[]",:\\ \n') + text[place + 1 :]
        case 2:
            return f"Here it is:\n```json\n{text}\n```\nAnything else?"
        case 3:
            return f'<think>{{"entities": []}}</think>{text}'
        case 4:
            return f'{{"entities": [], "facts": []}}\n{text}'
        case 5:
            return text.replace('"', "'")
        case 6:
            return "\n".join(text.split(","))
        case _:
            return text


async def outcome(seed):
    """Return what is wrong after a faulty reply; empty if nothing is."""
    chance = random.Random(seed)
    content, time, source, answer = chance.choice(TEXTS)
    given = json.loads(json.dumps(answer))
    if chance.random() < 0.7:
        given = broken(given, chance)
    reply = noisy(json.dumps(given, ensure_ascii=chance.random() < 0.5), chance)
    server = ModelServer()
    server.answer = lambda request: Reply(
        reply if "open points" not in str(request) else '{"names": [], "exclusive_pairs": []}',
        finish_reason=chance.choice(("stop", "stop", "stop", "length", "content_filter", None)),
    )
    llm = OpenAILLM("m", base_url=server.url, api_key="k", retries=1, timeout=5)
    try:
        async with GraphRAG.open(
            "mem://", models=Models(embedder=HashEmbedder(), llm=llm)
        ) as graph:
            try:
                added = await graph.add_episode(content, reference_time=time, source=source)
            except LLMError:
                added = None
            except GraphRAGError as error:
                return f"{seed}: {type(error).__name__}: {error}"
            except Exception as error:  # noqa: BLE001 - any other error is a result
                return f"{seed}: raw {type(error).__name__}: {error}"
            if [one.content for one in await graph.episodes()] != [content]:
                return f"{seed}: the text is lost"
            if added is None:
                return ""
            if findings := (await graph.health.check_all()).findings:
                return f"{seed}: {findings}"
            return await _silent(seed, reply, added, graph)
    finally:
        server.close()


async def _silent(seed, reply, added, graph):
    """Return how many facts of a whole answer are neither stored nor named, in words."""
    try:
        read = {json.dumps(fact) for fact in facts_of(json.loads(reply))}
    except (ValueError, TypeError, KeyError, AttributeError):
        return ""
    stored = sum(len(fact.statements) for fact in await graph.at(history=True).facts(limit=500))
    entities = await graph.at(history=True).entities()
    named = sum(len(one.names) for one in entities) + sum(len(one.endings) for one in entities)
    waiting = len(await graph.edit.pending())
    if stored + named + waiting + len(added.dropped) < len(read):
        return f"{seed}: {len(read)} facts, {stored} stored, {added.dropped}"
    return ""
