"""Communities to look at: one of them, all of them as a map, and what they say of a question."""
