"""Search in SurrealDB's own indexes: they choose some rows of a group, and these are ranked."""
