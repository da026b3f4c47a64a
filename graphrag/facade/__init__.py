"""The methods of a graph, by what they are for; ``GraphRAG`` is all of them together."""
