"""The exports of other memories: Graphiti, Zep, Mem0."""
