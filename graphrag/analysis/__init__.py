"""Read-only analyses of a graph: walks, paths, timelines, differences, contradictions."""
