"""Questions that the facts answer without a model: parsed, planned against the graph, solved."""
