"""The explorer: a whole group laid out through time, on one page for a browser."""
