"""The blocking twin of the graph: the same methods, without ``await``.

The graph itself runs on an event loop in a background thread, so this works in a script, in a
thread, and inside a running event loop (Jupyter)::

    from graphrag.sync import GraphRAG

    with GraphRAG.open("surrealkv://./memory") as graph:
        graph.add_episode("Alice joined Acme Corp in March 2021.", reference_time="2021-04-02")
        graph.search("where does Alice work?")
"""

from graphrag.sync.asof import AsOf
from graphrag.sync.graph import GraphRAG

__all__ = ["AsOf", "GraphRAG"]
