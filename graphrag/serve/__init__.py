"""Server of a graph: tools of the Model Context Protocol, and the same operations as REST."""
