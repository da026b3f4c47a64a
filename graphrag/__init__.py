"""Temporal GraphRAG on SurrealDB."""
