"""Graphiti on FalkorDBLite, in an interpreter that has them: loads a folder, then answers searches.

``rivals.py`` starts it. It speaks JSON, a line each: its versions, then for ``{"load": FOLDER}``
the records a second, then for each search its seconds, those of the processor and the ids that it
found. No model is asked: vectors are given.
"""

import asyncio
import json
import os
import sys
import time
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
try:
    import numpy as np
    from graphiti_core.driver.falkordb_driver import FalkorDriver
    from graphiti_core.edges import EntityEdge
    from graphiti_core.graphiti_types import GraphitiClients
    from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode
    from graphiti_core.search import search_config_recipes
    from graphiti_core.search.search import search
    from graphiti_core.search.search_filters import SearchFilters
    from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk
    from redislite.async_falkordb_client import AsyncFalkorDB
except ImportError as error:
    # graphiti-core 0.31 imports httpx and does not require it; falkordblite needs Python 3.12.
    sys.exit(
        f"{error}: make an environment of Python 3.12 or newer, "
        "there 'pip install graphiti-core falkordblite httpx', and give its python"
    )

_BATCH = 500
_GROUP = "bench"
_PATIENCE = 600.0
"""Seconds for loading."""
_ANSWER = 120.0
"""Seconds for a query: after the 5 of redis-py, a search of 100,000 facts can fail."""


async def main() -> None:
    """Answer line by line, until there are no more."""
    names = ("graphiti-core", "falkordblite", "FalkorDB")
    _say({"versions": ", ".join(f"{name} {version(name)}" for name in names)})
    folder = Path(json.loads(sys.stdin.readline())["load"])
    database = AsyncFalkorDB(str(folder / "falkor.db"), socket_timeout=_ANSWER)
    driver = FalkorDriver(falkor_db=database, database=_GROUP)
    try:
        await driver.build_indices_and_constraints()
        try:
            rate = await asyncio.wait_for(_load(driver, folder), _PATIENCE)
        except TimeoutError:
            sys.exit(f"not loaded in {_PATIENCE:.0f} s")
        # Saved now, so that no search has a save beside it.
        await database.connection.save()
        _say({"rate": rate})
        for line in sys.stdin:
            before = await _processor_time(database)
            answer = await _search(driver, json.loads(line))
            _say({**answer, "cpu": await _processor_time(database) - before})
    finally:
        # Closing alone may leave the server running.
        await database.connection.shutdown(nosave=True)
        await database.close()


async def _load(driver: FalkorDriver, folder: Path) -> float:
    values = [json.loads(line) for line in (folder / "values.jsonl").open(encoding="utf-8")]
    vectors = np.load(folder / "vectors.npy")
    made: dict[str, list[Any]] = {"Episode": [], "Entity": [], "Fact": []}
    for value, vector in zip(values, vectors, strict=True):
        made[value["kind"]].append(_made(value, vector.tolist()))
    started = time.perf_counter()
    for place, some in enumerate(made.values()):
        for first in range(0, len(some), _BATCH):
            rows: list[list[Any]] = [[], [], []]
            rows[place] = some[first : first + _BATCH]
            episodes, nodes, edges = rows
            await add_nodes_and_edges_bulk(driver, episodes, [], nodes, edges, None)
    return len(values) / (time.perf_counter() - started)


def _made(value: dict[str, Any], vector: list[float]) -> EntityNode | EntityEdge | EpisodicNode:
    given = {"uuid": value["id"], "group_id": _GROUP, "created_at": _time(value["created_at"])}
    if value["kind"] == "Entity":
        return EntityNode(**given, name=value["name"], name_embedding=vector)
    if value["kind"] == "Episode":
        return EpisodicNode(
            **given,
            name=value["id"],
            source=EpisodeType.text,
            source_description="",
            content=value["content"],
            valid_at=_time(value["created_at"]),
        )
    return EntityEdge(
        **given,
        source_node_uuid=value["subject_id"],
        target_node_uuid=value["object_id"],
        name=value["relation"],
        fact=value["text"],
        fact_embedding=vector,
        valid_at=_time(value["valid_at"]),
        invalid_at=_time(value["invalid_at"]),
    )


async def _search(driver: FalkorDriver, asked: dict[str, Any]) -> dict[str, Any]:
    clients = GraphitiClients.model_construct(
        driver=driver, llm_client=None, embedder=None, cross_encoder=None, tracer=None
    )
    started = time.perf_counter()
    found = await search(
        clients,
        asked["text"],
        [_GROUP],
        getattr(search_config_recipes, asked["recipe"].upper()),
        SearchFilters(),
        center_node_uuid=asked["centre"],
        query_vector=asked["vector"],
    )
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "facts": [edge.uuid for edge in found.edges]}


async def _processor_time(database: AsyncFalkorDB) -> float:
    """Return the processor time of this process and of its database, in seconds."""
    used = await database.connection.info("cpu")
    return time.process_time() + float(used["used_cpu_user"]) + float(used["used_cpu_sys"])


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
