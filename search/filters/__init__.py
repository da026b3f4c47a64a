"""Filters: what a hit must be like, as frozen values that become masks over columns."""
