"""LightRAG in an interpreter that has it: takes a folder in, then answers searches.

``rivals.py`` starts it. It speaks JSON, a line each: its versions, then for ``{"load": FOLDER}``
the records a second, then for each search its seconds, those of the processor and the ids that it
found. No model is asked: vectors are given, and the words of a question are its keywords.

Its stores are the default ones (NanoVectorDB, NetworkX, JSON), its graph has one edge between two
entities, and neither knows a time.
"""

import asyncio
import json
import os
import re
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

try:
    import numpy as np
    from lightrag import LightRAG, QueryParam
    from lightrag.kg.shared_storage import initialize_pipeline_status
    from lightrag.utils import EmbeddingFunc, Tokenizer, logger
except ImportError as error:
    sys.exit(f"{error}: make an environment, there 'pip install lightrag-hku', and give its python")

_PATIENCE = 1_800.0
"""Seconds for taking records in."""
_BATCH = 500
_FOUND = 10
_ID = re.compile(r"\[([0-9a-f-]{36})\]")


class _Words:
    """Cuts at blanks: its own tokeniser is fetched from the network."""

    def encode(self, content: str) -> list[int]:
        return [hash(word) for word in content.split()]

    def decode(self, tokens: list[int]) -> str:
        return " ".join(map(str, tokens))


class _Vectors:
    """Hands out the vector of the record whose id a text holds, or of the question."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        self.asked: Any = None

    async def embed(self, texts: list[str], **_: Any) -> Any:
        found = [_ID.search(text) for text in texts]
        return np.stack([self.known[one[1]] if one else self.asked for one in found])


async def main() -> None:
    """Answer line by line, until there are no more."""
    logger.setLevel("ERROR")
    _say({"versions": ", ".join(f"{name} {version(name)}" for name in _NAMES)})
    folder = Path(json.loads(sys.stdin.readline())["load"])
    vectors = _Vectors()
    given = np.load(folder / "vectors.npy")
    rag = LightRAG(
        working_dir=str(folder / "lightrag"),
        embedding_func=EmbeddingFunc(embedding_dim=given.shape[1], func=vectors.embed),
        llm_model_func=_nobody,
        tokenizer=Tokenizer("words", _Words()),
        enable_llm_cache=False,
    )
    await rag.initialize_storages()
    await initialize_pipeline_status()
    try:
        rate = await asyncio.wait_for(_take_in(rag, folder, vectors, given), _PATIENCE)
    except TimeoutError:
        sys.exit(f"not taken in after {_PATIENCE:.0f} s")
    _say({"rate": rate})
    for line in sys.stdin:
        before = time.process_time()
        answer = await _search(rag, json.loads(line), vectors)
        _say({**answer, "cpu": time.process_time() - before})
    sys.stdout.flush()
    os._exit(0)  # its threads would keep the process


_NAMES = ("lightrag-hku", "nano-vectordb", "networkx")


async def _nobody(*_: Any, **__: Any) -> str:
    raise RuntimeError("a language model was asked")


async def _take_in(rag: LightRAG, folder: Path, vectors: _Vectors, given: Any) -> float:
    values = [json.loads(line) for line in (folder / "values.jsonl").open(encoding="utf-8")]
    vectors.known = {value["id"]: vector for value, vector in zip(values, given, strict=True)}
    names = {value["id"]: value["name"] for value in values if value["kind"] == "Entity"}
    started = time.perf_counter()
    for first in range(0, len(values), _BATCH):
        some = values[first : first + _BATCH]
        await rag.ainsert_custom_kg(
            {
                "chunks": [
                    {"content": f"{one['content']} [{one['id']}]", "source_id": one["id"]}
                    for one in some
                    if one["kind"] == "Episode"
                ],
                "entities": [
                    {"entity_name": one["name"], "entity_type": "thing", "source_id": one["id"]}
                    | {"description": f"{one['name']} [{one['id']}]"}
                    for one in some
                    if one["kind"] == "Entity"
                ],
                "relationships": [
                    {"src_id": names[one["subject_id"]], "tgt_id": names[one["object_id"]]}
                    | {"description": f"{one['text']} [{one['id']}]", "keywords": one["relation"]}
                    | {"source_id": one["id"], "weight": 1.0}
                    for one in some
                    if one["kind"] == "Fact"
                ],
            }
        )
    return len(values) / (time.perf_counter() - started)


async def _search(rag: LightRAG, asked: dict[str, Any], vectors: _Vectors) -> dict[str, Any]:
    vectors.asked = np.array(asked["vector"], dtype=np.float32)
    words = asked["text"]
    param = QueryParam(
        mode=asked["recipe"],
        top_k=_FOUND,
        chunk_top_k=_FOUND,
        hl_keywords=[words],
        ll_keywords=[words],
        enable_rerank=False,
    )
    started = time.perf_counter()
    found = await rag.aquery_data(words, param)
    seconds = time.perf_counter() - started
    lines = (one["description"] for one in found["data"].get("relationships", ()))
    ids = [match[1] for line in lines if (match := _ID.search(line))]
    return {"seconds": seconds, "facts": ids[:_FOUND]}


def _say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
