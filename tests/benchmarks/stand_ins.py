"""Stand-ins for other libraries: packages of their names, as far as our child processes use them.

So what those processes read and write is tried without an environment for each of them.
"""

from pathlib import Path

_VALUE = """
class _Value:
    def __init__(self, **given):
        self.__dict__.update(given)

    @classmethod
    def model_construct(cls, **given):
        return cls(**given)

"""

_GRAPHITI = {
    "graphiti_core/__init__.py": "",
    "graphiti_core/driver/__init__.py": "",
    "graphiti_core/utils/__init__.py": "",
    "graphiti_core/search/__init__.py": "",
    "graphiti_core/driver/falkordb_driver.py": """
class FalkorDriver:
    def __init__(self, falkor_db, database):
        self.edges = []

    async def build_indices_and_constraints(self):
        pass
""",
    "graphiti_core/edges.py": f"{_VALUE}class EntityEdge(_Value): pass\n",
    "graphiti_core/graphiti_types.py": f"{_VALUE}class GraphitiClients(_Value): pass\n",
    "graphiti_core/nodes.py": f"{_VALUE}class EntityNode(_Value): pass\n"
    "class EpisodicNode(_Value): pass\n"
    "class EpisodeType:\n    text = 'text'\n",
    "graphiti_core/search/search_config_recipes.py": "def __getattr__(name): return name\n",
    "graphiti_core/search/search_filters.py": "class SearchFilters: pass\n",
    "graphiti_core/search/search.py": f"""
import numpy as np
{_VALUE}
async def search(clients, text, groups, recipe, filters, *, center_node_uuid, query_vector):
    edges = clients.driver.edges
    scores = [-float(np.dot(edge.fact_embedding, query_vector)) for edge in edges]
    return _Value(edges=[edges[place] for place in np.argsort(scores)[:10]])
""",
    "graphiti_core/utils/bulk_utils.py": """
async def add_nodes_and_edges_bulk(driver, episodes, mentions, nodes, edges, embedder):
    driver.edges += edges
    assert all(isinstance(edge.fact, str) for edge in edges)
""",
    "redislite/__init__.py": "",
    "redislite/async_falkordb_client.py": """
class AsyncFalkorDB:
    def __init__(self, path, socket_timeout):
        self.connection = self

    async def info(self, what):
        return {"used_cpu_user": 0.0, "used_cpu_sys": 0.0}

    async def save(self):
        pass

    async def shutdown(self, nosave):
        pass

    async def close(self):
        pass
""",
}
_LIGHTRAG = {
    "lightrag/__init__.py": f"""
import numpy as np
{_VALUE}
class QueryParam(_Value): pass


class LightRAG(_Value):
    async def initialize_storages(self):
        self.facts = []

    async def ainsert_custom_kg(self, graph):
        self.facts += graph["relationships"]

    async def aquery_data(self, words, param):
        [asked] = await self.embedding_func.func([words])
        texts = [fact["description"] for fact in self.facts]
        known = await self.embedding_func.func(texts)
        best = np.argsort(-(known @ asked))[: param.top_k]
        return {{"data": {{"relationships": [self.facts[place] for place in best]}}}}
""",
    "lightrag/kg/__init__.py": "",
    "lightrag/kg/shared_storage.py": "async def initialize_pipeline_status(): pass\n",
    "lightrag/utils.py": f"""
import logging
{_VALUE}
class EmbeddingFunc(_Value): pass


class Tokenizer:
    def __init__(self, name, words):
        pass


logger = logging.getLogger("lightrag")
""",
}
_VERSIONS = {
    "graphiti": ("graphiti-core", "falkordblite", "FalkorDB"),
    "lightrag": ("lightrag-hku", "nano-vectordb", "networkx"),
}


def written(rival: str, folder: Path) -> Path:
    """Write the packages that stand in for a library, and return their folder."""
    for name, text in (_GRAPHITI if rival == "graphiti" else _LIGHTRAG).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for package in _VERSIONS[rival]:
        about = folder / f"{package.replace('-', '_')}-0.dist-info" / "METADATA"
        about.parent.mkdir()
        about.write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0\n", encoding="utf-8")
    return folder
