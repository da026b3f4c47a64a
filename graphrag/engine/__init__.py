"""The engine profile: rows that searches in SurrealDB go by, derived from the graph's records."""
