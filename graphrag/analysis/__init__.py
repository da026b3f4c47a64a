"""Read-only questions to the graph: walks, paths, timelines, differences, contradictions."""
