"""A group as lines of JSON: all of it, to be kept, read by others, and made again."""
