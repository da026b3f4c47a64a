"""Text as it is read: index terms, chunks, quotes."""
