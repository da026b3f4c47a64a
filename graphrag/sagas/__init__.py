"""Named runs of episodes: their order, what they tell of, and their summaries."""
