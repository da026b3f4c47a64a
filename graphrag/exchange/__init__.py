"""The graph as others draw, count and query it: tables, GraphML, RDF, networks and frames."""
