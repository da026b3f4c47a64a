"""Run by another interpreter, which has graphiti-core and falkordblite: load, search, time.

``PYTHON graphiti.py FOLDER``: reads ``values.jsonl``, ``vectors.npy``, ``queries.json`` and
``queries.npy``; prints the times as JSON. No model is asked: vectors are given.
"""

import asyncio
import json
import sys
import time
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

import numpy as np
from graphiti_core.driver.falkordb_driver import FalkorDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.graphiti_types import GraphitiClients
from graphiti_core.nodes import EntityNode
from graphiti_core.search.search import search
from graphiti_core.search.search_config_recipes import (
    COMBINED_HYBRID_SEARCH_MMR,
    COMBINED_HYBRID_SEARCH_RRF,
    EDGE_HYBRID_SEARCH_NODE_DISTANCE,
    EDGE_HYBRID_SEARCH_RRF,
)
from graphiti_core.search.search_filters import SearchFilters
from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk
from redislite.async_falkordb_client import AsyncFalkorDB

_BATCH = 500
_GROUP = "bench"
_NOW = datetime(2024, 1, 1, tzinfo=timezone.utc)  # noqa: UP017  # any Python that it runs on


async def main(folder: Path) -> None:
    """Load everything, then search with each recipe."""
    values = [json.loads(line) for line in (folder / "values.jsonl").open(encoding="utf-8")]
    vectors = np.load(folder / "vectors.npy")
    driver = FalkorDriver(falkor_db=AsyncFalkorDB(str(folder / "falkor.db")), database=_GROUP)
    await driver.build_indices_and_constraints()
    nodes, edges = [], []
    for value, vector in zip(values, vectors, strict=True):
        if value["kind"] == "Entity":
            nodes.append(
                EntityNode(
                    uuid=value["id"],
                    name=value["name"],
                    group_id=_GROUP,
                    created_at=_NOW,
                    name_embedding=vector.tolist(),
                )
            )
        elif value["kind"] == "Fact":
            edges.append(
                EntityEdge(
                    uuid=value["id"],
                    group_id=_GROUP,
                    source_node_uuid=value["subject_id"],
                    target_node_uuid=value["object_id"],
                    created_at=_NOW,
                    name=value["relation"],
                    fact=value["fact"],
                    fact_embedding=vector.tolist(),
                    valid_at=datetime.fromisoformat(value["valid_at"]),
                )
            )
    started = time.perf_counter()
    for first in range(0, len(nodes), _BATCH):
        await add_nodes_and_edges_bulk(driver, [], [], nodes[first : first + _BATCH], [], None)
    for first in range(0, len(edges), _BATCH):
        await add_nodes_and_edges_bulk(driver, [], [], [], edges[first : first + _BATCH], None)
    rate = (len(nodes) + len(edges)) / (time.perf_counter() - started)
    texts = json.loads((folder / "queries.json").read_text())
    asked = np.load(folder / "queries.npy")
    clients = GraphitiClients.model_construct(
        driver=driver, llm_client=None, embedder=None, cross_encoder=None, tracer=None
    )
    found = {}
    for name, recipe in (
        ("edge_hybrid_search_rrf", EDGE_HYBRID_SEARCH_RRF),
        ("edge_hybrid_search_node_distance", EDGE_HYBRID_SEARCH_NODE_DISTANCE),
        ("combined_hybrid_search_rrf", COMBINED_HYBRID_SEARCH_RRF),
        ("combined_hybrid_search_mmr", COMBINED_HYBRID_SEARCH_MMR),
    ):
        times = []
        for text, vector in zip(texts, asked, strict=True):
            began = time.perf_counter()
            await search(
                clients,
                text,
                [_GROUP],
                recipe,
                SearchFilters(),
                center_node_uuid=nodes[0].uuid,
                query_vector=vector.tolist(),
            )
            times.append(time.perf_counter() - began)
        found[name] = times
    print(json.dumps({"version": version("graphiti-core"), "rate": rate, "searches": found}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
