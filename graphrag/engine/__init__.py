"""The engine profile: search rows in SurrealDB, derived from the records of the graph."""
