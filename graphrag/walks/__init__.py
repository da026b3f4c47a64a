"""Walking the graph: who is near, how two things are linked, what to draw, who something is."""
