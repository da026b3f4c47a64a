"""The engine profile: rows that SurrealDB's own indexes cover, derived from the graph's records."""
