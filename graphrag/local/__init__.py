"""Models on this machine: embedder, reranker, parser."""
