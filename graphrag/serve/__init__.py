"""A graph for other programs: tools of the Model Context Protocol, and the same verbs as REST."""
